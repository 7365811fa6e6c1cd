"""Exceptions that the program raises and catches: handlers read what they hold, and no exception is made for them."""

from __future__ import annotations

import copy
from typing import Any

import autograph_jit as ag
from tests.tables import table


class Overdrawn(Exception):
    def __init__(self, account: Any, amount: Any) -> None:
        super().__init__(f"{account} lacks {amount}")
        self.account = account
        self.amount = amount


class Lacking(Overdrawn):
    def __init__(self, account: Any, amount: int) -> None:
        super().__init__(account.name, amount)
        self.account = account


class Closed(Exception):
    code = 7

    def describe(self) -> str:
        return "closed " + str(self.args[0])


class Numbered(Exception):
    level = 1

    def __init__(self, code: int, *rest: Any) -> None:
        super().__init__(code, *rest)
        self.code = code

    @property
    def double(self) -> int:
        return self.code * 2

    def __str__(self) -> str:
        return f"<{self.code}>"


class Named(Numbered):
    level = 2

    def __init__(self, code: int, text: str) -> None:
        super().__init__(code, text)
        self.text = text


class Account:
    def __init__(self, name: str, left: int) -> None:
        self.name = name
        self.left = left

    def take(self, amount: int) -> None:
        if amount > self.left:
            raise Lacking(self, amount - self.left)
        self.left -= amount


def take(balance: int, amount: int, name: str) -> int:
    if amount > balance:
        raise Overdrawn(name, amount - balance)
    return balance - amount


def attributes(amounts: Any) -> Any:
    balance = 1000
    missing = 0
    refused = 0
    for a in amounts:
        try:
            balance = take(balance, a, "ann")
        except Overdrawn as e:
            refused += 1
            missing += e.amount
            balance += 50
    return balance, missing, refused


def texts(amounts: Any) -> Any:
    balance = 1000
    out = []
    for a in amounts:
        try:
            balance = take(balance, a, "bob")
        except Overdrawn as e:
            out.append(str(e))
            balance += 50
    return balance, out


def raised_again(amounts: Any) -> Any:
    balance = 1000
    total = 0
    for a in amounts:
        try:
            try:
                balance = take(balance, a, "bob")
            except Overdrawn:
                balance += 10
                raise
        except Overdrawn as e:
            total += e.amount
            balance += 50
    return balance, total


def of_several_classes(amounts: Any) -> Any:
    n = 0
    texts = []
    for a in amounts:
        try:
            if a % 3 == 0:
                raise Overdrawn("x", a)
            if a % 3 == 1:
                raise Closed(a)
            if a % 5 == 0:
                raise ValueError(f"bad {a}")
            n += a
        except (Overdrawn, Closed) as e:
            if isinstance(e, Closed):
                texts.append(e.describe())
                n += e.code
            else:
                texts.append(e.account)
                n += e.amount
        except ValueError as e:
            texts.append(f"<{e}>")
            texts.append(e.args[0])
            texts.append(repr(e))
            texts.append(type(e).__name__)
    return n, texts


def left_by_finally(amounts: Any) -> Any:
    n = 0
    for a in amounts:
        try:
            try:
                if a % 3 == 0:
                    raise Overdrawn("x", a)
                if a % 3 == 1:
                    raise Closed(a, 2)
                n += a
            finally:
                n += 1
        except Exception as e:
            n += len(e.args)
    return n


def keys(amounts: Any) -> Any:
    d = {1: 2, 3: 4}
    bad = []
    for a in amounts:
        try:
            if a == 7:
                raise KeyError("seven")
            x = d[a % 5]
        except KeyError as e:
            bad.append(str(e))
    return bad


def from_another(amounts: Any) -> Any:
    n = 0
    for a in amounts:
        try:
            try:
                take(100, a, "z")
            except Overdrawn as e:
                raise ValueError(e.amount) from e
        except ValueError as v:
            n += v.args[0]
    return n


def methods_and_properties(xs: Any) -> Any:
    total = 0
    log = []
    for x in xs:
        try:
            if x % 2:
                raise Named(x, f"t{x}")
            if x % 3 == 0:
                raise Numbered(x, 1, 2)
            total += 1
        except Numbered as e:
            total += e.double + e.level
            log.append(str(e))
            log.append(f"{e}!")
    return total, log


def one_raised_again(xs: Any) -> Any:
    n = 0
    for x in xs:
        try:
            try:
                if x % 4 == 0:
                    raise Closed(x)
                if x % 4 == 1:
                    raise Numbered(x)
                n += 1
            except Closed as e:
                n += e.args[0]
                raise
        except (Closed, Numbered) as e:
            n += 1000 * len(e.args)
            if isinstance(e, Numbered):
                n += e.code
    return n


def of_operations(xs: Any) -> Any:
    n = 0
    for x in xs:
        try:
            n += 100 // (x % 5)
        except ZeroDivisionError as e:
            n -= len(str(e))
    return n


def names_of_classes(xs: Any) -> Any:
    counts = {}
    for x in xs:
        try:
            if x % 3 == 0:
                raise Closed("a")
            if x % 3 == 1:
                raise Numbered(3)
            raise ValueError
        except Exception as e:
            name = type(e).__name__
            counts[name] = counts.get(name, 0) + 1
    return counts


def of_bare_classes(xs: Any) -> Any:
    n = 0
    for x in xs:
        try:
            if x % 3 == 0:
                raise Closed
        except Closed as e:
            n += len(e.args) + 1
            n += str(e) == ""
    return n


def after_retries(xs: Any) -> Any:
    def retry(k):
        for attempt in range(3):
            try:
                if (k + attempt) % 3:
                    raise Numbered(k, attempt)
                return k * 10 + attempt
            except Numbered as e:
                if attempt == 2:
                    raise
        return -1
    s = 0
    for x in xs:
        try:
            s += retry(x)
        except Numbered as e:
            s -= e.args[1]
    return s


def instances(xs: Any) -> Any:
    accounts = [Account("a", 30), Account("b", 60)]
    lacking = 0
    for x in xs:
        try:
            accounts[x % 2].take(x)
        except Overdrawn as e:
            e.account.left += e.amount
            lacking += e.account is accounts[0]
    return lacking, [a.left for a in accounts]


def kept(xs: Any) -> Any:
    found = []
    for x in xs:
        try:
            take(50, x, "z")
        except Overdrawn as e:
            found.append(e)
    return [(e.amount, str(e)) for e in found]


def changed(xs: Any) -> Any:
    out = []
    for x in xs:
        try:
            try:
                take(50, x, "z")
            except Overdrawn as e:
                e.amount = e.amount * 2
                raise
        except Overdrawn as e:
            out.append(e.amount)
    return out


def missing(xs: Any) -> Any:
    n = 0
    for x in xs:
        try:
            if x % 3 == 0:
                raise Closed("k")
        except Closed as e:
            n += e.nothing
    return n


def let_out(xs: Any) -> Any:
    for x in xs:
        try:
            if x > 30:
                raise Named(x, "end")
            if x % 7 == 0:
                raise Closed()
        except Closed:
            pass
    return 1


def of_no_class(xs: Any) -> Any:
    n = 0
    for x in xs:
        try:
            if x == 30:
                raise Closed(n)
            n += x
        except (KeyError, len(xs)):
            n += 1
    return n


MADE_ONE = Closed("made before")


def made_before(xs: Any) -> Any:
    n = 0
    for x in xs:
        try:
            if x % 3 == 0:
                raise MADE_ONE
        except Closed as e:
            n += len(str(e))
    return n


def parse(text: str) -> int:
    if len(text) > 4:
        raise ValueError(f"too long: {text!r}")
    return int(text)


def of_numbers(xs: Any) -> Any:
    good, bad = 0.0, []
    for x in xs:
        text = WORDS[x % 11]
        try:
            good += parse(text)
        except ValueError as e:
            bad.append(str(e))
        try:
            good += float(text)
        except ValueError as error:
            bad.append(f"{error}")
    return good, bad


class BadLine(ValueError):
    def __init__(self, place: int, why: str) -> None:
        super().__init__(why)
        self.place = place


def of_numbers_and_own(xs: Any) -> Any:
    total, where, said = 0.0, 0, ""
    for k, x in enumerate(xs):
        text = WORDS[x % 11]
        try:
            n = int(text, 16) if x % 2 else int(text)
            if n > 10:
                raise BadLine(k, f"too big: {n}")
            total += n + float(text)
        except BadLine as e:
            where += e.place + len(str(e))
        except ValueError as e:
            said = str(e)
    return total, where, said


def with_other_handlers(xs: Any) -> Any:
    lost, n = 0, 0
    for x in xs:
        try:
            if x % 3 == 0:
                raise Numbered(x)
            n += int(str(x)) + int(float(str(x)))
        except Numbered as e:
            lost += e.code
        except ValueError:
            n -= 1
    return n, lost


WORDS = ["12", "x", "", "7", "abcdef", " 5 ", "1_0", "inf", "1e3", "'q'", "²"]


def outcome(function: Any, xs: list[int]) -> Any:
    try:
        return function(copy.copy(xs))
    except Exception as error:
        return type(error), error.args, vars(error)


UNMADE = (attributes, texts, raised_again, of_several_classes, left_by_finally, keys, from_another, methods_and_properties)
UNMADE += (of_numbers_and_own, with_other_handlers)
UNMADE += (one_raised_again, of_operations, names_of_classes, of_bare_classes, after_retries, instances)


@table("function", [*UNMADE, of_numbers, kept, changed, missing, let_out, of_no_class, made_before])
def test_handlers_find_what_python_finds(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for xs in (list(range(0, 120, 3)), [5, 80, 30, 10, 7, 7, 7, 49], list(range(40))):
        assert outcome(compiled, xs) == outcome(function, xs)


@table("function", UNMADE)
def test_no_exception_is_made_for_handlers_that_read_what_it_holds(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    compiled(list(range(0, 120, 3)))
    graph = compiled.specializations[-1].program.graph
    called = {x.attributes["label"] for x in graph.walk() if x.name == "host_call" and x.operands}
    seldom = {"repr", "int", "float", "text of error"}  # of texts with letters that are seldom quoted, or in no usual number
    assert called <= {"except", *seldom}
