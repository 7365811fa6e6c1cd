"""A refusal belongs to the kinds of arguments that it was made for, and what runs in Python runs as the user wrote it."""

from __future__ import annotations

import inspect
import sys
import traceback
import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.entrances import Bypass
from autograph_jit.runtime.costs import MANY_ITEMS
from autograph_jit.runtime.refusals import checks_of, kind_of
from autograph_jit.runtime.settings import ASKED_HERE
from autograph_jit.tracing.values.trace import unusual
from tests.tables import table

pytestmark = pytest.mark.filterwarnings("ignore:.*runs in Python, uncompiled")
ONE = np.ones(1)
PACKAGE = ag.__path__[0]


def twice(x: Any) -> Any:
    """Compiled for numbers, never for arrays and lists of numbers."""
    if isinstance(x, (np.ndarray, list)):
        for i in ag.unroll(range(int(ONE.sum()))):
            x = [value + i for value in x]
        return x
    return x + x


def item(x: Any, i: int = 0) -> Any:
    if x.dtype == np.float32:
        for _ in ag.unroll(range(int(x[0]))):
            i = i + 1
    return x[i] * 2


def walk(x: Any, n: int, seen: Any = None) -> Any:
    """The sum of a walk that no trace unrolls, by calls of its own name at several places."""
    if n == 0:
        for _ in ag.unroll(range(int(x.sum()))):
            n = n + 1
        return n if seen is None else 10 * n
    return sum([walk(x, n - 1, seen) for _ in range(2)]) + (lambda: walk(x, 0))() + (walk is compiled_walk)


written_walk = walk
walk = compiled_walk = ag.compile(walk)


def refused(function: Any, *args: Any) -> Any:
    """A compiled function that calls with these arguments go past."""
    compiled = ag.compile(function)
    for _ in range(3):
        compiled(*args)
    return compiled


def test_other_kinds_of_arguments_are_still_compiled() -> None:
    ones = np.ones(3)
    table = [
        (twice, (ones,), (2.0,)),
        (twice, (ones,), (3,)),
        (twice, ([1.0, 2.0],), (2.0,)),
        (item, (ones.astype(np.float32),), (ones,)),
        (item, (ones.astype(np.float32), 1), (np.ones(3, dtype=np.int64), 1)),
    ]
    for function, never, compiles in table:
        compiled = refused(function, *never)
        assert not compiled.specializations and inspect.isbuiltin(compiled.__call__)
        for _ in range(3):
            assert compiled(*compiles) == function(*compiles)
        assert len(compiled.specializations) == 1 and compiled.specializations[0].all_calls == 3, (function, never, compiles)
        for _ in range(2):
            assert np.array_equal(compiled(*never), function(*never))
        assert len(compiled.specializations) == 1


def test_who_is_refused_for_every_kind_is_not_asked_for_ever() -> None:
    def never(x: Any) -> Any:
        for i in ag.unroll(range(int(np.sum(total)))):
            x = x, i
        return x

    total, compiled = np.ones(2), ag.compile(never)
    kinds = [1, 2.0, "text", None, [1], [1.0], (1,), (1.0, 2), {}, {1: 2}, b"", np.ones(2), np.ones((2, 2)), True]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for x in kinds:
            assert repr(compiled(x)) == repr(never(x))
    assert len(told) == 1
    assert compiled.refusals.is_general and len(compiled.refusals.reasons) < len(kinds)


def counted(n: int, *, step: int = 1) -> Iterator[int]:
    yield from range(0, n, step)


def test_refused_calls_keep_keywords_and_errors() -> None:
    compiled = refused(counted, 3)
    assert inspect.isbuiltin(compiled.__call__)
    assert list(compiled(n=5, step=2)) == [0, 2, 4]
    with pytest.raises(TypeError, match="counted"):
        compiled()
    unusual.discard(ASKED_HERE)  # an earlier test's `with ag.eager()`: from then on calls are looked at
    compiled = refused(item, np.ones(3, dtype=np.float32), 1)
    with pytest.raises(IndexError) as caught:
        compiled(np.full(2, 3, dtype=np.float32), 2)
    lines = [entry for entry in traceback.extract_tb(caught.value.__traceback__) if entry.filename.startswith(PACKAGE)]
    assert lines == []
    with ag.eager():
        assert compiled(np.ones(3, dtype=np.float32), 1) == 2.0


def test_a_recursion_calls_itself_and_not_the_compiled_function() -> None:
    x = np.array([2.0])
    expected = written_walk(x, 3), written_walk(x, 2, "seen")
    assert (compiled_walk(x, 3), compiled_walk(x, 2, "seen")) == expected
    plain, call = compiled_walk.refusals.plain, compiled_walk.__call__
    assert plain is not compiled_walk.function and plain.__globals__ is globals()
    compiled_walk.__call__ = lambda *args: pytest.fail("the recursion went through the compiled function")
    try:
        assert plain(x, 3) == expected[0]
    finally:
        compiled_walk.__call__ = call
    assert all(inspect.isbuiltin(compiled_walk.__call__) for _ in range(2))


def test_a_name_that_is_bound_anew_means_what_it_is_bound_to(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.array([2.0])
    compiled_walk(x, 1)
    monkeypatch.setattr(sys.modules[__name__], "walk", lambda x, n, seen=None: 100)
    assert compiled_walk(x, 1) == written_walk(x, 1) == 300 + (walk is compiled_walk)


def test_recursions_of_methods_and_closures_keep_their_variables() -> None:
    def make(base: int) -> Any:
        def climb(x: Any, n: int) -> Any:
            for _ in ag.unroll(range(int(x.sum()))):
                n = n - 1
            return base + climb(x, n) if n > 0 else base

        plain, climb = climb, ag.compile(climb)
        return plain, climb

    for base in (1, 5):
        plain, climb = make(base)
        assert [climb(np.ones(1), n) for n in range(4)] == [plain(np.ones(1), n) for n in range(4)] == [base * max(n, 1) for n in range(4)]
        assert climb.refusals.plain is not climb.function

    class Tree:
        def __init__(self, *below: Any) -> None:
            self.__below = below

        @ag.compile
        def size(self, x: Any) -> Any:
            for _ in ag.unroll(range(int(x.sum()))):
                x = x * 1
            return 1 + sum(size(tree, x) for tree in self.__below)

    size: Any = Tree.size
    tree = Tree(Tree(), Tree(Tree()))
    assert [tree.size(np.ones(1)) for _ in range(3)] == [4, 4, 4]


def test_replaced_code_and_defaults_are_seen() -> None:
    def function(x: Any, step: int = 1) -> Any:
        for i in ag.unroll(range(int(x[0]))):
            step = step + i
        return step

    compiled = refused(function, np.ones(1))
    function.__defaults__ = (7,)
    assert compiled(np.ones(1)) == 7
    function.__code__ = (lambda x, step: x[0] + step).__code__
    assert [compiled(np.ones(1)) for _ in range(3)] == [8.0, 8.0, 8.0]


MANY = MANY_ITEMS + 1
KINDS = [
    1, 2.0, True, None, Ellipsis, "text", "\u00e9t\u00e9", "t" * MANY, "", b"text", b"t" * MANY, bytearray(b"t"), bytearray(MANY),
    [], [1], [1.0, 2], [1] * MANY, (), (1,), (1.0,), (1, 2.0), (1, 2), (1,) * MANY, (1.0,) * MANY, {}, {1: 2}, dict.fromkeys(range(MANY)),
    set(), {1}, set(range(MANY)), frozenset((1,)), frozenset(range(MANY)), np.ones(2), np.ones((2, 2)), np.ones(2, dtype=np.float32),
]  # fmt: skip


@table("x", KINDS)
def test_native_code_tells_kinds_apart(x: Any) -> None:
    def told(_: Any) -> str:
        return "plain"

    checks = checks_of(0, kind_of(x))
    assert checks is not None
    call = Bypass(1, (), checks, told, unusual).before(lambda _: "compiled")
    unusual.discard(ASKED_HERE)
    assert [call(y) == "plain" for y in KINDS] == [kind_of(y) == kind_of(x) for y in KINDS]


def test_programs_for_one_text_each_are_dropped() -> None:
    def letters(text: str) -> int:
        count = 0
        for word in ag.unroll(text.split()):
            count += len(word)
        return count

    compiled = ag.compile(letters)
    texts = [" ".join([word] * 5) for word in ("one", "two", "three", "seven", "eleven", "thirteen")]
    for text in texts * 2:
        assert compiled(text) == letters(text)
    assert not compiled.specializations and inspect.isbuiltin(compiled.__call__)


def test_named_arguments_are_told_apart_by_native_code() -> None:
    def told(*_: Any, **named: Any) -> str:
        return "plain"

    checks = [*(checks_of(0, int) or ()), *(checks_of(1, str) or ()), *(checks_of(2, float) or ())]
    call = Bypass(1, ("name", "scale"), checks, told, unusual).before(lambda *_, **named: "behind")
    unusual.discard(ASKED_HERE)
    assert call(1, name="a", scale=2.0) == "plain"
    others = [{"scale": 2.0, "name": "a"}, {"name": "a"}, {"name": "a", "scale": 2}, {"name": "a", "factor": 2.0}, {}]
    assert {call(1, **named) for named in others} == {call(1.0, name="a", scale=2.0), call(1, "a", scale=2.0)} == {"behind"}


def test_refused_calls_with_names_reach_no_code_of_the_package() -> None:
    def texts(x: Any, y: Any = None) -> str:
        return str(x) + repr(y) + str(x) + repr(y) + str(x)

    compiled, reached = ag.compile(texts), set()
    for _ in range(3):
        assert compiled(1.5, y="a") == texts(1.5, y="a")
    assert not compiled.specializations

    def look(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            reached.add(frame.f_code.co_filename)

    sys.setprofile(look)
    try:
        compiled(2.5, y="b")
    finally:
        sys.setprofile(None)
    assert reached == {__file__}


class Slotted:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


HALF = Fraction(5, 2)


def position(items: Any, x: Any) -> Any:
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if x < items[middle] else (middle + 1, high)
    return low


@table(
    "function, calls",
    [
        (position, [([1, HALF, 3], 2), ([1, HALF, 3, 4], 2), ([1, HALF], 2)]),  # a length
        (lambda x, other: NotImplemented if other is None else x, [(1, object()), (1, object())]),  # which object
        (lambda x, match: x if match is None else x + 1, [(1, "a".startswith), (1, "a".startswith)]),  # the method of which object
        (lambda x: x.name, [(Slotted("a"),), (Slotted("b"),)]),
    ],
)
def test_what_needs_a_program_for_each_content_is_left_to_python_at_the_second(function: Any, calls: list[Any]) -> None:
    compiled = ag.compile(function)
    for args in calls:
        assert compiled(*args) == function(*args)
    assert not compiled.specializations and len(compiled.refusals.reasons) == 1


def test_contents_have_a_program_each_where_that_is_worth_it() -> None:
    def step(x: Any, how: str) -> Any:
        for _ in range(len(x)):
            x = x * 0.5 if how == "halve" else x + 1.0
        return x

    compiled, x = ag.compile(step), np.ones(5)
    for how in ("halve", "add", "other"):
        assert np.array_equal(compiled(x, how), step(x, how))
    assert len(compiled.specializations) == 3 and not compiled.refusals.reasons
