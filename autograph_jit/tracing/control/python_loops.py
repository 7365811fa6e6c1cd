"""Loops that Python runs in the middle of compiled code: the user's own statement on real objects, where compiled code would be slower.

Before: a `for_loop` or `while_loop` whose body is mostly calls of Python, one for each of its operations.
After:  one host call, of a function that holds the statement. What the loop reads goes in; the variables that it assigns come back with
        the types that they had as results of the staged loop. Lists, dicts and instances that it may change are objects of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CellType, FunctionType
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError, InternalError
from autograph_jit.ir.graph import Operation, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import OBJECT, ArrayType, ScalarType, Type
from autograph_jit.records import dataclass
from autograph_jit.source import SourceSpan
from autograph_jit.tracing.aliasing.journal import Place
from autograph_jit.tracing.control.loop_source import ITEMS, LoopPlace, LoopSource, last_line
from autograph_jit.tracing.control.regions import GetState, SetState, seen_from
from autograph_jit.tracing.functions.closures import Capture, Shape, expect_objects, rebuilt
from autograph_jit.tracing.functions.host_objects import give_object
from autograph_jit.tracing.hosting.host_calls import expect_fitting, host, host_object
from autograph_jit.tracing.hosting.local_calls import acts_locally, marked
from autograph_jit.tracing.plain.undefined import Undefined
from autograph_jit.tracing.sequences.cursors import Cursor
from autograph_jit.tracing.sequences.indexed import Elements, Enumerated, Reversed, Sequence, Zipped
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.structures.templates import made_here_in
from autograph_jit.tracing.texts.text import Text, as_object
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar
from autograph_jit.tracing.values.trace import Restart, Trace, user_span

PYTHON, PYTHON_LOOP = "python", "loop in Python"  # the decision, the host call
GONE_THROUGH = (StagedObject, StagedArray, StagedRange, np.ndarray, list, tuple, dict, set, frozenset, str, bytes, range, type(None))
PYTHON_TYPES = {"b": bool, "i": int, "f": float, "c": complex}


@dataclass(frozen=True, slots=True)
class Result:
    """What a variable is after a loop: a number, an array of a rank, or an object of the run."""

    dtype: str = ""
    weak: bool = False
    rank: int | None = None

    def type(self, trace: Trace) -> Type:
        """Its type in the graph."""
        if not self.dtype:
            return OBJECT
        dtype = np.dtype(self.dtype)
        if self.rank is None:
            return ScalarType(dtype)
        return ArrayType(dtype, tuple(trace.fresh_atom("d", "loop") for _ in range(self.rank)))

    def expect(self, x: Any, name: str) -> Any:
        """A content of the variable; the staged loop has told its type, so another one is a fault."""
        if not self.dtype:
            return x
        if self.rank is not None:
            fits = isinstance(x, np.ndarray) and x.dtype == np.dtype(self.dtype) and x.ndim == self.rank
        else:
            kind = np.dtype(self.dtype)
            fits = type(x) is (PYTHON_TYPES[kind.kind] if self.weak else kind.type)
        if not fits:
            raise InternalError(f"`{name}` is a {type(x).__name__} after a loop that was to leave {self}")
        if type(x) is int:
            expect_fitting(x)
        return x


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A loop as its conversion gives it to an operator: the function of its body, all functions that were made of it, its state, what it
    goes through, and the question that it asks where Python may take it over."""

    body: Any
    functions: tuple[Any, ...]
    names: tuple[str, ...]
    get_state: GetState
    set_state: SetState
    iterable: Any = None
    question: Any = None

    def place(self) -> LoopPlace | None:
        """Where it stands; None where it is none of the user's."""
        span = user_span(2)
        if span is None or not isinstance(self.body, FunctionType) or self.body.__code__.co_filename != span.filename:
            return None
        return LoopPlace(span.filename, span.lineno, last_line(self.body.__code__), frozenset(self.cells()))

    def cells(self) -> dict[str, CellType]:
        """The variables that it shares with the functions around it."""
        found: dict[str, CellType] = {}
        for function in self.functions:
            if isinstance(function, FunctionType):
                found |= zip(function.__code__.co_freevars, function.__closure__ or ())
        return found


@dataclass(frozen=True, slots=True, eq=False)
class StagedLoop:
    """A loop that was staged: its key, where it stands, its variables with what it leaves in them, the operation, the line, the question
    that it asks (see `hand_over`)."""

    key: Any
    place: LoopPlace
    names: tuple[str, ...]
    results: tuple[Result | None, ...]
    operation: Operation
    span: SourceSpan | None
    question: Any = None

    def can_be_pythons(self) -> bool:
        """Whether Python could run it instead: it can be told from the others, and leaves a value in each variable that it assigns."""
        source = self.place.source()
        left = zip(self.names, self.results)
        return source is not None and all(result is not None for name, result in left if name in source.assigned)

    def decision(self, seconds: float) -> tuple[Any, ...]:
        """To let Python run it, which takes so many seconds."""
        return PYTHON, self.key, self.results, has_local_calls(self.operation), seconds


def can_go_to_python(trace: Trace, loop: Statement, places: Iterable[Place]) -> bool:
    """Whether Python could run a loop that writes these places, as far as is known where it stands: what it reads are objects already."""
    place = loop.place()
    source = place.source() if place is not None else None
    if source is None or trace.handling.tries or has_changed_outside(trace):
        return False
    if not all(is_made_here(trace, place.owner) for place in places):
        return False
    try:
        expect_objects(trace, tuple(capture_of_loop(trace, loop, source).leaves))
    except (ConversionError, Restart):
        return False
    return True


def capture_of_loop(trace: Trace, loop: Statement, source: LoopSource, items: Any = None) -> Capture:
    """What Python's statement of a loop reaches, which goes through these items."""
    cells = loop.cells() | {ITEMS: CellType(items)}
    closure = tuple(in_reach(trace, cells[name]) for name in source.code.co_freevars)
    return Capture(FunctionType(source.code, loop.body.__globals__, PYTHON_LOOP, None, closure))


def note_loop(trace: Trace, key: Any, loop: Statement, operation: Operation, places: Iterable[Place]) -> None:
    """A loop was staged, which writes these places: remember it, where Python could run it as well."""
    trace.loops.staged += 1
    if loop.question is not None:
        loop.question.loop = operation
    place = loop.place()
    if place is not None and all(is_made_here(trace, place.owner) for place in places):
        state = loop.get_state()
        results = tuple(map(result_of, state[len(state) - len(loop.names) :]))  # without what counts beside its own
        trace.loops.replaceable.append(StagedLoop(key, place, loop.names, results, operation, user_span(), loop.question))


def has_local_calls(loop: Operation) -> bool:
    """Whether what a loop calls changes nothing but what the program has made: it can be made again where an int leaves 64 bits."""
    inside = [operation for block in loop.regions for operation in walk_block(block)]
    calls = [operation.attributes for operation in inside if operation.opdef.effect is Effect.HOST]
    draws = any(operation.opdef.effect is Effect.DRAW for operation in inside)
    return not draws and all(call.get("pure") or acts_locally(call["fn"]) for call in calls)


def is_made_here(trace: Trace, x: Any) -> bool:
    """Whether the trace itself has made a list, dict or instance."""
    return id(x) in trace.outside.made or made_here_in(x) is not None


def result_of(value: Any) -> Result | None:
    """What a variable is after a staged loop; None where it may have no value."""
    if isinstance(value, StagedScalar):
        return Result() if value.is_tagged else Result(value.scalar_dtype.str, value.weak)
    if isinstance(value, StagedArray):
        return Result(value.dtype.str, False, value.type.rank)
    absent = value.absent if isinstance(value, Maybe) else value
    return None if isinstance(absent, Undefined) else Result()


def in_python(trace: Trace, key: Any) -> tuple[tuple[Result | None, ...], bool, float] | None:
    """What a loop leaves, whether it changes nothing outside, and how many seconds it takes, where Python shall run it."""
    return next((decision[2:] for decision in trace.decisions if decision[:2] == (PYTHON, key)), None)


def loop_in_python(
    trace: Trace, loop: Statement, results: tuple[Result | None, ...], is_local: bool, seconds: float, iterable: Any = None
) -> None:
    """The loop as one host call, which is thought to take so long."""
    place = loop.place()
    source = place.source() if place is not None else None
    assigned = source.assigned if source is not None else frozenset[str]()
    wanted = {name: result for name, result in zip(loop.names, results) if result is not None and name in assigned}
    if source is None or trace.handling.tries or has_changed_outside(trace):
        why = "its variables or what it changes are kept in compiled code"
        raise ConversionError("this loop cannot be run by Python", user_span(), why, "move it into a function")
    captured = capture_of_loop(trace, loop, source, iterable_of_python(iterable))
    leaves = tuple(captured.leaves)
    expect_objects(trace, leaves)
    give_object(trace, leaves)
    call = runner(captured.shape, {id(each.__globals__): each.__globals__ for each in captured.functions}, captured.names, wanted)
    types = tuple(result.type(trace) for result in wanted.values())
    found = dict(zip(wanted, host(marked(call, is_local), (leaves,), types=types, label=PYTHON_LOOP, beyond=True, python_seconds=seconds)))
    for name, value in found.items():
        if isinstance(value, StagedScalar):
            value.weak = wanted[name].weak
    loop.set_state(tuple(found.get(name, value) for name, value in zip(loop.names, loop.get_state())))


def iterable_of_python(x: Any) -> Any:
    """What a loop goes through as Python would make it, which reads an item when its trip begins. ConversionError where it has none."""
    if isinstance(x, Cursor) and isinstance(x.position, int) and x.position == 0:
        return iterable_of_python(x.give_away())
    if isinstance(x, Enumerated):
        return host_object(enumerate, iterable_of_python(x.source), x.start, label="enumerate")
    if isinstance(x, Reversed):
        return host_object(reversed, iterable_of_python(x.source), label="reversed")
    if isinstance(x, Zipped):
        return host_object(zip, *map(iterable_of_python, x.sources), label="zip")
    if isinstance(x, Elements):
        return x.source
    if isinstance(x, Text):
        return as_object(x)
    if isinstance(x, Sequence):
        return x.items
    if isinstance(x, GONE_THROUGH) and not isinstance(x, Maybe):
        return x
    what = f"a loop through a {type(x).__name__} is not given to Python"
    raise ConversionError(what, user_span(), "compiled code knows what it goes through", "make a list of it")


def in_reach(trace: Trace, cell: CellType) -> CellType:
    """A variable, without the value of a loop or branch that is over, which nothing reads any more."""
    try:
        content = cell.cell_contents
    except ValueError:
        return cell
    return cell if seen_from(trace.block, content) is content else CellType()


def has_changed_outside(trace: Trace) -> bool:
    """Whether the program has changed what it was not given and has not made, and has not written it back yet."""
    return any(id(place.owner) not in trace.created for journal in trace.journals for place, _ in journal.before.values())


def runner(
    shape: Shape, names: dict[int, dict[str, Any]], variables: list[str], wanted: dict[str, Result]
) -> Callable[[tuple[Any, ...]], Any]:
    """The call on real values: the function is made with these in its variables, runs, and gives what it has assigned."""
    places = [(variables.index(name), name, result) for name, result in wanted.items()]

    def call(leaves: tuple[Any, ...]) -> Any:
        function, cells = rebuilt(shape, names, leaves, as_written=True)
        function()
        left = tuple(result.expect(cells[place].cell_contents, name) for place, name, result in places)
        return left[0] if len(left) == 1 else left

    return call
