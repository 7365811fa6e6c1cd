"""Branches and `try_` as basic blocks and phis."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.blocks import add_incoming, bind_phis, enter_block, leave_block, make_phis
from autograph_jit.backends.cpu.control.catching import Handler
from autograph_jit.backends.cpu.control.speculation import mark_unpredictable, speculate
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import FRAME_BUDGET
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Emitted
from autograph_jit.ir.graph import Block, Operation
from autograph_jit.ir.types import I64 as I64_TYPE
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.ops.exceptions_raised import asks_more, questions_of

RARELY, OFTEN = 1000, 31
FEW_TRIPS = 128


@rule("cond")
def emit_cond(e: Emitter, operation: Operation) -> list[Emitted]:
    deferred = e.deferred.pop(operation, [])
    found = None if deferred else speculate(e, operation)
    if found is not None:
        return found
    branches, merge = [e.block("then"), e.block("else")], e.block("merge")
    jump = e.b.cbranch(e.get(operation.operands[0]), *branches)
    is_open = may_be_record(operation) and is_in_short_search(e, operation.block)
    is_record = may_be_record(operation) and not is_open
    if is_record:
        jump.set_weights([1, RARELY])
    elif is_open:
        mark_unpredictable(e, jump)
    elif deferred:  # numbers are in bounds more often than not
        jump.set_weights([OFTEN, 1])
    e.b.position_at_end(merge)
    phis, before = [e.b.phi(I64), *make_phis(e, operation.results)], e.budget
    for block, region in zip(branches, operation.regions):
        e.b.position_at_end(block)
        e.budget = before
        if is_record and region is operation.regions[0]:
            e.intrinsic("llvm.sideeffect", ir.VoidType())  # no instruction, but LLVM does not compute in any case what stands beside it
        for check in deferred if region is operation.regions[1] else ():
            check()
        if enter_block(e, region, []):
            add_incoming(e, phis, [e.budget, *leave_block(e, region, operation.results)])
            e.b.branch(merge)
    e.b.position_at_end(merge)
    e.budget = phis[0]
    return bind_phis(e, operation.results, phis[1:])


def may_be_record(branch: Operation) -> bool:
    """Whether a branch of a loop takes a better number than the best so far and notes something with it. In `n` trips in no order a better
    one is found some `log(n)` times: a jump costs less than the choice that LLVM would make of it, for which the next trip has to wait. In
    few trips that is nearly every other time, and nobody can tell when."""
    comparison, then = branch.operands[0].owner, branch.regions[0]
    if not isinstance(comparison, Operation) or comparison.name not in ("less", "greater") or len(branch.results) < 2:
        return False
    if any(region.terminated for region in branch.regions):
        return False
    numbers = [value for value in comparison.operands if isinstance(value.owner, Block)]
    others = [value for value in comparison.operands if value in then.yields]
    return len(numbers) == len(others) == 1 and branch.regions[1].yields[then.yields.index(others[0])] is numbers[0]


def is_in_short_search(e: Emitter, body: Block | None) -> bool:
    """Whether this is the body of a loop with few trips, as literals tell or as it was asked in front of the loop."""
    return body is not None and (e.ranges.owners.get(body) in e.short_searches or is_in_few_trips(e.ranges, body))


def is_in_few_trips(ranges: Ranges, body: Block | None) -> bool:
    """Whether this is the body of a counted loop with few trips by literals."""
    loop = ranges.owners.get(body) if body is not None else None
    if loop is None or loop.name != "for_loop":
        return False
    start, stop, step = (ranges.affine(bound) for bound in loop.operands[:3])
    return all(isinstance(bound, int) for bound in (start, stop, step)) and len(range(start, stop, step or 1)) <= FEW_TRIPS  # type: ignore[arg-type]


@rule("try_")
def emit_try(e: Emitter, operation: Operation) -> list[Emitted]:
    body, handler = operation.regions
    handling, merge = e.block("handler"), e.block("merge")
    here = e.b.block
    e.b.position_at_end(merge)
    results = [e.b.phi(I64), *make_phis(e, operation.results)]
    e.b.position_at_end(handling)
    phis = make_phis(e, handler.args)
    numbered = int(handler.args[0].type == I64_TYPE)
    tests, raises = (None if numbered else questions_of(handler, handler.args[0])) or (None, [])
    told = [] if tests is None else [e.b.phi(I64), *(e.b.phi(I1) for _ in tests)]
    e.told |= {test: (told[0], answer) for test, answer in zip(tests or [], told[1:])} | dict.fromkeys(raises, tuple(told[:1]))
    state, asks = handler.args[1 + numbered :], asks_more(handler)
    e.handlers.append(Handler(handling, [*phis, *told], len(e.scopes), state, bool(numbered), tests, bool(raises), asks))
    e.b.position_at_end(here)
    if enter_block(e, body, []):
        add_incoming(e, results, [e.budget, *leave_block(e, body, operation.results)])
        e.b.branch(merge)
    e.handlers.pop()
    e.b.position_at_end(handling)
    arguments = bind_phis(e, handler.args, phis)
    e.budget = e.b.load(e.b.gep(e.frame, [I64(FRAME_BUDGET)], source_etype=I64), typ=I64)
    if enter_block(e, handler, arguments):
        add_incoming(e, results, [e.budget, *leave_block(e, handler, operation.results)])
        e.b.branch(merge)
    e.b.position_at_end(merge)
    e.operation = operation
    e.budget = results[0]
    return bind_phis(e, operation.results, results[1:])
