"""Generators that are kept: how they are made and advanced, and what their converted functions ask for (see `converters.resumable`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.originals import original_code
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.journal import AttributePlace, CellPlace, note_created, write
from autograph_jit.tracing.aliasing.references import InstanceReference
from autograph_jit.tracing.aliasing.row_classes import class_key
from autograph_jit.tracing.control.branches import if_stmt
from autograph_jit.tracing.hosting.exceptions import raised
from autograph_jit.tracing.plain.calls import FORM, is_library
from autograph_jit.tracing.structures.generator_rows import IS_BOUND, KEPT, PLACE, VARIABLE, GeneratorRow, cannot_leave, generator_class
from autograph_jit.tracing.values.abstract import Maybe, Undefined, check, is_staged, may_be_missing, unbound_message
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import Restart, Trace, active, user_span
from autograph_jit.weak import WeakKeys

ENDED = -1
FORMS = "autograph_jit.library.python."  # with Python's iterators as generators
AT_FIRST = "can't send non-None value to a just-started generator"
converter: Callable[[FunctionType], Any] | None = None
_classes: WeakKeys[CodeType, dict[tuple[str, int], type | None]] = WeakKeys()


@dataclass(frozen=True, slots=True)
class Step:
    """What a step has given, see `given_out`."""

    is_end: Any
    given: Any
    returned: Any

    def item(self) -> Any:
        """What stands behind `yield`, of a generator that has not ended."""
        return present_content(self.given)


def class_of(function: Any) -> Any:
    """The class of a function's generators; None where they cannot be kept."""
    if not isinstance(function, FunctionType) or converter is None or is_library(function) and not function.__module__.startswith(FORMS):
        return None
    known = _classes.setdefault(function.__code__, {})  # equal code may stand in several files
    key = function.__code__.co_filename, id(function.__globals__)
    if key not in known:
        parts = converter(function)
        methods: dict[str, Any] = {"__iter__": itself, "__next__": advanced, "send": sent_to}
        known[key] = None if parts is None else generator_class(function, parts[1:], methods)
    return known[key]


def keep_instead(function: Any) -> None:
    """Trace again with the generators of a function as instances, where that has not been tried."""
    if class_of(function) is not None and (KEPT, function.__code__) not in active().decisions:
        raise Restart((KEPT, function.__code__))


def keep_all(sources: Iterable[Any]) -> None:
    """The same of all generators among these, which Python would advance here and now, whatever is asked for."""
    for x in sources:
        if is_marked(x, "is_generator"):
            keep_instead(x.function)


def is_kept(function: FunctionType) -> bool:
    """Whether the generators of a function are instances in this trace."""
    return (KEPT, function.__code__) in active().decisions and class_of(function) is not None


def begun(function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A new generator: nothing has run yet."""
    trace, kind = active(), class_of(function)
    if class_key(kind) in trace.decisions:
        raise cannot_leave(kind)
    assert converter is not None
    begin = converter(function)[0]  # which has the default values of this very function
    values = (*language.call_function(trace, begin, args, kwargs), *captured_by(trace, function, kind))
    if kind in trace.aliasing.tables:
        return trace.aliasing.tables[kind].add({PLACE: 0, **dict(zip(map(VARIABLE.format, kind.parameters), values))})
    made = object.__new__(kind)
    object.__setattr__(made, PLACE, 0)
    for name, value in zip(kind.parameters, values):
        object.__setattr__(made, VARIABLE.format(name), value)
    return note_created(trace, made)


def captured_by(trace: Trace, function: FunctionType, kind: type) -> list[Any]:
    """What a function captures, in the order of the names: it has to stay the same as long as there are generators of it."""
    is_marked = function.__dict__.get(FORM, (None,))[0] is function
    is_own = is_marked or original_code(function.__code__) is not None  # defined in converted code: the variables are the trace's
    found = []
    for name, cell in sorted(zip(function.__code__.co_freevars, function.__closure__ or ())):
        content = CellPlace(cell, name).read()
        trace.calls.captured.append((kind, cell, content))
        if not is_own and not is_staged(content) and CellPlace(cell, name).key not in trace.journals[0].before:
            content = trace.inputs.outer(content, partial(getattr, cell, "cell_contents"), name)
        found.append(content)
    return found


def expect_same(trace: Trace, kind: Any) -> None:
    """What the generators of a class capture is what it was when they were made."""
    for name, cell, content in ((each.__name__, cell, content) for each, cell, content in trace.calls.captured if each is kind):
        if CellPlace(cell, name).read() is not content or isinstance(content, Undefined):
            why = "each generator keeps what they held when it was made"
            raise ConversionError(
                f"variables that the generator {kind.made_by} captures change", user_span(), why, "pass them as arguments"
            )


def itself(x: Any) -> Any:
    """`iter(x)`."""
    return x


def advanced(x: Any) -> Any:
    """`next(x)`."""
    return item_or_end(stepped(x, None))


def is_kept_generator(x: Any) -> bool:
    """Whether a value is a generator that is kept, known to the trace or a row."""
    return isinstance(x, GeneratorRow)  # which is also the class that a row says it has


def sent_to(x: Any, value: Any) -> Any:
    """`x.send(value)`."""
    return item_or_end(send_step(x, value))


def send_step(x: Any, value: Any) -> Step:
    """The step of `x.send(value)`."""
    waiting = [language.compare("is", value, None), language.compare("!=", under_name(x, PLACE), 0)]
    staged = [each for each in waiting if each is not False]
    if not any(each is True for each in staged):
        if not staged:
            raise TypeError(AT_FIRST)
        check((staged[0] if len(staged) == 1 else language.binary("|", *staged)).value, TypeError, AT_FIRST)
    return stepped(x, value)


def item_or_end(step: Step) -> Any:
    """What a step gives; where the generator ends, StopIteration."""

    def end() -> None:
        raise raised(ended(step.returned))

    if_stmt(step.is_end, end, lambda: None, lambda: (), lambda state: None, ())
    return step.item()


def stepped(x: Any, value: Any) -> Step:
    """Run a generator to its next `yield`, or to its end."""
    trace = active()
    kind: Any = x.instance_class if isinstance(x, InstanceReference) else type(x)
    if any(each is kind for each in trace.calls.advancing):
        why = "it may be the one that runs, which Python refuses"
        raise ConversionError(f"a generator {kind.made_by} advances one of the same function", user_span(), why, "write a class")
    expect_same(trace, kind)
    trace.calls.advancing.append(kind)
    try:
        is_end, given, returned = language.call_function(trace, kind.step, (x, value), {})
        return Step(True if isinstance(given, Undefined) else is_end, given, returned)  # a step that reaches no `yield` comes to the end
    finally:
        trace.calls.advancing.pop()


def under_name(x: Any, name: str) -> Any:
    """What a generator has under a name."""
    return x.table.kept(x, name) if isinstance(x, InstanceReference) else AttributePlace(x, name).read()


def resumed(x: Any) -> Any:
    """Where a generator goes on; it has ended until it pauses again."""
    place = under_name(x, PLACE)
    hold(x, PLACE, ENDED)
    return place


def hold(x: Any, name: str, value: Any) -> None:
    """Give a generator something under a name."""
    if isinstance(x, InstanceReference):
        x.table.store(x, name, value)
    else:
        write(AttributePlace(x, name), value)


def has_frame(x: Any) -> bool:
    """True: a step has one. What is assigned under this condition may have no value before, and reads of it are checked."""
    return x is not None


def kept_variable(x: Any, name: str) -> Any:
    """A variable as the generator kept it."""
    return present_content(under_name(x, VARIABLE.format(name)))


def kept_perhaps(x: Any, name: str) -> Any:
    """The same of a variable that may have no value."""
    found = under_name(x, VARIABLE.format(name))
    if not isinstance(x, InstanceReference) or isinstance(found, Undefined):
        return found
    return Maybe(x.table.kept(x, IS_BOUND.format(name)), found, Undefined(name))


def keep_perhaps(x: Any, name: str, value: Any) -> None:
    """Keep a variable that may have no value: a row says in a list of its own whether there is one."""
    if isinstance(x, InstanceReference):
        x.table.store(x, IS_BOUND.format(name), value.present if may_be_missing(value) else not isinstance(value, Undefined))
        if not isinstance(value, Undefined):
            x.table.store(x, VARIABLE.format(name), present_content(value))
    else:
        hold(x, VARIABLE.format(name), value)


def paused(x: Any, place: int, names: tuple[str, ...], values: tuple[Any, ...], perhaps: tuple[str, ...] = ()) -> None:
    """A generator waits at a place with its variables, which all have a value there but for those named at last."""
    for name, value in zip(names, values):
        if name in perhaps:
            keep_perhaps(x, name, value)
            continue
        if isinstance(value, Undefined):
            raise UnboundLocalError(unbound_message(name))
        hold(x, VARIABLE.format(name), present_content(value))
    hold(x, PLACE, place)


def present_content(x: Any) -> Any:
    """A value that is there, though the paths of the trace do not all say so."""
    while may_be_missing(x):
        x = x.content
    return x


def given_out(is_end: Any, item: Any, returned: Any) -> tuple[Any, Any, Any]:
    """What a step gives: whether the generator has ended, the item where it has not, and what it returned where it has."""
    return is_end, item, returned


def leaked(error: Any) -> Any:
    """The exception in the place of a StopIteration that a generator did not catch."""
    return language.call(RuntimeError, ("generator raised StopIteration",), None)


def none_if_missing(value: Any) -> Any:
    """What a generator returned, None where nothing."""
    if isinstance(value, Undefined):
        return None
    return language.if_exp(value.present, lambda: value.content, lambda: None) if may_be_missing(value) else value


def ended(value: Any) -> Any:
    """The exception at the end of a generator, with what it returned."""
    value = none_if_missing(value)
    return language.call(StopIteration, () if value is None else (value,), None)
