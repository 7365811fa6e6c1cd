"""Lists and dicts whose items may be such lists and dicts, to a depth that the run decides: syntax trees, what a reader makes of a text."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees


def evaluated(n: int) -> Any:
    tree: Any = ["+", 1, 2]
    for k in range(n):
        tree = ["*", tree, k] if k % 3 else ["+", k, tree]

    def run(tree: Any) -> Any:
        if isinstance(tree, int):
            return tree
        if tree[0] == "+":
            return run(tree[1]) + run(tree[2])
        return run(tree[1]) * run(tree[2]) % 1000007

    return run(tree)


def read(text: str) -> Any:
    def next_of(tokens: list[str]) -> Any:
        token = tokens.pop(0)
        if token == "(":
            items = []
            while tokens[0] != ")":
                items.append(next_of(tokens))
            tokens.pop(0)
            return items
        try:
            return int(token)
        except ValueError:
            return token

    return next_of(text.replace("(", " ( ").replace(")", " ) ").split())


def built_by_recursion(n: int) -> Any:
    def build(d: int, k: int) -> Any:
        return k if d == 0 else ["+" if d % 2 else "*", build(d - 1, k), build(d - 1, k + 1)]

    def value(tree: Any) -> int:
        if isinstance(tree, int):
            return tree
        symbol, left, right = tree
        x, y = value(left), value(right)
        return x + y if symbol == "+" else (x * y) % 1009

    total = 0
    for k in range(n):
        total += value(build(5, k % 5))
    return total


def with_shared_parts(n: int) -> Any:
    leaf: list[Any] = [1, "x"]
    tree = ["root", leaf, leaf]
    for _ in range(n):
        tree = ["n", tree, leaf]
    leaf.append(n)
    return tree


def changed_inside(n: int) -> Any:
    root: list[Any] = ["a"]
    node = root
    for k in range(n):
        inner: list[Any] = [k]
        node.append(inner)
        node = inner
        node.append("t" * k)
    return root


def in_itself(n: int) -> Any:
    items: list[Any] = ["a"]
    for k in range(n):
        items.append(items if k == 3 else k)
    return [items[4] is items, len(items), items[1:3]] if n > 3 else items


def flattened(n: int) -> Any:
    tree: list[Any] = ["z"]
    for k in range(n):
        tree = [tree, k, [str(k), k * 0.5]]
    out = []

    def walk(x: Any) -> None:
        if isinstance(x, list):
            for y in x:
                walk(y)
        else:
            out.append(x)

    walk(tree)
    return out


def flattened_by_a_stack(n: int) -> Any:
    tree: list[Any] = ["z", 1]
    for k in range(n):
        tree = [k, tree] if k % 3 else [tree, "m"]
    out, stack = [], [tree]
    while stack:
        x = stack.pop()
        if isinstance(x, list):
            stack.extend(reversed(x))
        else:
            out.append(x)
    return out


def wrong_operands(n: int) -> Any:
    items = [1, [2, "b"], "a"]
    total: Any = 0
    for k in range(n):
        total += items[k % 3]
    return total


def simplified(n: int) -> Any:
    tree: list[Any] = ["x"]
    for k in range(n):
        tree = [["*", 0, tree], "+", k] if k % 4 == 0 else ["+", tree, k]

    def simple(t: Any) -> Any:
        if not isinstance(t, list):
            return t
        parts = [simple(x) for x in t]
        return 0 if len(parts) == 3 and parts[0] == "*" and parts[1] == 0 else parts

    return simple(tree)


def with_none(n: int) -> Any:
    tree: Any = None
    for k in range(n):
        tree = [tree, k, None] if k % 2 else [None, k, tree]

    def total(t: Any) -> Any:
        if t is None:
            return 0
        return t if isinstance(t, int) else sum([total(x) for x in t])

    return total(tree), tree


def by_type(n: int) -> Any:
    tree: list[Any] = [1, 2.5, "t", None, True, [1]]
    counts: dict[str, int] = {}

    def count(x: Any) -> None:
        name = "list" if type(x) is list else "int" if type(x) is int else "str" if type(x) is str else "other"
        counts[name] = counts.get(name, 0) + 1
        if type(x) is list:
            for y in x:
                count(y)

    for k in range(n):
        tree = [tree, k, str(k)]
    count(tree)
    return counts


def by_identity(n: int) -> Any:
    first, second = [1, "x"], [1, "x"]
    items = [first, second, "q", 3]
    same = 0
    for k in range(n):
        x = items[k % 4]
        if isinstance(x, list):
            same += x is first
    items.append(first)
    return same, items


def found(n: int) -> Any:
    items = ["abc", [1, 2], 5, [1]]
    return [(items[k % 4] == 5, items[k % 4] != [1, 2], len(items[k % 2])) for k in range(n)]  # type: ignore[arg-type]


def lengths(n: int) -> Any:
    items = ["abc", [1, 2], 5]
    return [len(items[k]) for k in range(n)]  # type: ignore[arg-type]


def matched(n: int) -> Any:
    tree: list[Any] = ["num", 3]
    for k in range(n):
        tree = ["add", tree, ["num", k]] if k % 2 else ["neg", tree]

    def run(t: Any) -> Any:
        match t:
            case ["num", x]:
                return x
            case ["neg", x]:
                return -run(x)
            case ["add", a, b]:
                return run(a) + run(b)

    return run(tree)


def caught(n: int) -> Any:
    tree: list[Any] = ["+", 1, "x"]
    for k in range(n):
        tree = ["+", tree, k]

    def run(t: Any) -> Any:
        if isinstance(t, list):
            return run(t[1]) + run(t[2])
        if isinstance(t, str):
            raise ValueError(t)
        return t

    try:
        return run(tree)
    except ValueError as error:
        return str(error)


def appended(n: int) -> Any:
    items: list[Any] = ["abc", [1], "d"]
    for k in range(n):
        x = items[k % 3]
        if isinstance(x, str):
            items[k % 3] = x.upper() + "."
        else:
            x.append([k, "in"])
    return items


def parsed(text: str) -> Any:
    def skip(i: int) -> int:
        while i < len(text) and text[i] in " \n":
            i += 1
        return i

    def value(i: int) -> Any:
        i = skip(i)
        if text[i] == "{":
            return members(i + 1)
        if text[i] == "[":
            return items(i + 1)
        if text[i] == '"':
            end = text.index('"', i + 1)
            return text[i + 1 : end], end + 1
        for word, meaning in (("true", True), ("false", False), ("null", None)):
            if text.startswith(word, i):
                return meaning, i + len(word)
        start = i
        while i < len(text) and text[i] in "+-0123456789.e":
            i += 1
        number = text[start:i]
        return (float(number) if "." in number or "e" in number else int(number)), i

    def items(i: int) -> Any:
        found: list[Any] = []
        while text[skip(i)] != "]":
            item, i = value(i)
            found.append(item)
            i = skip(i) + (text[skip(i)] == ",")
        return found, skip(i) + 1

    def members(i: int) -> Any:
        found: dict[Any, Any] = {}
        while text[skip(i)] != "}":
            key, i = value(i)
            found[key], i = value(skip(i) + 1)
            i = skip(i) + (text[skip(i)] == ",")
        return found, skip(i) + 1

    return value(0)[0]


def sections(n: int) -> Any:
    settings: dict[str, Any] = {}
    for k in range(n):
        section = settings.setdefault("part" + str(k % 3), {})
        section["key" + str(k)] = k if k % 2 else "v" + str(section.get("key0", ""))
    return settings


def trie(n: int) -> Any:
    root: dict[str, Any] = {}
    for k in range(n):
        node = root
        for letter in "abcab"[k % 3 : k % 3 + k % 4]:
            node = node.setdefault(letter, {})
        node["$"] = True

    def size(node: Any) -> int:
        total = 0
        for key, child in node.items():
            total += 1 if key == "$" else size(child)
        return total

    return size(root), root


def entries_removed(n: int) -> Any:
    found: dict[str, Any] = {}
    for k in range(n):
        found["k" + str(k)] = [k, "x"] if k % 3 else {"i": k}
    for k in range(0, n, 2):
        del found["k" + str(k)]
    found["last"] = found.get("k1")
    return found, len(found), sorted(found)


def copied(n: int) -> Any:
    tree: Any = ["r", 1]
    for k in range(n):
        tree = [tree, k] if k % 2 else ["q", tree, None]
    first, second = list(tree), tree[:] + [1, "x"]
    first.append("a")
    second[0] = ["set", second[0]]
    found = {"a": tree, "b": [first, second]}
    return tree, first, second, {**found, "c": 2}


def in_a_loop_with_branches(n: int) -> Any:
    tree: Any = ["r", [1, ["x", 2]]]
    for k in range(n):
        tree = [tree, k] if k % 2 else ["q", tree, None]
    depth = 0
    while isinstance(tree, list):
        tree = tree[0] if isinstance(tree[0], list) else tree[1]
        depth += 1
    return depth, tree


def keys_of_lists(n: int) -> Any:
    found: dict[Any, Any] = {}
    for item in ["a", ["b", n], "c"][:n]:
        found[item] = 1  # type: ignore[index]
    return found


def known_elsewhere(n: int) -> Any:
    inner, entries = [1, 2], {"u": 1}
    tree: Any = ["x", inner, entries]
    plain, by_name = [inner, inner, [n]], {"p": entries}
    for k in range(n):
        tree = [tree, k]
        inner.append(k)
        entries["k" + str(k)] = k
        plain.append([k])
        by_name["q" + str(k)] = entries if k % 2 else {"r": k}
    return tree, plain, by_name, inner, entries


def node_made(n: int) -> Any:
    def insert(node: Any, v: int) -> Any:
        if node is None:
            return {"v": v, "l": None, "r": None}
        if v < node["v"]:
            node["l"] = insert(node["l"], v)
        else:
            node["r"] = insert(node["r"], v)
        return node

    root = None
    for k in range(n):
        root = insert(root, k * 7 % 11)
    return root


def product_of(n: int) -> Any:
    tree: list[Any] = ["+", 1, 2, 3]
    for k in range(n):
        tree = ["+" if k % 2 else "*", tree, k, 2]

    def run(t: Any) -> Any:
        if not isinstance(t, list):
            return t
        op, *rest = t
        total = 0 if op == "+" else 1
        for x in rest:
            total = (total + run(x) if op == "+" else total * run(x)) % 1009
        return total

    return run(tree)


# calls of Python that make no list or dict
OF_OTHERS = {"int", "except", "str", "str.upper", "raise TypeError", "raise AttributeError", "str %"}
DOCUMENT = '{"a": [1, 2.5, "x", [], {}], "b": {"c": null, "d": [true, {"e": -3}]}, "": [[["y"]]]}'
EXPRESSION = "(+ (* 2 (- 7 3)) (f 1 (g 2 3 (h))) 4)"


@table(
    ("function", "calls"),
    [
        *((function, (20, 5, 0)) for function in (evaluated, built_by_recursion, with_shared_parts, changed_inside, in_itself, flattened)),
        *((function, (20, 5, 0)) for function in (flattened_by_a_stack, simplified, with_none, by_type, by_identity)),
        *((function, (20, 5, 1)) for function in (found, matched, caught, appended)),
        *((function, (3, 2, 1)) for function in (wrong_operands, lengths)),
        *((function, (20, 5, 0)) for function in (sections, trie, entries_removed, copied, in_a_loop_with_branches)),
        *((function, (20, 5, 0)) for function in (known_elsewhere, node_made, product_of)),
        (keys_of_lists, (3, 1, 0)),
        (parsed, (DOCUMENT, "[]", "1.5", '{"a": {}}', '{"a": [{"b": null}]}', "[1, 2", "")),
        (read, (EXPRESSION, "(a)", "7", "(", "()")),
    ],
)
def test_lists_and_dicts_hold_numbers_texts_and_such_lists_and_dicts(function: Any, calls: Any) -> None:
    assert_agrees(function, *calls)
    compiled = ag.compile(function, fallback="error")
    try:
        compiled(calls[0])
    except TypeError:
        pass
    operations = compiled.specializations[0].program.graph.walk()
    assert {operation.attributes["label"] for operation in operations if operation.name == "host_call"} <= OF_OTHERS


def test_a_key_that_is_no_text_is_left_to_python() -> None:
    compiled, lenient = ag.compile(parsed, fallback="error"), ag.compile(parsed)
    assert compiled(DOCUMENT) == lenient(DOCUMENT) == parsed(DOCUMENT)
    with pytest.raises(ag.ConversionError, match="a key of a dict is no text"):
        compiled('{1: 2}')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert lenient('{1: 2}') == {1: 2}


def test_lists_and_dicts_that_are_one_leave_as_one() -> None:
    tree = ag.compile(with_shared_parts, fallback="error")(3)
    assert tree[2] is tree[1][2] is tree[1][1][1][1] and tree[2][-1] == 3
    found = ag.compile(copied, fallback="error")(3)
    assert found[3]["a"] is found[0] and found[3]["b"][0] is found[1] and found[3]["b"][1] is found[2]
    tree, plain, by_name, inner, entries = ag.compile(known_elsewhere, fallback="error")(4)
    assert plain[0] is plain[1] is inner and by_name["p"] is by_name["q1"] is entries
    assert tree[0][0][0][0][1] is inner and tree[0][0][0][0][2] is entries
    items = ag.compile(lambda n: in_itself(n)[:1] + [n])(5)
    assert items == [True, 5]
