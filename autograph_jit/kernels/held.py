"""Temporaries that only the updates of one array read, a few elements apart: each element is computed when the first update needs it.

Before: t = 0.2 * u[1:-1]; u[:-2] += t; u[2:] += t; u[1:-1] -= 2 * t
After:  one nest, u[i] = ((u[i] + t(i)) + t(i - 2)) - 2 * t(i - 1) with t(i) = 0.2 * u[i + 1], of which the last three are held

A temporary is an elementwise operation, a copy, or a run of updates that makes its array. It may read the array that is updated: what lies
`lead` elements behind the one that is written has been computed before it is overwritten. It may also read temporaries before it.
"""

from __future__ import annotations

from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.rotations import dims_of
from autograph_jit.ir.scalar import in_order
from autograph_jit.kernels.escape import find_users
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import blocks_of, is_pointwise_array, may_write
from autograph_jit.kernels.slices import FARTHEST, place_of
from autograph_jit.kernels.updates import Update, copy_of, nest_of, update_of
from autograph_jit.records import dataclass

MOST_HELD = 4  # elements or rows of one temporary besides the last one
MOST_TEMPORARIES = 5
FEW_TEMPORARIES = 3
MOST_NODES = 60  # of all expressions, where there are more temporaries than few: what is held takes registers


@dataclass(frozen=True, slots=True)
class Held:
    """A temporary: `parts` compute its element `i - lead` in front of the updates of element i, which read that one or up to `depth`
    before it."""

    array: Value
    parts: list[Update]
    lead: int
    depth: int


def find_held(
    graph: Graph,
    facts: Facts,
    consumers: dict[Operation, Operation],
    updates: dict[Operation, list[Update]],
    with_assignments: bool = True,
) -> dict[Operation, list[Held]]:
    """What each run of updates holds, by its last one, which becomes the consumer of what computes it. `with_assignments`, a single
    assignment that holds something becomes a run."""
    search = Search(graph, facts, consumers, updates, with_assignments)
    for block in blocks_of(graph.block):
        for operation in reversed(block.operations):
            search.visit(operation)
    return search.found


def shift_of(update: Update, value: Value) -> tuple[int, ...] | None:
    """How far the elements of a temporary that an update reads lie behind those that it changes; None where that is not known."""
    _, starts = place_of(value)
    if starts is None or dims_of(value) != update.dims:
        return None
    return tuple(start - first for start, first in zip(update.starts, starts))


class Search:
    """Finds the temporaries of a graph."""

    def __init__(
        self,
        graph: Graph,
        facts: Facts,
        consumers: dict[Operation, Operation],
        updates: dict[Operation, list[Update]],
        with_assignments: bool,
    ) -> None:
        self.facts, self.consumers, self.updates, self.with_assignments = facts, consumers, updates, with_assignments
        self.users, self.leaving = find_users(graph)
        self.makers = {run[0].operation: run for run in updates.values() if run and run[0].makes}
        self.found: dict[Operation, list[Held]] = {}

    def visit(self, operation: Operation) -> None:
        """Hold the result of an operation if that is possible, and with it the temporaries that only it reads."""
        parts = self.parts_of(operation)
        if parts is None:
            return
        done = parts[-1].operation
        readers = self.nests_reading(operation.result) - {done}
        if len(readers) != 1:
            return
        (last,) = readers
        run = None if last is None else self.run_of(last)
        if last is None or run is None:
            return
        temporaries = self.found.get(last, [])
        for array, steps in [*((each.array, each.parts) for each in self.found.get(done, ())), (operation.result, parts)][::-1]:
            held = placed(array, steps, run, temporaries) if self.may_wait(steps, steps[-1].operation, run) else None
            if held is None or len(temporaries) == MOST_TEMPORARIES:
                return
            temporaries = [held, *temporaries]
        if len(temporaries) > FEW_TEMPORARIES and nodes_of(run, temporaries) > MOST_NODES:
            return
        self.found.pop(done, None)
        self.found[last] = temporaries
        self.updates[last] = run
        for part in [part for held in temporaries for part in held.parts]:
            self.updates.pop(part.operation, None)
            self.consumers[part.operation] = last

    def parts_of(self, operation: Operation) -> list[Update] | None:
        """What computes an array that nothing outside of its block refers to."""
        if operation in self.makers:
            return self.makers[operation]
        if not operation.results or operation in self.updates:
            return None
        update = copy_of(operation, self.facts, self.consumers) or nest_of(operation, self.facts, self.consumers)
        return None if update is None else [update]

    def run_of(self, last: Operation) -> list[Update] | None:
        """The updates of one array that run at an operation."""
        if last in self.updates:
            run = self.updates[last]
            return run if run and all(update.base is run[0].base for update in run) else None
        update = update_of(last, self.facts, self.consumers) if self.with_assignments else None
        return None if update is None else [update]

    def nests_reading(self, value: Value) -> set[Operation | None]:
        """The operations in whose nests an array is read, also where it is read by views; None among them for other uses."""
        found: set[Operation | None] = {None} if value in self.leaving else set()
        for user in self.users.get(value, ()):
            if user.name == "basic_index":
                found |= self.nests_reading(user.result) if place_of(user.result)[1] is not None else {None}
            elif user.name != "dim":
                found |= self.nests_of(user)
        return found

    def nests_of(self, operation: Operation) -> set[Operation | None]:
        """The operations in whose nests an operation runs."""
        reached = {operation: None}
        pending = [operation]
        for each in pending:
            if each not in self.consumers:
                continue
            users = self.users.get(each.result, ()) if is_pointwise_array(each) else [self.consumers[each]]
            following = dict.fromkeys(user for user in users if user.name != "dim" and user not in reached)
            pending += following
            reached.update(following)
        return {each for each in pending if each not in self.consumers}

    def may_wait(self, parts: list[Update], done: Operation, run: list[Update]) -> bool:
        """Whether a temporary may be computed with the updates instead of where it stands: what it reads does not change until then, but by
        the updates, and by none of them before it."""
        block, last = done.block, run[-1].operation
        if block is None or last.block is not block:
            return False
        reads = [value for part in parts for value in part.others]
        first, own = self.facts.position(done), {update.operation for update in run}
        inside = [value for value in reads if self.facts.may_meet(value, run[0].base)]
        if inside and any(self.facts.position(operation) < first for operation in own):
            return False
        between = block.operations[first + 1 : self.facts.position(last)]
        return not any(operation not in own and may_write(operation, reads, self.facts) for operation in between) and all(
            place_of(value)[0] is run[0].base for value in inside
        )


def nodes_of(run: list[Update], temporaries: list[Held]) -> int:
    """The length of all expressions of a nest."""
    parts = [*run, *(part for held in temporaries for part in held.parts)]
    return sum(len(in_order(part.expression)) for part in parts)


def placed(array: Value, parts: list[Update], run: list[Update], others: list[Held]) -> Held | None:
    """When the elements of a temporary are computed; None where that is not known or would be long before they are read."""
    if len(dims_of(array)) != len(dims_of(run[0].base)):
        return None
    readers = [(update, 0) for update in run] + [(part, other.lead) for other in others for part in other.parts]
    shifts = [
        None if (shift := shift_of(update, value)) is None else shift[0] + lead
        for update, lead in readers
        for value in update.others
        if place_of(value)[0] is array
    ]
    ahead = [behind(part, value, run[0].base) for part in parts for value in part.others]
    if not shifts or None in shifts or None in ahead:
        return None
    distances = [shift for shift in shifts if shift is not None]
    lead = min(distances + [distance for each in ahead if each is not None for distance in each])
    depth = max(distances) - lead
    return Held(array, parts, lead, depth) if depth <= MOST_HELD and abs(lead) <= FARTHEST else None


def behind(part: Update, value: Value, base: Value) -> tuple[int, ...] | None:
    """How far the temporary may lie behind, so that an operand of it is still what it was: no limit, (), for what is not updated."""
    array, starts = place_of(value)
    if array is not base:
        return ()
    if starts is None or dims_of(value) != part.dims:
        return None
    return (starts[0] - part.starts[0],)
