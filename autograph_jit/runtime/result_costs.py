"""What it takes to make Python's containers of what leaves a program, by how many items leave."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import TEXT_REFERENCES, ListType
from autograph_jit.runtime.costs import (
    ITEM_LEAVES,
    ITEM_REBUILT,
    MADE_ITEM,
    NOTHING,
    ROW_LEAVES,
    ROW_REBUILT,
    ROW_WRITTEN,
    SET_ITEM,
    TEXT_LEAVES,
    Cost,
)  # fmt: skip
from autograph_jit.runtime.direct import is_written_out
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.trips import HALF, Runs, runs_in
from autograph_jit.tracing.containers.entries import set_of
from autograph_jit.tracing.containers.frozen_sets import frozen_set_of
from autograph_jit.tracing.containers.objects_of_rows import ElementsOfRows
from autograph_jit.tracing.structures.rebuilding import Listed, Made, parts_of

SETS = (set_of, frozen_set_of)
APPENDING = ("list_push", "list_insert", "list_put")


def made_in(program: Program) -> list[Made]:
    """The dicts and sets in a result that a function makes of lists."""
    parts = parts_of(program.rebuild)
    return [part for part in parts if isinstance(part, Made) and part.make is not tuple and not isinstance(part, Listed)]


def cost_of_results(program: Program, runs: Runs, assumed: float) -> Cost:
    """What it takes to make Python's lists of those that leave, of so many items where nothing is known, and dicts and sets, in which keys
    come together; items that are no plain numbers are made by Python code."""
    lengths = lengths_of_results(program, runs, assumed)
    longest = max(lengths.values(), default=assumed)
    is_listed = any(isinstance(part, Listed) for part in parts_of(program.rebuild))
    each = ITEM_LEAVES if is_written_out(program) and not is_listed else ITEM_REBUILT
    texts = [x for x in lengths if isinstance(x.type, ListType) and x.type.number in TEXT_REFERENCES]
    items = sum((each.times(length) for length in lengths.values()), NOTHING)
    items += sum((TEXT_LEAVES.times(lengths[x]) for x in texts), NOTHING)
    made = [SET_ITEM if part.make in SETS else MADE_ITEM for part in made_in(program)]
    further = sum(made, NOTHING) + ROW_LEAVES.times(classes_that_leave(program))
    return (items + rows_of_results(program, runs, lengths) + further.times(longest)).times(HALF if made else 1.0)


def rows_of_results(program: Program, runs: Runs, lengths: dict[Value, float]) -> Cost:
    """What it takes to make the lists in lists that leave: those of several columns are made by Python code."""
    columns = [x for x in lengths if holds_lists(x.type)]
    kinds = {kind for x in columns for kind in rows_in(x.type)}
    pushed = sum(times for operation, times in runs_in(program.graph.block, runs=runs) if appends_to(operation, kinds)) if kinds else 0.0
    each = ROW_REBUILT if len(columns) > 1 else ROW_WRITTEN
    return each.times(max(pushed, sum(lengths[x] for x in columns)))


def holds_lists(kind: Any) -> bool:
    """Whether the items of a list are lists."""
    return isinstance(kind, ListType) and isinstance(kind.elem, ListType)


def rows_in(kind: Any) -> Iterator[ListType]:
    """The types of lists of lists in a list, its own among them."""
    while holds_lists(kind):
        yield kind
        kind = kind.elem


def appends_to(operation: Operation, kinds: set[ListType]) -> bool:
    """Whether an operation puts an item into a list of one of these types."""
    return operation.name in APPENDING and operation.operands[0].type in kinds


def lengths_of_results(program: Program, runs: Runs, assumed: float) -> dict[Value, float]:
    """How many items the lists that leave are taken to have: no more than are appended to those that the program makes, where it does
    nothing else to them, and as many where that was counted."""
    lists = [in_body(x) for x in program.graph.block.yields if isinstance(x.type, ListType)]
    appended: dict[Value, float] = {x: 0.0 for x in lists if isinstance(x.owner, Operation) and x.owner.name == "list_new"}
    if not appended:
        return dict.fromkeys(lists, assumed)
    for operation, times in runs_in(program.graph.block, runs=runs):
        for x in appended.keys() & operation.written:
            appended[x] += times if operation.name in APPENDING else assumed
    most = math.inf if getattr(runs, "are_counted", False) else assumed
    return {x: min(appended.get(x, assumed), most) for x in lists}


def in_body(x: Value) -> Value:
    """What a value is in the block that makes it, where it comes out of the body of a `try_`."""
    while isinstance(x.owner, Operation) and x.owner.name == "try_" and not x.owner.regions[0].terminated:
        x = x.owner.regions[0].yields[x.owner.results.index(x)]
    return x


def classes_that_leave(program: Program) -> int:
    """Of how many classes objects are made for rows of lists in a result; those of the caller's are there."""
    builders = {part.builders for part in parts_of(program.rebuild) if isinstance(part, ElementsOfRows)}
    return sum(table.heap is None for each in builders for table in each.tables.values())
