"""Corrects the model of costs by what a program has counted: where it proves slower than Python, later calls run there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from autograph_jit.callers import warn_caller
from autograph_jit.errors import SlowerThanPython
from autograph_jit.ir.graph import Block, Graph, Operation, walk_block
from autograph_jit.runtime.costs import NOTHING, RAISED, REMEDY, Cost, cost_of_runs, in_words
from autograph_jit.runtime.figures import calling_lines, cost_by_line, place_of
from autograph_jit.runtime.preferences import cost_of
from autograph_jit.runtime.recursion_costs import cost_of_recursions
from autograph_jit.runtime.specializations import Specialization
from autograph_jit.runtime.trips import ASSUMED_TRIPS, HALF, MOST_TRIPS, Runs, assumed_runs, is_handler, runs_in, trips_of
from autograph_jit.transforms.tallies import LOOPS, calls_python, find_tallies, has_known_trips

SLOWER = "compiled code is slower than Python"
LOST_SECONDS = 1e-3  # by all calls together; what is decided once and for all shall not be decided by a short call or two
MOST_LINES = 10  # that `explain` names
MANY_CALLS = 100_000  # of Python in one call, of which users that never want to run in Python are told


class CountedRuns:
    """How often the regions of a program ran in a call on average. A loop whose trips nobody counted is taken for a long one, so that no
    program is found slower for what is not known, but for loops of what Python has in C, which may be slower."""

    are_counted = True

    def __init__(self, graph: Graph, counts: Sequence[float]) -> None:
        found = list(zip(find_tallies(graph), counts, strict=True))
        self.entered = {tally.region: count for tally, count in found if tally.region is not None and tally.before is None}
        counted = {tally.callee for tally, _ in found if tally.callee is not None}
        self.calls = {callee: self.entered[callee.graph.block] for callee in counted}
        self.lengths = {tally.items: count for tally, count in found if tally.items is not None}
        self.trips = {tally.region: (tally.before, count) for tally, count in found if tally.before is not None}
        self.around: dict[Operation, float] = {}

    def __call__(self, operation: Operation, region: Block, around: float) -> float:
        """The runs of a region of an operation that runs `around` times."""
        self.around[operation] = around
        if region in self.entered:
            return self.entered[region]
        if is_handler(operation, region):
            return 0.0
        if operation.name == "cond":
            return self.other_side(operation, around)
        if operation.name not in LOOPS:
            return around
        if region in self.trips:
            before, trips = self.trips[region]
            times = self.around[before]
            return around * trips / times if times else 0.0
        if operation.regions[-1] in self.entered:  # the test of a `while` loop
            return around + self.entered[operation.regions[-1]]
        is_known = operation.for_c is not None or operation.name == "for_loop" and has_known_trips(operation)
        return around * (trips_of(operation) if is_known else MOST_TRIPS)

    def other_side(self, operation: Operation, around: float) -> float:
        """The runs of a side of a branch that was not counted."""
        counted = [self.entered[side] for side in operation.regions if side in self.entered]
        return max(around - counted[0], 0.0) if counted else HALF * around


def runs_of(made: Specialization) -> Runs:
    """How often the regions of a program run: as counted; before the first call, and where there is no graph, as assumed."""
    counts = made.counts()
    return assumed_runs if counts is None or not made.program.is_traced else CountedRuns(made.program.graph, counts)


def refuse_counted(made: Specialization) -> None:
    """SlowerThanPython where the calls so far prove that calls are better left to Python."""
    if made.refusal is not None:
        raise made.refusal
    runs, calls = runs_of(made), made.all_calls
    if not isinstance(runs, CountedRuns):
        return
    cost = cost_of(made.program, runs) + cost_of_recursions(made.program.graph, runs, runs.calls)
    if not cost.is_slower or (cost.compiled - cost.python) * calls < LOST_SECONDS:
        return
    lines = calling_lines(made.program.graph, runs)
    why = "; ".join([*map(str, lines), figures_of_calls(made, cost)])
    raise SlowerThanPython(SLOWER, place_of(made.program.graph, lines), why, REMEDY)


def note_raised(made: Specialization) -> bool:
    """An exception has left compiled code, which takes it long: whether so many have that later calls are left to Python."""
    made.raised += 1
    if made.raised & (made.raised - 1) or made.refusal is not None:
        return False
    cost = cost_of(made.program, runs_of(made)) + RAISED.times(made.raised / made.all_calls)
    if not cost.is_slower or (cost.compiled - cost.python) * made.all_calls < LOST_SECONDS:
        return False
    why = f"{made.raised} of {made.all_calls} calls have raised; {figures_of_calls(made, cost)}"
    made.leave_later_calls(SlowerThanPython(SLOWER, place_of(made.program.graph, []) if made.program.is_traced else None, why, REMEDY))
    return True


def answer_questions(made: Specialization, tell: Callable[[str], None]) -> None:
    """Have the loops that Python may take over ask whether it shall; it is told where one does."""
    for loop in made.program.loops:
        if loop.question is not None:
            loop.question.answer = partial(shall_hand_over, made, tell)


def shall_hand_over(made: Specialization, tell: Callable[[str], None], loop: Operation, left: int) -> bool:
    """Whether what was counted so far proves that Python runs a loop quicker, of which so many iterations are left where it is counted.
    Later calls are then left to Python as a whole."""
    counts, graph = made.counts(), made.program.graph
    if counts is None:
        return False
    runs, body = CountedRuns(graph, counts), loop.regions[-1]
    if body in runs.trips:
        before, trips = runs.trips[body]
        runs.trips[body] = before, max(trips - left / made.all_calls, 0.0)
    inside = {operation for region in loop.regions for operation in walk_block(region)}
    found = (cost_of_runs(*run) for run in runs_in(graph.block, runs=runs) if run[0] in inside)
    cost = sum(found, NOTHING)
    if not cost.is_slower or cost.compiled - cost.python < LOST_SECONDS:
        return False
    made.refusal = SlowerThanPython(SLOWER, loop.span, f"so far its loop has taken {compared(cost)} (counted)", REMEDY)
    made.looks_at = 0
    tell(str(made.refusal))
    return True


def figures_of_calls(made: Specialization, cost: Cost) -> str:
    """The figures of a call in words, and where they are from."""
    calls = made.all_calls
    source = f"counted in {'one call' if calls == 1 else f'{calls} calls'}" if calls else f"assumed, {ASSUMED_TRIPS} trips of a loop"
    return f"a call takes {compared(cost)} ({source})"


def compared(cost: Cost) -> str:
    """What something takes compiled and in Python."""
    return f"about {in_words(cost.compiled)} compiled, {in_words(cost.python)} in Python"


def describe_lines(made: Specialization) -> list[str]:
    """What a call takes, altogether and by lines, the longest first."""
    runs = runs_of(made)
    return [figures_of_calls(made, cost_of(made.program, runs)), *map(str, cost_by_line(made.program.graph, runs)[:MOST_LINES])]


def tell_of_calls(made: Specialization, name: str) -> bool:
    """A warning where a program that never runs in Python calls it very often; whether there was one. Without a graph nothing is known."""
    if not made.program.is_traced:
        return False
    runs = runs_of(made)
    calls = [(times, operation) for operation, times in runs_in(made.program.graph.block, runs=runs) if calls_python(operation)]
    total = sum(times for times, _ in calls)
    if runs is assumed_runs or total <= MANY_CALLS:
        return False
    most, operation = max(calls, key=lambda found: found[0])
    place = f"{operation.span.location()}: {operation.span.text()}" if operation.span is not None else "unknown"
    label = operation.attributes.get("label", "host call")
    warn_caller(f"{name} makes {total:.0f} calls of Python in a call, {most:.0f} of them by {label}\n  at {place}")
    return True
