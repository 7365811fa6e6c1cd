"""Recursion as calls of a function of the graph, which is called before it has its graph.

    def power(x, n):                       first trace:   the recursive call does not return, power gives a float
        if n == 0: return 1.0              second trace:  the recursive call gives a float, power gives a float: done
        return x * power(x, n - 1)

A call that does not fit the arguments of the one under way widens them: the trace begins again. What the function returns starts as nothing
and is joined with what a trace finds, until it stays the same; so is what it reads besides its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import field, replace
from types import CodeType, FunctionType
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ir.dims import Dim, Size, atom
from autograph_jit.ir.function import Function
from autograph_jit.ir.graph import Graph, Value, is_visible
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.journal import Place
from autograph_jit.tracing.control.carried import Carried
from autograph_jit.tracing.control.regions import Traced, Unreachable
from autograph_jit.tracing.control.signatures import (
    VALUES,
    Body,
    Signature,
    call_signature,
    in_sizes,
    is_immutable,
    surroundings_of,
    variables_around,
)
from autograph_jit.tracing.control.units import (
    NO_UNIT,
    CarriedByCalls,
    Unit,
    by_reference,
    emit_unit_call,
    is_returnable,
    keep_unit,
    traced_unit,
)
from autograph_jit.tracing.functions.recursion import RECURSION
from autograph_jit.tracing.joining.descriptions import as_scalar, cover
from autograph_jit.tracing.joining.list_references import expect_rows
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.trace import Restart, Trace, active, user_span
from autograph_jit.tracing.values.types import NEVER, Array, Constant, OneOf, Optional, Scalar, TextType, Tuple, ValueType

MOST_TRACES = 12
ANY_BITS = 64
COMPOSED = "goes through its own items"  # the decision that a generator is traced where it stands


@dataclass(slots=True, eq=False)
class UnderWay:
    """A recursive function that is being traced: for which arguments and surroundings, what it returned, read and wrote in the trace
    before; the places that it writes, which are arguments and results of all its calls; where units are kept that call it; the variables
    around it, with what they hold when the trace begins."""

    descriptions: tuple[ValueType, ...]
    surroundings: tuple[Any, ...]
    carried: Carried
    function: Function | None = None
    result: ValueType = NEVER
    captured: list[Value] = field(default_factory=list)
    writes: tuple[int, ...] = ()
    dependents: list[tuple[Body, Any]] = field(default_factory=list)
    variables: dict[Any, tuple[Place, Any]] = field(default_factory=dict)

    def forget(self) -> None:
        """Drop the units that call the function of this trace, and what kept others from being units: another one takes its place."""
        for body, key in self.dependents:
            if body.units.pop(key, None) is None:
                body.refusal = ""
        self.dependents.clear()

    def joined(self, result: ValueType) -> ValueType:
        """What the function returns, as far as this trace and those before have found."""
        found = unlabelled(result)
        if found == self.result or self.result == NEVER:
            return found
        return of_any_size(unlabelled(cover(self.result, found)))

    def absorb(self, traced: Traced) -> None:
        """Widen the places by what a trace left in them: trace again where that, or one of the places, is new."""
        before = dict(self.carried.place_descriptions)
        self.carried.absorb_places(traced)
        self.expect_same(before)

    def absorb_variables(self) -> None:
        """Widen the places by the variables around the function that this trace has assigned before a recursive call."""
        before = dict(self.carried.place_descriptions)
        for key, (place, content) in self.variables.items():
            if key not in self.carried.places and place.read() is not content:
                self.carried.add_place(key, place)
        self.expect_same(before)

    def enter(self, descriptions: tuple[ValueType, ...]) -> None:
        """Widen by what a recursive call is given: trace again where that is new."""
        before = dict(self.carried.place_descriptions)
        self.carried.absorb_entry()
        is_new, self.descriptions = descriptions != self.descriptions, descriptions
        self.expect_same(before, is_new)

    def expect_same(self, places: dict[Any, ValueType], is_new: bool = False) -> None:
        """Trace again where arguments, or the places, are other ones than before."""
        if is_new or places != self.carried.place_descriptions:
            self.result, self.captured, self.writes = NEVER, [], ()
            raise Widened(self)


class Widened(BaseException):
    """A recursive call of what is under way has other arguments: trace again with arguments that cover both."""

    def __init__(self, under_way: UnderWay) -> None:
        self.under_way = under_way


def call_recursive(trace: Trace, fn: FunctionType, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call of a function that calls itself; NO_UNIT where it cannot be a function of the graph."""
    if "forwards" in trace.differentiation.directions:
        return NO_UNIT  # calls that cannot be inlined have no rule there
    body = bodies_of(trace, fn).setdefault(fn.__code__, Body(is_recursive=True))
    if (COMPOSED, fn.__code__) in trace.decisions or body.refusal or not body.is_recursive or is_seen(trace, body.places):
        return NO_UNIT  # after an exception, a handler would find variables as they were before the call
    args, kwargs = given_by_position(fn, args, kwargs)
    signature = call_signature(trace, body, fn, args, kwargs)
    arguments = [*args, *kwargs.values()]
    if body.under_way is not None:
        return call_under_way(trace, body.under_way, signature, arguments)
    if signature is None:
        body.refusal = f"its arguments are something else than {VALUES}"
        return NO_UNIT
    units = (known for known in body.units.values() if known is not None)
    unit = next((known for known in units if fits_in(signature, known.kept) and fits_places(known)), None)
    if unit is None:
        before = len(trace.calls.provisional)
        unit = traced_recursion(trace, body, fn, target, signature, args, kwargs)
        unit = keep_unit(trace, body, object(), unit, before)
    else:
        trace.calls.provisional += unit.provisional
    if unit is None or not all(is_visible(trace.block, value) for value in unit.captured):
        return NO_UNIT
    if is_seen(trace, body.places):
        return NO_UNIT
    return emit_unit_call(trace, unit, replace(signature, descriptions=unit.kept.descriptions), arguments)


@acts_for_program
def call_in_place(trace: Trace, fn: FunctionType, target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call that is traced where it stands. Where that finds that the function calls itself, it goes on with one of the
    graph, to find what comes after the call."""
    counts = dict(trace.loops.reached)
    try:
        return target(*args, **kwargs)
    except Restart as restart:
        is_part = trace.recorded.foreseen and any(decision[0] == RECURSION for decision in trace.decisions)  # of another recursion
        if is_part or restart.decisions != ((RECURSION, fn.__code__),):
            raise
        trace.loops.reached, bodies = counts, bodies_of(trace, fn)
        if (known := bodies.get(fn.__code__)) is None or not known.is_recursive:
            bodies[fn.__code__] = Body(is_recursive=True)
        trace.foresee(*restart.decisions)
        result = call_recursive(trace, fn, target, args, kwargs)
        if result is NO_UNIT:
            raise
        return result


def is_seen(trace: Trace, places: Collection[Any]) -> bool:
    """Whether a handler around may find what a function writes in places."""
    return bool(places) and any(protected.may_see(places) for protected in trace.handling.tries)


def given_by_position(fn: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call as if all were given by position, where defaults never change: a recursive call may leave out others."""
    names = fn.__code__.co_varnames[: fn.__code__.co_argcount]
    defaults = fn.__defaults__ or ()
    given = {**dict(zip(names[::-1], defaults[::-1])), **dict(zip(names, args)), **kwargs}
    if len(args) > len(names) or set(given) != set(names) or not all(map(is_immutable, defaults)):
        return args, kwargs
    return tuple(given[name] for name in names), {}


def bodies_of(trace: Trace, fn: FunctionType) -> dict[CodeType, Body]:
    """Where it is kept what is known of a function: of the form of a generator by its consumer, whose body is a part of it."""
    consumers = trace.calls.consumers
    return consumers[-1].bodies if consumers and fn.__code__ in consumers[-1].bodies else trace.calls.bodies


def call_under_way(trace: Trace, under_way: UnderWay, signature: Signature | None, arguments: list[Any]) -> Any:
    """A recursive call: of what is being traced."""
    trace.calls.provisional.append(under_way)
    is_known = signature is not None and len(signature.descriptions) == len(under_way.descriptions)
    if under_way.result == NEVER and not is_known:
        raise Unreachable  # the variables that the function writes are not known yet
    for known, given in zip(under_way.descriptions, signature.descriptions if signature is not None and is_known else ()):
        if known != given:
            expect_rows(known, given)
    if signature is not None and signature.surroundings != under_way.surroundings:
        under_way.absorb_variables()
    if signature is None or not is_known or under_way.result != NEVER and signature.surroundings != under_way.surroundings:
        raise ConversionError("a recursive call has arguments of other kinds", user_span(), f"{VALUES} are known", "write a loop")
    under_way.enter(tuple(map(widest, under_way.descriptions, signature.descriptions)))
    if under_way.result == NEVER:
        raise Unreachable
    assert under_way.function is not None
    unit = Unit(under_way.function, under_way.result, under_way.captured, None, under_way.writes, under_way.carried)
    return emit_unit_call(trace, unit, replace(signature, descriptions=under_way.descriptions), arguments)


def fits_in(signature: Signature, known: Signature) -> bool:
    """Whether arguments are covered by those that a function was traced for."""
    if (signature.surroundings, len(signature.descriptions)) != (known.surroundings, len(known.descriptions)):
        return False
    try:
        return tuple(map(widest, known.descriptions, signature.descriptions)) == known.descriptions
    except ConversionError:
        return False


def fits_places(unit: Unit) -> bool:
    """Whether the places around a function hold now what it was traced for."""
    if unit.carried is None:
        return True
    known = dict(unit.carried.place_descriptions)
    unit.carried.absorb_entry()
    found, unit.carried.place_descriptions = unit.carried.place_descriptions, known
    return found == known


def widest(x: ValueType, y: ValueType) -> ValueType:
    """The argument that covers two: numbers of one type, arrays of one rank."""
    if x == y:
        return x
    first, second = as_scalar(x), as_scalar(y)
    if first is not None and second is not None and first.kinds == second.kinds:
        return replace(first, size=None, bits=ANY_BITS, exact=first.exact and second.exact) if covers_less(first, second) else first
    if isinstance(x, Array) and isinstance(y, Array) and x.dtype == y.dtype and len(x.dims) == len(y.dims):
        dims = tuple(m if m == n or isinstance(m, Dim) else active().fresh_atom("d", "any") for m, n in zip(x.dims, y.dims))
        return Array(x.dtype, dims, x.writeable and y.writeable)
    if isinstance(x, Tuple) and isinstance(y, Tuple) and x.shape == y.shape:
        return x.of(map(widest, x.items, y.items))
    covering = by_reference(cover(x, y))
    is_one = isinstance(covering.content if isinstance(covering, Optional) else covering, OneOf)
    if (is_one or not any(isinstance(each, (Scalar, Array)) for each in (first or x, second or y))) and is_returnable(covering):
        return covering
    raise ConversionError(
        "a recursive call has an argument of another kind", user_span(), "each argument is of one type in all calls", "write a loop"
    )


def covers_less(x: Scalar, y: Scalar) -> bool:
    """Whether the first of two numbers of one type is known to be of a smaller range."""
    return x.bits < y.bits or x.exact and not y.exact


def of_any_size(x: ValueType) -> ValueType:
    """A result that grew from one trace to the next: its integers are of any size."""
    if isinstance(x, Scalar):
        return replace(x, bits=ANY_BITS, exact=x.dtype.kind not in "iu")
    return x.of(map(of_any_size, x.inner)) if x.inner and not isinstance(x, TextType) else x


def unlabelled(x: ValueType) -> ValueType:
    """A result with a label of its own for each size that is not known."""
    number = iter(range(1_000_000))

    def label(size: Size) -> Size:
        return size if isinstance(size, int) else atom(f"d:r{next(number)}")

    found = in_sizes(x, label)
    return replace(found, size=None) if isinstance(found, Scalar) else found


def traced_recursion(
    trace: Trace,
    body: Body,
    fn: FunctionType,
    target: Callable[..., Any],
    signature: Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Unit | None:
    """Trace a recursive function until its arguments and results stay the same; None, and why, where they do not."""
    descriptions = tuple(replace(x, size=None) if isinstance(x, Scalar) else x for x in map(number_of_any_value, signature.descriptions))
    under_way = found_before(trace, body, signature, descriptions) or UnderWay(descriptions, signature.surroundings, CarriedByCalls(trace))
    return settled_unit(trace, body, under_way, fn, target, signature, args, kwargs)


def settled_unit(
    trace: Trace,
    body: Body,
    under_way: UnderWay,
    fn: FunctionType,
    target: Callable[..., Any],
    signature: Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Unit | None:
    """Trace a function until the places that it writes, and the results of a recursion, stay the same; None, and why, where they do not."""
    counts = dict(trace.loops.reached)
    for _ in range(MOST_TRACES):
        trace.loops.reached, is_final = dict(counts), False
        body.under_way, under_way.function = under_way, Function(Graph(fn.__name__), is_open=True)
        body.places = body.places.union(under_way.carried.places)
        try:
            under_way.surroundings = surroundings_of(trace, body, fn, (*args, *kwargs.values())) or ()
            under_way.variables = {place.key: (place, place.read()) for place in variables_around(fn)}
            signature = replace(signature, descriptions=under_way.descriptions, surroundings=under_way.surroundings)
            unit = traced_unit(trace, body, fn, target, signature, args, kwargs)
            is_final = unit is not None and (not body.is_recursive or unit_state(unit) == unit_state(under_way))
        except Widened as widened:
            if widened.under_way is not under_way:
                raise
            continue
        finally:
            body.under_way, body.last = None, under_way
            if not is_final:
                under_way.forget()
        if unit is None:
            return None
        if is_final:
            assert under_way.function is not None
            under_way.function.close(unit.function.graph)
            return replace(unit, function=under_way.function)
        under_way.result, under_way.captured, under_way.writes = unit_state(unit)
    body.refusal = "what it takes or returns has no end of types"
    return None


def found_before(trace: Trace, body: Body, signature: Signature, descriptions: tuple[ValueType, ...]) -> UnderWay | None:
    """What the last trace of a function has found, to begin with, where it was of such a call: a recursion inside of another one is traced
    each time that this one is, and mostly finds the same; None where it was of another one."""
    last = body.last
    if last is None or last.surroundings != signature.surroundings or len(last.descriptions) != len(descriptions):
        return None
    if not fits_in(replace(signature, descriptions=descriptions), replace(signature, descriptions=last.descriptions)):
        return None
    if not all(is_visible(trace.block, value) for value in last.captured):
        return None
    return replace(last, carried=CarriedByCalls(trace, last.carried), dependents=[])


def unit_state(x: Unit | UnderWay) -> tuple[ValueType, list[Value], tuple[int, ...]]:
    """What a recursive call has to know of the function."""
    return x.result, x.captured, x.writes


def number_of_any_value(x: ValueType) -> ValueType:
    """A number that is known, as one of its type."""
    scalar = as_scalar(x) if isinstance(x, Constant) and type(x.value) in (int, float, complex) else None
    return x if scalar is None else replace(scalar, size=None, bits=max(scalar.bits, 31))
