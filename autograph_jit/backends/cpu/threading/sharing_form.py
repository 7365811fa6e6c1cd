"""The form of a program whose nests threads can share, compiled for the first call with large arguments; other calls pay nothing for it."""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core.compiler_lock import global_compiler_lock

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.lockstep.jam import is_simple
from autograph_jit.backends.cpu.signatures import I64, PTR
from autograph_jit.backends.cpu.values import array_type
from autograph_jit.ir.dims import Dim
from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.types import I64 as I64_TYPE
from autograph_jit.ir.types import ArrayType, ScalarType, Type
from autograph_jit.kernels.escape import is_small
from autograph_jit.kernels.trips import SIGNS

Size = str | Value  # a symbol, or an argument
MOST_SHAPES = 4  # that a call multiplies the sizes of
WORTH_SHARING = 1 << 15  # elements of all array arguments together: with fewer hardly a nest is worth threads


class Sharing(enum.Enum):
    """Whether threads take part in a program's large nests: never, in another form of it for large arguments, in this form."""

    NEVER = enum.auto()
    WHEN_LARGE = enum.auto()
    NOW = enum.auto()


def is_large(graph: Graph, leaves: Sequence[Any]) -> bool:
    """Whether a call with these leaves goes to the sharing form."""
    work, axes = sum(leaf.size for leaf in leaves if isinstance(leaf, np.ndarray)), axes_of_numbers(graph)
    for leaf, param in zip(leaves, graph.block.args):
        if axes and param.type == I64_TYPE:
            work += min(abs(int(leaf)), WORTH_SHARING) ** axes
    sizes: dict[Size, int] = {name: size for leaf, param in zip(leaves, graph.block.args) for name, size in sizes_of(param.type, leaf)}
    sizes |= {param: max(int(leaf), 0) for leaf, param in zip(leaves, graph.block.args) if param.type == I64_TYPE}
    return work + sum(math.prod(sizes.get(name, 0) for name in names) for names in products_of_sizes(graph)) >= WORTH_SHARING


def sizes_of(type: Type, leaf: Any) -> list[tuple[Size, int]]:
    """The symbols that are sizes of an argument, as numbers."""
    if not isinstance(type, ArrayType):
        return []
    return [(str(dim), size) for dim, size in zip(type.dims, np.shape(leaf)) if isinstance(dim, Dim)]


def work_of_arguments(e: Emitter, graph: Graph) -> ir.Value:
    """The same in compiled code: the elements of array parameters, and what ints may be the sizes of."""
    work, axes = e.integer(0), axes_of_numbers(graph)
    for param in graph.block.args:
        if isinstance(param.type, ArrayType):
            work = e.add(work, e.product(e.get(param).shape))
        elif axes and param.type == I64_TYPE:
            number = e.get(param)
            size = e.minimum(e.maximum(number, e.sub(I64(0), number)), I64(WORTH_SHARING))
            work = e.add(work, e.product((size,) * axes))
    for names in products_of_sizes(graph):
        work = e.add(work, e.product(tuple(e.atoms[name] if isinstance(name, str) else trips_up_to(e, name) for name in names)))
    return work


def trips_up_to(e: Emitter, param: Value) -> ir.Value:
    """An argument as a number of trips: none where it is negative, and no more than are worth sharing."""
    return e.maximum(e.minimum(e.get(param), I64(WORTH_SHARING)), I64(0))


def products_of_sizes(graph: Graph) -> list[tuple[Size, ...]]:
    """What a call multiplies: the sizes of outer products, and how often the bodies of loops in loops run."""
    trips = dict.fromkeys(trips_of_several(graph.block, graph.block.args, ()))
    return [*shapes_of_several(graph)[:MOST_SHAPES], *list(trips)[:MOST_SHAPES]]


def trips_of_several(block: Block, params: list[Value], around: tuple[Size, ...]) -> Iterator[tuple[Size, ...]]:
    """How often the bodies of counted loops in one another run, where arguments tell."""
    for operation in block.operations:
        size = size_of(operation.operands[1], params) if operation.name == "for_loop" else None
        deeper = around if size is None else (*around, size)
        inner = [trips for region in operation.regions for trips in trips_of_several(region, params, deeper)]
        yield from inner
        if size is not None and around and not inner:
            yield deeper


def size_of(value: Value, params: list[Value]) -> Size | None:
    """The argument, or the symbol of an argument's size, that a loop's end is but for a few."""
    operation = value.owner
    if not isinstance(operation, Operation):
        return value if value in params and value.type == I64_TYPE else None
    if operation.name == "dim" and operation.operands[0] in params:
        dim = array_type(operation.operands[0]).dims[operation.attributes["axis"]]
        return dim.terms[0][0] if isinstance(dim, Dim) and len(dim.terms) == 1 else None
    return size_of(operation.operands[0], params) if operation.name in SIGNS else None


def shapes_of_several(graph: Graph) -> list[tuple[str, ...]]:
    """The shapes that arrays have whose sizes are those of several arguments, as outer products have; only a few."""
    arguments = [atoms_of(param.type) for param in graph.block.args if isinstance(param.type, ArrayType)]
    known = {str(dim) for param in graph.block.args if isinstance(param.type, ArrayType) for dim in param.type.dims}
    made: dict[tuple[str, ...], None] = {}
    for operation in graph.walk():
        for result in operation.results:
            if isinstance(result.type, ArrayType) and result.type.rank > 1:
                found = atoms_of(result.type)
                if known.issuperset(found) and not any(found <= other for other in arguments):
                    made[tuple(sorted(found.elements()))] = None
    return list(made)


def axes_of_numbers(graph: Graph) -> int:
    """How many axes, up to two, the arrays have that are made with other sizes than those of parameters; 0 where there are none."""
    known = {name for param in graph.block.args if isinstance(param.type, ArrayType) for name in atoms_of(param.type)}
    results = (result.type for operation in graph.walk() for result in operation.results)
    return max((min(type.rank, 2) for type in results if isinstance(type, ArrayType) and not known.issuperset(atoms_of(type))), default=0)


def atoms_of(type: ArrayType) -> Counter[str]:
    """The symbols in the sizes of an array, as often as they occur."""
    return Counter(name for dim in type.dims if isinstance(dim, Dim) for name, _ in dim.terms)


def has_nests(block: Block, depth: int = 0) -> bool:
    """Whether a program has nests or loops that can be worth sharing."""
    for operation in block.operations:
        inside = depth + (operation.name in ("for_loop", "while_loop"))
        if is_shareable(operation, depth) or (depth < 2 and is_loop_over_elements(operation)):
            return True
        if any(has_nests(region, inside) for region in operation.regions):
            return True
    return False


def is_shareable(operation: Operation, depth: int) -> bool:
    """Whether an operation is a nest or a product that may be large; in the inner of two loops, rows are not."""
    if operation.name in ("assign", "reduce"):
        array = operation.operands[0]
    elif isinstance(operation.opdef.kernel, Pointwise) or operation.name == "matmul":
        array = operation.results[0]
    else:
        return False
    return isinstance(array.type, ArrayType) and not is_small(array) and (depth < 2 or array.type.rank > 1)


def is_loop_over_elements(loop: Operation) -> bool:
    """Whether a loop carries nothing and stores elements of arrays from outside, computed from numbers."""
    if not is_simple(loop):
        return False
    operations = list(walk_block(loop.regions[0]))
    if not all(isinstance(result.type, ScalarType) for operation in operations for result in operation.results):
        return False
    names = {operation.name for operation in operations if operation.opdef.effect is not Effect.HOST}
    return "store" in names and names.issuperset(operation.name for operation in operations)


class SharingForm:
    """Stands for the sharing form in the program that has it; compiled when it is called."""

    def __init__(self, compile_form: Callable[[], Any]) -> None:
        self.compile_form: Callable[[], Any] | None = compile_form
        self.executable: Any = None
        self.entry: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self.entry is None:
            with global_compiler_lock:
                if self.compile_form is not None:
                    self.executable = self.compile_form()
                    self.entry, self.compile_form = self.executable.entry, None
        assert self.entry is not None
        return self.entry(*arguments)


def switch_forms(e: Emitter, work: ir.Value, form: SharingForm) -> None:
    """Leave the call to the sharing form where the arguments are large; holds the lock of the interpreter."""
    e.constants.append(form)
    position = len(e.constants)
    with e.b.if_then(e.compare(">=", work, I64(WORTH_SHARING)), likely=False):
        callee = e.call("PyTuple_GetItem", e.b.load(e.environment, typ=PTR), I64(position))
        result = e.call("PyObject_Call", callee, e.function.args[1], PTR(None))
        e.call("ag_release_all", e.frame)
        e.b.ret(result)
