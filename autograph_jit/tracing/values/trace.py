"""The trace under way: the block that operations are appended to, decisions taken so far, inputs found, locations written.

A trace runs converted code once on stand-in values. Where it needs something that only a different trace can give (a loop
unrolled, an input as a Python constant, a list kept at run time) it raises `Restart` with a decision; the runtime traces
again with it. Decisions only accumulate, so this ends.
"""

from __future__ import annotations

import inspect
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import _GeneratorContextManager, contextmanager
from types import CodeType, FrameType, TracebackType
from typing import Any

from autograph_jit import budget, ops
from autograph_jit.errors import ConversionError
from autograph_jit.interrupts import raise_kept
from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import Size, atom
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.in_c import InC
from autograph_jit.ops import registry
from autograph_jit.source import PASSED_OVER, SourceSpan, is_library_file, is_machinery
from autograph_jit.tracing.values.trace_records import (
    UNKNOWN,
    Aliasing,
    Calls,
    Decision,
    Definitions,
    Differentiation,
    Handling,
    Loops,
    Outside,
    Recorded,
    Sources,
)

ROOT = "run_to_result"
ENTRIES = (ROOT, "call_function")
CONSUMERS = "take_item"
REGION = "trace_region"
SPECIAL_FRAMES = (ROOT, CONSUMERS)
NAMED_FRAMES = (*ENTRIES, *SPECIAL_FRAMES, REGION)
RECORDED = budget.Work("operations recorded", 60.0)
FOLLOWED = budget.Work("calls and trips followed", 55.0)
MADE_BY_OPERATORS = ("made by operators",)  # the decision that the trace takes note of the containers of Python's that operators make
PLACED = budget.Work("loops and containers met", 10.0)
MAX_EXACT_OPERATIONS = 2_000  # where loops are unrolled to keep ints exact: Python makes such a call sooner than more is compiled

Tracers = list[weakref.ref[Any]]

assert ops


class Restart(BaseException):
    """Trace again with `decisions` added. A BaseException, so that no user's handler swallows it."""

    def __init__(self, *decisions: Decision) -> None:
        self.decisions = decisions
        super().__init__(*decisions)


class Watch:
    """Who looks on at the traces of a program and may end them with an exception; this one does not. `steps`: calls and trips followed;
    `handed_over`: the keys of loops that Python may take over in the middle."""

    steps = 0

    def __init__(self) -> None:
        self.handed_over: set[Any] = set()

    def begin(self) -> None:
        """A trace begins: the first, or the next after a restart."""

    def operation(self, trace: Trace, operation: Operation) -> None:
        """An operation was appended."""

    def step(self, trace: Trace) -> None:
        """A function of the user's is called, or a trip of a loop is written out."""

    def input(self) -> None:
        """A value was read out of a container of the caller's."""

    def enter(self) -> None:
        """A loop begins that is written out."""

    def trip(self, done: int, left: int) -> None:
        """Of the loop that was entered last `done` trips are written out, and `left` are not."""

    def leave(self) -> None:
        """The loop that was entered last has ended."""

    def is_slower_at_worst(self, blocks: Sequence[Block]) -> bool:
        """Whether a loop of these regions may turn out slower than Python, which could then take it over."""
        return False


class Trace:
    """The state of one trace. `tracers`: what stands for values of the run, and is gone when the trace is over."""

    def __init__(
        self, name: str, decisions: frozenset[Decision] = frozenset(), tracers: Tracers | None = None, watch: Watch | None = None
    ) -> None:
        self.watch = watch or Watch()
        self.graph = Graph(name)
        self.block = self.graph.block
        self.decisions = decisions
        self.recorded = Recorded(most_operations=MAX_EXACT_OPERATIONS if ("exact",) in decisions else None)
        self.inputs: Any = None
        self.journals, self.regions = list[Any](), list[Any]()
        self.facts: dict[Value, bool] = {}  # conditions that are decided here
        self.created: dict[int, tuple[Any, int]] = {}  # objects that the trace made, with the number of regions around
        self.calls, self.loops, self.handling = Calls(), Loops(), Handling()
        self.definitions, self.sources, self.outside = Definitions(), Sources(), Outside()
        self.aliasing, self.differentiation = Aliasing(), Differentiation()
        self.tracers = Tracers() if tracers is None else tracers

    def take(self, decision: Decision) -> None:
        """A decision that is found where nothing depends on it yet: this trace follows it from here on, as those that come after do."""
        self.decisions |= {decision}

    def foresee(self, *decisions: Decision) -> None:
        """The trace goes on after decisions as if they had been taken before, to find more of them: it becomes no program."""
        self.recorded.foreseen.update(decisions)

    def follows(self, decision: Decision) -> bool:
        """Whether the trace is as a decision says, from its beginning or from where it was foreseen."""
        return decision in self.decisions or decision in self.recorded.foreseen

    def end(self) -> None:
        """The trace is over: it holds nothing any more, whoever may hold it."""
        vars(self.inputs).clear()
        vars(self).clear()

    def fresh_atom(self, kind: str, label: str = "") -> Size:
        """A new size label; `kind` is its first letter (see `ir.dims`)."""
        self.recorded.atoms += 1
        return atom(f"{kind}:{label}{self.recorded.atoms}")

    def clone_of(self, value: Value) -> Value:
        """A value under the name that it has now: differentiation puts a copy of what it traced into the program."""
        return self.differentiation.clones.current(value)

    def occurrence(self, site: Any) -> tuple[Any, int]:
        """How often this site was reached so far in this trace: a key that is the same in the next trace."""
        budget.spend(PLACED)
        count = self.loops.reached.get(site, 0)
        self.loops.reached[site] = count + 1
        return site, count


class _Current(threading.local):
    trace: Trace | None = None


_current = _Current()
unusual: set[Any] = set()  # for each trace under way, eager mode or device asked for: a mark. Where it is empty, nobody need look closer


def current() -> Trace | None:
    """The trace under way in this thread, or None."""
    return _current.trace


def note_tracer(x: Any) -> None:
    """Something that stands for a value of the run was made."""
    trace = _current.trace
    if trace is not None:
        trace.tracers.append(weakref.ref(x))


def active() -> Trace:
    """The trace under way; it is a fault to have none."""
    trace = _current.trace
    if trace is None:
        raise ConversionError(
            "a staged value outlived its trace",
            user_span(),
            "it was stored somewhere that the compiled function does not control",
            "return it instead",
        )
    return trace


def in_c(share: InC | None) -> _GeneratorContextManager[None]:
    """What is recorded is what Python does in C, in this share of the time that its operations take it; None: it is not."""
    return recording(for_c=share)


def rarely() -> _GeneratorContextManager[None]:
    """What is recorded is done for contents that seldom come, such as letters beyond a table: the model of costs counts it for little."""
    return recording(rare=True)


def raising(*errors: type[BaseException]) -> _GeneratorContextManager[None]:
    """Python's functions that are called here raise exceptions of these classes and no others, but those that Python would not raise."""
    return recording(errors=errors)


@contextmanager
def recording(**known: Any) -> Iterator[None]:
    """What is known of the operations that are recorded inside, in the fields of `Calls` with these names."""
    calls = active().calls
    around = {name: getattr(calls, name) for name in known}
    for name, value in known.items():
        setattr(calls, name, value)
    try:
        yield
    finally:
        for name, value in around.items():
            setattr(calls, name, value)


@contextmanager
def tracing(trace: Trace | None) -> Iterator[Trace | None]:
    """Make `trace` the current one; None suspends tracing (host code runs as plain Python)."""
    before, mark = _current.trace, object()
    _current.trace = trace
    unusual.add(mark)
    try:
        yield trace
    finally:
        _current.trace = before
        unusual.discard(mark)


@contextmanager
def block_of(trace: Trace, block: Block) -> Iterator[Block]:
    """Append to `block` inside the with statement."""
    before, trace.block = trace.block, block
    block.parent = before
    constants, trace.recorded.constants = trace.recorded.constants, dict(trace.recorded.constants)
    try:
        yield block
    finally:
        trace.block, trace.recorded.constants = before, constants


@contextmanager
def differentiated(direction: str) -> Iterator[None]:
    """What is traced during the with statement is differentiated backwards or forwards."""
    differentiation = active().differentiation
    around = differentiation.directions
    differentiation.directions = around | {direction}
    try:
        yield
    finally:
        differentiation.directions = around


@contextmanager
def detached(trace: Trace, block: Block) -> Iterator[Block]:
    """Append to a block that will stand elsewhere: no constant of the surroundings is used in it."""
    with block_of(trace, block):
        trace.recorded.constants = {}
        yield block


def at_the_beginning(trace: Trace) -> _GeneratorContextManager[None]:
    """Record outside of all loops and branches that are being traced, before them."""
    return at_end_of(trace, trace.graph.block)


@contextmanager
def at_end_of(trace: Trace, block: Block) -> Iterator[None]:
    """Record at the end of a block around: no constant of the loops and branches in it is there."""
    around, constants = trace.block, trace.recorded.constants
    if around is not block:
        trace.block, trace.recorded.constants = block, {}
    try:
        yield
    finally:
        trace.block, trace.recorded.constants = around, constants


def is_inside(trace: Trace) -> bool:
    """Whether what is recorded now stands in the program's graph; a derivative's parts do not yet."""
    block: Any = trace.block
    while block is not None and block is not trace.graph.block:
        block = block.parent
    return block is not None


def user_span(skip: int = 1) -> SourceSpan | None:
    """The innermost frame that is not this package's: the user's line, with the calls between converted functions that led there. Every
    operation asks for it: the frames are gone through once, as far as what is known of a frame, region or call; `span_of_frames` has the
    other cases."""
    trace, innermost, name, region = _current.trace, None, "", None
    around: tuple[str, tuple[SourceSpan, ...]] | None = None
    frame: FrameType | None = sys._getframe(skip)
    while frame is not None and around is None:
        code = frame.f_code
        if id(code) in PASSED_OVER:
            pass
        elif not is_library_file(code.co_filename):
            if innermost is None and trace is not None and id(frame) == trace.calls.innermost:
                around = trace.calls.around_innermost
            innermost, name = innermost or frame, code.co_name
        elif code.co_name in SPECIAL_FRAMES or (innermost is not None and code.co_name in ENTRIES):
            break
        elif code.co_name == REGION and innermost is not None and trace is not None:
            around, region = trace.calls.regions.get(frame), region or frame
        elif code.co_name not in NAMED_FRAMES:
            PASSED_OVER[id(code)] = code
        frame = frame.f_back
    if around is None:
        if innermost is None or frame is None or code.co_name == CONSUMERS:
            return span_of_frames(frames_outwards(innermost or frame), trace)
        if code.co_name == ROOT:
            around = name, ()
        elif trace is None or frame not in trace.calls.frames:
            return span_of_frames(frames_outwards(innermost), trace)
        else:
            around = name, callers_of(trace, frame, frames_outwards(frame.f_back))
    assert innermost is not None
    if trace is not None:
        note_around(trace, innermost, region, around)
    return SourceSpan(innermost.f_code.co_filename, innermost.f_lineno, 0, *around)


def note_around(trace: Trace, innermost: FrameType, region: FrameType | None, around: tuple[str, tuple[SourceSpan, ...]]) -> None:
    """What is around a frame of the user's, and the frame that traces the region it is in, is so as long as the call is under way; what
    resumes a generator may be somewhere else each time. The frame itself is not kept, nor what its variables hold."""
    if not innermost.f_code.co_flags & inspect.CO_GENERATOR:
        trace.calls.innermost, trace.calls.around_innermost = id(innermost), around
    if region is not None:
        trace.calls.regions[region] = around


def user_instruction(skip: int = 1) -> tuple[str, int]:
    """The innermost frame that is not this package's: its function and instruction, which tell the places of one line apart."""
    frame: FrameType | None = sys._getframe(skip)
    while frame is not None and (id(frame.f_code) in PASSED_OVER or is_library_file(frame.f_code.co_filename)):
        frame = frame.f_back
    return ("", 0) if frame is None else (frame.f_code.co_name, frame.f_lasti)


def frames_outwards(frame: FrameType | None) -> Iterator[tuple[CodeType, FrameType | TracebackType]]:
    """The code and place of a frame and of those around it, the innermost first."""
    while frame is not None:
        yield frame.f_code, frame
        frame = frame.f_back


def line_of(place: FrameType | TracebackType) -> int:
    """The line under way; Python looks it up in a table, so it is asked for only where it is shown."""
    return place.f_lineno if isinstance(place, FrameType) else place.tb_lineno


def span_of_exception(exception: BaseException) -> SourceSpan | None:
    """The user's line where an exception was raised while tracing."""
    inwards: list[tuple[CodeType, FrameType | TracebackType]] = []
    link = exception.__traceback__
    while link is not None:
        inwards.append((link.tb_frame.f_code, link))
        link = link.tb_next
    return span_of_frames(iter([*reversed(inwards), *frames_outwards(sys._getframe(1))]), _current.trace)


def span_of_frames(frames: Iterator[tuple[CodeType, FrameType | TracebackType]], trace: Trace | None = None) -> SourceSpan | None:
    """The user's place of the innermost of these frames. The functions that a conversion makes of a loop or a branch lie between the
    operators that call them; a frame of `ENTRIES` ends what belongs to one function of the user's. What lies between a consumer of
    a generator's items and the call of the generator is the generator's. What is around `trace` stays the same as long as it runs."""
    spans: list[SourceSpan] = []
    innermost: tuple[CodeType, FrameType | TracebackType] | None = None
    name, inside_generators = "", 0
    for code, place in frames:
        if code.co_name == CONSUMERS and is_machinery(code.co_filename):
            inside_generators += 1
        elif inside_generators:
            inside_generators -= code.co_name == "call_function" and is_machinery(code.co_filename)
        elif not is_library_file(code.co_filename):
            innermost = innermost or (code, place)
            name = code.co_name
        elif code.co_name in ENTRIES and innermost is not None:
            spans.append(SourceSpan(innermost[0].co_filename, line_of(innermost[1]), 0, name))
            innermost = None
            if code.co_name == ROOT:
                break
            if trace is not None and place in trace.calls.frames and not inside_generators:
                spans += callers_of(trace, place, frames)
                break
        elif code.co_name == ROOT and trace is not None and not spans:
            if trace.calls.around is UNKNOWN:
                trace.calls.around = span_of_frames(frames)
            return trace.calls.around
    if innermost is not None and not spans:
        spans.append(SourceSpan(innermost[0].co_filename, line_of(innermost[1]), 0, innermost[0].co_name))
    if len(spans) < 2:
        return spans[0] if spans else None
    return SourceSpan(spans[0].filename, spans[0].lineno, 0, spans[0].function, tuple(spans[1:]))


def callers_of(trace: Trace, call: Any, frames: Iterator[tuple[CodeType, FrameType | TracebackType]]) -> tuple[SourceSpan, ...]:
    """The spans of what is around a call: the same as long as it is under way, so they are looked for once."""
    found = trace.calls.frames[call]
    if found is UNKNOWN:
        span = span_of_frames(frames, trace)
        found = trace.calls.frames[call] = () if span is None else (span, *span.callers)
    return found


def emit(name: str, *operands: Value, regions: list[Block] | None = None, **attributes: Any) -> Operation:
    """Append the operation `name` to the current block, with the user's line and what an enclosing `try_` needs."""
    trace = active()
    raise_kept()
    recorded, tries = trace.recorded, trace.handling.tries
    recorded.operations += 1
    budget.spend(RECORDED)
    if recorded.most_operations is not None and recorded.operations > recorded.most_operations:
        why = f"more than {recorded.most_operations} operations were recorded, to have its loops unrolled and its ints exact"
        raise ConversionError("the traced program is too long", user_span(2), why, "let its condition depend on array data")
    opdef = registry.get(name)
    calls, trace.calls.entered = (trace.calls.entered, 0) if operands else (0, trace.calls.entered)
    unwind: list[Value] | None = None
    if tries and opdef.may_fail:
        types = tuple(operand.type for operand in operands)
        if opdef.fails is None or opdef.fails(types, attributes):
            unwind = tries[-1].before(attributes.get("error"))
    operation = append(trace.block, opdef, list(operands), attributes, regions, user_span(2))
    if opdef.may_fail and not tries and trace.handling.note_failing is not None:
        trace.handling.note_failing(operation)
    operation.for_c, operation.calls = trace.calls.for_c, calls
    trace.watch.operation(trace, operation)
    if unwind is not None:
        operation.unwind = unwind
        tries[-1].note(operation)
    return operation


def constant(value: Any) -> Value:
    """A scalar constant: a NumPy scalar of a supported dtype; one operation per value and block."""
    trace = active()
    key = (value.dtype, value.tobytes())
    found = trace.recorded.constants.get(key)
    if found is None:
        found = trace.recorded.constants[key] = emit("constant", value=value).result
    return found


budget.places.append(user_span)
