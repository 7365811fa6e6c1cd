"""One traced program: its graph, where its parameters come from, under which guards it is valid, how its results are rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph_jit.errors import AutographJitError, BudgetError, ConversionError, NotDifferentiable, SlowerThanPython
from autograph_jit.ir.graph import Graph, Value
from autograph_jit.ir.types import Type
from autograph_jit.ops.marks import without_sources
from autograph_jit.runtime.exits import Exits, NumberedExit, write_exit
from autograph_jit.runtime.late_checks import drop_late_checks
from autograph_jit.runtime.leaks import release
from autograph_jit.runtime.writing_back import Args, ProgramTemplate, RunValues, Write, container_writes, only_read, place_writes, write_all
from autograph_jit.tracing.aliasing.journal import close_journal, open_journal, open_places
from autograph_jit.tracing.aliasing.row_classes import as_no_rows, variables_in_cells
from autograph_jit.tracing.containers.dict_tables import open_tables
from autograph_jit.tracing.containers.function_tables import expect_made
from autograph_jit.tracing.containers.gaps import settle_tables
from autograph_jit.tracing.containers.outside import forms_of_defaults
from autograph_jit.tracing.control.generators import close_suspended
from autograph_jit.tracing.control.hand_over import WHOLE
from autograph_jit.tracing.control.python_loops import StagedLoop
from autograph_jit.tracing.control.regions import Unreachable
from autograph_jit.tracing.control.units import SHORT
from autograph_jit.tracing.functions.originals import expect_kept_variables, leave_originals
from autograph_jit.tracing.functions.recursion import missing_numbers
from autograph_jit.tracing.hosting.exceptions import emit_raise
from autograph_jit.tracing.hosting.known_exceptions import made_key
from autograph_jit.tracing.inputs.containers import note_defaults
from autograph_jit.tracing.inputs.inputs import Inputs
from autograph_jit.tracing.objects.operator_methods import restore_operators
from autograph_jit.tracing.structures.cells import IN_CELLS, is_cell
from autograph_jit.tracing.structures.demands import ROLLED
from autograph_jit.tracing.structures.function_rows import MADE
from autograph_jit.tracing.structures.generator_rows import KEPT
from autograph_jit.tracing.structures.getters import Getter, Named, Positional
from autograph_jit.tracing.structures.guards import Guard
from autograph_jit.tracing.structures.heaps import HeapPlan
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.texts.constants import TEXT, constants_instead
from autograph_jit.tracing.texts.text import as_object
from autograph_jit.tracing.values.faults import acts_for_program, expect_users
from autograph_jit.tracing.values.trace import MADE_BY_OPERATORS, Restart, Trace, Tracers, Watch, tracing
from autograph_jit.transforms.unseen_exceptions import seen_kinds

MAX_RESTARTS = 60
CHOSEN_BY_NUMBERS = ("dynamic", "objects")  # loops and branches that are known may leave lists and instances as they are
# Decisions that are taken with others, beside those that containers are of compiled code.
FORESEEABLE = (TEXT, WHOLE, "stage", "growing", "place", "grown", "rows", "unroll", ROLLED, IN_CELLS, MADE, "as row")
Keep = Callable[["Program", Trace], None]


@dataclass
class Program:
    """A traced function. `args` everywhere is the tuple of positional arguments followed by the dict of keyword arguments. Calls of one
    that `is_left` run in Python; one that another process has traced has no graph (`kept_programs.py`), only the `types` of its results."""

    graph: Graph  # None where another process has traced it
    getters: list[Getter]
    guards: list[Guard]
    rebuild: Rebuild
    write_back: list[Write]
    arrays: list[tuple[str, Getter, tuple[int, ...]]]
    notes: list[str]
    decisions: frozenset[Any] = field(default_factory=frozenset)
    numbers: frozenset[Any] = field(default_factory=frozenset)

    exits: list[NumberedExit] = field(default_factory=list)
    count: int = 0
    keywords: tuple[str, ...] = ()
    boxes: bool = False
    boxed: dict[int, Getter] = field(default_factory=dict)
    budgets: list[frozenset[Any]] = field(default_factory=list)
    loops: list[StagedLoop] = field(default_factory=list)
    followed: int = 0
    is_left: bool = False
    tells: bool = False  # whether the user was told something when it was traced
    lengths: list[tuple[str, Getter, tuple[int, ...]]] = field(default_factory=list)
    constants: list[tuple[str, Getter, Any]] = field(default_factory=list)
    types: list[Type] = field(default_factory=list)
    costs: tuple[Any, ...] = ()  # without a graph: of a call, and of one with short loops
    instances: HeapPlan | None = None
    lengths_outside: dict[Value, int] = field(default_factory=dict)  # of lists that were found outside, at the first call
    inlined: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_traced(self) -> bool:
        """Whether this process has traced it."""
        return self.graph is not None

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

    def call_of(self, arguments: tuple[Any, ...]) -> Args:
        """The arguments of a call of this form, given one behind the other."""
        places = self.count - 1
        return (*arguments[:places], dict(zip(self.keywords, arguments[places:])))

    def leaves(self, args: Args) -> list[Any]:
        """The run-time parameters."""
        return [getter(args) for getter in self.getters]

    def operands(self, args: Args) -> list[Any]:
        """The run-time parameters, Tensors where they are the memory of one."""
        return [self.boxed[index](args) if index in self.boxed else getter(args) for index, getter in enumerate(self.getters)]

    def finish(self, results: Any, args: Args) -> Any:
        """Write back what the function changed in Python objects, and rebuild its result."""
        values = RunValues(results, args)
        stores = [write(values) for write in self.write_back]
        result = self.rebuild(values)
        write_all(stores)
        return result

    def leave(self, exception: BaseException, args: Args) -> None:
        """Write back what the function had changed in Python objects when it failed."""
        write_exit(self.exits, exception, args)


def trace_program(
    name: str,
    convert: Callable[[], Callable[..., Any]],
    args: Args,
    generalized: frozenset[Any],
    static: frozenset[str] = frozenset(),
    initial: frozenset[Any] = frozenset(),
    keep: Keep | None = None,
    tracers: Tracers | None = None,
    watch: Watch | None = None,
) -> Program:
    """Trace `converted(*args[:-1], **args[-1])` of what `convert` gives, restarting as decisions come up; `initial` are decisions to start
    with. `keep` is given the program and its trace, with all marks for differentiation; `tracers` gets the stand-ins that were made;
    `watch` looks on at all."""
    converted = convert()
    start: frozenset[Any] = initial | frozenset(("static", ("number", argument)) for argument in static)
    decisions = start
    first: ConversionError | None = None
    restarts = 0  # since other variables are in cells
    while restarts < MAX_RESTARTS:
        restarts += 1
        trace = Trace(name, decisions, tracers, watch)
        trace.watch.begin()
        trace.inputs = Inputs(trace, generalized)
        try:
            trace.definitions.in_cells = variables_in_cells(trace)
            is_usual = not trace.definitions.in_cells and MADE_BY_OPERATORS not in decisions
            return trace_once(trace, converted if is_usual else with_trace(trace, convert), args, keep)
        except Restart as restart:
            found = decisions_after(trace, restart, name)
            is_same = of_other_code(found) == of_other_code(decisions)
            restarts, decisions = (restarts, found) if is_same else (0, start | of_other_code(found))
        except (BudgetError, SlowerThanPython):
            raise
        except ConversionError as error:
            if rows := set(map(as_no_rows, trace.aliasing.tables)) - decisions:  # as before there were any
                release(error)
                kept = of_other_code(decisions) | start if trace.definitions.in_cells else decisions
                decisions = frozenset({decision for decision in kept if decision[0] not in CHOSEN_BY_NUMBERS} | rows)
                continue
            texts = constants_instead(trace) - decisions
            numbers = missing_numbers(trace) - texts if first is None else set()
            if first is not None and came_less_far(error, first):
                raise first from None
            if not (numbers or texts):
                raise
            release(error)
            first, kept = error, frozenset(decision for decision in decisions if decision[0] not in CHOSEN_BY_NUMBERS)
            decisions = kept | (numbers or texts)
        finally:
            restore_operators(trace)
            leave_originals(trace)
            if keep is None:
                trace.end()
    raise ConversionError(
        f"tracing {name} did not settle", None, f"it was restarted {MAX_RESTARTS} times", "simplify its loops and containers"
    )


def decisions_after(trace: Trace, restart: Restart, name: str) -> frozenset[Any]:
    """The decisions of a trace, with those that ended it."""
    foreseen = trace.recorded.foreseen - trace.decisions
    found = trace.decisions | (foreseen.union(filter(is_foreseeable, restart.decisions)) if foreseen else set(restart.decisions))
    if found == trace.decisions:
        what, why = f"tracing {name} asks again for {restart.decisions}", "a decision that was already taken did not help"
        raise ConversionError(what, None, why, "simplify this construct") from None
    return found


def with_trace(trace: Trace, convert: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
    """The converted function in the form that the trace wants."""
    with tracing(trace):
        return convert()


def of_other_code(decisions: frozenset[Any]) -> frozenset[Any]:
    """What was decided of captured variables, whether they are in cells, of generators, whether they are kept, and of what operators make.
    Another answer makes other code of the program, of which nothing is decided."""
    kinds = (IN_CELLS, KEPT, MADE_BY_OPERATORS[0])
    return frozenset(each for each in decisions if each[0] in kinds or each[0] in ("rows", "apart") and is_cell(each[1]))


def is_foreseeable(decision: Any) -> bool:
    """Whether a decision that ends a trace is taken together with those after which it went on: one that gives something a form that
    compiled code has."""
    return decision[2].is_native if decision[0] == "dynamic" else decision[0] in FORESEEABLE


def came_less_far(error: ConversionError, first: ConversionError) -> bool:
    """Whether the program was refused at an earlier line with its numbers as constants than without, or since these have no derivative."""
    if isinstance(error, NotDifferentiable):
        return True
    here, there = error.span, first.span
    return here is not None and there is not None and here.filename == there.filename and here.lineno < there.lineno


def trace_once(trace: Trace, converted: Callable[..., Any], args: Args, keep: Keep | None = None) -> Program:
    """One attempt."""
    inputs, exits = trace.inputs, Exits(trace)
    with tracing(trace):
        journal = open_journal(trace)
        trace.handling.note_failing, trace.differentiation.note_copy = exits.note, exits.note_copy
        try:
            open_places(trace, converted)
            open_tables(trace)
            note_defaults(inputs, converted)
            positional = [inputs.argument(arg, Positional(index), f"arg{index}") for index, arg in enumerate(args[:-1])]
            named = {key: inputs.argument(arg, Named(key), key) for key, arg in args[-1].items()}
            result = foreseen_result(trace, converted, positional, named)
            settle_tables(trace.graph)
            expect_made(trace)
            template = ProgramTemplate(inputs)
            write_back: list[Write] = []
            if not trace.block.terminated:
                write_back = container_writes(inputs, template, only_read(inputs)) + place_writes(inputs, [journal], template)
            rebuild = template.of(result)
            expect_kept_variables(trace)
            inputs.keep_apart()
            if not trace.block.terminated:
                trace.block.yields = [trace.clone_of(value) for value in template.leaves.values]
            trace.handling.note_failing = trace.differentiation.note_copy = None
            if trace.differentiation.budgets:
                drop_late_checks(trace.graph)
            numbered = exits.install() if keep is None else []
        finally:
            close_suspended(trace)
            close_journal(trace, journal)
    if keep is None:
        without_sources(trace.graph)
    if kinds := seen_kinds(trace.graph):
        raise Restart(*map(made_key, kinds))
    program = finished_program(trace, rebuild, write_back, numbered, args)
    if keep is not None:
        keep(program, trace)
    return program


def finished_program(trace: Trace, rebuild: Rebuild, write_back: list[Write], numbered: list[NumberedExit], args: Args) -> Program:
    """The program that a trace has come to."""
    inputs = trace.inputs
    bounded = {id(guard.getter) for guard in inputs.guards if guard.kind == "int"}
    trace.graph.small = frozenset(index for index, (_, getter) in enumerate(inputs.parameters) if id(getter) in bounded)
    boxed = {index: inputs.tensors[id(value)] for index, (value, _) in enumerate(inputs.parameters) if id(value) in inputs.tensors}
    arrays = [(value.hint, getter, np.shape(getter(args))) for value, getter in inputs.parameters if hasattr(value.type, "dims")]
    lists = [(staged.key[1], getter) for staged, getter, _ in (*inputs.containers, *inputs.only_read) if staged.key[0] == "argument"]
    lengths: list[tuple[str, Getter, tuple[int, ...]]] = [(name, getter, (len(getter(args)),)) for name, getter in lists]
    return Program(
        trace.graph,
        [getter for _, getter in inputs.parameters],
        inputs.guards,
        rebuild,
        write_back,
        arrays,
        trace.recorded.host_calls,
        trace.decisions,
        frozenset(trace.sources.numbers.values()),
        numbered,
        len(args),
        tuple(args[-1]),
        inputs.boxes,
        boxed,
        trace.differentiation.budgets,
        trace.loops.replaceable,
        trace.watch.steps,
        lengths=lengths,
        constants=list(inputs.constants.values()),
        types=[value.type for value in trace.graph.block.yields],
        inlined=[
            (code.co_name, body.refusal)
            for code, body in trace.calls.bodies.items()
            if body.refusal not in ("", SHORT) and (len(body.sites) > 1 or body.is_recursive)
        ],
        instances=None if inputs.instances is None else inputs.instances.plan,
        lengths_outside=inputs.lengths_outside,
    )


def foreseen_result(trace: Trace, converted: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Any:
    """What the converted function gives; a restart where the trace went on after a decision, however it ended."""
    foreseen = trace.recorded.foreseen
    try:
        result = as_object(run_to_result(trace, converted, positional, named))
    except BudgetError:
        raise
    except Exception as error:
        if not foreseen:
            raise
        release(error)
    if foreseen:
        raise Restart(*foreseen)
    return result


@acts_for_program
def run_to_result(trace: Trace, converted: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Any:
    """Run the converted function; an exception of its own becomes the end of the graph."""
    try:
        return converted(*positional, **named, **forms_of_defaults(converted, tuple(positional), named))
    except AutographJitError:
        raise
    except Unreachable:
        trace.block.terminated = True
    except Exception as exception:
        expect_users(exception)
        emit_raise(exception)
        trace.block.terminated = True
    return None
