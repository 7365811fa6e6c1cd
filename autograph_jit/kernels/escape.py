"""Which fresh arrays stay inside their block and are small: they live on the call's stack instead of in allocated memory.

Before: t = add(x, y)  (3 numbers, read by loads only)          After: t in the stack frame, no allocation, no reference to count
"""

from __future__ import annotations

from collections.abc import Callable

from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.fusion import blocks_of

Users = dict[Value, list[Operation]]
LARGEST_BYTES = 512
LARGEST_FRAME = 1 << 16
MAKERS = frozenset({"copy", "full", "empty", "reduce"})
READERS = frozenset({"load", "store", "dim", "reduce", "copy", "assign"})  # none of them hands its operands to Python
VIEWS = frozenset({"basic_index", "transpose"})


def find_local(graph: Graph) -> set[Value]:
    """The results that can live on the stack."""
    users, escaping = find_users(graph)
    local: set[Value] = set()
    room = LARGEST_FRAME
    for block in blocks_of(graph.block):
        for result in small_results(block):
            if room >= LARGEST_BYTES and stays(result, users, escaping):
                local.add(result)
                room -= LARGEST_BYTES
    return local


def find_users(graph: Graph) -> tuple[Users, set[Value]]:
    """Who uses each value, and which values are yielded by a block or kept for a handler."""
    escaping = {value for block in blocks_of(graph.block) for value in block.yields}
    users: Users = {}
    for operation in walk_block(graph.block):
        escaping.update(operation.unwind)
        for value in operation.operands:
            users.setdefault(value, []).append(operation)
    return users, escaping


def small_results(block: Block) -> list[Value]:
    found = []
    for operation in block.operations:
        if makes_locally(operation):
            found += [result for result in operation.results if is_small(result)]
    return found


def is_small(value: Value) -> bool:
    """Whether a value is an array of few bytes, all sizes known."""
    if not isinstance(value.type, ArrayType):
        return False
    count = value.type.dtype.itemsize
    for size in value.type.dims:
        if not isinstance(size, int):
            return False
        count *= size
    return count <= LARGEST_BYTES


def stays(value: Value, users: Users, escaping: set[Value], is_fine: Callable[[Operation, Value], bool] | None = None) -> bool:
    """Whether neither the value nor a view of it is yielded, kept for a handler or given to Python, or whether all uses are fine."""
    if value in escaping:
        return False
    for user in users.get(value, ()):
        if user.name in VIEWS:
            if not stays(user.result, users, escaping, is_fine):
                return False
        elif not (only_reads(user) if is_fine is None else is_fine(user, value)):
            return False
    return True


def is_only_read(value: Value, users: Users, escaping: set[Value]) -> bool:
    """Whether compiled code alone looks at the value and its views, and nobody writes to them."""
    return stays(value, users, escaping, lambda user, value: value not in user.written and (only_reads(user) or is_lent(user, value)))


def is_lent(call: Operation, value: Value) -> bool:
    """Whether an operation calls a function that gives numbers alone and only reads this argument."""
    if call.name != "call" or not all(isinstance(result.type, ScalarType) for result in call.results):
        return False
    callee = call.attributes["callee"]
    if callee.is_open or callee.is_recursive:
        return False
    users, escaping = find_users(callee.graph)
    params = (param for param, operand in zip(callee.graph.block.args, call.operands) if operand is value)
    return all(is_only_read(param, users, escaping) for param in params)


def only_reads(user: Operation) -> bool:
    """Whether an operation does its work in compiled code, its failures included."""
    if user.name in READERS or isinstance(user.opdef.kernel, Pointwise):
        return True
    types = [value.type for value in user.operands if isinstance(value.type, ArrayType)]
    if user.name == "arg_reduce":
        return all(type.dtype.kind != "c" for type in types)
    return user.name == "matmul" and is_product_that_fits(*types)


def is_product_that_fits(x: ArrayType, y: ArrayType) -> bool:
    """Whether a product is of vectors and matrices whose sizes are proved to agree."""
    return 1 <= x.rank <= 2 and 1 <= y.rank <= 2 and x.dims[-1] == y.dims[0 if y.rank == 1 else -2]


def makes_locally(operation: Operation) -> bool:
    """Whether an operation puts its result into memory that it is given."""
    if operation.name == "matmul":
        x, y = (value.type for value in operation.operands)
        return isinstance(x, ArrayType) and isinstance(y, ArrayType) and is_product_that_fits(x, y)
    return operation.name in MAKERS or isinstance(operation.opdef.kernel, Pointwise)
