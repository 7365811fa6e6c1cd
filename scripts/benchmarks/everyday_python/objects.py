"""Programs of classes: accounts, shapes, trees, caches, inventories, generators of numbers."""

from __future__ import annotations

import enum
import math
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.everyday_python.program import Program


class InsufficientFunds(Exception):
    def __init__(self, account, missing):
        super().__init__(f"{account.owner} lacks {missing}")
        self.missing = missing


class Account:
    fee = 1

    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
        self.history = []

    @property
    def balance(self):
        return self._balance

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("a deposit is positive")
        self._balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount):
        needed = amount + self.fee
        if needed > self._balance:
            raise InsufficientFunds(self, needed - self._balance)
        self._balance -= needed
        self.history.append(("withdraw", amount))


class SavingsAccount(Account):
    fee = 3

    def add_interest(self, rate):
        self.deposit(max(1, int(self.balance * rate)))


@contextmanager
def transaction(*accounts):
    before = [(account._balance, len(account.history)) for account in accounts]
    try:
        yield
    except InsufficientFunds:
        for account, (balance, length) in zip(accounts, before):
            account._balance = balance
            del account.history[length:]
        raise


def run_bank(orders):
    accounts = {name: (SavingsAccount if k % 2 else Account)(name, 500) for k, name in enumerate(("ann", "bob", "cleo", "dan"))}
    refused, missing = 0, 0
    for giver, taker, amount in orders:
        try:
            with transaction(accounts[giver], accounts[taker]):
                accounts[taker].deposit(amount)
                accounts[giver].withdraw(amount)
        except InsufficientFunds as problem:
            refused += 1
            missing += problem.missing
        except ValueError:
            accounts[taker].add_interest(0.01) if isinstance(accounts[taker], SavingsAccount) else None
    return {name: (account.balance, len(account.history)) for name, account in accounts.items()}, refused, missing


def bank_orders(n):
    names = ("ann", "bob", "cleo", "dan")
    return ([(names[k % 4], names[(k * 7 + 1) % 4], (k * 37) % 190) for k in range(n)],)


class Shape:
    def area(self):
        raise NotImplementedError

    def describe(self):
        return f"{type(self).__name__.lower()} of {self.area():.2f}"


class Circle(Shape):
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return math.pi * self.radius**2


class Rectangle(Shape):
    def __init__(self, width, height):
        self.width, self.height = width, height

    def area(self):
        return self.width * self.height


class Square(Rectangle):
    def __init__(self, side):
        super().__init__(side, side)


def describe_shapes(shapes):
    total = 0.0
    kinds = {}
    for shape in shapes:
        total += shape.area()
        kinds.setdefault(type(shape).__name__, []).append(shape.describe())
    return total, kinds


def some_shapes(n):
    return ([Circle(k * 0.5) if k % 3 == 0 else Rectangle(k, 2.0) if k % 3 == 1 else Square(k * 0.1) for k in range(n)],)


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


class SearchTree:
    def __init__(self):
        self.root = None
        self.size = 0

    def insert(self, key):
        if self.root is None:
            self.root = Node(key)
            self.size = 1
            return
        node = self.root
        while key != node.key:
            side = "left" if key < node.key else "right"
            following = getattr(node, side)
            if following is None:
                following = Node(key)
                setattr(node, side, following)
                self.size += 1
            node = following

    def __iter__(self):
        return self._walk(self.root)

    def _walk(self, node):
        if node is not None:
            yield from self._walk(node.left)
            yield node.key
            yield from self._walk(node.right)

    def height(self, node):
        return 0 if node is None else 1 + max(self.height(node.left), self.height(node.right))


def tree_sort(keys):
    tree = SearchTree()
    for key in keys:
        tree.insert(key)
    return list(tree), tree.size, tree.height(tree.root)


class Cache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.entries = OrderedDict()
        self.hits = self.misses = 0

    def get(self, key, compute):
        if key in self.entries:
            self.hits += 1
            self.entries.move_to_end(key)
            return self.entries[key]
        self.misses += 1
        value = self.entries[key] = compute(key)
        if len(self.entries) > self.capacity:
            self.entries.popitem(last=False)
        return value


def cached_squares(keys, capacity):
    cache = Cache(capacity)
    total = 0
    for key in keys:
        total += cache.get(key, lambda k: k * k)
    return total, cache.hits, cache.misses, list(cache.entries)


class Level(enum.Enum):
    LOW = 1
    MIDDLE = 2
    HIGH = 3


@dataclass
class Item:
    name: str
    price: float
    count: int = 0
    tags: list = field(default_factory=list)

    @property
    def worth(self):
        return self.price * self.count

    def level(self):
        return Level.LOW if self.worth < 50 else Level.MIDDLE if self.worth < 500 else Level.HIGH


class Line(NamedTuple):
    name: str
    change: int


def take_stock(items, lines):
    stock = {item.name: item for item in items}
    unknown = []
    for line in lines:
        item = stock.get(line.name)
        if item is None:
            unknown.append(line)
            continue
        item.count = max(0, item.count + line.change)
        if line.change < 0 and "sold" not in item.tags:
            item.tags.append("sold")
    levels = {level: sorted(item.name for item in items if item.level() is level) for level in Level}
    return sum(item.worth for item in items), {level.name: names[:5] for level, names in levels.items()}, unknown


def stock_and_lines(n):
    items = [Item(f"item{k}", 0.5 + k, k % 11) for k in range(20)]
    return items, [Line(f"item{(k * 7) % 21}", (k * 5) % 13 - 6) for k in range(n)]


class Congruential:
    """The generator of random numbers of the C standard's example."""

    def __init__(self, seed):
        self.state = seed

    def __iter__(self):
        return self

    def __next__(self):
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        return self.state

    def uniform(self):
        return next(self) / 2147483648

    def normal(self):
        return sum(self.uniform() for _ in range(12)) - 6.0


def random_class_statistics(seed, n):
    source = Congruential(seed)
    values = [source.normal() for _ in range(n)]
    mean = sum(values) / n
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / n)
    return mean, spread, [value for value, _ in zip(source, range(3))]


PROGRAMS = (
    Program(run_bank, bank_orders, 2000, 20),
    Program(describe_shapes, some_shapes, 1500, 6),
    Program(tree_sort, lambda n: ([(k * 7919) % 10007 for k in range(n)],), 1000, 12),
    Program(cached_squares, lambda n: ([(k * k) % 97 for k in range(n)], 32), 5000, 40),
    Program(take_stock, stock_and_lines, 4000, 30),
    Program(random_class_statistics, lambda n: (42, n), 1500, 8),
)
