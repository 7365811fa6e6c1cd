"""Dicts and sets under keys that are letters of a text, or texts that the data choose: none is lost, whatever class the dict is of."""

from __future__ import annotations

import copy
from collections import Counter, OrderedDict, defaultdict
from typing import Any

import numpy as np
import pytest

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


PROGRAMS = [lists, ints, counter, ordered, plain, setdef, removed, popped, signs, outer, sets, nested, given]


@pytest.mark.parametrize("program", PROGRAMS)
def test_keys_are_those_of_python(program: Any) -> None:
    first = {"a": 1, "b": 2} if program is given else np.array([1.0, -2.0, 3.0])
    assert_agrees(program, *((copy.deepcopy(first), text) for text in ("abcab", "", "zz")))
