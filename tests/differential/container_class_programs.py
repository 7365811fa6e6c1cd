"""Programs whose classes derive from Python's containers: made, changed, asked and returned as what they are, with their own methods."""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict, deque

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


def it(*values):
    return np.array(values, dtype=np.int64)


class Bag(dict):
    """Counts, of which those that are missing are 0."""

    def __missing__(self, key):
        return 0

    def add(self, key, n=1):
        self[key] += n
        return self


class Stack(list):
    """A list with a top."""

    def push(self, v):
        self.append(v)
        return self

    @property
    def top(self):
        if not self:
            raise IndexError("empty stack")
        return self[-1]


class Tally:
    """An object that holds containers of users' classes."""

    def __init__(self):
        self.bag, self.stack = Bag(), Stack()

    def feed(self, v):
        self.bag.add(v)
        if v > 1:
            self.stack.push(v)


@program(lambda: (it(1, 2, 1, 3, 1),), lambda: ("hello",), lambda: (fl(),))
def counts_in_a_class_of_dicts(keys):
    bag = Bag()
    for k in keys:
        bag.add(k)
    return max(bag, key=bag.get, default=None), bag["none"], len(bag), sorted(bag.values()), "none" in bag, bag


@program(lambda: (it(1, -1, 2, 3, -1, -1),), lambda: (fl(4, 5),), lambda: (it(-1),))
def items_in_a_class_of_lists(steps):
    stack = Stack()
    for step in steps:
        if step > 0:
            stack.push(step)
        else:
            stack.pop()
    return len(stack), stack.top


@program(lambda: (it(0, 1, 1, 2),), lambda: ([5],))
def containers_of_an_object(x):
    tally = Tally()
    for v in x:
        tally.feed(v)
    return tally.bag, tally.stack, tally.stack.top


class Limited(list):
    """A list with a constructor and attributes of its own."""

    def __init__(self, room, items=()):
        super().__init__(items)
        self.room = room
        self.lost = 0

    def put(self, v):
        if len(self) >= self.room:
            self.lost += 1
        else:
            self.append(v)
        return self


@program(lambda: (3, 2.5), lambda: (1, 2))
def list_with_attributes(n, x):
    items = Limited(3, [1, 2])
    items.put(x).put(n)
    return items, items.room, items.lost


@program(lambda: (3, it(3, 4)), lambda: (1, fl(2)))
def list_with_attributes_in_a_loop(n, x):
    items = Limited(n)
    for v in x:
        items.put(v)
    items.lost += 10
    return items, items.room, items.lost


class Histogram(defaultdict):
    """Counts whose constructor takes nothing."""

    def __init__(self):
        super().__init__(int)

    def feed(self, x):
        for v in x:
            self[v] += 1
        return self


class Recent(deque):
    """The last two items."""

    def push(self, v):
        self.append(v)
        while len(self) > 2:
            self.popleft()


class Words(Counter):
    """Counts with a favourite."""

    def top(self):
        return self.most_common(1)[0] if self else None


class Once(set):
    """Items that are taken once."""

    def push(self, v):
        if v in self:
            return False
        self.add(v)
        return True


@program(lambda: (it(1, 2, 1, 3, 1),), lambda: ("hello",), lambda: ([],))
def classes_of_other_containers(x):
    recent, words, once = Recent(), Words(), Once()
    taken = []
    for v in x:
        recent.push(v)
        words[v] += 1
        taken.append(once.push(v))
    return Histogram().feed(x), list(recent), words.top(), taken, len(once)


class Grid(list):
    """Rows made by the constructor, read by pairs."""

    def __init__(self, h, w):
        super().__init__([[0] * w for _ in range(h)])

    def __getitem__(self, key):
        if isinstance(key, tuple):
            return list.__getitem__(self, key[0])[key[1]]
        return super().__getitem__(key)

    def bump(self, i, j):
        self[i][j] += 1


@program(lambda: (2, 3, it(0, 1, 1, 2, 0, 1).reshape(-1, 2)), lambda: (1, 1, it(0, 1).reshape(1, 2)))
def rows_of_a_class_of_lists(h, w, places):
    grid = Grid(h, w)
    for i, j in places:
        grid.bump(i, j)
    return [list(row) for row in grid], grid[0, 0], len(grid)


class Contrary(list):
    """A list whose methods do something else."""

    def __contains__(self, v):
        return v == "magic" or super().__contains__(v)

    def __len__(self):
        return 100

    def __getitem__(self, k):
        return super().__getitem__(k) * 2

    def append(self, v):
        super().append(-v)

    def where(self, v):
        return super().index(v) if super().__contains__(v) else None


@program(lambda: (3, 1), lambda: (2, 0), lambda: (-7, 2))
def methods_of_the_class_come_first(n, k):
    items = Contrary([1, 2, 3])
    items.append(n)
    return items[k], items[-1], n in items, "magic" in items, list.__len__(items), len(items), items.where(n), items.where(-n)


class Ordered(list):
    """A list in order."""

    def add(self, v):
        bisect.insort(self, v)

    def drop(self, v):
        if v in self:
            self.remove(v)
        return self


@program(lambda: (it(3, 1, 2), 2), lambda: (fl(1.5, 0), 9), lambda: ([], 1))
def class_of_lists_in_order(x, q):
    items, known = Ordered(), Ordered([1, 4])
    for v in x:
        items.add(v)
    known.append(q)
    return items, q in items, items[:2], sum(items), known.drop(1), known.count(q), known.index(q)


class Key:
    """An index that is a key of its own in dicts."""

    def __init__(self, k):
        self.k = k

    def __index__(self):
        return self.k

    def __hash__(self):
        return hash(self.k)

    def __eq__(self, other):
        return isinstance(other, Key) and self.k == other.k


@program(lambda: (3, 1.5), lambda: (0, 2))
def index_is_a_key_of_a_dict(n, x):
    table, items = {Key(2): n, Key(1): x}, [n, x, 5]
    return table[Key(2)], items[Key(1)], table.get(Key(1))


@program(lambda: (5, 1), lambda: (7, -2), lambda: (1, 9))
def place_in_a_deque(v, k):
    items = deque([1, 2, 3])
    items[k] = v
    items.insert(k, 0)
    items.rotate(k)
    del items[k]
    return items
