"""Linked lists and trees among the arguments: one program for all of them, and what it changes is what Python changes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import autograph_jit as ag
from tests.tables import table


class Node:
    def __init__(self, key: int, left: Node | None = None, right: Node | None = None) -> None:
        self.key, self.left, self.right = key, left, right


class Link:
    __slots__ = ("name", "next")

    def __init__(self, name: str, following: Link | None = None) -> None:
        self.name, self.next = name, following


class Tree:
    def __init__(self) -> None:
        self.root: Node | None = None
        self.size = 0

    def add(self, key: int) -> None:
        self.size += 1
        if self.root is None:
            self.root = Node(key)
            return
        node = self.root
        while True:
            if key < node.key:
                if node.left is None:
                    node.left = Node(key)
                    return
                node = node.left
            else:
                if node.right is None:
                    node.right = Node(key)
                    return
                node = node.right


def tree(count: int, seed: int) -> Tree:
    made, rng = Tree(), random.Random(seed)
    for _ in range(count):
        made.add(rng.randrange(1000))
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


def add_all(tree: Tree, keys: list[int]) -> int:
    for key in keys:
        tree.add(key)
    return tree.size


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


def portrait(x: Any) -> list[Any]:
    """What objects hold, one after the other, each named by its number."""
    numbers: dict[int, int] = {}
    known: list[Any] = []

    def number(each: Any) -> Any:
        if not isinstance(each, (Node, Link, Tree)):
            return each
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
