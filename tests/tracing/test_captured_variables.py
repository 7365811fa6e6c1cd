"""Variables that kept functions capture and that change: counters, accounts, recursive functions, as Python has them."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees

MANY, CONSTANT = list(range(20)), [4] * 18


class Button:
    def __init__(self, pressed: Callable[[], int]) -> None:
        self.pressed = pressed


def counter(start: int, step: int) -> Callable[[], int]:
    n = start

    def tick() -> int:
        nonlocal n
        n += step
        return n

    return tick


def counters(xs: Any) -> Any:
    fs = [counter(v, v + 1) for v in xs]
    buttons = [Button(f) for f in fs]
    found = [f() + f() for f in fs], [button.pressed() for button in buttons]
    return found, [f() for f in fs[::2]], fs[0] is buttons[0].pressed


def accounts(xs: Any) -> Any:
    """Pairs of functions that share variables; a parameter is one of them."""

    def account(balance: float, owner: str) -> dict[str, Any]:
        """An account."""
        moves, log = 0, ""

        def deposit(x: float) -> float:
            nonlocal balance, moves, log
            balance, moves = balance + x, moves + 1
            log += "+" + owner
            return balance

        def withdraw(x: float) -> bool:
            nonlocal balance, moves, log
            if x > balance:
                log += "!"
                return False
            balance -= x
            moves += 1
            return True

        return {"deposit": deposit, "withdraw": withdraw, "state": lambda: (balance, moves, log)}

    people = [account(float(v), str(v)) for v in xs]
    failed = 0
    for i, v in enumerate(xs):
        person = people[i * 7 % len(xs)]
        person["deposit"](v * 2.0)
        for other in people[: v % 4]:
            if not other["withdraw"](3.5):
                failed += 1
    return failed, [person["state"]() for person in people]


def changed_by_owner(xs: Any) -> Any:
    """What the function that has the variable does to it, before it ends, is seen as well; so is what others do to it in the meantime."""

    def made(k: int) -> tuple[Callable[[], int], int]:
        total = k

        def add() -> int:
            nonlocal total
            total += 10
            return total

        first = add()
        total = total * 2
        for i in range(k % 3):
            total += i
            add()
        while total < k * 3:
            total += add() % 2 + 1
        return add, first + total

    pairs = [made(v) for v in xs]
    return [f() for f, _ in pairs], [g for _, g in pairs], [f() for f, _ in pairs]


def late(xs: Any) -> Any:
    """A loop's variable, which all functions of the loop see as it is in the end."""

    def group(size: int) -> list[Callable[[int], int]]:
        fs: list[Callable[[int], int]] = []
        for k in range(size):
            fs.append(lambda x: x * 10 + k)
        if size > 5:
            k = 7
        return fs

    groups = [group(v + 1) for v in xs]
    return [[f(i) for f in fs] for i, fs in enumerate(groups)]


def recursive(xs: Any) -> Any:
    def power(base: int) -> Callable[[int], int]:
        def f(k: int) -> int:
            return 1 if k <= 0 else base * f(k - 1) % 1009

        return f

    def collatz(limit: int) -> Callable[[int], int]:
        steps = 0

        def down(k: int) -> int:
            nonlocal steps
            steps += 1
            return steps if k <= 1 or steps > limit else (down(k // 2) if k % 2 == 0 else up(k))

        def up(k: int) -> int:
            return down(3 * k + 1)

        return down

    fs, gs = [power(v) for v in xs], [collatz(50 + v) for v in xs]
    return [f(v) for f, v in zip(fs, xs)], [g(v + 1) for g, v in zip(gs, xs)], fs[3](2) + fs[-1](3)


def memoised(xs: Any) -> Any:
    def memoise(f: Callable[[int], int]) -> tuple[Callable[[int], int], Callable[[], int]]:
        known: dict[int, int] = {}
        hits = 0

        def g(x: int) -> int:
            nonlocal hits
            if x in known:
                hits += 1
            else:
                known[x] = f(x)
            return known[x]

        return g, lambda: hits

    def shifted(k: int) -> Callable[[int], int]:
        return lambda x: (x * x + k) % 101

    fs = [memoise(shifted(v)) for v in xs]
    out = [fs[i % 5][0](v % 4) for i, v in enumerate(xs)]
    return out, [hits() for _, hits in fs]


def of_several_types(xs: Any) -> Any:
    """What is held changes its type."""

    def latest() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
        value, values, name, best = None, [], "", 0

        def put(x: Any) -> None:
            nonlocal value, values, name, best
            value, name = x, name + str(x)
            best = max(best, x / 2)
            values = [*values, x] if x % 5 else []

        return put, lambda: (value, values, name, best)

    pairs = [latest() for _ in xs]
    for i, v in enumerate(xs):
        pairs[i // 2][0](v)
        pairs[0][0](v + 1)
    return [get() for _, get in pairs]


def functions_in_variables(xs: Any) -> Any:
    """What is held is a function, or None."""

    def chain() -> tuple[Any, Any]:
        then: Any = None
        calls = 0

        def on(f: Any) -> None:
            nonlocal then
            before = then
            then = (lambda x: f(x)) if before is None else (lambda x: f(before(x)))

        def run(x: int) -> int:
            nonlocal calls
            calls += 1
            return x if then is None else then(x) + calls

        return on, run

    chains = [chain() for _ in xs]
    for i, v in enumerate(xs):
        chains[i % 6][0](lambda x, v=v: x * 2 + v)
    return [run(1) for _, run in chains], [run(2) for _, run in chains]


def timers(xs: Any) -> Any:
    queue: list[Any] = []
    log: list[tuple[int, int]] = []

    def timer(period: int, times: int) -> Callable[[int], int]:
        left = times

        def fire(now: int) -> int:
            nonlocal left
            left -= 1
            log.append((now, left))
            return now + period if left > 0 else -1

        return fire

    for i, v in enumerate(xs):
        heapq.heappush(queue, (v, i, timer(v % 7 + 1, v % 4 + 1)))
    while queue:
        now, i, fire = heapq.heappop(queue)
        again = fire(now)
        if again >= 0:
            heapq.heappush(queue, (again, i, fire))
    return log


def in_methods(xs: Any) -> Any:
    """Nested in a function of a function; read in a comprehension, a generator expression, a function inside."""

    def outer(k: int) -> Callable[[int], int]:
        seen = 0

        def middle(x: int) -> int:
            def inner() -> None:
                nonlocal seen
                seen += x

            inner()
            parts = [seen + i for i in range(3)]
            return sum(p * seen for p in parts) + (lambda: seen + k)()

        return middle

    fs = [outer(v) for v in xs]
    return [f(2) for f in fs], [f(v) for f, v in zip(fs, xs)]


def raising(xs: Any) -> Any:
    def limited(most: int) -> Callable[[], int]:
        n = 0

        def step() -> int:
            nonlocal n
            n += 1
            if n > most:
                raise ValueError(f"more than {most}: {n}")
            return 100 // (most - n)

        return step

    fs = [limited(v % 4) for v in xs]
    out: list[Any] = []
    for _ in range(3):
        for f in fs:
            try:
                out.append(f())
            except ValueError as error:
                out.append(str(error))
            except ZeroDivisionError:
                out.append(-1)
    return out


def read_too_early(xs: Any) -> Any:
    """Variables without a value, which say so."""

    def made(k: int) -> tuple[Callable[[], int], Callable[[int], None]]:
        def get() -> int:
            return value + 1

        def put(x: int) -> None:
            nonlocal value
            value = x

        if k % 3 == 0:
            value = k
        return get, put

    pairs = [made(v) for v in xs]
    out: list[Any] = []
    for _ in range(2):
        for get, put in pairs:
            try:
                out.append(get())
            except NameError as error:
                out.append(type(error).__name__ + str(error))
            put(len(out))
    return out


def own_read_too_early(xs: Any) -> Any:
    def made(k: int) -> Callable[[], int]:
        if k > 15:
            value = k
        f = lambda: value  # noqa: E731
        value += 1
        return f

    fs = [made(v) for v in xs if v > 16]
    return [f() for f in fs], len([made(v) for v in xs])


def after_return(xs: Any) -> Any:
    """An early return before the variable has a value."""

    def made(k: int) -> Callable[[], int]:
        if k % 4 == 0:
            return lambda: -k
        n = k
        try:
            n //= k - 1
        except ZeroDivisionError:
            n = 50

        def tick() -> int:
            nonlocal n
            n += 1
            return n

        return tick

    fs = [made(v) for v in xs]
    return [f() for f in fs], [f() for f in fs]


def rebound(xs: Any) -> Any:
    """A parameter, and the name of a function, that get other values."""

    def first(k: int) -> Callable[[int], int]:
        f = lambda x: x + k  # noqa: E731
        k = k * 10
        return f

    def second(k: int, *more: int, scale: int = 2) -> Callable[[int], Any]:
        def f(x: int) -> Any:
            return x + k * scale + len(more), g(x)

        def g(x: int) -> int:
            return x - scale

        scale += 1
        if k % 2:

            def g(x: int) -> int:  # noqa: F811
                return x * scale

        return f

    fs, gs = [first(v) for v in xs], [second(v, 1, 2, scale=v) for v in xs]
    return [f(1) for f in fs], [g(3) for g in gs]


def of_compiled_function(xs: Any) -> Any:
    """Variables of the compiled function, read in one that is called several times."""
    ops: list[Callable[[int], int]] = []
    k = 0
    for v in xs:
        ops.append(lambda x, v=v: x * v + k)

    def run(x: int) -> int:
        t = 0
        for f in ops:
            t += f(x)
            for _ in range(3):
                t = t * 3 % 1001
        return t

    first = run(1)
    k = 5
    second = run(1)
    k = 9
    return first, second, run(1), run(2)


NATIVE = [counters, accounts, changed_by_owner, late, recursive, memoised, functions_in_variables, timers, in_methods]
NATIVE += [raising, after_return, rebound, of_several_types, of_compiled_function]
USUAL = "rare = True", "raise", '"text of error"', '"except"'


@table("f", NATIVE, ids=lambda f: f.__name__)
def test_captured_variables_hold_what_python_s_do_and_call_nothing_of_it(f: Callable[..., Any]) -> None:
    assert_agrees(f, (MANY,), (CONSTANT,))
    calls = [line for line in ag.compile(f, fallback="error").graph(MANY).split("\n") if "= host_call" in line]
    assert [line for line in calls if not any(each in line for each in USUAL)] == []


@pytest.mark.native
@table("f", [counters, accounts, late, recursive, timers], ids=lambda f: f.__name__)
def test_native_code_has_them_too(f: Callable[..., Any]) -> None:
    assert_agrees(f, (MANY,), (CONSTANT,))


@table("f", [read_too_early, own_read_too_early], ids=lambda f: f.__name__)
def test_a_variable_without_a_value_raises_as_in_python(f: Callable[..., Any]) -> None:
    assert_agrees(f, (MANY,), (CONSTANT,))
