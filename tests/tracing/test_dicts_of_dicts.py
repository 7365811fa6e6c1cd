"""Dicts of dicts that a program makes and walks by `node = node[key]`: tries, trees of names."""

from __future__ import annotations

from typing import Any

import pytest

import autograph_jit as ag
from autograph_jit.ir.copying import copy_graph
from autograph_jit.transforms.pipeline import run_pipeline
from tests.tables import table
from tests.tracing.agreement import assert_agrees

WORDS = ["tree", "try", "trie", "a", "at", "tree", "ate", "tried"]


def trie_of(words: list[str]) -> Any:
    root: Any = {}
    for word in words:
        node = root
        for letter in word:
            if letter not in node:
                node[letter] = {}
            node = node[letter]
        node["end"] = word
    return root


def words_by_get(words: list[str], sought: list[str]) -> Any:
    """`get` may give None: what is looked for in the node afterwards is looked for in one of several things."""
    root: Any = trie_of(words)
    found = []
    for word in sought:
        node = root
        for letter in word:
            node = node.get(letter)
            if node is None:
                break
        if node is not None and "end" in node:
            found.append(node["end"])
    return found


def sought_in_none(words: list[str], sought: list[str]) -> Any:
    root: Any = {}
    for word in words:
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        node["end"] = "e"
    count = 0
    for word in sought:
        node = root
        for letter in word:
            node = node.get(letter)
            if node is None:
                break
        count += "end" in node
    return count


def counted(words: list[str], sought: list[str]) -> Any:
    root: Any = {}
    for word in words:
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        node["$"] = True

    def count(node: Any) -> int:
        return 1 + sum(count(child) for key, child in node.items() if key != "$")

    return count(root), len(root), [prefix for prefix in sought if prefix in root]


def without_ends(words: list[str], sought: list[str]) -> Any:
    root: Any = {}
    for word in words:
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
    total, stack = 0, [root]
    while stack:
        node = stack.pop()
        total += len(node)
        stack.extend(node.values())
    return total


def grouped(words: list[str], sought: list[str]) -> Any:
    """The default is made where the key is not there, and one that is made before is that object."""
    by_length: dict[int, list[str]] = {}
    kept: list[str] = []
    for word in words:
        by_length.setdefault(len(word), []).append(word)
    by_length.setdefault(77, kept).append("x")
    by_length.setdefault(77, kept).append("y")
    return by_length, kept, by_length[77] is kept


def named_parts(words: list[str], sought: list[str]) -> Any:
    tree: Any = {}
    for number, word in enumerate(words):
        node = tree
        for part in word:
            node = node.setdefault(part, {})
        node["n" + str(number)] = number
    return tree


class Named:
    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value


def in_instances_and_tuples(words: list[str], sought: list[str]) -> Any:
    """A number or a dict, a dict alone, a number or one of two containers: what each is, is told by a row or by a number beside it."""
    made, pairs, mixed = [], [], []
    root: Any = {}
    for number, word in enumerate(words):
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        pairs.append((number, node))
        made.append(Named(word, number if number % 2 else {"a": number}))
        mixed.append([number, {"k": [number]}] if number % 3 else {"n": [], "w": number} if number % 2 else number)
    changed: Any = made[0].value if made else 1
    for each in made:
        changed = each.value if isinstance(each.value, dict) else changed
    return [(each.name, each.value) for each in made], pairs, root, mixed, changed, [node is root for _, node in pairs]


@pytest.mark.native
@table("function", [words_by_get, sought_in_none, counted, without_ends, grouped, named_parts, in_instances_and_tuples])
def test_dicts_of_dicts_are_walked(function: Any) -> None:
    assert_agrees(function, (WORDS, ["tree", "tri", "trie", "ate", "b", "atx"]), (WORDS[3:], ["at", "a"]), ([], []), (["a"], [""]))


@pytest.mark.native
def test_a_default_makes_a_dict_where_the_key_is_not_there() -> None:
    compiled = ag.compile(counted, fallback="error")
    compiled(WORDS, [])
    graph = copy_graph(compiled.specializations[0].program.graph)
    run_pipeline(graph)
    inserted = [each.block for each in graph.walk() if each.name == "table_insert"]
    assert any([each.name for each in block.operations].count("list_new") > 1 for block in inserted)
    loops = [each.regions[-1] for each in graph.walk() if each.name in ("for_loop", "while_loop")]
    assert not any(each.name == "list_new" for loop in loops for each in loop.operations)


class Total:
    def __init__(self, name: str, amount: int) -> None:
        self.name, self.amount = name, amount


def in_order_of_their_keys(rows: Any) -> Any:
    counts: dict[str, dict[int, int]] = {}
    totals: dict[tuple[str, int], Total] = {}
    for name, place, amount in rows:
        counts.setdefault(name, {})[place] = amount
        if (name, place % 2) in totals:
            totals[name, place % 2].amount += amount
        else:
            totals[name, place % 2] = Total(name, amount)
    found = [(key, sum(each.values())) for key, each in sorted(counts.items(), reverse=True)]
    return found, [(key, total.amount) for key, total in sorted(totals.items())], [len(each) for _, each in sorted(counts.items())]


def several_of_a_key(rows: Any) -> Any:
    made = [(name, {place: amount}) for name, place, amount in rows]
    return [name for name, _ in sorted(made)]


def test_items_are_sorted_by_keys_alone_where_values_have_no_order() -> None:
    rows = [(f"n{k * 7 % 13}", k * 5 % 7, k * 3 % 11) for k in range(60)]
    assert_agrees(in_order_of_their_keys, (rows,), (rows[:3],))
    alike = [("b", 1, 2), ("a", 3, 4), ("b", 1, 2), ("a", 3, 4)] * 5
    assert_agrees(several_of_a_key, (alike,), ([*alike, ("b", 1, 3)],), ([*alike, ("c", 1, 3)],))
    compiled = ag.compile(in_order_of_their_keys, fallback="error")
    compiled(rows)
    assert "host calls    none" in str(compiled.explain(rows))
