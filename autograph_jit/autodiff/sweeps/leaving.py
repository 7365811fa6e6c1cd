"""Numbers of a branch that the reverse sweep reads, as further results of the branch: where no loop is around it, no list keeps them.

Before: `y = cond(p, {..., push(saved, t), yield a}, {..., yield b})`    After: `y, t' = cond(p, {..., yield a, t}, {..., yield b, 0})`

Two branches leave their numbers in the same results. In a loop a list keeps what the branches that are taken ask for, and no more.
"""

from __future__ import annotations

from autograph_jit.autodiff.sweeps.phantoms import Phantoms, Request
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import ScalarType
from autograph_jit.tracing.values.trace import active, constant, detached


def leave_branch(phantoms: Phantoms, saved: list[Request], region: Block) -> dict[Value, Value]:
    """The stand-ins of the results by which numbers leave a branch; these need not be saved any more."""
    owner = phantoms.residuals.invariants.owners.get(region)
    if owner is None or owner.name != "cond" or phantoms.residuals.loops_around(region):
        return {}
    found: dict[Value, Value] = {}
    for request in saved:
        type_ = request.value.type
        if isinstance(type_, ScalarType):
            result = free_result(phantoms, owner, region, type_) or further_result(phantoms, owner, type_)
            region.yields[result.index] = request.value
            found[request.phantom] = phantoms.value(result).value
    saved[:] = [request for request in saved if request.phantom not in found]
    return found


def free_result(phantoms: Phantoms, cond: Operation, region: Block, type_: ScalarType) -> Value | None:
    """A further result that the other branch uses, and this one does not."""
    for result in cond.results:
        if result.type == type_ and region.yields[result.index] in phantoms.blanks:
            return result
    return None


def further_result(phantoms: Phantoms, cond: Operation, type_: ScalarType) -> Value:
    """A new result, of which every branch gives a zero that nobody reads."""
    result = Value(type_, cond, len(cond.results), "left")
    cond.results.append(result)
    cond.attributes = {**cond.attributes, "results": (*cond.attributes["results"], type_)}
    assert cond.block is not None
    phantoms.homes[result] = cond.block
    for region in cond.regions:
        if not region.terminated:
            region.yields.append(blank(phantoms, region, type_))
    return result


def blank(phantoms: Phantoms, region: Block, type_: ScalarType) -> Value:
    """A zero at the end of a branch."""
    made = Block()
    with detached(active(), made):
        zero = constant(type_.dtype.type(0))
    region.operations += region.adopt(made.operations)
    phantoms.homes[zero] = region
    phantoms.blanks.add(zero)
    return zero
