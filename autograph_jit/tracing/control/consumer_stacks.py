"""Generators that go through their own items: the loops of all levels, as rows of lists in the order in which they began.

    def subsets(items):                            the function of the graph for `subsets` is given the number of the loop that it yields to
        if not items:                              `yield []` calls `taken(number, [])`: for 0 the body of the loop outside, else that of
            yield []                               the loop here, with what its variables hold in the row, which yields to the loop of the
            return                                 level above in turn
        for s in subsets(items[1:]):               the loop: a row with what its variables hold is added, `subsets` called with its number,
            yield s                                the row taken away again
            yield [items[0], *s]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType
from typing import Any, cast

from autograph_jit.ir.function import YIELD
from autograph_jit.ir.graph import is_visible
from autograph_jit.records import dataclass
from autograph_jit.source import OPERATORS
from autograph_jit.tracing.aliasing.instances import is_user_instance
from autograph_jit.tracing.aliasing.journal import AttributePlace, creation_depth, write
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.control.branches import if_stmt
from autograph_jit.tracing.control.consumers import Consumer, innermost_consumer
from autograph_jit.tracing.control.recursive_units import COMPOSED, call_recursive
from autograph_jit.tracing.control.regions import own_cells
from autograph_jit.tracing.control.signatures import Body, is_immutable
from autograph_jit.tracing.control.units import NO_UNIT
from autograph_jit.tracing.functions.closures import is_local
from autograph_jit.tracing.sequences.dynamic import decided
from autograph_jit.tracing.values.abstract import Undefined
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import Restart, Trace, active

STACKED = "goes through its own items, in rows"  # the decision that a generator has such rows, with how many lists
OWN = 3  # lists of the stack: the loop around, the site, the row in the lists of the site


@dataclass(frozen=True, slots=True)
class Site:
    """A loop of a generator over its own items, as it was traced first: the variables around that it reads, its lists."""

    loop: Consumer
    cells: tuple[CellType, ...]
    lists: tuple[TracedList, ...]


class Stack(Consumer):
    """The loop outside, and the loops of a generator over its own items inside of it; `number` is that of the loop that items go to."""

    def __init__(self, trace: Trace, code: CodeType, outside: Consumer, count: int) -> None:
        super().__init__(outside.extra_test, outside.body, outside.get_state, outside.set_state)
        self.code, self.outside, self.home = code, outside, trace.block
        self.number: Any = 0
        self.sites: list[Site] = []
        self.lists = [list_named(trace, ("list", code, place)) for place in range(count)]
        variables = set().union(*(each.variables for each in (self, *trace.calls.consumers)))
        self.bodies[taken.__code__] = Body(is_recursive=True, places=variables)

    def expect_native(self, is_so: bool) -> None:
        """Trace the generator where it stands, in a trace anew, unless this is a function of the graph."""
        if not is_so:
            raise Restart((COMPOSED, self.code))

    def take_item(self, item: Any) -> Any:
        """Run the body of the loop that items go to; whether that has ended."""
        body = self.bodies[taken.__code__]
        self.expect_native(self.bodies[self.code].under_way is not None)
        trace = active()
        trace.calls.consumers.append(self)
        try:
            result = call_recursive(trace, TAKEN, taken, (self.number, item), {})
        finally:
            trace.calls.consumers.pop()
        self.expect_native(result is not NO_UNIT)
        self.expect_native(all(is_visible(self.home, value) for unit in filter(None, body.units.values()) for value in unit.captured))
        write(AttributePlace(self, "is_over"), result)
        return result

    def take_all(self, loop: Consumer, run: Callable[[], None]) -> None:
        """Run a generator for one of its own loops."""
        trace = active()
        self.expect_native(trace.calls.consumers[-1] is self)
        cells = tuple(cell for cell in cells_of(loop) if self.changes(cell.cell_contents))
        state = loop.get_state()
        self.expect_native(not any(isinstance(value, Undefined) for value in state))
        values = (*(cell.cell_contents for cell in cells), *state)
        place = self.place_of(loop, cells, len(values))
        site, around = self.sites[place], self.number
        row, number = (site.lists or self.lists)[0].length(), self.lists[0].length()
        for column, value in zip((*self.lists[:OWN], *site.lists), (around, place, row, *values)):
            column.append(value)
        write(AttributePlace(self, "number"), number + 1)
        with innermost_consumer():
            run()
        write(AttributePlace(self, "number"), around)
        write(AttributePlace(self, "is_over"), False)
        left = [column.pop() for column in (*site.lists, *self.lists[:OWN])]
        loop.set_state(tuple(left[len(cells) : len(values)]))

    def changes(self, value: Any) -> bool:
        """Whether a variable may hold something else in another call of the generator."""
        if is_user_instance(value):
            self.expect_native(creation_depth(active(), value) <= creation_depth(active(), self))
            return False
        return not (isinstance(value, (FunctionType, Undefined)) or is_immutable(value))

    def place_of(self, loop: Consumer, cells: tuple[CellType, ...], count: int) -> int:
        """The number of a site, which is noted where it is new: what takes the items is traced again then."""
        for place, site in enumerate(self.sites):
            if site.loop.body.__code__ is loop.body.__code__:
                self.expect_native(len(site.cells) == len(cells) and len(site.lists) == count)
                return place
        first = OWN + sum(len(site.lists) for site in self.sites)
        if first + count > len(self.lists):
            raise Restart((STACKED, self.code, first + count))
        self.sites.append(Site(loop, cells, tuple(self.lists[first : first + count])))
        self.bodies[taken.__code__].units.clear()
        return len(self.sites) - 1

    def run(self, number: Any, item: Any) -> Any:
        """Run the body of the loop of a number; whether that has ended."""
        over: list[Any] = [False]

        def set_over(state: tuple[Any, ...]) -> None:
            (over[0],) = state

        def outside() -> None:
            with innermost_consumer():
                over[0] = self.outside.take_item(item)

        def inside(place: int) -> None:
            index = number - 1
            run = lambda: set_over((self.run_at(index, self.sites[place], item),))  # noqa: E731
            if place + 1 == len(self.sites):
                run()
            else:
                is_here = language.compare("==", self.lists[1][index], place)
                if_stmt(is_here, run, lambda: inside(place + 1), lambda: (over[0],), set_over, ("over",))

        if self.sites:
            if_stmt(language.compare("==", number, 0), outside, lambda: inside(0), lambda: (over[0],), set_over, ("over",))
        else:
            outside()
        return over[0]

    def run_at(self, index: Any, site: Site, item: Any) -> Any:
        """Run the body of a loop with what its variables hold in a row; whether the loop has ended."""
        row, here = self.lists[2][index], self.number
        before, state = [cell.cell_contents for cell in site.cells], site.loop.get_state()
        held = [column[row] for column in site.lists]
        try:
            for cell, value in zip(site.cells, held):
                cell.cell_contents = value
            entered = tuple(held[len(site.cells) :])
            site.loop.set_state(entered)
            write(AttributePlace(self, "number"), self.lists[0][index])
            site.loop.body(item)
            is_over = False if site.loop.extra_test is None else language.unary("not", site.loop.extra_test())
            for column, old, new in zip(site.lists[len(site.cells) :], entered, site.loop.get_state()):
                if new is not old:
                    column[row] = new
            write(AttributePlace(self, "number"), here)
            return is_over
        finally:
            site.loop.set_state(state)
            for cell, value in zip(site.cells, before):
                cell.cell_contents = value


def taken(number: Any, item: Any) -> Any:
    """Give an item to the loop of this number of the innermost stack; whether that has ended."""
    return active().calls.consumers[-1].run(number, item)


TAKEN = cast(FunctionType, taken)
TAKEN.__name__ = YIELD


def list_named(trace: Trace, name: tuple[Any, ...]) -> TracedList:
    """A new list, whose kind earlier traces have found under a name."""
    made = TracedList()
    made.key, made.depth = trace.occurrence(name), len(trace.regions)
    kind = decided(trace, made.key)
    if kind is not None:
        made.become(kind)
    return made


def cells_of(loop: Consumer) -> Iterator[CellType]:
    """The variables that a loop's body and its condition read, by themselves and by local functions, but for the loop's own."""
    seen = own_cells(loop.get_state)
    pending = [loop.body, loop.extra_test]
    for fn in pending:
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()) if isinstance(fn, FunctionType) else ():
            if name == OPERATORS or id(cell) in seen:
                continue
            seen.add(id(cell))
            try:
                content = cell.cell_contents
            except ValueError:
                continue
            if is_local(content):
                pending.append(content)
            else:
                yield cell


def stack_of(trace: Trace, code: CodeType) -> Stack | None:
    """The stack of a generator that is under way as a function of the graph; None where it is not, or is traced where it stands."""
    for consumer in reversed(trace.calls.consumers):
        body: Any = consumer.bodies.get(code)
        if body is not None and body.under_way is not None:
            if not isinstance(consumer, Stack):
                raise Restart((STACKED, code, OWN))
            return consumer
    return None


def with_stack(trace: Trace, code: CodeType, consumer: Consumer) -> Consumer:
    """A consumer, with a stack where the generator goes through its own items."""
    counts = [decision[2] for decision in trace.decisions if decision[:2] == (STACKED, code)]
    if not counts or (COMPOSED, code) in trace.decisions or isinstance(consumer, Stack):
        return consumer
    return Stack(trace, code, consumer, max(counts))
