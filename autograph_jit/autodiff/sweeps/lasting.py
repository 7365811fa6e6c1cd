"""Elements that loops over an array read from all of it, while they leave it as it is: the array is kept once, not each element.

Forward: for t: for i in range(1, n - 1): v[i] = u[i] * u[i - 1]        keeps u, once for each t, not u[i] and u[i - 1] for each i
         u, v = v, u
"""

from __future__ import annotations

from autograph_jit.autodiff.sweeps.classes import walk_regions, written_by
from autograph_jit.autodiff.sweeps.phantoms import Phantoms
from autograph_jit.ir.dims import Size, combine
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.linear import linear
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType

MOST_LEFT_OUT = 8  # elements at the ends of an axis that a loop does not come to


def reading_loops(phantoms: Phantoms, value: Value, region: Block) -> Operation | None:
    """The outermost of the loops that read a value, be it in a branch, from all places of an array which they do not write; other loops
    may stand around those over its axes, or between them."""
    load = value.owner
    if not isinstance(load, Operation) or load.name != "load" or not phantoms.written(load.operands[0]):
        return None
    source, owners = load.operands[0], phantoms.residuals.invariants.owners
    loops: list[Operation] = []
    current = region
    while current in owners and phantoms.homes.get(source) is not current:
        loop = owners[current]
        if loop.name == "cond" and loop.block is not None:
            current = loop.block
            continue
        if loop.name != "for_loop" or loop.attributes.get("has_break") or loop.block is None or not leaves(phantoms, loop, source):
            break
        loops.insert(0, loop)
        current = loop.block
    assert isinstance(source.type, ArrayType)
    if not loops or current not in owners:
        return None
    left = list(loops)
    for size in source.type.dims:
        over = next((loop for loop in left if is_all_of(loop, size)), None)
        if over is None:
            return None
        left.remove(over)
    return loops[0]


def leaves(phantoms: Phantoms, loop: Operation, source: Value) -> bool:
    """Whether a loop writes no memory of an array. Arrays that one loop carries lie apart, or the run has ended (`sweeps.disjoint`)."""
    if isinstance(source.owner, Operation) and source.owner.opdef.effect is Effect.VIEW:
        return not phantoms.writes(loop, source)
    for each in walk_regions(loop):
        for target in written_by(each):
            if phantoms.writes(each, source) and not is_apart(base_of(target), source):
                return False
    return True


def is_apart(root: Value, source: Value) -> bool:
    """Whether an array is surely another one than one that a trip begins with: the trip began with both, or has made it."""
    if root is source or not isinstance(source.owner, Block):
        return False
    if isinstance(root.owner, Block):
        return root.owner is source.owner
    return root.owner.block is source.owner and root.owner.opdef.effect is Effect.PURE


def base_of(value: Value) -> Value:
    """The array that a chain of views starts from."""
    while isinstance(value.owner, Operation) and value.owner.opdef.effect is Effect.VIEW:
        value = value.owner.operands[0]
    return value


def is_all_of(loop: Operation, size: Size) -> bool:
    """Whether a loop runs over nearly all places of an axis."""
    low, high = (linear(bound) for bound in loop.operands[:2])
    if low is None or high is None:
        return False
    missing = [combine(size, combine(*ends, -1), -1) for ends in ((high, low), (low, high))]
    return any(isinstance(each, int) and abs(each) <= MOST_LEFT_OUT for each in missing)
