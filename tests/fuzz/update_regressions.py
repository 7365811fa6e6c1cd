"""Programs that change containers by operators and by methods of their classes: faults found by hand, a comment says what went wrong."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from itertools import islice

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
CALLS = (lambda: (np.array([3.0, -1.0, 2.5, 0.0]), 3), lambda: (np.array([1.0, 1.0]), 0), lambda: (np.array([]), -2))


@program(*CALLS)
def sets_updated_by_operators(x, n):  # they changed while tracing, on every path
    s, u, v = {1}, {1, 2, 3}, {1, n}
    t = s
    if n > 0:
        s |= {n}
    if n == 0:
        u -= {2}
    for item in x:
        v ^= {int(item)}
    return s, t, s is t, u, v


@program(*CALLS)
def deques_and_counters_updated_by_operators(x, n):  # likewise
    d, c, e = deque([1]), Counter("ab"), defaultdict(list)
    if n > 0:
        d += [n]
        c += Counter("b")
        e |= {"a": [n]}
    for item in x:
        d += [item]
        e["q"] += [item]
    c -= Counter("a")
    return list(d), c, dict(e), e.default_factory is list


@program(*CALLS)
def dicts_updated_by_operators(x, n):  # entries were lost
    d = {"a": 1}
    e = d
    if n > 0:
        d |= {"b": n}
    for i, item in enumerate(x):
        d |= {i: item}
    d |= [("q", n)]
    return d, d is e, d | {"z": 1}, {"y": 0} | d, list(reversed(d)), d == e, d != {}, d == {"a": 1}


@program(*CALLS)
def last_entries_taken(x, n):  # the dict passed for empty
    d = {}
    for item in x:
        d[int(item)] = item
    d[n] = "n"
    found = [d.popitem(), len(d)]
    d.clear()
    try:
        d.popitem()
    except KeyError as error:
        found.append(str(error))
    return found


@program(lambda: ({1}, deque([1]), {"a": 1}, [1], 3), lambda: ({1}, deque([1]), {"a": 1}, [1], -3))
def containers_of_the_caller_updated_by_operators(s, d, e, items, n):  # they changed while tracing
    if n > 0:
        s |= {n}
        d += [n]
        e |= {"b": n}
        items += [n]
        list.append(items, n + 1)
    return len(items)


@program(*CALLS)
def methods_of_container_classes(x, n):  # they changed nothing
    a, q, d = [], deque([1]), {}
    for item in x:
        list.append(a, item)
        deque.append(q, item)
        dict.setdefault(d, int(item), n)
    list.insert(a, 0, n)
    list.extend(a, [n, 1])
    found = [list.pop(a), list.index(a, n), list.__contains__(a, n), a.__contains__(77), dict.get(d, 3), dict.__len__(d)]
    list.reverse(a)
    return found, a, list(q), d, deque.__len__(q), callable({n}), callable([n])


def placed(item, box=[]):  # noqa: B006 - the list that is kept is the point
    box.append(item)
    return list(box)


def named(**more):
    more["z"] = 1
    return more


@program(lambda: (3,), lambda: (-2,))
def containers_that_python_made(n):  # what the program did to them was lost
    parts = "a b".split()
    parts.append("c")
    if n > 0:
        parts.append("d")
    joined = {1} | {2}
    joined.add(3)
    joined |= {4}
    counted = Counter("abca").most_common()
    counted.append(n)
    counted += [n]
    names = named(a=n)
    names["k"] = 2
    return parts, joined, counted, names


@program(lambda: (3,), lambda: (-2,))
def default_of_a_function(n):  # a list of the caller's, all the same
    before = len(placed(n))
    return len(placed(n + 1)) - before


@program(lambda: (np.ones(3),), refused="that Python code made while the function was traced is changed in a branch")
def container_that_python_made_changed_in_a_branch(x):
    joined = {1} | {2}
    if x[0] > 0:
        joined.add(4)
    return joined


@program(*CALLS)
def texts_joined_of_items_made_one_by_one(x, n):  # `join` was given what stands for them, and failed
    return (
        " ".join(map(str, x)),
        "-".join(map("{:.1f}".format, [n, 2])),
        str.join("/", map(lambda v: f"{v}", x.tolist())),
        sorted(set(map(str, x))),
        dict(zip(map(str, x), range(9))),
        "".join(map(str.upper, ["a", "b"])),
    )


@program(*CALLS)
def objects_of_the_run_as_places_in_lists(x, n):  # they were no ints
    k = {str(n): n}[str(n)]
    items, other = [5, 3, 1, 4], [0.5, n, 7, 8]
    items.insert(k, n)
    del other[:k]
    found = []
    for change in (lambda: items.pop(k), lambda: other.pop(k), lambda: items.__delitem__(k)):
        try:
            found.append(change())
        except IndexError as error:
            found.append(str(error))
    return items, other, found, (1, 2, 3)[k:], list(enumerate(x, k)), np.tril(np.ones((3, 3)), k)


@program(*CALLS)
def bounds_of_islice(x, n):  # a negative one took nothing
    found, k = [], {str(n): n}[str(n)]
    for cut in (lambda: islice(x, n), lambda: islice([1, 2, 3, 4], 1, n), lambda: islice("abcd", k), lambda: islice(range(9), n, None, 2)):
        try:
            found.append(list(cut()))
        except ValueError as error:
            found.append(str(error))
    return found


@program(*CALLS)
def complex_numbers_without_an_order(x, n):  # the error named the operands turned around
    c, found = complex(n, 1), []
    for compare in (lambda: 0.25 > c, lambda: 2 <= c, lambda: True < c, lambda: 1j >= n, lambda: c < 1j):
        try:
            found.append(compare())
        except TypeError as error:
            found.append(str(error))
    return found, 0.25 == c, 2 != c


PAIRS = [(f"k{k % 6}", [k, "x", None][k % 3]) for k in range(70)]


@program(lambda: (PAIRS, "k1"), lambda: (PAIRS, "k3"), lambda: (PAIRS, "k5"))
def a_text_that_is_added_to_a_number_in_place(pairs, name):  # the error named `+`
    x, found = "a", []
    for a, b in pairs:
        if a == name:
            x = b
    for update in (lambda z: z.__add__(0.5), lambda z: z):
        z = update(1.5)
        try:
            z += x
            found.append(z)
        except TypeError as error:
            found.append(str(error))
    return found
