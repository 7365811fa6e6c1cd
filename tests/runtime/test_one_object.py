"""What Python is given for good and what leaves compiled code besides is one object; rows taken out of the caller's containers are his."""

from __future__ import annotations

import collections
import types

import autograph_jit as ag
from tests.fuzz.portraits import portrait, portrait_fault
from tests.tables import table


class Part:
    def __init__(self, x):
        self.x, self.items = x, [x]


def fresh():
    """What the functions below find outside of them."""
    return types.SimpleNamespace(
        memo={"q": 1}, kept=[], last=None, rows=[[1], []], groups={"c": [], "e": [2]}, parts=[Part(1), Part(2)], nested=[[[1], [2]], [[3]]]
    )


W = fresh()


def memoised_list(n):
    if n in W.memo:
        return W.memo[n]
    xs = []
    for i in range(n):
        xs.append(i)
    W.memo[n] = xs
    return xs


def registered(n):
    part = Part(n)
    W.kept.append(part)
    return part


def registered_twice(n):
    part = Part(n)
    W.memo[n] = part
    W.last = part
    return part


def attribute_kept(n):
    part = Part(n)
    W.kept.append(part.items)
    return part


def set_kept(n):
    found = {1, n}
    W.memo["s"] = found
    return found


def set_kept_then_changed(n):
    found = {i for i in range(n)}
    W.memo["s"] = found
    found.add(70)
    return len(found)


def known_set_kept_then_changed(n):
    found = {1, n}
    W.memo["s"] = found
    found.add(7)
    return len(found)


def deque_kept(n):
    found = collections.deque([1, n])
    W.memo["s"] = found
    return found


def deque_kept_then_changed(n):
    found = collections.deque()
    for i in range(n):
        found.append(i)
    W.memo["s"] = found
    found.append(3)
    return len(found)


def ordered_kept(n):
    found = collections.OrderedDict()
    found["a"] = n
    W.memo["s"] = found
    return found


def kept_in_a_tuple(n):
    xs = [n]
    W.memo["t"] = (xs, n)
    return {"r": xs}


def kept_on_a_path(n):
    xs = [n]
    if n > 2:
        W.kept.append(xs)
    return xs


def kept_in_each_trip(n):
    rows = []
    for i in range(n):
        row = [i]
        W.memo[i] = row
        rows.append(row)
    return rows


def kept_in_each_trip_by_key(n):
    rows = {}
    for i in range(n):
        row = [i]
        W.memo[i] = row
        rows[i] = row
    return rows


def kept_several_times(n):
    xs = [n]
    for _ in range(3):
        W.kept.append(xs)
    return xs


def put_into_an_argument(n, d):
    d.setdefault("c", []).append(n)
    W.memo["c"] = d["c"]


def put_into_an_argument_by_update(n, d):
    d["c"] = [n]
    W.memo.update(d)


def cyclic_kept(n):
    part = Part(n)
    part.other = Part(part)
    W.memo["t"] = part
    return part.other


KEPT = [
    *(memoised_list, registered, registered_twice, attribute_kept, set_kept, set_kept_then_changed, known_set_kept_then_changed),
    *(deque_kept, deque_kept_then_changed, ordered_kept, kept_in_a_tuple, kept_on_a_path, kept_in_each_trip, kept_in_each_trip_by_key),
    *(kept_several_times, put_into_an_argument, put_into_an_argument_by_update, cyclic_kept),
]


def rows_behind_one_another(n):
    return W.rows + [[n]]


def changed_row(n):
    rows = W.rows + [[n]]
    rows[0].append(9)
    return rows


def changed_instance(n):
    parts = W.parts + [Part(n)]
    parts[0].x += 1
    return [part.x for part in parts]


def extended(n):
    rows = [[0]]
    rows.extend(W.rows)
    return rows


def extended_by_operator(n):
    rows = []
    rows += W.rows
    rows[1] += [n]
    return rows


def extended_by_nested(n):
    rows = []
    rows.extend(W.nested)
    rows[0][0].append(n)
    return rows


def rows_of_rows(n):
    rows = W.nested + []
    return rows[0] + rows[1]


def repeated(n):
    rows = W.rows * 2
    rows[2].append(n)
    return rows


def replaced(n):
    rows = [1]
    rows[0:1] = W.rows
    return rows


def queue_of_rows(n):
    queue = collections.deque(W.rows)
    queue[0].append(n)
    return queue


def updated(n):
    table = {}
    for i in range(n):
        table[i] = [i]
    table.update(W.groups)
    return table


def updated_argument(n, d):
    d.setdefault("c", [])
    d.update(W.groups)


def merged(n):
    table = W.groups | {"z": [n]}
    table["e"].append(n)
    return table


def attributes_updated(n):
    part = Part(1)
    part.__dict__.update(W.groups)
    return part.c


def given_on(n):
    W.kept.extend(W.rows)
    W.kept.append(W.rows + [[n]])


def changed_in_a_loop(n):
    for row in W.rows + [[n]]:
        row.append(n)


TAKEN = [
    *(rows_behind_one_another, changed_row, changed_instance, extended, extended_by_operator, extended_by_nested, rows_of_rows, repeated),
    *(replaced, queue_of_rows, updated, updated_argument, merged, attributes_updated, given_on, changed_in_a_loop),
]


def replace_rows():
    W.rows[0], W.groups["e"], W.parts[0], W.nested[0] = [7], [8], Part(5), [[4]]


def change_rows():
    W.rows[0].append(3)
    W.groups["e"].append(4)
    W.parts[0].x = 9
    W.nested[0][0].append(5)


def make_rows_one():
    W.rows[1], W.groups["e"], W.parts[1], W.nested[0] = W.rows[0], W.groups["c"], W.parts[0], W.nested[1]


CHANGES = [lambda: None, lambda: None, replace_rows, change_rows, make_rows_one, lambda: None]


def portraits(function, original):
    """What a call after each change leaves behind: its result, its argument and the variables outside."""
    vars(W).update(vars(fresh()))
    found = []
    for change in CHANGES:
        change()
        given = [{"a": 2}] if original.__code__.co_argcount == 2 else []
        found.append(portrait((function(5, *given), given, vars(W))))
    return found


@table("function", [*KEPT, *TAKEN], ids=lambda function: function.__name__)
def test_one_object_in_compiled_code_as_in_python(function) -> None:
    want = portraits(function, function)
    got = portraits(ag.compile(function, fallback="error"), function)
    faults = [portrait_fault(*pair) for pair in zip(got, want, strict=True)]
    assert not any(faults), faults
