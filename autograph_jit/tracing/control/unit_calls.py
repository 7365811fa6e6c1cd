"""Calls of functions of the graph: which call is one, and of which function.

One that writes to variables and attributes around it, or finds others there in each call, is given these as arguments and gives them back.
It is worth the second trace that this takes only where it is long, or called often.
"""

from __future__ import annotations

import dis
import inspect
from collections import Counter
from collections.abc import Iterator
from types import CodeType, FunctionType, NoneType
from typing import Any

from autograph_jit.ir.graph import is_visible
from autograph_jit.tracing.control.recursive_units import UnderWay, fits_places, is_seen, settled_unit
from autograph_jit.tracing.control.signatures import Body, Signature, call_signature
from autograph_jit.tracing.control.units import (
    LEAST_WEIGHT,
    NO_UNIT,
    WRITES,
    CarriedByCalls,
    Target,
    Unit,
    emit_unit_call,
    keep_unit,
    site_of,
    traced_unit,
)
from autograph_jit.tracing.values.trace import Trace
from autograph_jit.tracing.values.types import Array, Constant, Scalar, ValueType
from autograph_jit.weak import WeakKeys

OFTEN = 3  # places in one function
LEAST_COPIED = 160  # weight of all copies of a function that is given what is around it
MOST_UNUSED = 3  # functions made of one that are called once each
KEPT: dict[Any, Unit] = {}  # of functions of this package that raise nothing: other traces call them as they are
MOST_KEPT = 400
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
NAMED: WeakKeys[CodeType, Counter[str]] = WeakKeys()  # by function, how often it names others


def call_unit(trace: Trace, fn: FunctionType, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call of a function of the graph; NO_UNIT where the call has to be traced where it stands."""
    body = trace.calls.bodies.get(fn.__code__)
    site = site_of(trace)
    if body is None and is_named_often(site, fn):
        body = trace.calls.bodies[fn.__code__] = Body(weight=LEAST_WEIGHT)
    if body is None or body.is_recursive:
        return NO_UNIT
    if body.refusal == WRITES and is_worth_two_traces(body):
        body.refusal, body.takes_places = "", True
    if body.refusal or body.weight < LEAST_WEIGHT or body.sites == {site}:
        return NO_UNIT
    body.sites.add(site)
    if not fits_parameters(fn, args, kwargs):
        return NO_UNIT
    found = unit_for(trace, body, fn, target, args, kwargs)
    if found is None:
        return NO_UNIT
    unit, signature = found
    places = () if unit.carried is None else unit.carried.places
    if not all(is_visible(trace.block, value) for value in unit.captured) or is_seen(trace, places):
        return NO_UNIT
    body.calls += 1
    return emit_unit_call(trace, unit, signature, [*args, *kwargs.values()])


def fits_parameters(fn: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function has a parameter for each argument, and an argument for each parameter."""
    try:
        inspect.signature(fn).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def unit_for(
    trace: Trace, body: Body, fn: FunctionType, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Unit, Signature] | None:
    """The function of the graph for a call, known or new, and the call's signature."""
    signature = call_signature(trace, body, fn, args, kwargs)
    is_total = trace.handling.is_total
    is_new = signature is None or body.units and signature.key not in body.units
    if is_new and not (body.takes_places or is_total) and is_worth_two_traces(body):
        body.takes_places = True  # it may have been given an instance, or found something else around it
        signature = call_signature(trace, body, fn, args, kwargs)
    if signature is None:
        return None
    unit = body.units.get(signature.key) or (KEPT.get((fn.__code__, signature.key)) if is_total else None)
    if unit is None and signature.key in body.units:
        return None
    if unit is not None and fits_places(unit):
        trace.calls.provisional += unit.provisional
        return unit, signature
    before = len(trace.calls.provisional)
    if body.takes_places:
        if len(body.units) >= MOST_UNUSED and body.calls <= len(body.units):
            body.refusal = WRITES
            return None
        unit = settled_unit(trace, body, with_known_places(trace, signature, unit), fn, target, signature, args, kwargs)
    else:
        unit = traced_unit(trace, body, fn, target, signature, args, kwargs)
    if unit is not None:
        signature = call_signature(trace, body, fn, args, kwargs) or signature
    unit = keep_unit(trace, body, signature.key, unit, before)
    is_kept = is_total and len(KEPT) < MOST_KEPT and all(map(outlasts_the_trace, signature.descriptions))
    if unit is not None and is_kept and not unit.captured:
        KEPT[fn.__code__, signature.key] = unit
    return None if unit is None else (unit, signature)


def outlasts_the_trace(description: ValueType) -> bool:
    """Whether an argument is a number, an array or a constant that is no object of a trace."""
    if isinstance(description, Constant):
        return isinstance(description.value, (int, float, str, NoneType))
    return isinstance(description, (Scalar, Array))


def is_worth_two_traces(body: Body) -> bool:
    """Whether the copies of a function at the places that call it weigh more than one function, and the traces that it takes."""
    return len(body.sites) >= OFTEN and body.weight * len(body.sites) >= LEAST_COPIED


def with_known_places(trace: Trace, signature: Signature, known: Unit | None) -> UnderWay:
    """A trace of a function that is given what is around it, as far as that is known; `known` was for something else there."""
    carried = CarriedByCalls(trace, known.carried if known is not None else None)
    for key, place in signature.changing.items():
        if key in carried.places:
            carried.places[key] = place
        else:
            carried.add_place(key, place)
    return UnderWay(signature.descriptions, signature.surroundings, carried)


def is_named_often(site: Any, fn: FunctionType) -> bool:
    """Whether the function that calls names what it calls several times: it is worth a function before its body is known."""
    if not site:
        return False
    caller = site[0][0]
    names = NAMED.get(caller)
    if names is None:
        names = NAMED[caller] = Counter(loaded_names(caller))
    return names[fn.__name__] >= OFTEN


def loaded_names(code: CodeType) -> Iterator[str]:
    """The names that a function and those inside it read, as often as they stand there."""
    yield from (step.argval for step in dis.get_instructions(code) if step.opname in LOADS)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from loaded_names(const)
