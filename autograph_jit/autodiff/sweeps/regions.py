"""The reverse of branches and loops: a branch pulls back the region that was taken, a loop runs backwards over what its trips left."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograph_jit.autodiff.sweeps.accumulate import in_same_shape, or_zero, sum_of, zero, zeros
from autograph_jit.autodiff.sweeps.forward import close_region
from autograph_jit.autodiff.sweeps.induction import counting_state, trip_of, unit_step
from autograph_jit.autodiff.sweeps.reverse import RULES, STRUCTURAL_SHADOWS, Sweep, rule
from autograph_jit.autodiff.sweeps.trips import trip_count
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import I64, ArrayType, ListType, ScalarType
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.checks import is_constant
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active, block_of, constant, emit

Known = Callable[[Value], dict[Value, Any]]


class RegionSweep(Sweep):
    """The sweep of a region; `incoming` are cotangents of its array yields, scalars are set beforehand."""

    incoming: list[tuple[Value, Any]]


def open_sweep(parent: Sweep, block: Block) -> RegionSweep:
    sweep = RegionSweep(block, parent.classes, parent.phantoms, parent)
    sweep.incoming = []
    return sweep


def seed(sweep: RegionSweep, yields: list[Value], cts: list[Any]) -> None:
    """Give a region the cotangents of what it yields."""
    for value, ct in zip(yields, cts):
        if ct is None or not sweep.classes.is_active(value):
            continue
        if isinstance(value.type, ArrayType):
            sweep.incoming.append((value, in_same_shape(ct, value.type)))
        elif isinstance(value.type, ScalarType):
            sweep.add_scalar(value, ct)


def result_cotangents(sweep: Sweep, operation: Operation) -> list[Any]:
    """The cotangents of a region operation's results, None where there is none."""
    found: list[Any] = []
    for result in operation.results:
        if isinstance(result.type, ListType) and sweep.classes.is_active(result):
            raise NotDifferentiable(
                "the gradient through a list that a branch or loop chooses is not supported", operation.span, "", "use one list throughout"
            )
        if not sweep.classes.is_active(result):
            found.append(None)
        elif isinstance(result.type, ArrayType):
            found.append(None if sweep.is_chosen(result) else sweep.shadow(result))
        else:
            found.append(sweep.take(result))
    return found


def chosen_shadow(sweep: Sweep, operation: Operation, result: Value) -> Any:
    """The shadow of a branch's array: the branch chooses between the shadows of the arrays, where each exists before it or, if their memory
    is written, comes about in it by one operation; else its own."""
    options = [region.yields[result.index] for region in operation.regions if not region.terminated]
    makers = [maker_of_shadow(sweep, operation, option, result) for option in options]
    if len(options) < 2 or None in makers:
        return sweep.fresh_shadow(result)
    sizes = [sweep.phantoms.size(result, axis) for axis in range(result.type.rank)]  # type: ignore[union-attr]
    blocks = []
    for maker in makers:
        block = Block()
        with block_of(active(), block):
            block.yields = [maker(sizes).value]  # type: ignore[misc]
        blocks.append(block)
    predicate = sweep.phantoms.value(operation.operands[0] if operation.operands else operation.results[0]).value
    sweep.chosen.add(result)
    return StagedArray(emit("cond", predicate, regions=blocks, results=(result.type,)).result)


def maker_of_shadow(sweep: Sweep, operation: Operation, option: Value, result: Value) -> Callable[[list[Any]], Any] | None:
    """How the shadow of what a region yields is made before the branch: given the sizes of the branch's result; None where it is not."""
    if not any(sweep.phantoms.homes.get(option) is region for region in operation.regions):
        return (lambda sizes: sweep.shadow(option)) if sweep.has_shadow(option) else None
    owner = option.owner
    once = sum(region.yields.count(option) for region in operation.regions if not region.terminated) == 1
    if not isinstance(owner, Operation) or owner.regions or not sweep.classes.is_written(result):
        return None
    if owner.opdef.effect is Effect.VIEW:
        return viewed_shadow(sweep, operation, owner)
    if once and owner.name not in ("host_call", "list_take"):
        return lambda sizes: zeros(result.type.dims, tuple(sizes), result.type.dtype)  # type: ignore[union-attr]
    return None


def viewed_shadow(sweep: Sweep, operation: Operation, view: Operation) -> Callable[[list[Any]], Any] | None:
    """A view that a region takes of an array from before the branch, at places known before it."""
    source, *places = view.operands
    inside = set(operation.regions)
    known = all(is_constant(place) or sweep.phantoms.homes.get(place) not in inside for place in places)
    if view.name == "reshape" or sweep.phantoms.homes.get(source) in inside or not known or not sweep.has_shadow(source):
        return None

    def make(sizes: list[Any]) -> Any:
        given = [known_place(sweep, place) for place in places]
        return StagedArray(emit(view.name, sweep.shadow(source).value, *given, **view.attributes).result)

    return make


def known_place(sweep: Sweep, place: Value) -> Value:
    """An index of a view, a constant of a region made anew."""
    owner = place.owner
    return constant(owner.attributes["value"]) if isinstance(owner, Operation) and is_constant(place) else sweep.phantoms.value(place).value


def take_shadows(sweep: Sweep, inner: Sweep, operation: Operation, region: Block) -> None:
    """Arrays that come about in a region have the shadow of the branch's result that they become."""
    for result, option in zip(operation.results, region.yields):
        if sweep.is_chosen(result) and sweep.phantoms.homes.get(option) is region and option.owner.opdef.effect is not Effect.VIEW:  # type: ignore[union-attr]
            inner.shadows[option] = sweep.shadow(result)


STRUCTURAL_SHADOWS["cond"] = STRUCTURAL_SHADOWS["try_"] = chosen_shadow


def hand_out(sweep: Sweep, order: list[Value], values: list[Value]) -> None:
    """Add what a region operation gave back to the scalars of enclosing blocks."""
    for target, value in zip(order, values):
        sweep.add_scalar(target, scalar(value))


@rule("cond", "try_")
def reverse_cond(sweep: Sweep, operation: Operation) -> None:
    """Pull back the branch that was taken; scalars of outer blocks come back as results. Of an atomic handler (`rewrites.handlers`) the
    first result tells whether its body succeeded."""
    if operation.name == "try_" and operation.regions[0].terminated:
        return
    cts = result_cotangents(sweep, operation)
    predicate = sweep.phantoms.value(operation.operands[0] if operation.operands else operation.results[0])
    blocks, sweeps = [], []
    for region in operation.regions:
        block = Block()
        inner = open_sweep(sweep, region)
        if not region.terminated:
            take_shadows(sweep, inner, operation, region)
            with block_of(active(), block):
                seed(inner, region.yields, cts)
                inner.run()
            close_region(sweep.phantoms, region, block, {value.value for value in inner.outer.values()})
        blocks.append(block)
        sweeps.append(inner)
    order = list(dict.fromkeys(value for inner in sweeps for value in inner.outer))
    if not order and not any(block.operations for block in blocks):
        return
    for block, inner in zip(blocks, sweeps):
        with block_of(active(), block):
            block.yields = [or_zero(inner.outer.get(value), value).value for value in order]
    reverse = emit("cond", predicate.value, regions=blocks, results=tuple(value.type for value in order))
    hand_out(sweep, order, reverse.results)


@rule("for_loop")
def reverse_for(sweep: Sweep, operation: Operation) -> None:
    """The loop over the same indices backwards; a segment runs again (`autodiff.checkpointing.rerun`)."""
    if operation.attributes.get("segment"):
        RULES["segment"](sweep, operation)
        return
    (body,) = operation.regions
    start, stop, step = (sweep.phantoms.value(operand) for operand in operation.operands[:3])
    offset = 1 if operation.attributes.get("has_break") else 0
    trips = sweep.phantoms.value(operation.results[-1]) if offset else trip_count(start, stop, step)
    before_last = emit("subtract", trips.value, constant(np.int64(1))).result
    last = scalar(emit("add", start.value, emit("multiply", before_last, step.value).result).result)
    end = emit("subtract", start.value, step.value).result
    reverse_loop(
        sweep,
        operation,
        (last.value, end, emit("negative", step.value).result),
        [(body, body.args[1:], body.yields[offset:])],
        operation.operands[3:],
        partial(known_in_for, sweep, operation),
    )


def known_in_for(sweep: Sweep, operation: Operation, index: Value) -> dict[Value, Any]:
    """What the body of a counted loop has at an index: the index, and state that counts the trips."""
    (body,) = operation.regions
    start, step = operation.operands[0], unit_step(operation.operands[2])
    if step is None or body.terminated:
        return {body.args[0]: index}
    offset = 1 if operation.attributes.get("has_break") else 0
    trip = partial(trip_of, index, sweep.phantoms, start, step)
    state = counting_state(sweep.phantoms, body.args[1:], body.yields[offset:], operation.operands[3:], trip)
    return {body.args[0]: index, **state}


def known_in_while(sweep: Sweep, operation: Operation, index: Value) -> dict[Value, Any]:
    """What test and body have in a trip: state that counts, where the test passes it on."""
    test, body = operation.regions
    if body.terminated or test.yields[1:] != test.args:
        return {}
    state = counting_state(sweep.phantoms, body.args, body.yields, operation.operands, lambda: index)
    return {**state, **{test.args[body.args.index(arg)]: made for arg, made in state.items()}}


@rule("while_loop")
def reverse_while(sweep: Sweep, operation: Operation) -> None:
    """As many trips as the counter says. The test has no derivative: it passes the state on (`rewrites.rotation`). A segment runs again."""
    if operation.attributes.get("segment"):
        RULES["segment"](sweep, operation)
        return
    test, body = operation.regions
    if body.terminated:  # it raises in its first trip, or makes none
        for operand, ct in zip(operation.operands, result_cotangents(sweep, operation)):
            sweep.add(operand, ct)
        return
    trips = sweep.phantoms.value(operation.results[-1])
    last, before_first = emit("subtract", trips.value, constant(np.int64(1))).result, constant(np.int64(-1))
    stages = [(body, body.args, body.yields)]
    reverse_loop(
        sweep, operation, (last, before_first, before_first), stages, operation.operands, partial(known_in_while, sweep, operation)
    )


def leaving_values(inner: RegionSweep, found: list[Any]) -> set[Value]:
    """What leaves a reversed region: cotangents of its arguments and of outer scalars."""
    return {value.value for value in inner.outer.values()} | {ct.value for ct in found if ct is not None}


def begin_arguments(inner: RegionSweep, args: list[Value]) -> None:
    """Zero shadows for the array arguments of a region."""
    for arg in args:
        if isinstance(arg.type, ArrayType) and inner.classes.is_active(arg):
            inner.shadows[arg] = inner.fresh_shadow(arg)


def argument_cotangents(inner: RegionSweep, args: list[Value]) -> list[Any]:
    """The cotangents of a region's arguments after its sweep."""
    return [
        None if not inner.classes.is_active(arg) else inner.shadows[arg] if isinstance(arg.type, ArrayType) else inner.take(arg)
        for arg in args
    ]


def reverse_loop(
    sweep: Sweep,
    operation: Operation,
    bounds: tuple[Value, Value, Value],
    stages: list[Any],
    initial: list[Value],
    known: Known,
) -> None:
    """A `for_loop` that pulls back one trip at a time: carries the cotangents of the state, adds up those of outer scalars."""
    cts = result_cotangents(sweep, operation)
    carried = [position for position, value in enumerate(initial) if sweep.classes.is_active(stages[-1][1][position])]
    block = Block()
    block.add_argument(I64, "reversed_index")
    entering = [start_value(sweep, ct, initial[position]) for position, ct in enumerate(cts) if position in carried]
    arguments = [block.add_argument(value.type) for value in entering]
    outer: dict[Value, StagedScalar] = {}
    with block_of(active(), block):
        state: list[Any] = [None] * len(initial)
        for position, argument in zip(carried, arguments):
            state[position] = StagedArray(argument) if isinstance(argument.type, ArrayType) else scalar(argument)
        for region, args, yields in stages:
            state = stage(sweep, region, args, yields, state, outer, known, block)
        leaving = [or_zero(state[position], initial[position]).value for position in carried]
    order = list(outer)
    sums = [block.add_argument(value.type) for value in order]
    with block_of(active(), block):
        block.yields = leaving + [sum_of(total, outer[value].value) for total, value in zip(sums, order)]
    starts = [zero(value).value for value in order]
    reverse = emit(
        "for_loop",
        *bounds,
        *entering,
        *starts,
        regions=[block],
        results=tuple(value.type for value in (*entering, *starts)),
        has_break=False,
    )
    for position, result in zip(carried, reverse.results):
        ct = StagedArray(result) if isinstance(result.type, ArrayType) else scalar(result)
        sweep.add(initial[position], in_same_shape(ct, initial[position].type))
    hand_out(sweep, order, reverse.results[len(carried) :])


def stage(
    sweep: Sweep,
    region: Block,
    args: list[Value],
    yields: list[Value],
    cts: list[Any],
    outer: dict[Value, StagedScalar],
    known: Known,
    block: Block,
) -> list[Any]:
    """Pull back one region of a trip inside the reverse loop's block."""
    inner = open_sweep(sweep, region)
    before = len(block.operations)
    begin_arguments(inner, args)
    seed(inner, yields, cts)
    inner.run()
    made = Block()
    made.operations, block.operations = block.operations[before:], block.operations[:before]
    found = argument_cotangents(inner, args)
    close_region(sweep.phantoms, region, made, leaving_values(inner, found), known(block.args[0]))
    block.operations += block.adopt(made.operations)
    for target, value in inner.outer.items():
        total = outer.get(target)
        outer[target] = value if total is None else scalar(sum_of(total.value, value.value))
    return found


def start_value(sweep: Sweep, ct: Any, value: Value) -> Value:
    """The cotangent that enters the reverse loop: that of the loop's result."""
    if ct is not None:
        return emit("copy", ct.value).result if isinstance(ct, StagedArray) else ct.value
    return zero(value).value
