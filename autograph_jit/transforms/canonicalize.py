"""Removes operations that change nothing: exact identities, checks that hold, branches whose condition is known, needless handlers.

Before::                                   After::

    %one: i64 = constant() {value = i64(1)}    %one: i64 = constant() {value = i64(1)}
    %a: i64 = multiply(%n, %one)               yield %n
    yield %a

Keeps: every result bit for bit, but the sign of a zero in a product of the chain rule. Branches that end in an exception are left in place.
"""

from __future__ import annotations

import numpy as np

from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of, resolve
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.ops.registry import get
from autograph_jit.transforms.identities import RULES
from autograph_jit.transforms.rewriting import make_constant, replace_values

DEEPEST_CHOICE = 4
SIZES = {"full": 1, "empty": 0}  # where the operands begin that are the sizes of the result


def canonicalize(graph: Graph, distinct_parameters: bool = False) -> None:
    """Simplify the whole graph in one walk."""
    replaced: dict[Value, Value] = {}
    spread_numbers(graph)
    simplify_block(graph.block, replaced)
    replace_values(graph, replaced)


def spread_numbers(graph: Graph) -> None:
    """Let elementwise operations read a number where they read an array that repeats it, and that nothing else sees."""
    operations = list(graph.walk())
    repeated = {operation.result: number for operation in operations if (number := number_repeated(operation)) is not None}
    if not repeated:
        return
    seen = {value for operation in operations if operation.name != "broadcast_to" for value in read_by(operation)} | set(graph.block.yields)
    repeated = {value: number for value, number in repeated.items() if value.owner.operands[0] not in seen}  # type: ignore[union-attr]
    for operation in operations:
        if isinstance(operation.opdef.kernel, Pointwise) and not repeated.keys().isdisjoint(operation.operands):
            use_numbers(operation, [repeated.get(operand, operand) for operand in operation.operands])


def number_repeated(operation: Operation) -> Value | None:
    """The number that `broadcast_to` repeats."""
    maker = operation.operands[0].owner if operation.name == "broadcast_to" else None
    if not isinstance(maker, Operation) or maker.name != "full":
        return None
    return maker.operands[0] if maker.operands[0].type == ScalarType(dtype_of(operation.result)) else None


def read_by(operation: Operation) -> list[Value]:
    return [*operation.operands, *operation.unwind, *(value for region in operation.regions for value in region.yields)]


def use_numbers(operation: Operation, operands: list[Value]) -> bool:
    """Give an elementwise operation other operands if that leaves the result's type as it is."""
    types = tuple(value.type for value in operands)
    fits = any(isinstance(type, ArrayType) for type in types) and operation.opdef.infer(types, operation.attributes) == (
        operation.result.type,
    )
    if fits:
        operation.operands = operands
    return fits


def dtype_of(value: Value) -> np.dtype:
    assert isinstance(value.type, ArrayType)
    return value.type.dtype


def simplify_block(block: Block, replaced: dict[Value, Value]) -> None:
    """Simplify the operations of a block, its regions first."""
    kept: list[Operation] = []
    for operation in block.operations:
        operation.operands = [resolve(value, replaced) for value in operation.operands]
        for region in operation.regions:
            simplify_block(region, replaced)
        kept += simplify_operation(operation, replaced)
    block.operations = kept


def simplify_operation(operation: Operation, replaced: dict[Value, Value]) -> list[Operation]:
    """The operations that take the place of this one."""
    if operation.name == "check" and constant_of(operation.operands[0]):
        return []
    region = chosen_region(operation)
    if region is not None:
        return inline(region, operation, replaced)
    if is_plain_product(operation):
        operation.opdef = get("multiply")
    if is_view_of_all(operation):
        items = (("full",),) * len(operation.attributes["dims"])
        operation.opdef, operation.operands = get("basic_index"), operation.operands[:1]
        operation.attributes = {"items": items, "dims": operation.attributes["dims"]}
    if operation.name == "dim" and (size := size_given(operation)) is not None:
        replaced[operation.result] = size
        return []
    read_directly(operation)
    constants = use_uniform_numbers(operation)
    if constants:
        return [*constants, operation]
    if operation.name not in RULES or not all(isinstance(value.type, ScalarType) for value in operation.results):
        return [operation]
    simplified = RULES[operation.name](operation)
    if simplified is None:
        return [operation]
    if isinstance(simplified, np.generic):
        constant = make_constant(simplified, operation)
        replaced[operation.result] = constant.result
        return [constant]
    replaced[operation.result] = simplified
    return []


def is_plain_product(operation: Operation) -> bool:
    """Whether a product of the chain rule has a constant factor that is finite, or first and not zero: then it is an ordinary product."""
    if operation.name != "chain_product":
        return False
    first, factor = map(constant_of, operation.operands)
    return (factor is not None and bool(np.isfinite(factor))) or (first is not None and bool(first != 0))


def is_view_of_all(operation: Operation) -> bool:
    """Whether a reshape gives an array the sizes that it has: of arrays whose rows do not lie side by side Python would be asked."""
    if operation.name != "reshape" or operation.attributes.get("dense"):
        return False
    return operation.result.type == operation.operands[0].type


def read_directly(operation: Operation) -> None:
    """Let an operation that reads the elements of an array in the sizes that it has already read the array itself."""
    if operation.name in ("copy", "reduce") or isinstance(operation.opdef.kernel, Pointwise):
        operation.operands = [before_broadcast(operand) for operand in operation.operands]


def before_broadcast(value: Value) -> Value:
    """What `broadcast_to` was given, where that has the sizes of its result."""
    maker = value.owner
    while isinstance(maker, Operation) and maker.name == "broadcast_to" and maker.operands[0].type == value.type:
        value = maker.operands[0]
        maker = value.owner
    return value


def use_uniform_numbers(operation: Operation) -> list[Operation]:
    """Let an elementwise operation read a number where it reads an array of equal ones, if that leaves the result's type as it is; the
    constants that this takes. The exponents of the derivative of `x ** 2` are such an array."""
    if not isinstance(operation.opdef.kernel, Pointwise) or isinstance(operation.result.type, ScalarType):
        return []
    made = []
    for position, operand in enumerate(operation.operands):
        number = uniform_number(operand) if isinstance(operand.type, ArrayType) else None
        if number is None:
            continue
        constant = make_constant(number, operation)
        if use_numbers(operation, [*operation.operands[:position], constant.result, *operation.operands[position + 1 :]]):
            made.append(constant)
    return made


def uniform_number(value: Value, depth: int = 0) -> np.generic | None:
    """The number that all elements of an array of choices are, if it is known."""
    operation = value.owner
    if isinstance(value.type, ScalarType) or not isinstance(operation, Operation) or depth == DEEPEST_CHOICE:
        return constant_of(value)
    if operation.name in ("bitwise_and", "logical_and") and value.type == boolean_like(value):
        found = [uniform_number(operand, depth + 1) for operand in operation.operands]
        return np.False_ if any(number is not None and not number for number in found) else None
    if operation.name != "where":
        return None
    condition, first, second = (uniform_number(operand, depth + 1) for operand in operation.operands)
    if condition is not None:
        return first if condition else second
    same = first is not None and second is not None and first.tobytes() == second.tobytes()
    return first if same else None


def boolean_like(value: Value) -> ArrayType:
    """The type of an array of truth values in the place of another array."""
    assert isinstance(value.type, ArrayType)
    return ArrayType(np.dtype(bool), value.type.dims)


def size_given(operation: Operation) -> Value | None:
    """The operand that a size was given by when the array was made."""
    maker = operation.operands[0].owner
    if not isinstance(maker, Operation) or maker.name not in SIZES:
        return None
    return maker.operands[SIZES[maker.name] + operation.attributes["axis"]]


def chosen_region(operation: Operation) -> Block | None:
    """The region that always runs, once, in the place of the operation."""
    region = None
    if operation.name == "cond" and (known := constant_of(operation.operands[0])) is not None:
        region = operation.regions[0 if known else 1]
    elif operation.name == "try_" and not can_reach_handler(operation.regions[0]):
        region = operation.regions[0]
    return None if region is None or region.terminated else region


def can_reach_handler(block: Block) -> bool:
    """Whether an operation that fails here leaves for the handler around the block."""
    for operation in block.operations:
        if operation.can_be_handled:
            return True
        inner = operation.regions[1:] if operation.name == "try_" else operation.regions
        if any(can_reach_handler(region) for region in inner):
            return True
    return False


def inline(region: Block, operation: Operation, replaced: dict[Value, Value]) -> list[Operation]:
    """The operations of the region, moved to the block around it."""
    for result, value in zip(operation.results, region.yields, strict=True):
        if result.type != value.type:
            return [operation]
    for result, value in zip(operation.results, region.yields, strict=True):
        replaced[result] = resolve(value, replaced)
    if operation.name == "try_":
        clear_unwind(region)
    assert operation.block is not None
    return operation.block.adopt(region.operations)


def clear_unwind(block: Block) -> None:
    """Nothing here fails: the values for the handler that goes away are not needed."""
    for operation in block.operations:
        operation.unwind = []
        for region in operation.regions[1:] if operation.name == "try_" else operation.regions:
            clear_unwind(region)
