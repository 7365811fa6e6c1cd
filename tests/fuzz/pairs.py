"""Programs of two halves: what kind of value a function makes, and what a program does with such values; each kind meets each use.

Random programs take long to bring two rare things together. Here each seed is one of all pairs, in a fixed order, and from the number of
pairs on an operator of values of two kinds.
"""

from __future__ import annotations

KINDS = (
    "i * 2", "i * 0.5", "complex(i, 1)", "i % 2 == 0", "10 ** 20 + i", "np.float32(i)", "np.int8(i)", "None if i % 3 == 0 else i",
    "i if i % 2 else 'x'", "'ab' * (i % 3)", "f'k{i}'", "bytes([i, 65])", "(i, i * 0.5)", "(i,) if i % 2 else (i, 2)", "(i, 'q')",
    "[i, i + 1]", "list(range(i))", "[i] if i % 2 else None", "[i] if i % 2 else (i, 1)", "[[i], [i, 2]]", "[(i, 'a'), (2, 'b')]",
    "['a' * i, 'b']", "[{i}, {2}]", "{'a': i, 'b': i * 2}", "{i: i * 0.5}", "{'k': [i]}", "{'a': {i}}", "{k: k % 2 for k in range(i)}",
    "{i, 3}", "{i} if i % 2 else None", "{i} if i % 2 else [i]", "{(i, 2), (1, i)}", "{'a' * i, 'b'}", "frozenset([i])",
    "deque([i, 1])", "Counter([i, i % 2])", "OrderedDict(a=i)", "filled(defaultdict(list), i)", "bytearray([i])", "array('d', [i, 1.5])",
    "range(i)", "slice(0, i)", "np.full(3, i * 1.0)", "np.arange(i)", "Point(i, 0.5)", "Point(i, 1) if i % 2 else None",
    "Record(i, [i])", "Named(i, 'q')", "Colour(i % 2)", "type(ValueError(i)).__name__", "{i: 1}.keys()", "{i: 'a'}.items()", "[i, None]",
    "(None, i)", "{'a': None, 'b': i}", "[0.5 * i, i]", "np.ones((2, i))", "(np.ones(2) * i, i)", "[np.ones(1) * i]", "{'w': np.ones(2)}",
    "float(i) if i % 2 else i", "i % 4 == 1 or i", "Record(None, [(i, 'a')])", "[Point(i, 2), None]", "{'p': Point(i, 2)}",
    "(Named(i, 2), [i])", "np.array([i, 2])[0]", "np.ones(2) if i % 2 else 1.0", "divmod(i, 2)", "str(i).encode()", "i.bit_length()",
)  # fmt: skip
USES = """
out = []
for i in range(n):
    out.append(make(i))
return out

out = {}
for i in range(n):
    out[i] = make(i)
return out

out = {}
for i in range(n):
    out.setdefault(i % 2, []).append(make(i))
return sorted(out.items(), key=lambda pair: pair[0])

out = None
for i in range(n):
    out = make(i)
return out

count = 0
for i in range(n):
    if make(i) == make(n - i):
        count += 1
return count

for i in range(n):
    made = make(i)
    if made and i > 2:
        return i, made
return None

return [make(i) for i in range(n) if i != 2], sum(1 if make(i) else 0 for i in range(n))

return ' '.join(str(make(i)) for i in range(n)), [f'{make(i)}|{i:03d}' for i in range(n)], repr([make(i) for i in range(n)])

def grow(k, found):
    if k == 0:
        return found
    found.append(make(k))
    return grow(k - 1, found)
return grow(n, [])

best = make(0)
for i in range(1, n):
    if i % 4 != 3:
        best = make(i)
return best, make(1)

holder = Holder()
for i in range(n):
    holder.item = make(i)
    holder.all.append(holder.item)
return holder.item, holder.all

stack = [make(0)]
for i in range(n):
    if i % 3 == 2:
        stack.pop()
    else:
        stack.append(make(i))
return stack

def items():
    for i in range(n):
        yield make(i)
iterator = items()
first = next(iterator)
return first, list(iterator)

def inner(k):
    yield make(k)
    yield k
def items():
    for i in range(n):
        yield from inner(i)
return list(items())

x = None
for i in range(n):
    if x is None:
        x = make(i)
    elif i == 3:
        x = None
return x

seen = []
for i in range(n):
    made = make(i % 3)
    if made not in seen:
        seen.append(made)
return seen

return list(zip([make(i) for i in range(n)], range(n))), [(k, made) for k, made in enumerate([make(i) for i in range(n)])]

pair = (make(0), 0)
for i in range(n):
    pair = (make(i), i)
return pair

a = make(1)
b = make(2)
for i in range(n):
    a, b = b, make(i)
return a, b

queue = [make(0)]
k = 0
while queue and k < n:
    made = queue.pop()
    k += 1
    queue.append(make(k))
return queue, made, k

out = []
for i in range(n):
    try:
        if i == 3:
            raise ValueError(i)
        out.append(make(i))
    except ValueError:
        out.append(make(7))
return out

out = []
for i in range(n):
    try:
        if i % 2:
            raise Trouble(make(i))
    except Trouble as error:
        out.append(error.args[0])
return out

out = []
for i in range(n):
    try:
        made = make(i)
        if i == 2:
            continue
        out.append(made)
    finally:
        out.append(i)
return out

def named(a, *, b=None, **rest):
    return b, rest, a
return [named(i, b=make(i), c=i) for i in range(n)]

def taken(*a, **named):
    return a, named
return taken(*(make(1), make(n)), **{'z': make(2)})

best = make(0)
def put(i):
    nonlocal best
    if i % 2:
        best = make(i)
    return i
total = sum(put(i) for i in range(n))
return best, total

out = []
for i in range(n):
    if (made := make(i)) and i > 1:
        out.append(made)
return out

a, *b, c = [make(i) for i in range(n)]
return a, b, c

out = []
for i in range(n):
    match make(i):
        case int():
            out.append('int')
        case [a, b]:
            out.append((b, a))
        case {'a': w}:
            out.append(w)
        case str() as s:
            out.append(s)
        case None:
            out.append(0)
        case _:
            out.append('other')
return out

out = []
for i in range(n):
    made = make(i)
    if isinstance(made, (int, float)):
        out.append(1)
    elif isinstance(made, (list, tuple)):
        out.append(len(made))
    else:
        out.append(type(made).__name__)
return out

made = {i: make(i) for i in range(n)}
return [made.get(i, 'none') for i in range(n + 2)], made.pop(1), made

made = {}
for i in range(n):
    made.setdefault(i % 2, {})[i] = make(i)
return made

made = {}
for i in range(n):
    made[i, i % 2] = make(i)
return made, (1, 1) in made

first = Keeper(make(1))
for i in range(n):
    first.put(make(i))
return first.item, first.log

made = [make(i) for i in range(n)]
made[1:3] = [make(9)]
del made[0]
made.insert(0, make(2))
return made[::-1], made[n // 2]

made = [make(i) for i in range(n)]
for i in range(n // 2):
    made[i], made[n - 1 - i] = made[n - 1 - i], made[i]
return made

a = make(n)
return a, copy.copy(a), copy.deepcopy(a)

return list(map(make, range(n))), list(filter(None, map(make, range(n)))), any(make(i) for i in range(n)), all(map(make, range(n)))

heap = []
for i in range(n):
    heapq.heappush(heap, (n - i, i, make(i)))
return [heapq.heappop(heap) for _ in range(n)]

last = deque(maxlen=3)
for i in range(n):
    last.append(make(i))
return list(last), last[0]

@functools.lru_cache(None)
def kept(i):
    return make(i)
return [kept(i % 2) for i in range(n)]

def several(i):
    if i == 0:
        return None, 0
    if i == 1:
        return make(i), 1
    return make(i), i
return [several(i) for i in range(n)]

def early(k):
    for i in range(k):
        made = make(i)
        if i == 2:
            return made
return [early(k) for k in range(n)]

made = [[make(i + j) for j in range(2)] for i in range(n)]
made[1][0] = make(7)
return made

made = [(n - i, make(i)) for i in range(n)]
made.sort(key=lambda pair: pair[0])
return made

class Shown:
    def __init__(self, item):
        self._item = item
    @property
    def item(self):
        return self._item
    @item.setter
    def item(self, item):
        self._item = item
shown = Shown(make(0))
for i in range(n):
    shown.item = make(i)
return shown.item
""".strip().split("\n\n")
OPERATORS = ("x == y", "x != y", "x in y", "x and y", "x or y", "x if n > 3 else y", "[x, y]", "x is y", "not x, bool(y)")
HEADER = """import copy
import functools
import heapq
from array import array
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from enum import Enum

import numpy as np

Named = namedtuple("Named", "a b")


class Colour(Enum):
    RED = 0
    GREEN = 1


class Trouble(Exception):
    pass


@dataclass
class Record:
    a: int
    b: list


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Point({self.x}, {self.y})"

    def __eq__(self, other):
        return isinstance(other, Point) and self.x == other.x


class Holder:
    def __init__(self):
        self.item, self.all = None, []


class Base:
    def __init__(self, item):
        self.item, self.log = item, []

    def put(self, item):
        self.item = item


class Keeper(Base):
    def put(self, item):
        super().put(item)
        self.log.append(item)


def filled(into, i):
    into[i % 2].append(i)
    return into


"""
PAIRS = len(KINDS) * len(USES)
ALL = PAIRS + len(OPERATORS) * len(KINDS) ** 2


def pair_program_text(seed: int) -> str:
    """The module of a seed: of the pair, or the operator and its two kinds, of that number."""
    place = seed % ALL
    if place < PAIRS:
        kind, use = KINDS[place % len(KINDS)], USES[place // len(KINDS)]
        lines = ["def make(i):", f"    return {kind}", *use.splitlines()]
    else:
        place, first = divmod(place - PAIRS, len(KINDS))
        operator, second = divmod(place, len(KINDS))
        kinds = (("left", KINDS[first]), ("right", KINDS[second]))
        lines = [line for name, kind in kinds for line in (f"def {name}(i):", f"    return {kind}")]
        lines += ["x, y = left(n), right(n % 4 + 1)", f"return {OPERATORS[operator]}"]
    body = "".join(f"    {line}\n" for line in lines)
    return f"{HEADER}def f(n):\n{body}\n\nCALLS = (\n    lambda: (6,),\n    lambda: (3,),\n)\n"
