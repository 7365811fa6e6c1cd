"""Which elementwise operations run inside their consumer's loop nest, and the nest that results.

Before: t = multiply(x, y); u = add(t, z)          After: one nest, u[i] = x[i] * y[i] + z[i]

An operation is fused if its array has one consumer, in the same block, nothing between the two may write
what it reads, and the nest does not become longer than `MOST_FUSED`. For a processor, nothing slow is computed over and over:
`x / np.sqrt(v)` with a row `v` and a matrix `x` takes the roots once, not for every row. A GPU is faster with one nest.
For a processor, what is as cheap as a load is computed in each of several consumers, and gathers and rotations are read where they lie.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.rotations import rotation_of
from autograph_jit.ir.scalar import Expr, const, in_order, operand
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.contraction import contracted
from autograph_jit.kernels.elsewhere import REACH, choose, has_own_nest, kind_of
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.lifetimes import uses_within
from autograph_jit.kernels.loop_nest import IndexMap, Operand, trailing_map
from autograph_jit.kernels.slices import are_near
from autograph_jit.kernels.vecmath.power import MOST_FACTORS, rounded_power

# Operations other than elementwise ones whose nest can take an expression for an operand, by position of that operand.
FUSING_POSITION = {"assign": 1, "reduce": 0, "copy": 0}
SLOW = frozenset({"div", "floordiv", "mod", "sqrt", "call"})
MOST_FUSED = 100  # operations in one nest: longer chains gain nothing, and take LLVM's passes longer than in proportion

MOST_REPEATED = 2  # operations that are computed in several nests rather than once, and read from memory in each


def is_pointwise_array(operation: Operation) -> bool:
    return isinstance(operation.opdef.kernel, Pointwise) and isinstance(operation.results[0].type, ArrayType)


def is_complex(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.dtype.kind == "c"


def takes_expression(operation: Operation, value: Value, positions: dict[str, int]) -> bool:
    """Whether the nest of `operation` can compute `value` where it reads it."""
    if is_pointwise_array(operation) or operation.name == "gather":
        return True
    position = positions.get(operation.name)
    if operation.name == "arg_reduce" and is_complex(value):
        return False
    return position is not None and [k for k, used in enumerate(operation.operands) if used is value] == [position]


def find_fusions(
    graph: Graph,
    facts: Facts,
    positions: dict[str, int] = FUSING_POSITION,
    repeats: bool = True,
    in_passing: Container[Operation] = (),
    elsewhere: bool = False,
) -> dict[Operation, Operation]:
    """Maps each fused operation to its consumer; `positions` as FUSING_POSITION, for what a backend can do.

    Operations `in_passing` are computed where others are, and read nothing themselves. `elsewhere`, nests can read gathers and rotations.
    """
    consumers: dict[Operation, Operation] = {}
    uses = uses_of(graph, in_passing)
    for block in blocks_of(graph.block):
        fuse_block(block, facts, uses, consumers, positions, repeats, elsewhere)
    return consumers


def uses_of(graph: Graph, in_passing: Container[Operation] = ()) -> dict[Value, list[Operation | None]]:
    """The operations that use each value, None where a block yields it; operations `in_passing` read nothing themselves."""
    uses: dict[Value, list[Operation | None]] = {}
    for block in blocks_of(graph.block):
        for operation in block.operations:
            for value in [*(() if operation in in_passing else operation.operands), *operation.unwind]:
                uses.setdefault(value, []).append(operation)
        for value in block.yields:
            uses.setdefault(value, []).append(None)
    return uses


def blocks_of(block: Block) -> list[Block]:
    return [block, *(region for operation in walk_block(block) for region in operation.regions)]


def fuse_block(
    block: Block,
    facts: Facts,
    uses: dict[Value, list[Operation | None]],
    consumers: dict[Operation, Operation],
    positions: dict[str, int],
    repeats: bool,
    elsewhere: bool,
) -> None:
    position = {operation: index for index, operation in enumerate(block.operations)}
    sizes: dict[Operation, int] = {}
    kinds: dict[Operation, frozenset[str]] = {}  # of what nests read elsewhere

    def can_fuse(operation: Operation, reads: list[Value], consumer: Operation | None) -> bool:
        """Whether the operation may run in the nest of one of those that read it."""
        if consumer is None or consumer not in position or not takes_expression(consumer, operation.result, positions):
            return False
        if consumer.name == "gather" and not (elsewhere and is_cheap_index(operation, sizes.get(operation, 1), consumer)):
            return False
        if not reaches(kinds.get(operation, frozenset()), consumer):
            return False
        if not repeats and is_repeated(array_dims(operation.result), domain_of(consumer)) and is_dearer_than_reading(operation, consumers):
            return False
        rotation = rotation_of(operation) if elsewhere else None
        first = position[operation] if rotation is None else position[rotation.makers[0]]
        between = block.operations[first + 1 : position[consumer]]
        longest = sizes.get(consumer, 1) + sizes.get(operation, 1)
        return longest <= MOST_FUSED and not any(may_write(other, reads, facts) for other in between)

    for operation in block.operations:
        kind = kind_of(operation) if elsewhere and operation.results else None
        if not is_pointwise_array(operation) and kind is None:
            continue
        if kind is not None:
            kinds[operation] = kinds.get(operation, frozenset()) | {kind}
        reads = leaves_of(operation, consumers)
        found = list(dict.fromkeys(use for use in uses.get(operation.result, []) if use is None or use.name != "dim"))
        if len(found) > 1 and (repeats or not is_repeatable(operation, reads, found, sizes.get(operation, 1), uses, facts)):
            continue
        if found and all(can_fuse(operation, reads, consumer) for consumer in found):
            for consumer in found:
                assert consumer is not None
                sizes[consumer] = sizes.get(consumer, 1) + sizes.get(operation, 1)
                kinds[consumer] = kinds.get(consumer, frozenset()) | kinds.get(operation, frozenset())
            consumers[operation] = max((consumer for consumer in found if consumer is not None), key=position.__getitem__)
    if elsewhere:
        pass_rotations(block, uses, consumers)


def pass_rotations(block: Block, uses: dict[Value, list[Operation | None]], consumers: dict[Operation, Operation]) -> None:
    """Rotations that only fused rotations of them read have no memory of their own."""
    for operation in reversed(block.operations):
        if operation in consumers or not operation.results or rotation_of(operation) is None:
            continue
        parts = [use for use in uses.get(operation.result, []) if use is None or use.name != "dim"]
        views = [part for part in parts if part is not None and part.name == "basic_index"]
        readers = [use for view in views for use in uses.get(view.result, []) if use is None or use.name != "dim"]
        fused = [reader for reader in readers if reader is not None and reader in consumers and turns(reader, operation)]
        if fused and len(fused) == len(readers) and len(views) == len(parts):
            consumers[operation] = max(fused, key=block.operations.index)


def turns(reader: Operation, operation: Operation) -> bool:
    """Whether an operation is a rotation of another one along one more axis."""
    rotation = rotation_of(reader)
    return rotation is not None and operation in rotation.makers[:-1]


def is_cheap_index(operation: Operation, size: int, gather: Operation) -> bool:
    """Whether an index of a gather may as well be computed twice, where it is looked at and where it is used."""
    return has_own_nest(gather) and operation.result is not gather.operands[0] and size <= MOST_REPEATED and not is_slow(operation)


def reaches(kinds: frozenset[str], consumer: Operation) -> bool:
    """Whether the nest of a consumer can read arrays in these ways."""
    return is_pointwise_array(consumer) or all(consumer.name in REACH[kind] for kind in kinds)


def is_dearer_than_reading(operation: Operation, consumers: dict[Operation, Operation]) -> bool:
    """Whether what an operation computes in its nest takes longer than reading its result would."""
    return any(kind_of(part) is not None or is_slow(part) for part in parts_of(operation, consumers))


def is_repeatable(
    operation: Operation,
    reads: list[Value],
    found: list[Operation | None],
    size: int,
    uses: dict[Value, list[Operation | None]],
    facts: Facts,
) -> bool:
    """Whether an operation may run in each of several nests: it reads one array, or two slices of one that lie nearly alike, as cheaply as
    its result would be read, and otherwise what is repeated along an axis, and each nest has the sizes of that array. None of them writes
    what it reads, but for a stencil, which has to keep what it overwrites in any case."""
    if kind_of(operation) is not None:
        dims = array_dims(operation.result)
        return rotation_of(operation) is not None and all(use is not None and domain_of(use) == dims for use in found)
    dims = array_dims(operation.result)
    whole = [value for value in reads if array_dims(value) == dims]
    if size > MOST_REPEATED or len(whole) not in (1, 2) or is_slow(operation) or not are_near(whole) or not all(map(facts.is_dense, whole)):
        return False
    if not all(value in whole or is_small(array_dims(value), dims) for value in reads):
        return False
    if any(consumer is None or domain_of(consumer) != dims for consumer in found):
        return False
    return len(whole) > 1 or not any(facts.may_alias(target, value) for target in targets_of(operation.result, uses) for value in reads)


def is_small(dims: tuple[Size, ...], domain: tuple[Size, ...]) -> bool:
    """Whether an array has the sizes of a domain but for axes, one at least, along which it is repeated."""
    aligned = zip(dims, domain[len(domain) - len(dims) :])
    return all(size in (1, wanted) for size, wanted in aligned) and (len(dims) < len(domain) or dims != domain)


def targets_of(value: Value, uses: dict[Value, list[Operation | None]]) -> Iterator[Value]:
    """The arrays whose elements an array may become in the nests that it is computed in, none of which is longer than `MOST_FUSED`."""
    reached, latest = {value}, [value]
    for _ in range(MOST_FUSED):
        users = [user for each in latest for user in uses.get(each, []) if user is not None]
        yield from (user.operands[0] for user in users if user.name == "assign")
        latest = list({user.result: None for user in users if is_pointwise_array(user) and user.result not in reached})
        reached.update(latest)


def is_slow(operation: Operation) -> bool:
    """Whether an elementwise operation takes longer than reading its result would."""
    return any(node.op in SLOW for node in nodes_of(operation))


def calls_function(operation: Operation) -> bool:
    """Whether an elementwise operation calls a mathematical function."""
    return any(node.op == "call" for node in nodes_of(operation))


def nodes_of(operation: Operation) -> list[Expr]:
    """The nodes of the expression of an elementwise operation."""
    dtypes = [value.type.dtype for value in operation.operands if isinstance(value.type, ScalarType | ArrayType)]
    return list(in_order(pointwise_expression(operation, [operand(index, dtype) for index, dtype in enumerate(dtypes)])))


def array_dims(value: Value) -> tuple[Size, ...]:
    return value.type.dims if isinstance(value.type, ArrayType) else ()


def domain_of(consumer: Operation) -> tuple[Size, ...]:
    """The sizes of the nest that a consumer runs in."""
    if is_pointwise_array(consumer):
        return array_dims(consumer.result)
    return array_dims(consumer.operands[0]) if consumer.operands else ()


def is_repeated(dims: tuple[Size, ...], domain: tuple[Size, ...]) -> bool:
    """Whether a nest goes over all elements of an array more than once; along the last axes a number is kept while it is repeated."""
    varies = [False] * (len(domain) - len(dims)) + [size != 1 for size in dims]
    first = next((axis for axis, size in enumerate(domain) if not varies[axis] and size != 1), len(domain))
    return any(varies[first:])


def leaves_of(operation: Operation, consumers: dict[Operation, Operation]) -> list[Value]:
    """The arrays that the fused expression of an operation reads."""
    leaves: dict[Value, None] = {}
    for part in parts_of(operation, consumers):
        rotation = rotation_of(part)
        if rotation is not None:
            leaves[rotation.source] = None
        for value in part.operands:
            if isinstance(value.type, ArrayType) and value.owner not in consumers:
                leaves[value] = None
    return list(leaves)


def parts_of(operation: Operation, consumers: dict[Operation, Operation]) -> list[Operation]:
    """An operation and those that are fused into it, each once though several others read it."""
    found = {operation: None}
    pending = [operation]
    for part in pending:
        for value in part.operands:
            if isinstance(value.owner, Operation) and value.owner in consumers and value.owner not in found:
                found[value.owner] = None
                pending.append(value.owner)
    return pending


def may_write(operation: Operation, arrays: list[Value], facts: Facts) -> bool:
    """Whether an operation, its regions included, may write one of `arrays`."""
    effect = operation.opdef.effect
    if operation.regions:
        inside = any(may_write(inner, arrays, facts) for region in operation.regions for inner in region.operations)
        return inside or any(facts.may_alias(given, array) for given in given_away(operation, facts) for array in arrays)
    if effect is Effect.HOST:
        given = [value for value in uses_within(operation) if isinstance(value.type, ArrayType)]
        outside = any(root == "host" or root[0] == "param" for array in arrays for root in facts.roots_of(array))
        return outside or any(facts.may_alias(value, array) for value in given for array in arrays)
    return any(isinstance(target.type, ArrayType) and facts.may_alias(target, array) for target in operation.written for array in arrays)


def given_away(operation: Operation, facts: Facts) -> list[Value]:
    """The arrays whose memory a counted loop owns from its beginning: its trips may put results there."""
    if operation.name != "for_loop":
        return []
    return [given for given, argument in zip(operation.operands[3:], operation.regions[0].args[1:]) if argument in facts.owned]


class NestBuilder:
    """Collects the operands of one nest while the expression is put together."""

    def __init__(self, rank: int, consumers: dict[Operation, Operation]) -> None:
        self.rank, self.consumers = rank, consumers
        self.values: list[Value] = []
        self.operands: list[Operand] = []
        self.memo: dict[Value, Expr] = {}
        self.gathers: dict[int, Operation] = {}  # by operand

    @property
    def reads_elsewhere(self) -> bool:
        """Whether arrays are read at other indices than the nest's."""
        return any(spec.is_elsewhere for spec in self.operands)

    def expression_of(self, value: Value) -> Expr:
        """The element of a value in the nest: an operand, or the expression of the fused operation that makes it."""
        if value not in self.memo:
            producer = value.owner
            if isinstance(producer, Operation) and producer in self.consumers:
                self.memo[value] = self.apply(producer)
            else:
                self.memo[value] = self.add_operand(value)
        return self.memo[value]

    def apply(self, operation: Operation) -> Expr:
        if operation.name == "gather":
            return self.add_gather(operation)
        if (rotation := rotation_of(operation)) is not None:
            return self.add_operand(rotation.source, turns=rotation.turns)
        total = contracted(operation, self.consumers.__contains__, self.expression_of)
        if total is not None:
            return total
        return pointwise_expression(operation, [self.expression_of(value) for value in operation.operands])

    def add_operand(
        self,
        value: Value,
        index_map: IndexMap | None = None,
        indices: tuple[Expr | None, ...] = (),
        turns: tuple[tuple[int, Value], ...] = (),
    ) -> Expr:
        type = value.type
        assert isinstance(type, ScalarType | ArrayType)
        if index_map is None and isinstance(type, ArrayType):
            index_map = trailing_map(type.dims, self.rank)
        self.values.append(value)
        self.operands.append(Operand(type.dtype, value.hint or f"x{len(self.operands)}", index_map, indices, turns))
        return operand(len(self.operands) - 1, type.dtype)

    def add_gather(self, gather: Operation) -> Expr:
        """What integers select of an array, aligned with the last axes of the nest."""
        source, *chosen = gather.operands
        choice = choose(gather)
        first = self.rank - len(array_dims(gather.result))
        numbers = iter(chosen)
        indices: list[Expr | None] = []
        index_map: list[int | None] = []
        for axis, item in enumerate(gather.attributes["items"]):
            whole = item[0] != "array"
            index_map.append(first + choice.axis_of(axis) if whole and array_dims(source)[axis] != 1 else None)
            indices.append(None if whole else self.add_index(next(numbers), first + choice.position, choice.rank))
        self.gathers[len(self.operands)] = gather
        return self.add_operand(source, tuple(index_map), tuple(indices))

    def add_index(self, value: Value, first: int, rank: int) -> Expr:
        """An index of a gather, whose axes are `rank` ones of the nest from `first` on; the last ones where it is an expression."""
        if value.owner in self.consumers:
            return self.expression_of(value)
        dims = array_dims(value)
        shift = first + rank - len(dims)
        return self.add_operand(value, tuple(None if size == 1 else axis + shift for axis, size in enumerate(dims)) if dims else None)


def scalar_expression(operation: Operation) -> tuple[Expr, list[Value]]:
    """The expression of an operation on numbers, and the values that are its operands."""
    values: list[Value] = []

    def expression_of(value: Value) -> Expr:
        if value not in values:
            values.append(value)
        assert isinstance(value.type, ScalarType)
        return operand(values.index(value), value.type.dtype)

    total = contracted(operation, is_scalar_operation, expression_of)
    return pointwise_expression(operation, [expression_of(value) for value in operation.operands]) if total is None else total, values


def is_scalar_operation(operation: Operation) -> bool:
    return isinstance(operation.results[0].type, ScalarType)


def pointwise_expression(operation: Operation, args: list[Expr]) -> Expr:
    """The scalar expression of an elementwise operation on these arguments."""
    kernel = operation.opdef.kernel
    assert isinstance(kernel, Pointwise)
    simple = literal_power(operation, args[0]) if operation.name == "power" else None
    return kernel.expression(*args, **operation.attributes) if simple is None else simple


def literal_power(operation: Operation, x: Expr) -> Expr | None:
    """`x ** 2`, `x ** 1` and `1.0 / x` for `x ** -1.0`, which are exact or rounded once, as a power need not be, and whole powers of a
    number on its own, which the C library would compute; None for other powers."""
    exponent = operation.operands[1].owner
    if not isinstance(exponent, Operation) or exponent.name != "constant" or x.dtype.kind not in "iuf":
        return None
    number = exponent.attributes["value"]
    if number == 2:
        return x * x
    if x.dtype.kind == "f" and number == -1:
        return const(1.0, x.dtype) / x
    if x.dtype.kind == "f" and is_scalar_operation(operation) and number in range(3, MOST_FACTORS + 1):
        return rounded_power(x, int(number))
    return x if number == 1 else None
