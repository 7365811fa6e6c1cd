"""One traced program: its graph, where its parameters come from, under which guards it is valid, how its results are rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph_jit.errors import AutographJitError, ConversionError
from autograph_jit.ir.graph import Graph
from autograph_jit.ops.marks import without_sources
from autograph_jit.staging.aliasing import note_read
from autograph_jit.staging.containers import Dynamic
from autograph_jit.staging.exceptions import emit_raise
from autograph_jit.staging.getters import Getter, Named, Positional
from autograph_jit.staging.inputs import Guard, Inputs
from autograph_jit.staging.journal import AttributePlace, CellPlace, EntryPlace, close_journal, open_journal, open_places
from autograph_jit.staging.operator_methods import restore_operators
from autograph_jit.staging.regions import Unreachable, expect_users
from autograph_jit.staging.templates import LeafValues, Rebuild, Template, fields_of
from autograph_jit.staging.trace import Restart, Trace, tracing
from autograph_jit.staging.values import StagedArray, StagedScalar, Undefined
from autograph_jit.tensor.tensor import Tensor

MAX_RESTARTS = 60
Args = tuple[Any, ...]


class RunValues(LeafValues):
    """The leaves of one run, with the arguments of the call."""

    def __init__(self, values: Any, args: Args) -> None:
        super().__init__(values)
        self.args = args


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    """An input of the call itself, as a part of the result."""

    getter: Getter

    def __call__(self, values: Any) -> Any:
        return self.getter(values.args)


@dataclass
class Program:
    """A traced function. `args` everywhere is the tuple of positional arguments followed by the dict of keyword arguments."""

    graph: Graph
    getters: list[Getter]
    guards: list[Guard]
    rebuild: Rebuild
    write_back: list[Callable[[RunValues], None]]
    arrays: list[tuple[str, Getter, tuple[int, ...]]]
    notes: list[str]
    decisions: frozenset[Any] = field(default_factory=frozenset)
    numbers: frozenset[Any] = field(default_factory=frozenset)

    count: int = 0
    keywords: tuple[str, ...] = ()
    boxes: bool = False

    def matches(self, args: Args) -> bool:
        """Whether the call is of the same form, `count` arguments with these keywords behind them, and every guard holds."""
        if len(args) != self.count or tuple(args[-1]) != self.keywords:
            return False
        return all(guard.holds(args) for guard in self.guards)

    def expects(self, args: Args) -> str:
        """The form of call that the program is for, where these arguments have another; otherwise empty."""
        if len(args) == self.count and tuple(args[-1]) == self.keywords:
            return ""
        named = f" and {', '.join(self.keywords)}" if self.keywords else ""
        return f"{self.count - 1} positional arguments{named}: found {len(args) - 1}{' and ' if args[-1] else ''}{', '.join(args[-1])}"

    def leaves(self, args: Args) -> list[Any]:
        """The run-time parameters."""
        return [getter(args) for getter in self.getters]

    def finish(self, results: Any, args: Args) -> Any:
        """Write back what the function changed in Python objects, and rebuild its result."""
        values = RunValues(results, args)
        for write in self.write_back:
            write(values)
        return self.rebuild(values)


class ProgramTemplate(Template):
    """A template that knows the inputs: they are returned as the very objects of the call."""

    def __init__(self, inputs: Inputs) -> None:
        super().__init__()
        self.getters = {id(staged): getter for _, staged, getter in inputs.arrays.values()}
        self.values = {id(staged.value): getter for _, staged, getter in inputs.arrays.values()}
        self.containers = {id(staged): getter for staged, getter, _ in inputs.containers}
        self.values.update(inputs.tensors)
        self.origins = inputs.origins
        self.boxes = inputs.boxes

    def of_leaf(self, x: Any) -> Rebuild:
        """Where a Tensor came in, arrays and NumPy scalars go out as Tensors."""
        rebuild = super().of_leaf(x)
        if self.boxes and (isinstance(x, StagedArray) or (isinstance(x, StagedScalar) and not x.weak)):
            return lambda values: Tensor(rebuild(values))
        return rebuild

    def of(self, x: Any) -> Rebuild:
        getter = self.containers.get(id(x)) or (self.values.get(id(x.value)) if isinstance(x, StagedArray) else None)
        known = self.origins.get(id(x))
        if (
            getter is None
            and known is not None
            and known[0] is x
            and fields_of(x) is not None
            and not callable(x)
        ):
            getter = known[1]
        if getter is None:
            return super().of(x)
        return Argument(getter)


def trace_program(
    name: str,
    converted: Callable[..., Any],
    args: Args,
    generalized: frozenset[Any],
    static: frozenset[str] = frozenset(),
    initial: frozenset[Any] = frozenset(),
) -> Program:
    """Trace `converted(*args[:-1], **args[-1])`, restarting as decisions come up; `initial` are decisions to start with."""
    decisions: frozenset[Any] = initial | frozenset(("static", ("number", argument)) for argument in static)
    tried_static = False
    for _ in range(MAX_RESTARTS):
        trace = Trace(name, decisions)
        trace.inputs = Inputs(trace, generalized)
        try:
            return trace_once(trace, converted, args)
        except Restart as restart:
            found = decisions | set(restart.decisions)
            if found == decisions:
                raise ConversionError(
                    f"tracing {name} asks again for {restart.decisions}",
                    None,
                    "a decision that was already taken did not help",
                    "simplify this construct",
                ) from None
            decisions = found
        except ConversionError:
            numbers = {("static", origin) for origin in trace.origins.values()} - decisions
            if tried_static or not numbers:
                raise
            tried_static, decisions = True, decisions | numbers
        finally:
            restore_operators(trace)
    raise ConversionError(
        f"tracing {name} did not settle", None, f"it was restarted {MAX_RESTARTS} times", "simplify its loops and containers"
    )


def trace_once(trace: Trace, converted: Callable[..., Any], args: Args) -> Program:
    """One attempt."""
    inputs = trace.inputs
    with tracing(trace):
        journal = open_journal(trace)
        try:
            open_places(trace, converted)
            positional = [inputs.argument(arg, Positional(index), f"arg{index}") for index, arg in enumerate(args[:-1])]
            named = {key: inputs.argument(arg, Named(key), key) for key, arg in args[-1].items()}
            result = run_to_result(trace, converted, positional, named)
            template = ProgramTemplate(inputs)
            write_back = container_writes(inputs, template) + place_writes(inputs, journal, template)
            rebuild = template.of(result)
            inputs.keep_apart()
            if not trace.block.terminated:
                trace.block.yields = list(template.leaves.values)
        finally:
            close_journal(trace, journal)
    without_sources(trace.graph)
    arrays = [(value.hint, getter, np.shape(getter(args))) for value, getter in inputs.parameters if hasattr(value.type, "dims")]
    return Program(
        trace.graph,
        [getter for _, getter in inputs.parameters],
        inputs.guards,
        rebuild,
        write_back,
        arrays,
        trace.notes,
        trace.decisions,
        frozenset(trace.origins.values()),
        len(args),
        tuple(args[-1]),
        inputs.boxes,
    )


def run_to_result(trace: Trace, converted: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Any:
    """Run the converted function; an exception of its own becomes the end of the graph."""
    try:
        return converted(*positional, **named)
    except AutographJitError:
        raise
    except Unreachable:
        trace.block.terminated = True
    except Exception as exception:
        expect_users(exception)
        emit_raise(exception)
        trace.block.terminated = True
    return None


def container_writes(inputs: Inputs, template: ProgramTemplate) -> list[Callable[[RunValues], None]]:
    """What to do to list and dict arguments whose content changed."""
    writes: list[Callable[[RunValues], None]] = []
    for staged, getter, before in inputs.containers:
        note_read(staged)
        if before is not None and staged.dynamic is None and same_content(staged, before):
            continue
        build = content_builder(template, staged)
        writes.append(lambda values, build=build, getter=getter: replace_content(getter(values.args), build(values)))  # type: ignore[misc]
    return writes


def content_builder(template: ProgramTemplate, staged: Any) -> Rebuild:
    """The new content of a container argument, built fresh."""
    return Template.container_builder(template, staged)


def same_content(staged: Any, before: Any) -> bool:
    """Whether a static container still holds the very same items."""
    if isinstance(staged, list):
        return list.__len__(staged) == len(before) and all(x is y for x, y in zip(list.__iter__(staged), before))
    return list(dict.keys(staged)) == list(before) and all(dict.__getitem__(staged, key) is value for key, value in before.items())


def replace_content(target: Any, content: Any) -> None:
    """Give a real list or dict its new content."""
    if isinstance(target, list):
        target[:] = content
    else:
        target.clear()
        target.update(content)


def place_writes(inputs: Inputs, journal: Any, template: ProgramTemplate) -> list[Callable[[RunValues], None]]:
    """What to do to attributes and globals that the function wrote."""
    writes: list[Callable[[RunValues], None]] = []
    for place, before in journal.before.values():
        value = place.read()
        if value is before or value is inputs.trace.opened.get(place.key, before) or isinstance(place.owner, Dynamic):
            continue
        known = inputs.origins.get(id(place.owner))
        if (
            known is None
            and not isinstance(place, CellPlace)
            and not (isinstance(place, EntryPlace) and isinstance(place.owner, dict))
            and not isinstance(place.owner, type)
        ):
            continue
        getter = known[1] if known is not None else constant_getter(place.owner)
        build = template.of(value)
        writes.append(place_writer(type(place), getter, place.name, build))
    return writes


def constant_getter(owner: Any) -> Getter:
    return lambda args: owner


def place_writer(kind: type, getter: Getter, name: Any, build: Rebuild) -> Callable[[RunValues], None]:
    """Write a run-time value to an attribute or a global."""

    def write(values: RunValues) -> None:
        item = build(values)
        owner = getter(values.args)
        if kind is AttributePlace and not isinstance(item, Undefined):
            setattr(owner, name, item)
        else:
            kind(owner, name).write(item)

    return write
