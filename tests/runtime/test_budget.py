"""The budget of a compilation: what would take too long is refused by counted work, and Python runs the call, once."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import budget
from autograph_jit.backends.cpu import library
from autograph_jit.backends.disk_cache import disk_cache
from autograph_jit.errors import BudgetError
from autograph_jit.runtime import budgets, gradients
from autograph_jit.runtime.dispatch import living
from autograph_jit.runtime.settings import from_environment
from tests.tables import table

SECONDS = 0.1


def unrolled(x: Any, log: list[Any]) -> Any:
    log.append(1)
    for _ in ag.unroll(range(3000)):
        x = x + 1.0
    return x[0]


def permutations(x: Any, log: list[Any]) -> Any:
    log.append(1)
    total = 0.0
    for order in orders([0, 1, 2, 3, 4, 5, 6]):
        total += order[0] * order[-1]
    return total + x[0]


def orders(items: list[Any]) -> Iterator[list[Any]]:
    if len(items) <= 1:
        yield items
    else:
        for i in range(len(items)):
            for rest in orders(items[:i] + items[i + 1 :]):
                yield [items[i], *rest]


def queens(x: Any, log: list[Any]) -> Any:
    log.append(1)
    return x[0] + placed(0, (), 6)


def placed(row: int, columns: tuple[int, ...], n: int) -> int:
    """Each level has a type of its own, that of a longer tuple: none is a function of the program that calls itself."""
    if row == n:
        return 1
    found = 0
    for column in range(n):
        if all(column != other and abs(column - other) != row - at for at, other in enumerate(columns)):
            found += placed(row + 1, (*columns, column), n)
    return found


def over_sets(x: Any, log: list[Any]) -> Any:
    log.append(1)
    known: dict[Any, Any] = {}

    def shortest(last: int, left: frozenset[int]) -> Any:
        if not left:
            return x[last]
        if (last, left) not in known:
            known[last, left] = min(x[last] * x[k] + shortest(k, left - {k}) for k in sorted(left))
        return known[last, left]

    return shortest(0, frozenset(range(1, 9)))


ENDLESS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "an unrolled loop": unrolled,
    "permutations by a generator": permutations,
    "backtracking over known ints": queens,
    "memoised recursion over a set": over_sets,
}


def warnings_of(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What a call gives, and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [str(each.message) for each in caught]


def line_sums(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * math.sin(x[i])
    return total


@table("program", ENDLESS)
def test_endless_program_runs_in_python_once_and_says_why(program: str) -> None:
    function, x = ENDLESS[program], np.linspace(0.5, 1.5, 9)
    expected = function(x, [])
    fast = ag.compile(function, compile_seconds=SECONDS)
    log: list[Any] = [0]
    result, texts = warnings_of(lambda: fast(x, log))
    assert result == expected and log == [0, 1]
    assert len(texts) == 1 and "takes too long" in texts[0] and "test_budget.py:" in texts[0] and "compile_seconds" in texts[0], texts
    result, texts = warnings_of(lambda: fast(x, log))
    assert result == expected and log == [0, 1, 1] and not texts


@table("program", ENDLESS)
def test_fallback_error_raises_before_any_effect(program: str) -> None:
    log: list[Any] = []
    with pytest.raises(BudgetError, match="takes too long"):
        ag.compile(ENDLESS[program], fallback="error", compile_seconds=SECONDS)(np.linspace(0.5, 1.5, 9), log)
    assert log == []


def test_user_handler_does_not_swallow_the_refusal() -> None:
    def guarded(x: Any) -> Any:
        try:
            for _ in ag.unroll(range(3000)):
                x = x + 1.0
        except NotImplementedError:
            return -1.0
        return x[0]

    result, texts = warnings_of(lambda: ag.compile(guarded, compile_seconds=SECONDS)(np.ones(3)))
    assert result == 3001.0 and len(texts) == 1


def test_gradient_warns_once_and_goes_on() -> None:
    def loss(x: Any) -> Any:
        for _ in ag.unroll(range(20)):
            x = x * 1.5
        return x.sum()

    with ag.config(compile_seconds=0.02):
        found, texts = warnings_of(lambda: ag.grad(loss)(np.ones(3)))
    np.testing.assert_allclose(found, 1.5**20)
    assert len(texts) == 1 and "takes long" in texts[0] and "goes on" in texts[0]


def test_gradient_that_never_ends_is_given_up_at_last() -> None:
    def loss(x: Any) -> Any:
        for _ in ag.unroll(range(10**9)):
            x = x * 1.5
        return x.sum()

    with ag.config(compile_seconds=0.02), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(BudgetError):
            ag.grad(loss)(np.ones(3))


def test_counts_are_the_same_in_two_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "enabled", False)
    found: list[Any] = []
    for _ in range(2):
        fast = ag.compile(line_sums)
        fast(np.ones(5))
        found.append({work.noun: count for work, count in fast.specializations[0].compilation.counts.items() if "parsed" not in work.noun})
    assert found[0] == found[1] and len(found[0]) >= 5


def test_program_too_long_for_llvm_is_refused_before_llvm_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "enabled", False)
    measured = ag.compile(line_sums)
    measured(np.ones(5))
    counts = measured.specializations[0].compilation.counts
    lines = counts[library.OPTIMISED] * library.OPTIMISED.microseconds
    seconds = (measured.account.spent - lines / 2) / budget.MICROSECONDS
    asked: list[str] = []
    monkeypatch.setattr(library, "optimised", lambda text: asked.append(text))
    with pytest.raises(BudgetError, match="machine code") as caught:
        ag.compile(line_sums, fallback="error", compile_seconds=seconds)(np.ones(5))
    assert not asked and caught.value.span is not None and caught.value.span.filename == __file__


def test_all_compilations_of_a_function_have_a_budget_together() -> None:
    fast = ag.compile(line_sums)
    first = fast(np.ones(5))
    fast.account.spent = 12e6
    result, texts = warnings_of(lambda: fast(np.ones(5, np.float32)))
    assert np.isclose(result, first) and len(texts) == 1 and "after 12 s for earlier compilations" in texts[0]
    assert warnings_of(lambda: fast(np.ones((5,), np.float16)))[1] == []  # it belongs to all kinds of arguments
    assert fast(np.ones(5)) == first and len(fast.specializations) == 1 and fast.specializations[0].all_calls == 2


def test_refusal_of_one_compilation_belongs_to_its_kinds_of_arguments() -> None:
    def either(x: Any, n: Any) -> Any:
        if isinstance(n, str):
            for _ in ag.unroll(range(3000)):
                x = x + 1.0
        return x[0]

    with ag.config(compile_seconds=SECONDS):
        fast = ag.compile(either)
        assert warnings_of(lambda: fast(np.ones(3), "long"))[1]
        fast.account.spent = 0.0
        assert fast(np.ones(3), 1) == 1.0 and len(fast.specializations) == 1


def test_clock_ends_what_nobody_counts_and_is_not_called_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(budget.time, "monotonic", lambda: now[0])
    compilation = budget.Compilation(budget.Account(), "`f`", 10.0)
    with budget.counting(compilation):
        budget.spend(budget.Work("steps", 1.0))
        now[0] = 61.0
        with pytest.raises(BudgetError, match="61 s") as caught:
            budget.spend(budget.Work("steps", 1.0), 100_000)
    assert not caught.value.is_counted


def test_watchers_are_called_while_tracing_and_may_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[str] = Counter()

    def watch(compilation: budget.Compilation) -> None:
        seen[compilation.stage] += 1
        if compilation.spent > 100_000:
            raise ag.ConversionError("seen enough", budget.place_of_trace())

    monkeypatch.setattr(budget, "watchers", [watch])
    with pytest.raises(ag.ConversionError, match="test_budget.py:.* seen enough"):
        ag.compile(unrolled, fallback="error")(np.ones(3), [])
    assert seen[budget.TRACING] >= 3 and set(seen) == {budget.TRACING}


def test_what_has_no_form_in_python_goes_on() -> None:
    plain: dict[str, Any] = {"device": None, "fallback": "warn"}
    assert not budgets.begin(budget.Account(), "f", plain).goes_on
    assert budgets.begin(budget.Account(), "f", plain, for_tape=True).goes_on
    assert budgets.begin(budget.Account(), "f", plain | {"device": "cuda"}).goes_on
    assert not budgets.begin(budget.Account(), "f", plain | {"device": "cuda", "fallback": "error"}).goes_on
    assert budgets.begin(budget.Account(), "f", gradients.OPTIONS).goes_on


def test_setting_argument_and_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"device": None, "fallback": "warn"}
    with ag.config(compile_seconds=3):
        assert budgets.begin(budget.Account(), "f", options).limit == 3e6
        assert budgets.begin(budget.Account(), "f", options | {"compile_seconds": 5.0}).limit == 5e6
        assert budgets.begin(budget.Account(), "f", options | {"compile_seconds": math.inf}).limit == math.inf
    with ag.config(compile_seconds=None):
        assert budgets.begin(budget.Account(), "f", options).limit == math.inf
    for text, expected in {"2.5": 2.5, "none": None, "inf": math.inf}.items():
        monkeypatch.setenv("AUTOGRAPH_JIT_COMPILE_SECONDS", text)
        assert from_environment().compile_seconds == expected


@table("value", {"zero": 0, "negative": -1.0, "not a number": math.nan, "a truth value": True, "text": "ten"})
def test_seconds_that_are_none_are_a_setting_error(value: str) -> None:
    given: Any = {"zero": 0, "negative": -1.0, "not a number": math.nan, "a truth value": True, "text": "ten"}[value]
    with pytest.raises(ag.SettingError, match="compile_seconds"):
        ag.config(compile_seconds=given)
    with pytest.raises(ag.SettingError, match="compile_seconds"):
        ag.compile(line_sums, compile_seconds=given)


def test_levels_of_a_recursion_spend_of_the_same_budget() -> None:
    fast = ag.compile(halves, fallback="error")
    assert fast(9) == (9, (4, (2, (1, ()))))
    made = [level for level in living if level.function is halves and level is not fast]
    assert made and all(level.account is fast.account for level in made)
    assert fast.account.spent > fast.specializations[0].compilation.spent > 0


def halves(n: int) -> tuple[Any, ...]:
    """The data decide the type of the result: the levels are compiled on their own."""
    return (n, halves(n // 2)) if n else ()
