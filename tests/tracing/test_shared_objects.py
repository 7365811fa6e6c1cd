"""Objects and containers of the caller's under two names: one that the trace reads, and one that only the run knows."""

from __future__ import annotations

from typing import Any

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees

FIRST, SECOND = [["a"], ["b"]], [["c"], ["d"]]


class Part:
    def __init__(self, x: int, child: Any = None) -> None:
        self.x, self.items, self.entries, self.child = x, [], {"x": x}, child


def found_in_dict(parts: Any, k: int) -> Any:
    by_number = {part.x: part for part in parts}
    by_number[k].x += 10
    return [part.x for part in parts]


def found_in_dict_and_grown(parts: Any, k: int) -> Any:
    by_name = {str(part.x): part for part in parts}
    for j in range(k):
        part = by_name.get(str(j))
        if part is not None:
            part.x += 10
            part.items.append(j)
    return parts[0].x, sum([part.x for part in parts]), [len(part.items) for part in parts]


def kept_in_list(parts: Any, k: int) -> Any:
    chosen = []
    for part in parts:
        if part.x < k:
            chosen.append(part)
    for j in range(len(chosen)):
        chosen[j].x += 10
    return parts[0].x, sum([part.x for part in parts])


def sorted_and_changed(parts: Any, k: int) -> Any:
    for part in sorted(parts, key=lambda part: -part.x):
        part.x += 10
        part.items.append(4)
        if part.x < k:
            break
    return parts[0].x, [len(part.items) for part in parts]


def gone_through_as_values(parts: Any, k: int) -> Any:
    for part in {part.x * 7: part for part in parts}.values():
        part.x += k
        part.items.append(k)
    return [part.x for part in parts]


def changed_under_both_names(parts: Any, k: int) -> Any:
    first, second = parts[:2]
    first.x = 50
    found = {"a": first, "b": second}["a" if k > 2 else "b"]
    found.x += 1
    first.x += 1
    return first.x, second.x


def chosen_and_grown(parts: Any, k: int) -> Any:
    part = parts[0] if k > 1 else parts[1]
    part.items.append(1)
    return [len(part.items) for part in parts]


def chosen_list_grown(parts: Any, k: int) -> Any:
    items = parts[0].items
    for j in range(k):
        if j > 1:
            items = parts[1].items
        items.append(j)
    return len(parts[0].items), len(parts[1].items)


def chosen_dict_written(parts: Any, k: int) -> Any:
    entries = parts[0].entries if k > 2 else parts[1].entries
    entries["x"] = 40
    return parts[0].entries["x"] + parts[1].entries["x"]


def chosen_list_returned(parts: Any, k: int) -> Any:
    items = parts[0].items if k > 2 else parts[1].items
    return [each is items for each in (parts[0].items, parts[1].items)], items


def chosen_among_constants(parts: Any, k: int) -> Any:
    rows = FIRST if k > 2 else SECOND
    rows[0].append("z")
    found = "".join(FIRST[0] + SECOND[0])
    rows[0].pop()
    return found


def one_inside_another(parts: Any, k: int) -> Any:
    part = parts[0]
    for _ in range(k):
        part = part.child
    part.x = 90
    return parts[1].x, parts[2].x


def item_is_an_argument(parts: Any, first: Any, k: int) -> Any:
    part = parts[k % len(parts)]
    part.x = 40
    return first.x, part is first


def argument_is_an_item(parts: Any, first: Any, k: int) -> Any:
    part = parts[k % len(parts)]
    first.x += 50
    return [each.x for each in parts], part.x


def start_of_many(nodes: Any, start: Any, k: int) -> Any:
    for node in nodes:
        node.x = -1
    start.x = 0
    for _ in range(k):
        for before, node in zip(nodes, nodes[1:]):
            node.x = max(node.x, before.x + (before.x >= 0))
    return start.x, start is nodes[1], [node.x for node in nodes], start


def lists_of_items_joined(first: Any, second: Any, k: int) -> Any:
    for _ in range(k):
        second.items = first.items
    first.items.append(3)
    return second.items


def items_read_in(parts: Any, first: Any, k: int) -> Any:
    first.items.append(k)
    return len(parts[k % len(parts)].items), first


def kept_and_left_behind(parts: Any, k: int) -> Any:
    held = list(parts)
    for i in range(k):
        made = Part(i)
        held.append(made)
    held[-1].x = 30
    return made.x, held[-1].x


def list_kept_and_left_behind(parts: Any, k: int) -> Any:
    held, row = list(parts), [0]
    for i in range(k):
        if i % 2:
            row = [i]
            held.append(row)
    held[-1].append(3)
    return row, held[-1]


def dict_kept_and_left_behind(parts: Any, k: int) -> Any:
    held = list(parts)
    for i in range(k):
        row = {"a": i}
        held.append(row)
    held[-1]["b"] = 3
    return row, held[-1]


def rows_and_a_list_of_pythons(parts: Any, others: Any, last: Any) -> Any:
    for part in parts:
        part.x += 1
    others[0] = last
    return [other.x for other in others]


def list_of_pythons_and_rows(parts: Any, others: Any, last: Any) -> Any:
    total = sum(part.x for part in parts)
    found = sorted(others, key=lambda part: -part.x)
    found[0].x += 100
    others.append(last)
    return total, [part.x for part in parts]


def some_of(count: int, places: range, last: int | None) -> tuple[Any, ...]:
    parts = [Part(x) for x in range(count)]
    return parts, [parts[place] if place < count else Part(place) for place in places], Part(70) if last is None else parts[last]


def chain() -> tuple[Any, ...]:
    last = Part(3)
    middle = Part(2, last)
    return [Part(1, middle), middle, last, Part(4)], 2


def with_one(count: int, place: int, k: int) -> tuple[Any, ...]:
    parts = [Part(x) for x in range(count)]
    return parts, parts[place] if place < count else Part(9), k


@table(
    ("function", "calls"),
    [
        (item_is_an_argument, [with_one(5, 9, 6), with_one(5, 1, 6), with_one(5, 2, 6)]),
        (argument_is_an_item, [with_one(5, 1, 6), with_one(5, 9, 6), with_one(5, 0, 3)]),
        (items_read_in, [with_one(5, 9, 6), with_one(5, 1, 6), with_one(5, 0, 5)]),
        (start_of_many, [with_one(100, 1, 6), with_one(100, 900, 6)]),
        (lists_of_items_joined, [(Part(1), Part(2), 3)]),
        (rows_and_a_list_of_pythons, [some_of(12, range(20, 22), None), some_of(12, range(3), None), some_of(20, range(30, 33), 2)]),
        (list_of_pythons_and_rows, [some_of(12, range(20, 22), None), some_of(12, range(3), None), some_of(20, range(30, 33), 2)]),
    ],
)
def test_calls_tell_whether_an_object_stands_under_two_names(function: Any, calls: Any) -> None:
    assert_agrees(function, *calls)


@table(
    ("function", "arguments"),
    [
        *((function, ([Part(x) for x in range(5)], 3)) for function in (found_in_dict, found_in_dict_and_grown, kept_in_list)),
        *((function, ([Part(x) for x in range(5)], 30)) for function in (sorted_and_changed, gone_through_as_values)),
        *((function, ([Part(x) for x in range(5)], k)) for function in (changed_under_both_names, chosen_and_grown) for k in (1, 3)),
        *((function, ([Part(1), Part(2)], k)) for function in (chosen_list_grown, chosen_dict_written) for k in (2, 4)),
        *((chosen_list_returned, ([Part(1), Part(2)], k)) for k in (2, 4)),
        (chosen_among_constants, ([], 3)),
        (one_inside_another, chain()),
        *((kept_and_left_behind, ([Part(x) for x in range(n)], 5)) for n in (4, 30)),
        *((function, ([Part(x) for x in range(4)], 5)) for function in (list_kept_and_left_behind, dict_kept_and_left_behind)),
    ],
)
def test_a_change_under_one_name_is_seen_under_the_other(function: Any, arguments: Any) -> None:
    assert_agrees(function, arguments)


KEPT: list[int] = []
HOLDER = Part(1)


def kept_by_name(part: Part) -> Any:
    global KEPT
    before = KEPT is part.items, HOLDER.items is part.items, KEPT is HOLDER.items
    KEPT = part.items
    return before, KEPT[0]


def test_lists_found_outside_are_one_or_two_in_each_call() -> None:
    global KEPT
    compiled = ag.compile(kept_by_name, fallback="error")
    part, lists = Part(2), ([1, 2], [1, 2])
    for first, second, third in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0), (1, 1, 0)]:
        found = []
        for function in (kept_by_name, compiled):
            KEPT, HOLDER.items, part.items = lists[first], lists[second], lists[third]
            found.append((function(part), KEPT is lists[third]))
        assert found[0] == found[1]
