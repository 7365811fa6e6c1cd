"""Where a trace meets a structure that it cannot keep in Python: which loop to unroll, or which container to keep at run time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ir.dims import Dim
from autograph_jit.ir.graph import Block
from autograph_jit.source import SourceSpan
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar, content_of
from autograph_jit.tracing.values.trace import Restart, Trace, active, at_end_of, at_the_beginning, user_span

MAX_UNROLLED_TRIPS = 64
MAX_UNROLLED_TOTAL = 2048
MAX_UNROLLED_OPERATIONS = 150  # of all trips together
LEFT_BY_STATE = {"for", "while", "if"}  # regions that are left by nothing but their ends
# Decisions: a loop, or every one at a place, stays a loop where it can; one that was to stay is unrolled all the same.
ROLLED, WRITTEN_OUT = "rolled", "written out"


@contextmanager
def expected_short(trace: Trace, key: Any) -> Iterator[None]:
    """Inside the with statement a loop is unrolled: a restart where that has many operations, and was done for the sake of a container."""
    before = trace.recorded.operations
    yield
    is_long = trace.recorded.operations - before > MAX_UNROLLED_OPERATIONS
    if is_long and ("unroll", key) in trace.decisions and trace.decisions.isdisjoint({(WRITTEN_OUT, key), (ROLLED, key[0])}):
        raise Restart((ROLLED, key))


@dataclass(frozen=True)
class Region:
    """A staged region under way. key and trips are a loop's; trips is None where only the run knows them. `for_c` as in `Calls`;
    `carried`: a loop's state."""

    kind: str
    key: Any = None
    trips: int | None = None
    index_atom: str | None = None
    for_c: Any = None
    carried: Any = None

    @property
    def unrollable(self) -> bool:
        return self.kind == "for" and self.trips is not None and self.trips <= MAX_UNROLLED_TRIPS


def unroll_instead(path: list[Region], spec: Any = None) -> None:
    """Restart with the loops of `path` unrolled, where every region of it is a loop that can be: instead of a container of kind
    `spec` of the run, where that is one of compiled code, only if the outermost has not turned out to be a long text then."""
    decisions, total = active().decisions, 1
    if path and (ROLLED, path[0].key) in decisions:
        if spec is not None and spec.is_native:
            return
        raise Restart((WRITTEN_OUT, path[0].key))
    wanted = list[tuple[Any, ...]]()
    for region in path:
        if not region.unrollable:
            return
        site, first = region.key
        wanted += [("unroll", (site, first + trip)) for trip in range(total)]  # as often as those around it have trips
        total *= max(region.trips or 1, 1)
    if path and total <= MAX_UNROLLED_TOTAL:
        raise Restart(*wanted)


def write_out_short(size: Any) -> None:
    """Restart with a short loop written out that was to stay a loop, where an index is made of its: what it chooses is known then."""
    trace = active()
    names = {name for name, _ in size.terms} if isinstance(size, Dim) else set[str]()
    loops = [region.key for region in trace.regions if region.index_atom in names and (ROLLED, region.key[0]) in trace.decisions]
    if loops:
        raise Restart(*(("unroll", key) for key in loops))


def keep_at_run_time(trace: Trace, key: Any, depth: int, spec: Any) -> None:
    """A container made at region depth `depth` changes its structure here: unroll the loops in between, or keep it at run time."""
    unroll_instead(trace.regions[depth:], spec)
    raise Restart(("dynamic", key, spec))


def is_as_made(trace: Trace, container: Any) -> bool:
    """Whether a container of known structure may become one of the run where it was made: the block that made it is under way, and nothing
    has written to it since, or read it but inside of a loop around here, which can be traced once more."""
    block: Block | None = trace.block
    path = trace.regions[container.depth :]
    while block is not None and block is not container.home:
        block = block.parent
    if block is None or container.merged is not None or not {region.kind for region in path} <= LEFT_BY_STATE:
        return False
    if any(place.owner is container for journal in trace.journals for place, _ in journal.before.values()):
        return False
    return all(is_within(stack, loop_of(path)) or not is_kept(stack) for stack in container.reads.values())


def make_at_home(trace: Trace, container: Any, spec: Any) -> AbstractContextManager[None]:
    """Inside the with statement a container that is as it was made becomes one of the run, at the end of the block that made it. This trace
    goes on with that; a loop that has read it is traced once more."""
    trace.take(("dynamic", container.key, spec))
    loop = loop_of(trace.regions[container.depth :])
    if loop is not None and any(is_within(stack, loop) for stack in container.reads.values()):
        loop.carried.expect_again()
    return at_end_of(trace, container.home)


def loop_of(path: list[Region]) -> Region | None:
    """The outermost loop of these regions."""
    return next((region for region in path if region.carried is not None), None)


def is_within(stack: Iterable[Region], loop: Region | None) -> bool:
    """Whether what was traced inside these regions is a part of a loop."""
    return any(part is loop for part in stack)


def is_kept(stack: Iterable[Region]) -> bool:
    """Whether what was traced inside these regions is a part of the program: a loop is traced several times, only the last one stays."""
    return not any(part.kind == "probe" or is_within(active().loops.discarded, part) for part in stack)


def made_before(trace: Trace) -> AbstractContextManager[None]:
    """Inside the with statement a trace that becomes no program makes a container that it should have made before: where all of its loops
    and branches see it, if they are not those of a function of the graph, which would be given another one at each call."""
    return nullcontext() if any(region.kind == "function" for region in trace.regions) else at_the_beginning(trace)


def foresee_staged(trace: Trace, key: Any, before: dict[Any, int], after: dict[Any, int]) -> None:
    """The trace goes on with a loop of the run behind the trips that it has written out. `before`, `after`: what was reached before these,
    and after the first; what the later ones found of containers that only they make is forgotten."""

    def is_later(site: Any) -> bool:
        is_numbered = isinstance(site, tuple) and len(site) == 2 and isinstance(site[1], int)
        return is_numbered and site[1] >= max(before.get(site[0], 0) + 1, after.get(site[0], 0))

    trace.loops.reached = dict(before)
    trace.recorded.foreseen -= {decision for decision in trace.recorded.foreseen if is_later(decision[1])}
    trace.foresee(("stage", key))


def demand(staged: Any, what: str) -> Any:
    """Python code needs the value itself: trace again with the inputs that it stems from as constants or the loop unrolled."""
    trace = active()
    if isinstance(staged, Maybe):
        return demand(content_of(staged), what)
    if isinstance(staged, StagedScalar) and isinstance(staged.size, (int, Dim)):
        if isinstance(staged.size, int):
            return staged.python_type(staged.size)
        demand_atoms(trace, staged.size)
    if isinstance(staged, StagedScalar):
        origin = trace.sources.numbers.get(id(staged.value))
        if origin is not None:
            raise Restart(("static", origin))
    unroll_instead([region for region in trace.regions if region.kind == "for"])
    raise needs_python(staged, what, user_span(2))


def stems_from_inputs(trace: Trace, x: StagedScalar) -> bool:
    """Whether `demand` can give what an int is, by making a constant of what it stems from."""
    is_known = isinstance(x.size, int) or isinstance(x.size, Dim) and decisions_of_size(trace, x.size) is not None
    return x.weak and x.scalar_dtype.kind == "i" and (is_known or id(x.value) in trace.sources.numbers)


def demand_atoms(trace: Trace, size: Dim) -> None:
    """Restart so that every atom of a size becomes a number, where each stems from an input or a loop index."""
    wanted = decisions_of_size(trace, size)
    if wanted is not None:
        raise Restart(*wanted)


def decisions_of_size(trace: Trace, size: Dim) -> list[tuple[Any, ...]] | None:
    """The decisions by which every atom of a size becomes a number; None where none do. What was another number in another call is none."""
    wanted: list[tuple[Any, ...]] = []
    loops = {region.index_atom: region for region in trace.regions if region.index_atom}
    for name, _ in size.terms:
        region = loops.get(name)
        origin = trace.sources.sizes.get(name)
        if origin is not None and ("value", origin[1], 0) not in trace.inputs.generalized:
            wanted.append(("static", origin))
        elif region is not None and region.unrollable and (ROLLED, region.key) not in trace.decisions:
            wanted.append(("unroll", region.key))
        else:
            return None
    return wanted


def needs_python(staged: Any, what: str, span: SourceSpan | None) -> ConversionError:
    """The error for a stand-in used where Python needs the value while tracing."""
    kind = "array" if isinstance(staged, StagedArray) else "object" if isinstance(staged, StagedObject) else "number"
    return ConversionError(
        f"the {what} of {'an' if kind[0] in 'ao' else 'a'} {kind} that only the run knows is needed here",
        span,
        "this is Python code that cannot be compiled and that asks for the value while the function is traced",
        "move it out of the compiled function, or pass the value as a static argument (static_argnames)",
    )
