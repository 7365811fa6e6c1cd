"""Attributes of classes that a program sets are what instances show, also those that only the run knows; methods are those of the class."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

import autograph_jit as ag
from tests.tables import table


class Account:
    rate = 2

    def __init__(self, held: int = 0) -> None:
        self.held = held

    def deposit(self, k: int) -> int:
        self.held += k * self.rate
        return self.held

    def withdraw(self, k: int) -> int:
        self.held -= k * self.rate
        return self.held

    def scaled(self, factor: int, k: int) -> int:
        return self.held * factor + k

    tripled = functools.partialmethod(scaled, 3)

    @classmethod
    def of(cls, k: int) -> int:
        return cls(k).held * 2

    @staticmethod
    def next(k: int) -> int:
        return k + 1

    @functools.singledispatchmethod
    def shown(self, x: Any) -> Any:
        return "any", x

    @shown.register
    def _(self, x: int) -> Any:
        return "int", x + self.held


class Saving(Account):
    pass


def by_name(k: int, one: Account, other: Account) -> Any:
    Account.rate += 1
    return Saving.rate, one.rate, other.rate + k


def by_choice(k: int, one: Account, other: Account) -> Any:
    Account.rate += k
    return [one, other][k % 2].rate


def after_a_branch(k: int, one: Account, other: Account) -> Any:
    Account.rate += k
    found = one if k > 2 else Account()
    return found.rate


def of_the_subclass(k: int, one: Account, other: Account) -> Any:
    Saving.rate = k
    found = Saving.rate + other.rate
    del Saving.rate
    return found, Saving.rate, one.rate


def of_the_instance(k: int, one: Account, other: Account) -> Any:
    Account.rate += 1
    one.rate = k
    return one.rate, Account.rate, other.rate


def by_python(k: int, one: Account, other: Account) -> Any:
    Account.rate += k
    action = {"in": one.deposit, "out": one.withdraw}["in" if k > 2 else "out"]
    return one.rate, action(k)


def by_update(k: int, one: Account, other: Account) -> Any:
    one.__dict__.update({"further": k})
    return one.further, sorted(vars(one).items()), list(vars(one))


def in_a_loop(k: int, one: Account, other: Account) -> Any:
    for i in range(k):
        Account.rate += i
        other.held += one.rate
    return other.held


@pytest.fixture(autouse=True)
def rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Account, "rate", 2)


@table("function", [by_name, by_choice, after_a_branch, of_the_subclass, of_the_instance, by_python, by_update, in_a_loop])
def test_what_a_class_is_given_its_instances_show(function: Callable[..., Any]) -> None:
    found = []
    for run in (function, ag.compile(function), ag.compile(function, fallback="error")):
        Account.rate = 2
        found.append([(run(k, Account(k), Saving(k)), Account.rate) for k in (1, 5, 3, 2)])
    assert found[0] == found[1] == found[2]


def test_an_attribute_that_the_run_reads_of_any_object_is_not_one_of_a_class_that_is_set() -> None:
    def f(k: int, one: Account) -> Any:
        Account.rate += k
        places: list[Any] = [None] * 3
        places[k % 3] = one
        for place in places:
            if place is not None:
                place.held += 1
                found = place.rate
        return found

    with pytest.raises(ag.ConversionError, match=r"`Account.rate` is set"):
        ag.compile(f, fallback="error")(1, Account())
    assert ag.compile(f)(1, Account()) == 3


def of_class(one: Account, k: int) -> Any:
    made = one.of
    return one.of(k), made(k), one.next(k), one.tripled(k)


def by_type(one: Account, k: int) -> Any:
    return one.shown(k), one.shown("x")


def as_a_dict(one: Account, k: int) -> Any:
    one.further = k
    one.last = 2
    return list(vars(one)), vars(one)["further"], len(one.__dict__)


@table("function", [of_class, by_type, as_a_dict])
def test_what_every_access_makes_anew_asks_for_no_program_in_every_call(function: Callable[..., Any]) -> None:
    compiled = ag.compile(function, fallback="error")
    for k in (1, 4, 2, 9):
        assert compiled(Account(k), k) == function(Account(k), k)
    assert len(compiled.specializations) <= 2  # `held` is a constant in the first one


def test_lists_in_a_dict_that_are_of_rows_and_of_numbers() -> None:
    def f(rows: list[dict[str, Any]], given: list[int]) -> Any:
        held, groups, row, t = list(given), {}, rows[0], 0
        for _ in range(12):
            groups.setdefault(f"n{t % 9}", []).append(row)
            t += 1
        groups.setdefault("a", []).append(t % 5)
        return held, groups, row

    rows = [{"id": k, "name": "n2", "w": 2} for k in range(80)]
    assert ag.compile(f, fallback="error")(rows, list(range(12))) == f(rows, list(range(12)))
