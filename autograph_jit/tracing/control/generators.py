"""Generators in a trace: their items are consumed where they are made, by the body of the loop that asks for them.

The generator's function runs in its consumable form (see `converters.generators`), and `yielded` runs the consumer's loop body. What that
body assigns are places, journaled like attributes, because the loops and branches around a `yield` are the generator's and do
not know the consumer's variables.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
from collections.abc import Callable, Generator, Iterator
from types import FunctionType, GeneratorType
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.interrupts import keep_interrupt
from autograph_jit.ir.graph import Block
from autograph_jit.tracing.aliasing.journal import AttributePlace, note_created, write
from autograph_jit.tracing.control.consumer_stacks import stack_of, with_stack
from autograph_jit.tracing.control.consumers import Consumer, innermost_consumer
from autograph_jit.tracing.control.kept_generators import begun, is_kept, keep_instead
from autograph_jit.tracing.control.signatures import Body
from autograph_jit.tracing.hosting.purity import effect_of
from autograph_jit.tracing.plain.calls import FORM
from autograph_jit.tracing.sequences.cursors import is_pythons_iterator
from autograph_jit.tracing.structures.generator_rows import KEPT
from autograph_jit.tracing.structures.templates import is_made_here, is_user_instance
from autograph_jit.tracing.values.abstract import OfTheTrace
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import Restart, Trace, active, block_of, current, user_span

converter: Callable[[Any, bool], Any] | None = None
MOST_NESTED = 6  # iterators in one another, and what holds several


class OwnFrame(OfTheTrace):
    """A generator that a trace made."""

    name: str
    function: Any = None

    def refusal(self) -> ConversionError:
        keep_instead(self.function)
        what = f"the generator {self.name} leaves the compiled function, or the branch, loop or `try` it was made in"
        return refusal(what, "its frame is part of the compiled program", "return a list of its items")

    def __template__(self, template: Any) -> Any:
        raise self.refusal()


class StagedGenerator(OwnFrame):
    """A generator that a trace made and that nothing has asked for an item yet. `spent` once a loop ran over it."""

    is_generator = True
    __rebuilt_type__ = GeneratorType

    def __init__(self, function: Any, form: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function, self.form, self.args, self.kwargs = function, form, args, kwargs
        self.name = function.__name__
        self.spent: Any = False
        self.lazy: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        """Python's own generator, traced as plain Python: where something other than a loop asks for items."""
        if self.lazy is None:
            self.expect_fresh()
            expect_computing(self.function)
            self.expect_fixed()
            self.lazy = suspended(self.function(*self.args, **self.kwargs), self.function)
        return self.lazy  # type: ignore[return-value]

    def __next__(self) -> Any:
        return next(iter(self))

    def send(self, item: Any) -> Any:
        return iter(self).send(item)  # type: ignore[attr-defined]

    def throw(self, *error: Any) -> Any:
        return iter(self).throw(*error)  # type: ignore[attr-defined]

    def close(self) -> None:
        iter(self).close()  # type: ignore[attr-defined]

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in OWN_ATTRIBUTES:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name)
        object.__setattr__(self, name, value)

    def expect_fixed(self) -> None:
        expect_fixed(self.function, (*self.args, *self.kwargs.values()))

    def expect_fresh(self) -> None:
        """Items are asked for once: by one loop, or by Python."""
        if self.spent is not False:
            keep_instead(self.function)
            raise refusal(
                f"the generator {self.name} is asked for items in several places",
                "its items are made inside the first loop over it",
                "call it anew for each loop, or collect its items in a list",
            )


StagedGenerator.__name__ = "generator"  # as Python's errors call it
OWN_ATTRIBUTES = ("function", "form", "args", "kwargs", "name", "spent", "lazy", "__class__")


def variables_of(function: Any) -> Iterator[Any]:
    """What a function finds in variables around it."""
    if isinstance(function, FunctionType):
        for cell in function.__closure__ or ():
            with contextlib.suppress(ValueError):  # not assigned yet
                yield cell.cell_contents
        yield from (function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__)


def expect_fixed(function: Any, given: tuple[Any, ...]) -> None:
    """What a generator reads is the program's own or cannot change: Python runs it while it is traced, for all calls."""
    for x in (*given, *variables_of(function)):
        if isinstance(x, (list, dict, set)) and not is_marked(x, "dynamic") or is_users_instance(x) and not is_made_here(x):
            keep_instead(function)
            what = f"the generator {function.__name__}, which reads an object that may change between calls, is advanced item by item"
            raise refusal(what, "it runs while it is traced", "a loop over it, or a list of its items")


def is_users_instance(x: Any) -> bool:
    """Whether a value is an instance of a user's class."""
    return not callable(x) and is_user_instance(x)


def refusal(what: str, why: str, remedy: str) -> ConversionError:
    return ConversionError(what, user_span(2), why, remedy)


class Stepped(OwnFrame, Generator[Any, Any, Any]):
    """A generator of Python's that the trace advances where it was made: a branch, a loop or a `try` is traced once for several ways, or
    several times, and what the generator went on by cannot be taken back."""

    def __init__(self, generator: Any, function: Any) -> None:
        self.generator, self.name, self.function = generator, generator.__name__, function
        self.home = region()

    def send(self, item: Any) -> Any:
        self.expect_home()
        try:
            return self.generator.send(item)
        except Restart as restart:
            kinds = {decision[0] for decision in (*restart.decisions, *active().decisions)}
            if {"static", KEPT} <= kinds:  # a program for each number of the run, where others are kept
                keep_instead(self.function)
            raise

    def throw(self, *error: Any) -> Any:
        self.expect_home()
        return self.generator.throw(*error)

    def close(self) -> None:
        self.generator.close()

    def expect_home(self) -> None:
        """What advances it is traced as often as what made it."""
        if current() is not None and region() is not self.home:
            raise self.advanced_in("a branch, a loop or a `try` and was made outside of it")

    def advanced_in(self, where: str) -> ConversionError:
        """The refusal of what advances it in this place, where it cannot be kept."""
        keep_instead(self.function)
        what = f"the generator {self.name} is advanced in {where}"
        return refusal(what, "it runs while it is traced", "a loop over it, or a class with the generator's variables as attributes")


Stepped.__name__ = "generator"


def expect_no_exit(iterable: Any) -> None:
    """A loop that only the run knows the end of goes through nothing that the trace advances: its generator would be at its own end."""
    for stepped in stepped_in(iterable, MOST_NESTED):
        raise stepped.advanced_in("a loop that only the run knows the end of")


def stepped_in(x: Any, depth: int) -> Iterator[Stepped]:
    """The generators that the trace advances where an iterator of Python's is asked for its next item."""
    x = x.lazy if isinstance(x, StagedGenerator) else x
    if isinstance(x, Stepped):
        yield x
    elif depth and (type(x) is tuple or is_pythons_iterator(x)):
        for part in gc.get_referents(x):
            yield from stepped_in(part, depth - 1)


def region() -> Any:
    """The innermost branch, loop or `try` that is being traced."""
    regions = active().regions
    return regions[-1] if regions else None


def is_generator_function(fn: Any) -> bool:
    return bool(fn.__code__.co_flags & inspect.CO_GENERATOR)


def start(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a generator function: nothing runs yet. Without a consumable form it is Python's generator."""
    if is_kept(fn):
        return begun(fn, args, kwargs)
    form = form_of(fn, False)
    if form is not None:
        return note_created(active(), StagedGenerator(fn, form, args, kwargs))
    expect_computing(fn)
    expect_fixed(fn, (*args, *kwargs.values()))
    return suspended(fn(*args, **kwargs), fn)


def suspended(generator: Any, function: Any = None) -> Any:
    """A generator of Python's that the trace advances. What it would do on being dropped must not happen in another trace."""
    active().calls.suspended.append(generator)
    return Stepped(generator, function)


def expect_computing(function: Any) -> None:
    """A generator that is advanced item by item runs while it is traced: what it did to the world would happen once for all calls."""
    effect = effect_of(function) if isinstance(function, FunctionType) else None
    if effect is not None:
        keep_instead(function)
        what, why = f"the generator {function.__name__}, which calls `{effect}`, is advanced item by item", "it runs while it is traced"
        raise refusal(what, why, "a loop over it, or a class with the generator's variables as attributes")


def close_suspended(trace: Trace) -> None:
    """Close the generators of a trace that has ended: what their `finally` does is recorded for nobody."""
    with block_of(trace, Block()):
        while trace.calls.suspended:
            try:
                trace.calls.suspended.pop().close()
            except BaseException as error:  # noqa: BLE001 - of a trace that has ended, but for Ctrl-C
                keep_interrupt(error)


def form_of(fn: Any, by_with: bool) -> Any:
    """The consumable form of a generator function, for a loop or a with statement: made beside it in converted code, or converted now."""
    owner, found, by_loops = getattr(fn, "__dict__", {}).get(FORM, (None, None, False))
    if owner is fn and found is None:
        return None
    if owner is fn:  # its own, not copied with its attributes
        active().definitions.functions[id(found)] = found
        return found if by_loops or by_with else None
    return converter(fn, by_with) if converter is not None else None


def for_generated(generator: StagedGenerator, extra_test: Any, body: Any, get_state: Any, set_state: Any) -> None:
    """The loop over a generator: its function runs once, and every `yield` in it runs the body."""
    consume_all(generator, Consumer(extra_test, body, get_state, set_state))


def consume_all(generator: StagedGenerator, consumer: Consumer) -> None:
    """Give a consumer the items of a generator that nothing has asked yet."""
    generator.expect_fresh()
    write(AttributePlace(generator, "spent"), True)
    consume(generator.form, generator.args, generator.kwargs, consumer)


def consume(form: Any, args: tuple[Any, ...], kwargs: dict[str, Any], consumer: Consumer) -> None:
    """Run a generator's consumable form."""
    trace = active()
    code = getattr(form, "__func__", form).__code__
    stack = stack_of(trace, code)
    if stack is not None:
        stack.take_all(consumer, lambda: consume(form, args, kwargs, stack))
        return
    consumer = with_stack(trace, code, consumer)
    trace.created.setdefault(id(consumer), (consumer, len(trace.regions)))
    trace.calls.bodies.setdefault(code, Body()).refusal = "it is a generator, in which the consumer's body runs"
    trace.calls.consumers.append(consumer)
    variables = set().union(*(each.variables for each in trace.calls.consumers))
    consumer.bodies.setdefault(code, Body(is_recursive=True, places=variables))
    try:
        language.call_function(trace, form, args, kwargs)
    finally:
        trace.calls.consumers.pop()


def with_generated(manager: Any, body: Any, get_state: Any, set_state: Any) -> bool:
    """The with statement of a `contextlib.contextmanager`: its generator runs once, and the `yield` in it runs the body, so that exceptions
    of the body arise there. False where the generator has no form for that, or runs already."""
    if inspect.getgeneratorstate(manager.gen) != inspect.GEN_CREATED or not is_generator_function(manager.func):
        return False
    form = form_of(manager.func, True)
    if form is None:
        return False
    manager.gen.close()
    consumer = Consumer(None, body, get_state, set_state)
    consume(form, manager.args, manager.kwds, consumer)
    if not consumer.taken:
        raise RuntimeError("generator didn't yield")
    return True


def yielded(item: Any) -> Any:
    """`yield item` in a consumable form; whether the generator is to end."""
    active().calls.entered += 1  # to go on from there takes Python as long as a call
    with innermost_consumer() as consumer:
        return consumer.take_item(item)


def left_of(source: Any) -> Any:
    """The source of `yield from` in a consumable form: a generator gives its items to the consumer by itself, and leaves nothing."""
    if not isinstance(source, StagedGenerator) or source.lazy is not None:
        return source
    with innermost_consumer() as consumer:
        consume_all(source, consumer)
    return ()


def is_over() -> Any:
    """Whether the consumer that a consumable form runs for has ended."""
    return active().calls.consumers[-1].is_over
