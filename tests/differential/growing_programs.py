"""Programs whose values hold those of the trip before, items asked for one by one, and functions kept in lists."""

from __future__ import annotations

import enum
from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


def it(*values):
    return np.array(values, dtype=np.int64)


class Node(NamedTuple):
    value: float
    left: "Node | None" = None
    right: "Node | None" = None

    def total(self):
        return self.value + (self.left.total() if self.left else 0) + (self.right.total() if self.right is not None else 0)


@program(lambda: (fl(1, 2, 3),), lambda: (fl(-1, 4),), lambda: (fl(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),))
def namedtuple_that_holds_itself(x):
    t = None
    for v in x:
        t = Node(v, t, None) if t is None or len(x) % 2 else Node(v, None, t)
    return t.total(), t.value, t._replace(value=0.0).total(), t._asdict()["value"], t == t, t[0]


@program(lambda: (fl(1, 2, 3),), lambda: (fl(),), lambda: (fl(*range(12)),))
def linked_list_of_tuples(x):
    head = None
    for v in x:
        if v > 0:
            head = (v, head)
    out = []
    while head is not None:
        v, head = head
        out.append(v)
    return out


@program(lambda: (fl(3, -1, 2),), lambda: (fl(5.5),), lambda: (fl(),), lambda: (fl(1, 2, 3, 4, 5, 6, 7, 8, 9),))
def items_asked_for_one_by_one(x):
    items = iter(x)
    out = []
    while (v := next(items, None)) is not None:
        out.append(v)
        if v < 0:
            next(items, None)
    seq = [1, 2, 3, 4]
    seq[1:3] = [v for v in x if v > 0]
    return out, seq


@program(lambda: (it(3),), lambda: (it(-1),))
def texts_of_wrong_conversions(n):
    v = int(n[0])
    out = []
    for op in (lambda: int(v, 2), lambda: iter(5), lambda: int("z", 16), lambda: float("x"), lambda: chr(-v - 5)):
        try:
            out.append(op())
        except Exception as e:
            out.append((type(e).__name__, str(e)))
    return out


X3 = (lambda: (fl(3, -1, 2),), lambda: (fl(5.5),), lambda: (fl(-2, 0, 0, 7, 1.5),))


XE = (*X3, lambda: (fl(),))


@program(*XE)
def slices_of_a_list_by_data(x):
    seq = [1, 2, 3, 4, 5, 6]
    seq[1:3] = [v for v in x]
    seq[::2] = ["e"] * len(seq[::2])
    del seq[-1]
    seq += (7, 8)
    seq *= 2 if len(x) < 3 else 1
    return seq, seq[-2:], seq.count("e"), 7 in seq


@program(*XE)
def ordered_dict_by_data(x):
    od = OrderedDict()
    for i, v in enumerate(x):
        od[int(v) % 3] = i
    if od:
        od.move_to_end(next(iter(od)))
    return list(od), list(od.values()), od


@program(*XE)
def functions_with_defaults_in_a_list(x):
    fns = []
    for i, v in enumerate(x):

        def f(a, b=v):
            return a * b + i

        fns.append(f)
    return [f(2) for f in fns], [f(1, b=0) for f in fns][:1]


N3 = (lambda: (it(3, -1, 2),), lambda: (it(5),), lambda: (it(0, 9, 4, 4, 1),))


NE = (*N3, lambda: (it(),))


@program(*NE)
def cyclic_redundancy_check(n):
    crc = 0xFFFF
    for v in n:
        crc ^= int(v) & 0xFF
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return crc, hex(crc), f"{crc:04X}"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 10


@program(lambda: (it(1, 10, 4), Level.LOW), lambda: (it(1, 1), Level.HIGH), lambda: (it(), Level.HIGH))
def members_of_an_enum_that_are_numbers(n, level):
    out = []
    for v in n:
        out.append(v + level if v >= level else level)
    return out, level * 2, level > Level.LOW, str(level)


@program(lambda: (1 + 2j, fl(1, 2)), lambda: (1 + 2j, fl(-1, 2)))
def attributes_of_a_number_of_two_types(z, x):
    w = z
    if x[0] < 0:
        w = w * (x[1] * 1j)
    return w + 1, w.conjugate(), w.real, w.imag, -w, type(w).__name__


@program(lambda: (it(3, 1, 3),), lambda: (it(2),))
def items_removed_by_value(n):
    items = [int(v) for v in n]
    try:
        items.remove(3)
        items.remove(int(n[0]))
    except ValueError as error:
        items.append(str(error))
    return items


@program(
    lambda: (fl(0.5, -1, 2, 0.25), 3.0),
    lambda: (fl(-0.5, -1), 3.0),
    lambda: (fl(0.5, -1, 2), -1.0),
    lambda: (np.array([0.5, 1.0, 2.0], np.float32), 9.0),
)
def pieces_joined_after_the_loop(x, end):
    pieces = []
    while np.sum(np.abs(x)) < end:
        pieces.append(x[x > 0])
        x = x * 1.5
    flat = np.concatenate(pieces)
    return flat, np.hstack(pieces), np.concatenate(pieces + [flat]), np.concatenate([*pieces, x]), np.concatenate(pieces[1:] or [x])


@program(lambda: (fl(0.5, -1, 2, 0.25), 9.0), lambda: (fl(0.5, -1), 1.0), lambda: (fl(-1.0), 5.0))
def rows_joined_after_the_loop(x, end):
    rows = []
    while np.sum(np.abs(x)) < end:
        rows.append(x)
        x = x * 1.5
    return np.vstack(rows), np.column_stack(rows), np.dstack(rows).shape, np.concatenate(rows, axis=None), np.concatenate(rows, axis=1)
