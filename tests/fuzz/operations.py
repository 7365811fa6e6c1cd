"""Programs of one operation: each thing that programs do with a container or value, by where that comes from and where it is done.

Random programs use few of the methods that Python's types have, and seldom as the first thing that happens to a container in a loop.
Here each seed is one of all programs, in a fixed order.
"""

from __future__ import annotations

from tests.fuzz.nesting import filled
from tests.fuzz.operations_on_containers import CONTAINERS
from tests.fuzz.operations_on_values import VALUES

# Where `c` comes from: written out, empty, made in the run, of the caller's, an attribute, an item of a list, a variable of functions.
SOURCES = {
    "literal": "c = {literal}",
    "empty": "c = {empty}",
    "made": "c = {made}",
    "argument": "",
    "empty argument": "",
    "held": "h = Holder()\nh.c = {literal}\nc = h.c",
    "element": "rows = [{literal}, {made}]\nc = rows[n % 2]",
    "captured": "c = {made}",
}
PLACES = """
HOLE

for i in range(n):
    HOLE

if n > 2:
    HOLE

for i in range(n):
    if i % 2:
        HOLE

def g(c, i):
    HOLE
    return c
for i in range(n):
    d = g(c, i)

for i in range(n):
    try:
        HOLE
    except Exception as error:
        out.append(type(error).__name__ + ': ' + str(error))

k = 0
while k < n:
    k += 1
    i = k % 3
    HOLE
    if k == 2:
        c = identity(c)
""".strip().split("\n\n")
HEADER = '''import array
import bisect
import cmath
import copy
import dataclasses
import functools
import heapq
import itertools
import math
import re
import statistics
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import numpy as np


class Holder:
    pass


def filled(into, n):
    for k in range(n):
        into[k % 2].append(k)
    return into


def identity(x):
    return x


Named = namedtuple("Named", "a b")


class Point:
    kind = "plain"

    def __init__(self, x, y):
        self.x, self.y, self.log = x, y, []

    def __repr__(self):
        return f"Point({self.x}, {self.y})"

    def __eq__(self, other):
        return isinstance(other, Point) and self.x == other.x

    def __hash__(self):
        return hash(self.x)

    def __lt__(self, other):
        return self.x < other.x

    def __add__(self, other):
        return Point(self.x + other.x, self.y)

    def __neg__(self):
        return Point(-self.x, self.y)

    def __len__(self):
        return 2

    def __getitem__(self, place):
        return (self.x, self.y)[place]

    def __iter__(self):
        yield self.x
        yield self.y

    def __call__(self, k):
        return self.x * k

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, *error):
        self.log.append("out")

    @property
    def double(self):
        return self.x * 2

    @classmethod
    def made(cls, k):
        return cls(k, k)

    def move(self, k):
        self.x += k

    def moved(self, k):
        return Point(self.x + k, self.y)
'''
PROGRAMS = [
    (kind, operation.strip(), source, place)
    for kind, (*_, operations) in {**CONTAINERS, **VALUES}.items()
    for operation in operations.strip().replace("\n", " ;; ").split(" ;; ")
    for source in SOURCES
    for place in PLACES
]


def operation_program_text(seed: int) -> str:
    """The module of a seed."""
    kind, operation, source, place = PROGRAMS[seed % len(PROGRAMS)]
    literal, empty, made, _ = {**CONTAINERS, **VALUES}[kind]
    lines = operation.split("; ")
    if source == "captured":
        lines = ["def inner(i):", "    nonlocal c, out", *(f"    {line}" for line in lines), "inner(i)"]
        place = place.replace("def g(c, i):", "def g(_, i):\n    nonlocal c, out")
    body = ["i, out = n % 3, []", *SOURCES[source].format(literal=literal, empty=empty, made=made).splitlines()]
    body += [line for each in place.splitlines() for line in filled(each, lines)]
    body.append("return c, out, i" + {"held": ", h.c", "element": ", rows"}.get(source, ""))
    given = {"argument": f", {literal}", "empty argument": f", {empty}"}.get(source, "")
    calls = "".join(f"    lambda: ({n}{given},),\n" for n in (4, 1, 0))
    lines = "".join(f"    {line}\n" for line in body if line)
    return f"{HEADER}def f(n{', c' if given else ''}):\n{lines}\n\nCALLS = (\n{calls})\n"
