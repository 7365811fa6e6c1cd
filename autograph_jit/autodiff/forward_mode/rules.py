"""Forward mode of what the engine knows itself: memory, lists, calls of Python, branches and loops."""

from __future__ import annotations

from functools import partial

from autograph_jit.autodiff.forward_mode.pushforward import Push, by_definition, keep, rule
from autograph_jit.autodiff.sweeps.classes import is_reference
from autograph_jit.autodiff.sweeps.repeating import expect_same_layout, step_over
from autograph_jit.autodiff.sweeps.reverse import no_rule
from autograph_jit.autodiff.sweeps.structural import is_whole
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.derivative import Unsupported
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import ArrayType
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import constant, emit

SILENT = ("print", "str", "f-string", "repr", "format")


@rule("load")
def push_load(push: Push, operation: Operation) -> None:
    """The same element of the tangent."""
    push.copy(operation)
    tangent = push.tangent(operation.operands[0])
    if tangent is not None:
        push.note(operation.result, emit("load", tangent, *map(push.value, operation.operands[1:]), **operation.attributes).result)


# Operations that write to their first operand: which operand they put there, 0 for those that only move what is there.
PUT = {"store": 1, "list_push": 1, "list_extend": 1, "list_insert": 2, "list_set": 2, "list_put": 3, "list_shift": 0, "list_keep": 0}


@rule(*PUT)
def push_written(push: Push, operation: Operation) -> None:
    """The tangent of what is put somewhere goes to the same place, zeros where it has none."""
    push.copy(operation)
    tangent = push.tangent(operation.operands[0])
    if tangent is not None:
        given = operation.operands[PUT[operation.name]] if PUT[operation.name] else None
        rest = [push.definite(value) if value is given else push.value(value) for value in operation.operands[1:]]
        emit(operation.name, tangent, *rest, **operation.attributes)


@rule("assign")
def push_assign(push: Push, operation: Operation) -> None:
    """The tangent of the value goes where the value goes."""
    target, value = operation.operands
    tangent, along = push.tangent(target), push.tangent(value)
    push.copy(operation)
    if tangent is not None:
        assert isinstance(target.type, ArrayType)
        emit("assign", tangent, along if along is not None else constant(target.type.dtype.type(0)))


@rule("scatter", "mask_assign")
def push_scatter(push: Push, operation: Operation) -> None:
    """The operation's own rule writes the tangent as the operation writes."""
    tangents = [push.tangent(operand) for operand in operation.operands]
    if tangents[0] is not None:
        along = tuple(None if tangent is None else wrap(tangent) for tangent in tangents)
        jvp = operation.opdef.jvp
        assert callable(jvp)
        found = jvp(along, (), *(wrap(push.value(operand)) for operand in operation.operands), **operation.attributes)
        if isinstance(found, Unsupported):
            raise no_rule(operation, found.why)
    push.copy(operation)


@rule("table_find", "table_insert", "table_remove", "table_len", "table_order", "table_reserve", "table_renumber", "table_pop")
@rule("table_adopt", "table_common", "table_index", "table_of_set", "table_first")
def push_table(push: Push, operation: Operation) -> None:
    """Positions have no tangents."""
    push.copy(operation)


@rule("list_pop", "list_get", "list_take", "list_to_array", "list_clear", "list_copy")
def push_from_list(push: Push, operation: Operation) -> None:
    """The same of the list of tangents."""
    tangent = push.tangent(operation.operands[0])
    push.copy(operation)
    if tangent is not None:
        made = emit(operation.name, tangent, *map(push.value, operation.operands[1:]), **operation.attributes)
        for result, along in zip(operation.results, made.results):
            push.note(result, along)


@rule("as_strided")
def push_strided(push: Push, operation: Operation) -> None:
    """The same layout over the tangent."""
    push.copy(operation)
    source, *layout = operation.operands
    tangent = push.tangent(source)
    if tangent is None:
        return
    rank = len(layout) // 2
    steps = [step_over(push.value(source), tangent, step, source, push.value(step)) for step in layout[rank:]]
    push.note(operation.result, emit("as_strided", tangent, *map(push.value, layout[:rank]), *steps, **operation.attributes).result)


@rule("reshape")
def push_reshape(push: Push, operation: Operation) -> None:
    """The reshaped tangent; where the source is a view that is written, it must be laid out as the source is, to be copied or not alike."""
    source = operation.operands[0]
    tangent = push.tangent(source)
    if tangent is not None and push.classes.is_written(source) and not is_whole(source):
        expect_same_layout(push.value(source), tangent)
    by_definition(push, operation)


@rule("host_call")
def push_host_call(push: Push, operation: Operation) -> None:
    """NumPy functions with a known derivative; others where nothing differentiable goes in or comes back."""
    found = operation.attributes.get("derivative")
    results = push.copy(operation)
    active_results = [result for result in push.active_ones(operation.results) if push.classes.uses.get(result)]
    written = not operation.attributes.get("pure") and any(is_reference(operand) for operand in push.active_ones(operation.operands))
    if not active_results and (not written or operation.attributes["label"] in SILENT):
        return
    if found is None:
        raise NotDifferentiable(
            f"the host call of {operation.attributes['label']} has no derivative",
            operation.span,
            "it runs in Python",
            "use ag.custom_gradient, or functions that compile",
        )
    tangents = [push.tangent(operand) for operand in operation.operands]
    along = found.jvp(
        [None if tangent is None else wrap(tangent) for tangent in tangents],
        [wrap(result) for result in results],
        [wrap(push.value(operand)) for operand in operation.operands],
    )
    if isinstance(along, Unsupported):
        raise no_rule(operation, along.why)
    keep(push, operation, (along,) if len(operation.results) == 1 else along)


@rule("cond", "try_")
def push_branches(push: Push, operation: Operation) -> None:
    """Both regions give the tangents of their results too."""
    carried = push.active_ones(operation.results)

    def results(region: Block) -> list[Value]:
        return [push.value(value) for value in region.yields] + [push.definite(region.yields[result.index]) for result in carried]

    regions = [push.region(region, [], partial(results, region)) for region in operation.regions]
    push.finish(operation, operation.name, [push.value(operand) for operand in operation.operands], regions, carried)


@rule("for_loop")
def push_for(push: Push, operation: Operation) -> None:
    """The tangents of the state are state."""
    (body,) = operation.regions
    state, args = operation.operands[3:], body.args[1:]
    places = [place for place, arg in enumerate(args) if push.classes.is_active(arg)]
    offset = 1 if operation.attributes.get("has_break") else 0

    def results() -> list[Value]:
        return [push.value(value) for value in body.yields] + [push.definite(body.yields[place + offset]) for place in places]

    operands = [push.value(operand) for operand in operation.operands] + [push.definite(state[place]) for place in places]
    region = push.region(body, [args[place] for place in places], results)
    push.finish(operation, "for_loop", operands, [region], [operation.results[place] for place in places])


@rule("while_loop")
def push_while(push: Push, operation: Operation) -> None:
    """The tangents of the state are state, in the test as in the body."""
    test, body = operation.regions
    entering = [place for place, arg in enumerate(test.args) if push.classes.is_active(arg)]
    passing = [place for place, arg in enumerate(body.args) if push.classes.is_active(arg)]

    def passed() -> list[Value]:
        return [push.value(value) for value in test.yields] + [push.definite(test.yields[place + 1]) for place in passing]

    def ended() -> list[Value]:
        return [push.value(value) for value in body.yields] + [push.definite(body.yields[place]) for place in entering]

    operands = [push.value(operand) for operand in operation.operands] + [push.definite(operation.operands[place]) for place in entering]
    regions = [
        push.region(test, [test.args[place] for place in entering], passed),
        push.region(body, [body.args[place] for place in passing], ended),
    ]
    push.finish(operation, "while_loop", operands, regions, [operation.results[place] for place in passing])
