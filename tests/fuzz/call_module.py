"""The module of the random sequences of calls: globals of every kind, classes, closures and functions that read them."""

from __future__ import annotations

MODULE = """
import collections
import copy
import enum
import functools
import math
import random
import types
from dataclasses import dataclass, field
from math import floor

import numpy as np


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


Point = collections.namedtuple("Point", "x y")


class Tank:
    factor = 2
    unit = "l"
    tags = ["t"]
    limits = {"low": 1}

    def __init__(self, level=1):
        self.level = level
        self.items = [1, 2]
        self.table = {"a": 1}

    def fill(self, by):
        self.level += by * self.factor
        return self.level

    def peek(self):
        return self.level * self.factor + LIMIT

    @property
    def full(self):
        return self.level > LIMIT

    @staticmethod
    def double(v):
        return v * 2

    @classmethod
    def named(cls):
        return cls.unit + NAME


class SubTank(Tank):
    def peek(self):
        return super().peek() + 1


@dataclass
class Cell:
    v: float = 1.0
    n: int = 2
    seen: list = field(default_factory=list)


class Slotted:
    __slots__ = ("v", "n")

    def __init__(self, v):
        self.v = v


LIMIT = 3
RATE = 0.5
NAME = "ab"
FLAG = True
NOTHING = None
TABLE = [1, 2, 3]
ROWS = [[1, 2], [3]]
WEIGHTS = [0.5, 1.5]
NAMES = ["a", "b"]
SCORES = {"a": 1, "b": 2}
GROUPS = {"a": [1, 2], "b": []}
PAIR = (1, 2.5)
POINT = Point(1, 2)
CHOSEN = {1, 2}
QUEUE = collections.deque([1, 2])
GRID = np.arange(4.0)
COUNTS = np.arange(5)
MODE = Color.RED
TANK = Tank(1)
OTHER = Tank(2)
TANKS = [TANK, OTHER]
CELL = Cell()
SLOT = Slotted(1)
COUNT = 0
KEPT = [1]
LAST = None
LOG = []
MEMO = {}
conf = types.SimpleNamespace(rate=2, mode="x", sizes=[1, 2])
RNG = np.random.default_rng(1)
last = None
v_ = [1]


def frozen(x):
    x.flags.writeable = False
    return x


def scale(v, by=2):
    return v * by


def weigh(v, seen=[]):
    seen.append(1)
    return v + len(seen)


def clipped(v):
    return v if v < LIMIT else LIMIT


def memo(v):
    if v not in MEMO:
        MEMO[v] = v * RATE
    return MEMO[v]


def down(v):
    return 0 if v < 1 else down(v - 1) + LIMIT


def pairs(vs):
    for v in vs:
        yield v, LIMIT


def keep(v):
    global LAST
    LAST = v
    return v


def noted(function):
    @functools.wraps(function)
    def wrapped(v):
        LOG.append(NAME)
        return function(v)

    return wrapped


@noted
def marked(v):
    return v + COUNT


def make_closure(cell):
    held = [1]

    def inner(v):
        return v * cell + len(held)

    def put(v):
        held.append(v)

    def set_cell(v):
        nonlocal cell
        cell = v

    return inner, put, set_cell


inner, put, set_cell = make_closure(2)
FUNCS = [scale, clipped]
HANDLERS = {"a": scale, "b": clipped}
PART = functools.partial(scale, by=3)
"""
