"""Instances and dicts that the caller's lists and dicts hold: read where they keep what they hold, and written there."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field

import pytest

import autograph_jit as ag
from tests.tables import table


@dataclass
class Part:
    name: str
    price: float
    count: int = 0
    extra: float | None = None


@dataclass(slots=True)
class Slotted:
    name: str
    price: float
    count: int = 0


@dataclass
class Tagged:
    n: int
    tags: list = field(default_factory=list)


class Node:
    def __init__(self, name, w):
        self.name, self.w, self.seen, self.links = name, w, 0, []

    def __repr__(self):
        return f"Node({self.name}, {self.w}, {self.seen}, {[other.name for other in self.links]})"


class Sized:
    size = 1.5

    def __init__(self, x, size=None):
        self.x = x
        if size is not None:
            self.size = size


class Wide:
    """More attributes than instances of a class share the names of."""

    def __init__(self, k):
        for i in range(40):
            setattr(self, f"a{i}", float(i + k))


def tag_odd(items):
    for item in items:
        if item.n % 2 and "odd" not in item.tags:
            item.tags.append("odd")
    return [len(item.tags) for item in items]


def note_numbers(items):
    for k in range(30):
        items[k * 7 % len(items)].tags.append(k)
    return [sum(item.tags) for item in items]


def note_flags(items):
    for item in items:
        item.tags.extend([item.n > 3, item.n % 2 == 0])
    return [any(item.tags) for item in items]


def count_tags(items):
    return sum(len(item.tags) + item.n for item in items)


def note_several(items):
    for item in items:
        item.tags.append(item.n)
        item.tags.append("a")
    return [len(item.tags) for item in items]


def spread(nodes):
    for _ in range(3):
        means = [sum(other.w for other in node.links) / len(node.links) if node.links else node.w for node in nodes]
        for node, w in zip(nodes, means):
            node.w = w
    return [node.w for node in nodes]


def parts_of_graph(nodes):
    count = 0
    for node in nodes:
        todo = [] if node.seen else [node]
        count += not node.seen
        while todo:
            found = todo.pop()
            found.seen = count
            todo.extend(other for other in found.links if not other.seen)
    return count, [node.seen for node in nodes], nodes[0] in nodes[1].links


def names_of_links(nodes):
    return [[other.name for other in node.links] for node in nodes], max(nodes, key=lambda node: len(node.links)).name


def link_anew(nodes):
    nodes[0].links.append(nodes[3])
    nodes[1].links = nodes[2].links
    return [len(node.links) for node in nodes]


def graph_of(n, links=3):
    nodes = [Node(f"n{k}", k * 0.5) for k in range(n)]
    for k, node in enumerate(nodes):
        node.links.extend(nodes[(k * 5 + j * 7 + 1) % n] for j in range(k % links))
    return nodes


def tagged(n):
    return [Tagged(k) for k in range(n)]


def raise_prices(parts):
    for part in parts:
        part.price *= 1.5
        part.count += 1
    return sum(part.price for part in parts)


def set_none(parts):
    for part in parts:
        part.extra = part.price if part.count % 2 else None
    return len(parts)


def cheap(parts):
    return [part for part in parts if part.price < 10.0]


def by_class(xs):
    return sum(x.x * x.size for x in xs)


def grow(xs):
    for x in xs:
        x.size = x.size + x.x


def far_apart(xs):
    total = 0.0
    for x in xs:
        total += x.a3 + x.a35
        x.a7 = total
    return total


def weigh(rows):
    for row in rows:
        row["w"] = row["w"] * 2
    return sum(row["n"] * row["w"] for row in rows)


def sum_of_dicts(d):
    total = 0.0
    for v in d.values():
        total += v["a"] * v["b"]
    return total


def look_up(d, keys):
    return [d[key]["a"] for key in keys]


def add_up(d):
    for key in d:
        d[key]["a"] += 1.0
    return d


def pick(d):
    return {key: v for key, v in d.items() if v["a"] > 3.0}


def put_anew(d):
    d["k1"] = d["k2"]
    d["k3"]["a"] = -1.0
    return d["k1"] is d["k2"]


def drop(d):
    del d["k4"]
    return d.pop("k5")["a"], len(d)


def settle(d, lines):
    lost = []
    for name, count in lines:
        part = d.get(name)
        if part is None:
            lost.append(name)
        else:
            part.count += count
    return lost


def change_other(d, other):
    total = sum(v["a"] for v in d.values())
    other["a"] = 100.0
    return total + d["k1"]["a"]


def change_row(rows, other):
    total = sum(row["a"] for row in rows)
    other["a"] = 100.0
    return total + rows[1]["a"]


def total_up(rows):
    for row in rows:
        row["total"] = row["n"] * row["w"]
    return sum(row["total"] for row in rows)


def mark_odd(rows):
    for row in rows:
        if row["w"] % 2:
            row["odd"] = True
    return [row.get("odd", False) for row in rows], sum("odd" in row for row in rows)


def expect_odd(rows):
    for row in rows:
        if row["w"] % 2:
            row["odd"] = 1
    return sum(row["odd"] for row in rows)


def count_orders(rows, orders):
    by_number, lost = {row["n"]: row for row in rows}, 0
    for order in orders:
        row = by_number.get(order)
        if row is None:
            lost += 1
        else:
            row["orders"] = row.get("orders", 0) + 1
    return lost


def divide(rows):
    for row in rows:
        row["share"] = 10 / (row["n"] - 15)


def give_two(rows):
    for row in rows:
        row["b"] = row["w"]
        row["a"] = 1.5
    return len(rows)


def leave_with_more(rows):
    for row in rows:
        row["total"] = row["w"] * 2
    return [row for row in rows if row["total"] > 3]


def show(rows):
    for row in rows:
        row["total"] = row["w"] * 2
    return [list(row.items()) for row in rows[:2]]


def add_to_all(d):
    for v in d.values():
        v["c"] = v["a"] + v["b"]
    return sum(v["c"] for v in d.values())


def parts_of(n, kind=Part):
    return [kind(f"p{k}", k * 0.5, k % 5) for k in range(n)]


def rows_of(n):
    return [{"n": k, "w": k % 4} for k in range(n)]


def in_other_order(n):
    return [{"n": k, "w": k % 4} if k % 2 else {"w": k % 4, "n": k} for k in range(n)]


def dicts_of(n):
    return {f"k{k}": {"a": k * 0.5, "b": float(k * 7 % 11)} for k in range(n)}


def parts_by_name(n):
    return {part.name: part for part in parts_of(n)}


def looked_into(n):
    found = parts_of(n)
    assert all(map(vars, found))
    return found


ONE_TWICE = dicts_of(90)
ONE_TWICE["k1"] = ONE_TWICE["k8"]
TWO_ROWS = rows_of(80)
TWO_ROWS.append(TWO_ROWS[3])
WHOLE = dicts_of(90)
LISTED = list(dicts_of(90).values())


@pytest.mark.native
@table(
    "function, arguments",
    [
        (raise_prices, [(parts_of(30),), (parts_of(100),), (looked_into(40),)]),
        (raise_prices, [(parts_of(30, Slotted),), (parts_of(100, Slotted),)]),
        (set_none, [(parts_of(30),), (parts_of(50),)]),
        (cheap, [(parts_of(40),), (parts_of(10, Part),)]),
        (by_class, [([Sized(k) for k in range(20)],), ([Sized(k, k % 2 or None) for k in range(20)],)]),
        (grow, [([Sized(0.5 * k) for k in range(20)],), ([Sized(0.5 * k, 2.5) for k in range(20)],)]),
        (far_apart, [([Wide(k) for k in range(12)],), ([Wide(k) for k in range(30)],)]),
        *((function, [(tagged(20),), (tagged(50),)]) for function in (tag_odd, note_numbers, note_flags, count_tags, note_several)),
        *((function, [(graph_of(40),), (graph_of(90, 5),)]) for function in (spread, parts_of_graph, names_of_links)),
        (link_anew, [(graph_of(12),), (graph_of(14),)]),
        (weigh, [(rows_of(20),), (in_other_order(30),), (TWO_ROWS,)]),
        (weigh, [(json.loads(json.dumps(rows_of(20))),), ([*map(json.loads, ['{"n": 1, "w": 2}'] * 20)],)]),
        (weigh, [(rows_of(20),), ([{"n": 2**70, "w": 1}, *rows_of(20)],)]),
        (sum_of_dicts, [(dicts_of(80),), (ONE_TWICE,)]),
        (look_up, [(dicts_of(80), ["k1", "k2"]), (dicts_of(70), ["k1", "no"])]),
        (add_up, [(dicts_of(80),), (ONE_TWICE,)]),
        (pick, [(dicts_of(80),), (ONE_TWICE,)]),
        (put_anew, [(dicts_of(80),), (ONE_TWICE,)]),
        (drop, [(dicts_of(80),), (dicts_of(99),)]),
        (settle, [(parts_by_name(80), [("p1", 2), ("q", 3)] * 5), (parts_by_name(90), [("p9", 2)] * 70)]),
        (change_other, [(WHOLE, WHOLE["k1"]), (dicts_of(80), {"a": 1.0})]),
        (change_row, [(LISTED, LISTED[1]), (list(dicts_of(80).values()), {"a": 1.0})]),
    ],
)  # fmt: skip
def test_what_rows_hold_is_as_in_python(function, arguments) -> None:
    made = ag.compile(function, fallback="error")
    for given in (*arguments, *arguments):
        expected, found = (outcome(each, copy.deepcopy(given)) for each in (function, made))
        assert found == expected


def test_lists_that_are_empty_in_every_row_are_data() -> None:
    made = ag.compile(tag_odd, fallback="error")
    items = tagged(40)
    assert made(items) == tag_odd(tagged(40)) == made(items)
    assert [item.tags for item in items[:3]] == [[], ["odd"], []]
    assert made.graph(tagged(40)).startswith("graph tag_odd(%instances: object) {")


def test_lists_of_instances_in_instances_are_data_where_they_are_read() -> None:
    made = ag.compile(spread, fallback="error")
    assert made(graph_of(40)) == spread(graph_of(40))
    assert made.graph(graph_of(40)).startswith("graph spread(%instances: object) {")


@pytest.mark.native
@table(
    "function, further",
    [
        *((function, ()) for function in (total_up, mark_odd, expect_odd, divide, give_two, leave_with_more, show)),
        (count_orders, ([1, 5, 77, 5, 3, 1, 90],)),
    ],
)
def test_dicts_are_given_keys_as_in_python(function, further) -> None:
    made = ag.compile(function, fallback="error")
    marked = rows_of(20)
    for row in (marked[3], marked[5]):
        row.update(total=7.0, odd=True, orders=4)
    for rows in (rows_of(20), rows_of(30), marked, TWO_ROWS, rows_of(14)):
        expected, found = (outcome(each, copy.deepcopy((rows, *further))) for each in (function, made))
        assert found == expected


@pytest.mark.native
def test_dicts_that_are_given_a_key_are_rows() -> None:
    for function, rows in ((total_up, rows_of), (add_to_all, dicts_of)):
        made = ag.compile(function, fallback="error")
        assert made(rows(80)) == function(rows(80))
        assert "host calls    attributes of instances" in made.explain(rows(80)) and "1 program" in made.explain(rows(90))


def outcome(function, given):
    """What a call gives or raises, what its arguments hold then, and which objects are which."""
    try:
        result = function(*given)
    except (KeyError, ZeroDivisionError) as error:
        result = repr(error)
    inside = [x for each in given for x in (each.values() if type(each) is dict else each)]
    held = {id(x): place for place, x in enumerate(inside)}
    leaves = list(result.values()) if type(result) is dict else result if type(result) is list else []
    return shown(result), shown(given), [held.get(id(x)) for x in leaves if not isinstance(x, (int, float, str))]


def shown(x):
    """The content with the order of keys, and attributes."""
    if isinstance(x, dict):
        return [(key, shown(value)) for key, value in x.items()]
    if isinstance(x, (list, tuple)):
        return type(x), list(map(shown, x))
    return (type(x), shown(vars(x))) if isinstance(x, (Part, Sized, Wide)) else repr(x)


class Tally:
    times = 0

    def add(self):
        self.times += 1


def add_to(tally):
    tally.add()
    return tally.times


@pytest.mark.native
def test_an_attribute_of_the_class_is_read_until_the_instance_has_its_own() -> None:
    made, tally, other = ag.compile(add_to, fallback="error"), Tally(), Tally()
    assert [made(tally), made(tally), made(other), made(tally), made(other)] == [1, 2, 1, 3, 2]
    assert vars(tally) == {"times": 3} and Tally.times == 0


@pytest.mark.native
def test_dicts_in_a_dict_are_rows() -> None:
    made = ag.compile(sum_of_dicts, fallback="error")
    assert made(dicts_of(80)) == sum_of_dicts(dicts_of(80))
    assert "attributes of instances" in made.explain(dicts_of(80)) and "1 program" in made.explain(dicts_of(90))
