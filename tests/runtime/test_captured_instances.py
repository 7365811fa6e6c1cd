"""Functions that capture an instance of the caller's: what a library calls, and what leaves, has that of the call, as it is then."""

from __future__ import annotations

import collections
import datetime
import functools
import io
import random
import re
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate, optimize

import autograph_jit as ag
from tests.tables import table

Pair = collections.namedtuple("Pair", "first second")


class Inner:
    def __init__(self, v):
        self.v = v


class Model:
    def __init__(self, v):
        self.v, self.items, self.array, self.inner, self.log = v, [v, v + 1], np.arange(3.0) + v, Inner(v), []

    def rest(self, x=1):
        return x - self.v

    def root(self):
        return optimize.brentq(lambda x: self.rest(x), -1, 20)

    def count(self):
        def step(found):
            self.v += 1
            return "x"

        return re.sub("a", step, "aaa"), self.v

    def logged(self):
        def noted(x):
            self.log.append(float(x))
            return x - self.v

        return optimize.brentq(noted, -1, 20), len(self.log) > 2, self.log[0]


def difference(x, m):
    return x - m.v


def counted(m):
    def step(found):
        m.v += 1
        return "x"

    return re.sub("a", step, "aaa"), m.v


def stepped(m, found):
    m.v += 1
    return "x"


def counted_by_a_partial(m):
    return re.sub("a", functools.partial(stepped, m), "aaa"), m.v


def counted_in_a_tuple(m):
    held = m, 1
    return re.sub("a", lambda found: stepped(held[0], found), "aaa"), m.v


def changed_before(m):
    m.v += 5
    m.items.append(9)
    return re.sub("a", lambda found: str((m.v, m.items)), "aba"), m.v


def changed_behind(m):
    found = re.sub("a", lambda found: str(m.v), "aba")
    m.v = 7
    return found, m.v


def in_a_loop(m):
    total = 0
    for i in range(3):
        m.v += i
        total += optimize.brentq(lambda x: x - m.v, -50, 50)
    return total, m.v


def of_an_attribute(m):
    inner = m.inner
    inner.v *= 2
    return re.sub("a", lambda found: str(inner.v), "aba"), m.inner.v


def replaced_attribute(m):
    m.inner = Inner(3)
    return re.sub("a", lambda found: str(m.inner.v), "aba"), m.inner.v


def assigned_too(m):
    total = 0

    def step(found):
        nonlocal total
        total += m.v
        return "y"

    return re.sub("a", step, "aba"), total


def functions_inside(m):
    def outer(x):
        def inner(y):
            return y - m.v

        return inner(x)

    return optimize.brentq(outer, -1, 20)


def kept_in_a_list(m):
    made = [lambda x=1: x * m.v]
    return made[0]


def of_a_class(m):
    class Called:
        def __call__(self, x=1):
            return m.v

    return Called()


def generator_given(m):
    def items():
        for i in range(2):
            yield m.v + i

    return functools.partial(lambda made, x=1: list(made()), items)


def method_of_a_class(m):
    class Multiplied(Model):
        def rest(self, x=1):
            return m.v

    return Multiplied(1).rest


def attribute_of_a_class(m):
    class Held:
        model = m

        def __call__(self, x=1):
            return self.model.v

    return Held()


def default_in_an_exception(m):
    error = ValueError(m)
    return lambda x=1, held=error: held.args[0].v


def method_inside(m):
    return functools.reduce(lambda found, _: lambda: found(), [1, 2], m.rest)


def iterator_inside(m):
    items = iter([m, m])
    return lambda: next(items).v


CALLED = [
    *(counted, counted_by_a_partial, counted_in_a_tuple),
    *(changed_before, changed_behind, in_a_loop, of_an_attribute, replaced_attribute, assigned_too, functions_inside),
    *(Model.root, Model.count, Model.logged),
    lambda m: optimize.brentq(lambda x: x - m.v, -1, 20),
    lambda m: optimize.brentq(m.rest, -1, 20),
    lambda m: optimize.brentq(functools.partial(lambda k, x: x - k.v, m), -1, 20),
    lambda m: optimize.brentq(lambda x: difference(x, m), -1, 20),
    lambda m: integrate.quad(lambda x: x * m.v, 0, 1)[0],
    lambda m: np.apply_along_axis(lambda row: row * m.v, 0, np.ones((2, 2))).tolist(),
    lambda m: np.vectorize(lambda x: x + m.v)(np.arange(3)).tolist(),
    lambda m: re.sub("a", lambda found, k=m: str(k.v), "aba"),
]
LEAVING = [
    *(kept_in_a_list, of_a_class, generator_given, method_of_a_class, attribute_of_a_class),
    *(default_in_an_exception, method_inside, iterator_inside),
    lambda m: lambda x=1: x * m.v,
    lambda m: lambda x=1, k=m: x * k.v,
    lambda m: m.rest,
    lambda m: functools.partial(lambda k, x=1: k.v * x, m),
    lambda m: functools.partial(Model.rest, m),
    lambda m: {"f": lambda x=1: x * m.v}["f"],
]


def ways(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The function compiled by default, and as far as it can be."""

    def as_far(*args):
        try:
            return compiled(*args)
        except ag.ConversionError:
            return function(*args)  # which the refusal has not changed

    compiled = ag.compile(function, fallback="error")
    return [ag.compile(function), as_far]


HELD = {
    "a namespace": (lambda v: types.SimpleNamespace(v=v), lambda x: x.v),
    "a stream": (lambda v: random.Random(v), lambda x: x.random()),
    "a generator": (lambda v: np.random.default_rng(v), lambda x: x.random()),
    "a file": (lambda v: io.StringIO("a" * v), lambda x: x.getvalue()),
    "a named tuple": (lambda v: Pair(Inner(v), 1), lambda x: x.first.v),
    "a list": (lambda v: [Inner(v)], lambda x: x[0].v),
    "a dict": (lambda v: {"k": Inner(v)}, lambda x: x["k"].v),
    "a date": (lambda v: datetime.date(2000, 1, v), lambda x: x.day),
    "a pattern": (lambda v: re.compile("a" * v), lambda x: x.pattern),
    "an instance that is called": (lambda v: functools.partial(max, v), lambda x: x(0)),
}


def used_in_many_ways(x, ask):
    texts = re.sub("a", lambda found: str(ask(x)), "aba"), max([1, 2], key=lambda item: len(str(ask(x))) * item)
    return (*texts, lambda: ask(x), lambda y=x: ask(y), functools.partial(ask, x), [lambda: ask(x)])


def results(made):
    *asked, kept = made
    return [each() if callable(each) else each for each in (*asked, *kept)]


@table("make, ask", list(HELD.values()), ids=list(HELD))
def test_objects_of_other_kinds_are_those_of_the_call_too(make: Any, ask: Any) -> None:
    for call in ways(used_in_many_ways):
        for v in (4, 3, 5, 3):
            assert results(call(make(v), ask)) == results(used_in_many_ways(make(v), ask))


def state(m: Model) -> tuple[Any, ...]:
    return m.v, m.items, m.array.tolist(), m.inner.v, len(m.log)


@table("function", CALLED)
def test_what_a_library_calls_has_the_instance_of_the_call(function: Any) -> None:
    for call in ways(function):
        for v in (4, 3, 5, 3):
            mine, theirs = Model(v), Model(v)
            assert (call(mine), state(mine)) == (function(theirs), state(theirs))


@table("function", LEAVING)
def test_what_leaves_has_the_instance_of_the_call(function: Any) -> None:
    for call in ways(function):
        for v in (4, 3, 5, 3):
            mine, theirs = Model(v), Model(v)
            made, wanted = call(mine), function(theirs)
            found = made()
            mine.v, theirs.v = v + 10, v + 10
            assert (found, made()) == (function(Model(v))(), wanted())
