"""Dicts and sets under keys that are letters of a text, or texts that the data choose: none is lost, whatever class the dict is of."""

from __future__ import annotations

import copy
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


def lists(x, s):
    d = defaultdict(list)
    for c in s:
        d[c].append(len(c))
    return d


def ints(x, s):
    d = defaultdict(int)
    for c in s:
        d[c] += 1
    return dict(d)


def counter(x, s):
    d = Counter()
    for c in s:
        d[c] += 1
    return d, d["a"]


def ordered(x, s):
    d = OrderedDict()
    for c in s:
        d[c] = x[0]
    return list(d.items())


def plain(x, s):
    d = {}
    for c in s:
        d[c] = d.get(c, 0) + 1
    return d


def setdef(x, s):
    d = {}
    for c in s:
        d.setdefault(c, []).append(1)
    return d


def removed(x, s):
    d = {"a": 1, "b": 2, "c": 3}
    for c in s:
        if c in d:
            del d[c]
    return d


def popped(x, s):
    d = {"a": 1, "b": 2}
    t = 0
    for c in s:
        t += d.pop(c, 5)
    return d, t


def signs(x, s):
    d = defaultdict(int)
    for v in x:
        d["pos" if v > 0 else "neg"] += 1
    e = {}
    for v in x:
        k = "up" if v > 0 else "down"
        if k in e:
            e[k] += v
        else:
            e[k] = v
    return dict(d), e


def outer(x, s):
    d = Counter(s)
    return d.most_common(2), sorted(d)


def sets(x, s):
    seen = set()
    out = []
    for c in s:
        if c not in seen:
            seen.add(c)
            out.append(c)
    return out, len(seen)


def nested(x, s):
    d = {"a": {"x": 1}, "b": {"x": 2}}
    t = 0
    for c in s:
        if c in d:
            d[c]["x"] += 1
            t += d[c]["x"]
    return d, t


def given(d, s):
    t = 0
    for c in s:
        if c in d:
            d[c] += 1
            t += d[c]
    return d, t


LETTERS = {"a": 1, "b": 2, "zz": 3}
NAMES = {"a": "first", "b": "second"}
SQUARES = {k: k * 0.5 for k in range(4)}
FEW, MANY = {"a", "b"}, {chr(97 + k) * 2 for k in range(20)}


def known(x, s):
    values = [SQUARES.get(len(s) - k, -1.0) for k in range(5)]
    found = [(c in NAMES, NAMES.get(c), LETTERS.get(c, 0), c in FEW, c + c in MANY, (c, c) in FEW) for c in s]
    try:
        missing = [NAMES[c] for c in s]
    except KeyError as error:
        missing = [str(error)]
    return values, found, missing, SQUARES[len(s)] if s != "abcab" else SQUARES[len(s)]


PROGRAMS = [known, lists, ints, counter, ordered, plain, setdef, removed, popped, signs, outer, sets, nested, given]


@pytest.mark.parametrize("program", PROGRAMS)
def test_keys_are_those_of_python(program: Any) -> None:
    first = {"a": 1, "b": 2} if program is given else np.array([1.0, -2.0, 3.0])
    assert_agrees(program, *((copy.deepcopy(first), text) for text in ("abcab", "", "zz")))


def test_letters_of_texts_are_counted_and_gathered_natively() -> None:
    def alike(names):
        pairs = [Counter(a) == Counter(b) for a, b in zip(names, names[1:])]
        return pairs, [len(set(name)) for name in names], [letter for letter in set(names[0])]

    names = ["listen", "silent", "enlist", "tinsel", "google", ""]
    compiled = ag.compile(alike, fallback="error")
    assert compiled(names) == alike(names)
    assert "host calls    none" in compiled.explain(names)


def test_dicts_and_sets_of_a_module_are_read_when_the_call_begins() -> None:
    prices, sold = {f"p{k}": k for k in range(9)}, {"p1", "p2", "q"}

    def total(names):
        return sum(prices.get(name, 100) for name in names if name in sold)

    compiled = ag.compile(total, fallback="error")
    names = [f"p{k}" for k in range(4)] + ["q"]
    assert compiled(names) == 103
    prices["p1"] = 7
    prices["q"] = 1
    assert compiled(names) == 10
    assert compiled.explain(names).count("\nprogram ") == 1
    assert "host calls    none" in compiled.explain(names)
    prices["p1"] = "text"
    assert isinstance(ag.compile(lambda names: [prices.get(name) for name in names])(names)[1], str)
    vowels, letters = frozenset("aeiou"), list("abracadabra")
    counted = ag.compile(lambda letters: sum(1 for x in letters if x in vowels), fallback="error")
    assert counted(letters) == 5 and "host calls    none" in counted.explain(letters)
