"""Linked lists and trees among the arguments: one program for all of them, and what it changes is what Python changes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import autograph_jit as ag
from tests.tables import table
from tests.tracing.test_recursive_generators import Node, Tree


class Link:
    __slots__ = ("name", "next")

    def __init__(self, name: str, following: Link | None = None) -> None:
        self.name, self.next = name, following


def tree(count: int, seed: int) -> Tree:
    made, rng = Tree(), random.Random(seed)
    for _ in range(count):
        made.insert(rng.randrange(1000))
    return made


def chain(count: int, seed: int = 0) -> Link:
    first = Link("last")
    for k in range(count):
        first = Link(f"n{(k * 7919 + seed) % 100}", first)
    return first


def total(node: Node | None) -> int:
    return 0 if node is None else node.key + total(node.left) + total(node.right)


def contains(node: Node | None, key: int) -> bool:
    while node is not None:
        if node.key == key:
            return True
        node = node.left if key < node.key else node.right
    return False


def found_in(node: Node, keys: list[int]) -> int:
    return sum(contains(node, key) for key in keys)


def in_order(node: Node | None) -> list[int]:
    out: list[int] = []
    stack: list[Node] = []
    while stack or node:
        while node:
            stack.append(node)
            node = node.left
        node = stack.pop()
        out.append(node.key)
        node = node.right
    return out


def mirror(node: Node | None) -> None:
    if node is not None:
        node.left, node.right = node.right, node.left
        mirror(node.left)
        mirror(node.right)


def insert(node: Node | None, key: int) -> Node:
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = insert(node.left, key)
    elif key > node.key:
        node.right = insert(node.right, key)
    return node


def insert_all(node: Node, keys: list[int]) -> Node:
    for key in keys:
        node = insert(node, key)
    return node


def add_all(tree: Tree, keys: list[int]) -> None:
    for key in keys:
        tree.insert(key)


def turned(first: Link | None) -> Link | None:
    last = None
    while first:
        first.next, last, first = last, first, first.next
    return last


def middle(first: Link) -> Link:
    slow = fast = first
    while fast and fast.next:
        slow = slow.next
        fast = fast.next.next
    return slow


def without(first: Link, name: str) -> Link | None:
    before = start = Link("", first)
    while before.next:
        if before.next.name == name:
            before.next = before.next.next
        else:
            before = before.next
    return start.next


def path_to_the_end(link: Link | None) -> str:
    parts = []
    while link:
        parts.append(link.name)
        link = link.next
    return "/".join(parts)


class Person:
    def __init__(self, name: str, pay: float) -> None:
        self.name, self.pay, self.reports = name, pay, []


class Member:
    def __init__(self, value: int, before: Member | None) -> None:
        self.value, self.before, self.behind = value, before, None


class Row:
    def __init__(self, count: int) -> None:
        self.first = self.last = Member(0, None)
        for k in range(1, count):
            self.last.behind = Member(k * k % 17, self.last)
            self.last = self.last.behind


class Number:
    def __init__(self, value: int) -> None:
        self.value = value

    def evaluate(self) -> int:
        return self.value


class Sum:
    def __init__(self, terms: list[Any]) -> None:
        self.terms = terms

    def evaluate(self) -> int:
        return sum(term.evaluate() for term in self.terms)


class Product:
    def __init__(self, left: Any, right: Any) -> None:
        self.left, self.right = left, right

    def evaluate(self) -> int:
        return self.left.evaluate() * self.right.evaluate()


def staff(count: int, seed: int) -> Person:
    rng, made = random.Random(seed), [Person("first", 1000.0)]
    for k in range(count):
        made.append(Person(f"p{k}", rng.randrange(100, 900) / 2))
        made[rng.randrange(k + 1)].reports.append(made[-1])
    return made[0]


def expression(depth: int, seed: int) -> Any:
    rng = random.Random(seed)

    def make(depth: int) -> Any:
        if depth == 0:
            return Number(rng.randrange(5))
        if rng.random() < 0.5:
            return Product(make(depth - 1), make(depth - 1))
        return Sum([make(depth - 1) for _ in range(rng.randrange(1, 4))])

    return Sum([Product(make(depth), make(depth)), make(depth), Number(1)])


def remove_from(row: Row, value: int) -> int:
    count, member = 0, row.first
    while member:
        if member.value == value:
            count += 1
            if member.before:
                member.before.behind = member.behind
            else:
                row.first = member.behind
            if member.behind:
                member.behind.before = member.before
            else:
                row.last = member.before
        member = member.behind
    return count


def pay_of(person: Person) -> float:
    return person.pay + sum(pay_of(each) for each in person.reports)


def raise_pay(person: Person, share: float) -> None:
    person.pay *= 1 + share
    for each in person.reports:
        raise_pay(each, share)


def by_level(person: Person) -> list[str]:
    found, waiting = [], [person]
    while waiting:
        following = []
        for each in waiting:
            found.append(each.name)
            following.extend(each.reports)
        waiting = following
    return found


def value_of(expression: Sum) -> int:
    return expression.evaluate()


def count_of(node: Any) -> int:
    if isinstance(node, Number):
        return 1
    if isinstance(node, Product):
        return 1 + count_of(node.left) + count_of(node.right)
    return 1 + sum(count_of(term) for term in node.terms)


def portrait(x: Any) -> list[Any]:
    """What objects hold, one after the other, each named by its number."""
    numbers: dict[int, int] = {}
    known: list[Any] = []

    def number(each: Any) -> Any:
        if not isinstance(each, (Node, Link, Tree, Person, Member, Row, Number, Sum, Product)):
            return [number(item) for item in each] if isinstance(each, list) else each
        if id(each) not in numbers:
            numbers[id(each)] = len(known)
            known.append(each)
        return type(each).__name__, numbers[id(each)]

    found = [[number(each) for each in x]]
    for each in known:
        names = ("name", "next") if isinstance(each, Link) else tuple(vars(each))
        found.append([(name, number(getattr(each, name))) for name in names])
    return found


CALLS: list[tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = [
    (total, lambda k: (tree(40 + k, k).root,)),
    (found_in, lambda k: (tree(40 + k, k).root, list(range(k, 1000, 7)))),
    (in_order, lambda k: (tree(40 + k, k).root,)),
    (mirror, lambda k: (tree(40 + k, k).root,)),
    (insert_all, lambda k: (tree(40 + k, k).root, [(31 * j + k) % 1000 for j in range(40)])),
    (add_all, lambda k: (tree(40 + k, k), [(31 * j + k) % 1000 for j in range(40)])),
    (turned, lambda k: (chain(20 + k, k),)),
    (middle, lambda k: (chain(20 + k, k),)),
    (without, lambda k: (chain(30 + k, k), f"n{19 + k}")),
    (path_to_the_end, lambda k: (chain(10 + k, k),)),
    (remove_from, lambda k: (Row(20 + k), 4)),
    (pay_of, lambda k: (staff(30 + k, k),)),
    (raise_pay, lambda k: (staff(30 + k, k), 0.5)),
    (by_level, lambda k: (staff(30 + k, k),)),
    (value_of, lambda k: (expression(4, k),)),
    (count_of, lambda k: (expression(4, k),)),
]


@table(("function", "arguments"), CALLS)
def test_one_program_is_for_all_that_is_linked(function: Callable[..., Any], arguments: Callable[[int], tuple[Any, ...]]) -> None:
    compiled = ag.compile(function, fallback="error")
    for k in (0, 3, 1, 7):
        expected, given = arguments(k), arguments(k)
        for _ in range(2):
            assert portrait((compiled(*given), *given)) == portrait((function(*expected), *expected))
    assert len(compiled.specializations) <= 2  # one may be for what is empty, or has one item


def test_a_ring_is_gone_round() -> None:
    def names(link: Link, steps: int) -> list[str]:
        found = []
        for _ in range(steps):
            found.append(link.name)
            link = link.next
        return found

    def ring(count: int) -> Link:
        first = last = chain(count)
        while last.next:
            last = last.next
        last.next = first
        return first

    compiled = ag.compile(names, fallback="error")
    for count in (3, 8, 20):
        assert compiled(ring(count), 50) == names(ring(count), 50)
    assert len(compiled.specializations) == 1


class Chain:
    def __init__(self, items: Any) -> None:
        self.head: Any = None
        for item in items:
            self.head = Link(item, self.head)

    def items(self) -> list[Any]:
        found, link = [], self.head
        while link is not None:
            found.append(link.name)
            link = link.next
        return found


def reversed_beside_others(xs: list[int], chain: Chain) -> Any:
    link = chain.head
    held = [Link(x) for x in xs]
    previous, link = None, chain.head
    while link:
        link.next, previous, link = previous, link, link.next
    chain.head = previous
    return chain.items(), held[0].name


def refused_attribute(chain: Chain, k: int) -> Any:
    try:
        if k:
            chain.head.weight = k
    except AttributeError as error:
        return str(error), chain.items()
    return chain.items()


def test_links_of_the_callers_are_there_where_the_program_makes_others() -> None:
    for count, xs in ((4, list(range(20, 32))), (6, [1]), (1, [3, 4])):
        compiled = ag.compile(reversed_beside_others, fallback="error")
        found, expected = (function(xs, Chain(range(count))) for function in (compiled, reversed_beside_others))
        assert found == expected


def test_attribute_that_no_slot_is_for_is_refused_as_in_python() -> None:
    compiled = ag.compile(refused_attribute, fallback="error")
    for k in (1, 0, 2):
        assert compiled(Chain("abc"), k) == refused_attribute(Chain("abc"), k)
