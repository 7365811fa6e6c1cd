"""Rotations of what is computed of one array and numbers become what is computed of its rotation, so that it need not be in memory.

Before::                                             After::

    %y: f64[n] = multiply(%x, %half)                     %a: f64[p] = basic_index(%x, %k) [k:]
    %a: f64[p] = basic_index(%y, %k) [k:]                %b: f64[q] = basic_index(%x, %k) [:k]
    %b: f64[q] = basic_index(%y, %k) [:k]                %r: f64[n] = concat(%a, %b)
    %r: f64[n] = concat(%a, %b)                          %z: f64[n] = multiply(%r, %half)

Nests read the rotation of an array where it lies. The reverse of `np.roll` in a sum of terms rotates multiples of one cotangent.

Requires: the operation is cheap, and nothing writes the array that it reads or the one that it makes.
"""

from __future__ import annotations

from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.rotations import rotation_of, slices_of
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.transforms.aliases import Aliases
from autograph_jit.transforms.rewriting import replace_values

CHEAP = frozenset({"negative", "multiply", "add", "subtract"})


def turn_first(graph: Graph, distinct_parameters: bool = False) -> None:
    """Rewrite the rotations of a graph."""
    rotations = [operation for operation in graph.walk() if operation.name == "concat" and rotation_of(operation) is not None]
    if not rotations:
        return
    aliases, replaced = Aliases(graph, distinct_parameters), dict[Value, Value]()
    for rotation in rotations:
        chain = chain_behind(rotation, aliases)
        if chain:
            replaced[rotation.result] = rewrite(rotation, chain)
    replace_values(graph, replaced)


def chain_behind(rotation: Operation, aliases: Aliases) -> list[tuple[Operation, int]]:
    """The cheap operations that compute what is rotated, the last first, each with the position of the array that it reads."""
    found = []
    source = slices_of(rotation)[0].operands[0]
    while isinstance(source.owner, Operation) and source.owner.block is rotation.block:
        maker = source.owner
        place = only_array(maker)
        if place is None or maker.unwind or not all(map(aliases.stays, (source, maker.operands[place]))):
            break
        found.append((maker, place))
        source = maker.operands[place]
    return found


def only_array(maker: Operation) -> int | None:
    """The position of the array among numbers that a cheap operation reads, if it has the type of the result."""
    if maker.name not in CHEAP or not isinstance(maker.opdef.kernel, Pointwise):
        return None
    places = [place for place, operand in enumerate(maker.operands) if isinstance(operand.type, ArrayType)]
    numbers = all(isinstance(operand.type, ArrayType | ScalarType) for operand in maker.operands)
    return places[0] if len(places) == 1 and numbers and maker.operands[places[0]].type == maker.result.type else None


def rewrite(rotation: Operation, chain: list[tuple[Operation, int]]) -> Value:
    """Emit the rotation of the array at the beginning of the chain, and then the chain; what stands for the rotation."""
    home, made = rotation.block, Block()
    assert home is not None
    last, place = chain[-1]
    source = last.operands[place]
    slices = [
        append(made, part.opdef, [source, *part.operands[1:]], part.attributes, span=part.span).result for part in slices_of(rotation)
    ]
    value = append(made, rotation.opdef, slices, rotation.attributes, span=rotation.span).result
    for operation, place in reversed(chain):
        operands = [*operation.operands[:place], value, *operation.operands[place + 1 :]]
        copy = append(made, operation.opdef, operands, operation.attributes, span=operation.span)
        copy.contract = operation.contract
        value = copy.result
    position = home.operations.index(rotation)
    home.operations[position:position] = home.adopt(made.operations)
    return value
