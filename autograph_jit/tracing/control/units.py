"""Functions of the user's as functions of the graph: traced once for each signature, called from every further place.

    s = helper(x, 0.5)          first place: traced where it stands, its operations are counted
    s += helper(y, t)           next place: `helper` is traced by itself, for arguments like these; `call` from here on

A signature is the function and what its variables hold, the types of the arguments, which of their sizes are equal, which of them are the
same object; numbers count by their type, unless the body asked for them, in whole numbers from the second one on. What the body reads of
values outside becomes a further argument; so do variables and attributes that it writes, or that hold something else at the next place, and
they are results then (`control.unit_calls`). The function may write to one array that it is given: what writes to more from outside, draws
or calls Python, takes or gives anything but numbers, texts, arrays, containers of compiled code, tuples of such and constants, stays where
it is called, as does what is short.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import FrameType, FunctionType
from typing import Any

from autograph_jit.errors import AutographJitError, BudgetError, InternalError, SlowerThanPython
from autograph_jit.ir.function import Function
from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import I64, ArrayType, ListType, ObjectType, ScalarType
from autograph_jit.ir.verifier import fits
from autograph_jit.records import dataclass
from autograph_jit.source import is_library_file
from autograph_jit.tracing.aliasing.journal import places_outside
from autograph_jit.tracing.control.carried import Carried
from autograph_jit.tracing.control.regions import Traced, as_left_by, trace_region
from autograph_jit.tracing.control.signatures import (
    VALUES,
    Body,
    Signature,
    call_signature,
    container,
    described_values,
    has_identity,
    in_sizes,
    is_immutable,
    is_python_number,
)
from autograph_jit.tracing.functions.own_memory import memory_obstacle, written_arguments
from autograph_jit.tracing.joining.descriptions import compose, decompose, describe, expanded
from autograph_jit.tracing.joining.function_references import expect_function_rows
from autograph_jit.tracing.joining.list_references import as_reference, keep_by_reference
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.structures.demands import Region
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.trace import ROOT, Restart, Trace, block_of, emit
from autograph_jit.tracing.values.types import (
    LETTER,
    STORED,
    Array,
    Composite,
    Constant,
    NativeItems,
    OneOf,
    Optional,
    Reference,
    Scalar,
    Structure,
    TableOf,
    TextType,
    Tuple,
    ValueType,
)

LEAST_WEIGHT = 40  # of a body that is worth a function: a call takes some time, and keeps nests apart
REGION_WEIGHT = 8  # of a loop's body or a side of a branch, beyond its operations
SHORT, WRITES = "it is short", "it writes to what is around it"
PURE = (Effect.PURE, Effect.VIEW, Effect.WRITE)
CONTROL = ("cond", "while_loop", "for_loop", "try_", "check", "raise_")
MARKS = ("custom_result", "stop_gradient", "recomputed")  # that refer to values of the trace, or are read as they stand
CONSTANTS = ("constant", "array_constant")
NO_UNIT = object()
Target = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Unit:
    """A function of the graph: what it returns, what it reads besides its arguments, what its signature keeps alive. Of its parameters the
    first are those that it writes to; they were at these places before. `carried`: variables and attributes around it that it writes;
    `provisional`: the recursions under way that it calls, whose results may still change."""

    function: Function
    result: ValueType
    captured: list[Value]
    kept: Any
    writes: tuple[int, ...] = ()
    carried: Carried | None = None
    provisional: tuple[Any, ...] = ()


def keep_unit(trace: Trace, body: Body, key: Any, unit: Unit | None, before: int) -> Unit | None:
    """Remember the unit of a signature; those of recursions called since `before` have to last."""
    called = tuple(dict.fromkeys(trace.calls.provisional[before:]))
    for recursion in called:
        recursion.dependents.append((body, key))
    body.units[key] = unit if unit is None else replace(unit, provisional=called)
    return body.units[key]


def note_body(trace: Trace, fn: FunctionType, block: Block, before: int) -> None:
    """A call was traced where it stands: its operations are those of its block from `before` on."""
    body = trace.calls.bodies.setdefault(fn.__code__, Body())
    is_first, weight = not body.sites, 0
    body.sites.add(site_of(trace))
    for operation in () if body.refusal else walk_block(block, before):
        weight += weight_of(operation)
        if is_first and (reason := reason_to_stay(operation)):
            body.refusal = reason
            return
    body.weight = max(body.weight, weight)


def is_of_exception(operation: Operation) -> bool:
    """Whether a call of Python is on a way that ends in an exception, whose text it makes of numbers."""
    return operation.block is not None and operation.block.terminated and not any(isinstance(x.type, ArrayType) for x in operation.operands)


def is_of_values(operation: Operation) -> bool:
    """Whether a call of Python computes numbers and texts of such, and asks nothing of what is around it."""
    is_pure = operation.name == "host_call" and bool(operation.attributes.get("pure"))
    return is_pure and all(isinstance(x.type, (ScalarType, ObjectType)) for x in (*operation.operands, *operation.results))


def weight_of(operation: Operation) -> int:
    """What an operation adds to the weight of a body."""
    return 1 + REGION_WEIGHT * len(operation.regions)


def reason_to_stay(operation: Operation) -> str:
    """Why an operation cannot stand in a function of its own; empty where it can."""
    if operation.name in MARKS:
        return f"`{operation.name}` refers to the program around it"
    if operation.name in CONTROL or operation.opdef.effect in PURE or is_of_exception(operation) or is_of_values(operation):
        return ""
    return f"it calls Python ({operation.attributes.get('label', operation.name)})" if operation.name == "host_call" else operation.name


def site_of(trace: Trace) -> Any:
    """The place of the call under way: the instructions of the user's functions that led there."""
    found = []
    frame: FrameType | None = sys._getframe(4)
    while frame is not None and frame.f_code.co_name != ROOT:
        if not is_library_file(frame.f_code.co_filename):
            found.append((frame.f_code, frame.f_lasti))
        elif trace.calls.frames.get(frame) == ():
            break
        frame = frame.f_back
    return tuple(found)


class CarriedByCalls(Carried):
    """The places that a function of the graph writes: calls give and take them, texts by reference."""

    def __init__(self, trace: Trace, known: Carried | None = None) -> None:
        super().__init__(trace, ())
        if known is not None:
            self.places, self.place_descriptions = dict(known.places), dict(known.place_descriptions)
            self.absorb_entry()

    def widened(self, old: ValueType, new: ValueType) -> ValueType:
        found = super().widened(old, new)
        return found if "backwards" in self.trace.differentiation.directions else with_text_references(found)


def traced_unit(
    trace: Trace, body: Body, fn: FunctionType, target: Target, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Unit | None:
    """Trace a function for a signature; None, and why, where it cannot be one of the graph's."""
    graph = Graph(fn.__name__)
    carried = None if body.under_way is None else body.under_way.carried
    types = [*signature.descriptions, *(carried.place_descriptions.values() if carried is not None else ())]
    values = iter([graph.block.add_argument(type_) for description in types for type_ in description.parts])
    result: list[Any] = [None]

    def run() -> None:
        trace.recorded.constants, trace.handling.tries, trace.handling.note_failing, trace.facts = {}, [], None, {}
        given = abstract_arguments(trace, body, signature, (*args, *kwargs.values()), values)
        if carried is not None:
            carried.open_places(values)
        result[0] = target(*given[: len(args)], **dict(zip(kwargs, given[len(args) :])))

    around = trace.handling.tries, trace.handling.note_failing, trace.facts, trace.recorded.constants
    numbers, entered = dict(trace.sources.numbers), trace.calls.entered
    trace.calls.entered = 0  # the operation that calls takes these
    try:
        traced = trace_region(
            Region("function"), run, lambda: (result[0],), lambda state: result.__setitem__(0, state[0]), (None,), block=graph.block
        )
        body.refusal = reason_to_inline(trace, body, traced)
        return None if body.refusal else finished(trace, body, graph, traced, signature)
    except Restart as restart:
        asked = {decision[1][2] for decision in restart.decisions if decision[0] == "static" and decision[1][:2] == ("parameter", id(body))}
        if not asked:
            raise
        if body.is_recursive:
            body.refusal = "it asks for the value of an argument"
            return None
        body.known |= asked
        again = call_signature(trace, body, fn, args, kwargs)
        return None if again is None else traced_unit(trace, body, fn, target, again, args, kwargs)
    except (BudgetError, InternalError, SlowerThanPython):
        raise
    except AutographJitError as error:
        body.refusal = str(error).partition("\n")[0]
        return None
    finally:
        trace.handling.tries, trace.handling.note_failing, trace.facts, trace.recorded.constants = around
        trace.sources.numbers, trace.calls.entered = numbers, entered


def abstract_arguments(trace: Trace, body: Body, signature: Signature, arguments: tuple[Any, ...], values: Iterator[Value]) -> list[Any]:
    """What a function is traced with in the place of arguments; what is one object stays one, but need not in each call of a recursion."""
    known: dict[int, Any] = {}
    given = []
    for position, (description, value) in enumerate(zip(signature.descriptions, arguments)):
        made = compose(description, values)
        given.append(known.setdefault(id(value), made) if has_identity(value) and not body.is_recursive else made)
        if isinstance(made, StagedScalar) and is_python_number(value):
            trace.sources.numbers[id(made.value)] = ("parameter", id(body), position)
    return given


def reason_to_inline(trace: Trace, body: Body, traced: Traced) -> str:
    """Why a traced function is none of the graph's: what it leaves around it, that it does not come to its end; empty where it is one."""
    if body.under_way is None:
        return WRITES if traced.places else "every path through it ends in an exception" * traced.raised
    for place, _ in traced.places.values():
        if isinstance(place.owner, Dynamic) and container(trace, body, place.owner) is None:
            return "it writes to a container that the trace knows by its items"
        if place.key in places_outside(trace):
            return "it writes to what is outside of the program"  # which has to be as it left it where it raises
    body.under_way.absorb(traced)
    places = body.under_way.carried.place_descriptions.values()
    if body.takes_places and any(isinstance(place, Array) for place in places):
        return "it leaves arrays around it"  # whose sizes, and what made them, are known where it is called
    are_known = all(is_returnable(place.content if isinstance(place, Optional) else place) for place in places)
    return "every path through it ends in an exception" * traced.raised if are_known else "what it writes around it is of no known type"


def finished(trace: Trace, body: Body, graph: Graph, traced: Traced, signature: Signature) -> Unit | None:
    """The unit of a traced body, unless there is an obstacle."""
    (result,), carried = traced.state, None if body.under_way is None else body.under_way.carried
    description = expanded(describe(result))
    if "backwards" not in trace.differentiation.directions:  # nothing takes the derivative of what a function does to a container
        description = by_reference(description)
        if body.is_recursive:
            keep_by_reference([description])
            expect_function_rows(description)
    if body.is_recursive and body.under_way is not None:
        description = body.under_way.joined(description)
    if not is_returnable(description) or holds_container(description) and "backwards" in trace.differentiation.directions:
        body.refusal = f"it returns something else than {VALUES}"
        return None
    with block_of(trace, graph.block):
        trace.recorded.constants = {}
        with as_left_by(traced):
            graph.block.yields = [*decompose(description, result), *(carried.leave(traced) if carried is not None else ())]
    if not all(map(fits, description.parts, (value.type for value in graph.block.yields))):
        body.refusal = "what it returns has another shape in each call"
    graph.block.parent = None
    captured = capture(graph, [] if body.under_way is None else body.under_way.captured)
    body.refusal = body.refusal or next(filter(None, map(reason_to_stay, graph.walk())), "")
    if not all(isinstance(value.type, (ScalarType, ArrayType, ListType)) for value in captured):
        body.refusal = body.refusal or "it reads what only the place of the call knows"
    body.refusal = body.refusal or memory_obstacle(graph)
    is_kept = body.takes_instances or trace.handling.is_total
    if not (body.refusal or is_kept) and sum(map(weight_of, graph.walk())) < LEAST_WEIGHT:
        body.refusal = SHORT
    if body.refusal:
        return None
    values = iter(graph.block.args)
    parts = [(x, [next(values) for _ in x.parts]) for given in signature.descriptions for x in described_values(given)]
    writes = tuple(sorted(written_arguments(graph) or ()))
    graph.block.args = first_ones(graph.block.args, writes)
    for index, argument in enumerate(graph.block.args):
        argument.index = index
    graph.small = frozenset(values[0].index for x, values in parts if isinstance(x, Scalar) and is_small_int(x))
    function = Function(graph)
    function.is_total = trace.handling.is_total
    return Unit(function, description, captured, signature, writes, carried)


def first_ones(values: list[Value], places: tuple[int, ...]) -> list[Value]:
    """Values in another order: those at some places, then the others."""
    return [*(values[place] for place in places), *(value for place, value in enumerate(values) if place not in places)]


def with_text_references(x: ValueType, constant: Callable[[Constant], ValueType] = lambda x: x) -> ValueType:
    """A description with references to texts instead of their letters, and for what is constant what `constant` tells."""
    if isinstance(x, TextType) and x.form in ("text", "referred"):
        return STORED[x.kind]
    if isinstance(x, Constant):
        return constant(x)
    return x.of(with_text_references(inner, constant) for inner in x.inner) if isinstance(x, (Composite, Optional)) else x


def by_reference(x: ValueType) -> ValueType:
    """The same, and with references to the containers of compiled code."""
    return with_text_references(x, lambda constant: as_reference(constant) or constant)


def is_small_int(x: Scalar) -> bool:
    return len(x.kinds) == 1 and x.dtype == I64.dtype and x.bits <= 62


def holds_container(x: ValueType) -> bool:
    """Whether a value is a container or an instance, or holds one."""
    return isinstance(x, (NativeItems, Structure, TableOf)) or any(map(holds_container, x.inner))


def is_returnable(x: ValueType) -> bool:
    """Whether a result is made of numbers, texts, arrays, containers of compiled code and constants."""
    if isinstance(x, (Tuple, Structure)):
        return all(map(is_returnable, x.items))
    if isinstance(x, Optional):
        return x.absent is None and is_returnable(x.content)
    is_known = isinstance(x, Constant) and is_immutable(x.value)
    return is_known or isinstance(x, (Scalar, OneOf, Array, NativeItems, Reference, TableOf)) or x in (LETTER, *STORED.values())


def capture(graph: Graph, known: list[Value]) -> list[Value]:
    """Make parameters of the values from outside that a graph reads, first the `known` ones; these values. Constants are repeated."""
    inside: set[Value] = set(graph.block.args)
    for operation in graph.walk():
        inside.update(operation.results)
        for region in operation.regions:
            inside.update(region.args)
    renamed = {value: graph.block.add_argument(value.type, value.hint) for value in known}
    captured = list(known)
    constants: list[Operation] = []

    def name(value: Value) -> Value:
        if value in inside:
            return value
        if value not in renamed and isinstance(value.owner, Operation) and value.owner.name in CONSTANTS:
            copy = Operation(value.owner.opdef, [], dict(value.owner.attributes), [], value.owner.span)
            copy.results, copy.block = [Value(value.type, copy, 0, value.hint)], graph.block
            constants.append(copy)
            renamed[value] = copy.result
        elif value not in renamed:
            captured.append(value)
            renamed[value] = graph.block.add_argument(value.type, value.hint)
        return renamed[value]

    for block in [graph.block, *(region for operation in graph.walk() for region in operation.regions)]:
        for operation in block.operations:
            operation.operands, operation.unwind = list(map(name, operation.operands)), list(map(name, operation.unwind))
        block.yields = list(map(name, block.yields))
    graph.block.operations[:0] = constants
    return captured


def emit_unit_call(trace: Trace, unit: Unit, signature: Signature, arguments: list[Any]) -> Any:
    """The call, and the stand-in of its result."""
    operands = [value for description, argument in zip(signature.descriptions, arguments) for value in decompose(description, argument)]
    places = () if unit.carried is None else tuple(unit.carried.place_descriptions.values())
    operands += unit.carried.initial() if unit.carried is not None else []
    found: Any = in_sizes(Tuple(tuple, (unit.result, *places)), lambda size: signature.size_here(trace, size))
    types, operands = found.parts, first_ones([*operands, *unit.captured], unit.writes)
    attributes: dict[str, Any] = {"callee": unit.function, "label": unit.function.name, "results": types}
    if unit.writes:
        attributes["writes"] = len(unit.writes)
    operation = emit("call_writing" if unit.writes else "call", *operands, **attributes)
    results = iter(operation.results)
    made = compose(found.items[0], results)
    if unit.carried is not None:
        unit.carried.open_places(results)
    return made
