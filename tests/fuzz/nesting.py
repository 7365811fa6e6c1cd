"""Programs of blocks in one another: each kind of statement stands in each kind of block, and in two of them.

Seeds are all such programs in a fixed order: first those of one block, then of two, then of three. A statement that cannot stand in its
blocks (`break` outside of a loop) makes way for the next one that can.
"""

from __future__ import annotations

import inspect

from tests.fuzz.nested_statements import STATEMENTS

HOLE = "HOLE"  # where the statement stands in a block
BLOCKS = """
for i in range(n):
    HOLE

while i < n:
    i += 1
    HOLE

for i, x in enumerate([0.5 * k for k in range(n)]):
    HOLE

if n % 2:
    HOLE
else:
    out.append('even')

if n > 100:
    out.append(n)
elif n > 2:
    HOLE

try:
    HOLE
except ValueError as error:
    out.append(str(error))

try:
    HOLE
except (KeyError, Trouble):
    out.append('key')
else:
    out.append('else')
finally:
    out.append('finally')

try:
    if n > i:
        raise Trouble(i)
except Trouble as error:
    out.append(len(error.args))
    HOLE

try:
    out.append(1)
    if n == 3:
        raise ValueError(n)
finally:
    HOLE

with Stage(out) as stage:
    HOLE

with suppress(ValueError, IndexError):
    HOLE

def inner(i, x):
    HOLE
    return x
for k in range(n):
    x = inner(k, x)

def inner(k, x=1.5):
    i = k
    if k <= 0:
        return 0
    HOLE
    return inner(k - 1) + 1
x = inner(n)

def items(x=2.5):
    for i in range(n):
        yield i
        HOLE
for k in items():
    out.append(k)

def items(x):
    for i in range(n):
        HOLE
        yield x
out.append(sum(items(x)))

class Worker:
    def __init__(self, x):
        self.x = x
    def work(self, i, x):
        HOLE
        self.x += i
worker = Worker(0)
for k in range(n):
    worker.work(k, 0.5)
out.append(worker.x)

match n % 3:
    case 0:
        HOLE
    case 1 | 2 if n > 3:
        out.append('guard')
    case _:
        x = 2

for i in range(n):
    if i == 4:
        break
else:
    HOLE

for i in range(n):
    for k in range(i):
        HOLE
    out.append(i)

while True:
    i += 1
    if i > n:
        break
    HOLE

def outer():
    nonlocal x, i
    for k in range(n):
        i = k
        HOLE
outer()

if flag := n > 4:
    pass
else:
    HOLE
""".strip().split("\n\n")
HEADER = '''import functools
from contextlib import suppress

import numpy as np

SEEN = 0


class Trouble(Exception):
    pass


class Stage:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, error, traceback):
        self.log.append("exit" if kind is None else kind.__name__)
        return False


class Shield:
    def __init__(self):
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.count += 1
        return True


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Point({self.x}, {self.y})"

    def __eq__(self, other):
        return isinstance(other, Point) and self.x == other.x


def double(i):
    if i == 2:
        raise ValueError("two")
    return i * 2


'''
PROGRAMS = [len(BLOCKS) ** depth * len(STATEMENTS) for depth in (1, 2, 3)]
ALL = sum(PROGRAMS)


def parts_of(seed: int) -> tuple[list[int], int]:
    """The blocks of a seed, the innermost last, and the statement that stands there."""
    place = seed % ALL
    depth = 1
    while place >= PROGRAMS[depth - 1]:
        place, depth = place - PROGRAMS[depth - 1], depth + 1
    blocks = []
    for _ in range(depth):
        place, block = divmod(place, len(BLOCKS))
        blocks.append(block)
    candidates = ((place + k) % len(STATEMENTS) for k in range(len(STATEMENTS)))
    return blocks, next(statement for statement in candidates if fits(module(blocks, statement)))


def nested_program_text(seed: int) -> str:
    """The module of a seed."""
    return module(*parts_of(seed))


def module(blocks: list[int], statement: int) -> str:
    """A statement in blocks, the innermost last."""
    lines = STATEMENTS[statement].splitlines()
    for block in reversed(blocks):
        lines = [line for each in BLOCKS[block].splitlines() for line in filled(each, lines)]
    body = "".join(f"    {line}\n" for line in ["i, x, out = 0, 1.5, []", *lines, "return out, x, i"])
    return f"{HEADER}def f(n):\n{body}\n\nCALLS = (\n    lambda: (5,),\n    lambda: (3,),\n    lambda: (0,),\n)\n"


def filled(line: str, lines: list[str]) -> list[str]:
    """A line of a text with a hole, or what stands in that."""
    return [line.replace(HOLE, each) for each in lines] if line.strip() == HOLE else [line]


def fits(text: str) -> bool:
    """Whether Python takes the program, and its function gives a result, not a generator."""
    try:
        code = compile(text, "<nested>", "exec")
    except SyntaxError:
        return False
    function = next(const for const in code.co_consts if getattr(const, "co_name", None) == "f")
    inner = [const for const in function.co_consts if getattr(const, "co_name", None) in ("inner", "work", "outer")]
    return not any(each.co_flags & inspect.CO_GENERATOR for each in (function, *inner))
