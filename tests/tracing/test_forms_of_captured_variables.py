"""How variables in cells are bound, read and hidden; what no cell can stand for is refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.tables import table
from tests.tracing.agreement import assert_agrees, conversion_error

MANY, CONSTANT = list(range(20)), [4] * 18


def in_generator_expressions(xs: Any) -> Any:
    def made(k: int) -> Callable[[], int]:
        n = k

        def f() -> int:
            return sum(n * i for i in range(3)) + max([n + j for j in range(n % 3 + 1)])

        n += 1
        return f

    return [f() for f in [made(v) for v in xs]]


def annotated(xs: Any) -> Any:
    def made(k: int) -> Callable[..., int]:
        n: int = k

        def f(x: int = n) -> int:
            return n + x

        n: int  # type: ignore[no-redef]
        n += 1
        return f

    fs = [made(v) for v in xs]
    return [f() for f in fs], [f(2) for f in fs]


def hidden(xs: Any) -> Any:
    """Other variables of the same name."""

    def made(k: int) -> Callable[[], int]:
        n = k

        def f(n: int) -> Callable[[], int]:
            def h() -> int:
                return n * 2

            n += 1
            return h

        def g() -> int:
            return f(n)() + (lambda n=1: n)()

        n += 1
        return g

    return [f() for f in [made(v) for v in xs]]


def loop_targets(xs: Any) -> Any:
    def made(k: int) -> Callable[[], tuple[int, int]]:
        def f() -> tuple[int, int]:
            return n, m

        m = 0
        for i, n in enumerate(range(k, k + 3)):
            m += i + n
        return f

    return [f() for f in [made(v) for v in xs]]


def several_at_once(xs: Any) -> Any:
    def made(k: int) -> tuple[Callable[[], None], Callable[[], tuple[int, int, list[int]]]]:
        """Two variables in one statement, and a third that takes the rest."""
        a, (b, *rest) = k, [k + 1, k + 2, k + 3]
        x = y = k

        def step() -> None:
            nonlocal a, b, rest, x, y
            a, b = b, a + b
            rest = rest[1:]
            x += y
            y, x = x, y

        return step, lambda: (a * x, b * y, rest)

    pairs = [made(v) for v in xs]
    for step, _ in pairs:
        step()
        step()
    return [state() for _, state in pairs]


def lists_rebound(xs: Any) -> Any:
    def buffer(size: int) -> Any:
        items: list[int] = []

        def push(x: int) -> list[int] | None:
            nonlocal items
            items.append(x)
            if len(items) > size:
                old, items = items, []
                return old
            return None

        return push, lambda: items

    buffers = [buffer(v % 4) for v in xs]
    out = [push(i) for i in range(3) for push, _ in buffers]
    return out, [get() for _, get in buffers]


def arrays(xs: Any) -> Any:
    def smoother(window: int) -> Callable[[float], float]:
        state, at = np.zeros(window), 0

        def push(x: float) -> float:
            nonlocal at
            state[at % window] = x
            at += 1
            return float(state.sum()) / window

        return push

    fs = [smoother(2 + v % 5) for v in xs]
    return [fs[i * 3 % len(fs)](i * 0.5) for i in range(40)]


def undone_and_redone(xs: Any) -> Any:
    """A loop calls functions that a later trip of it makes; one variable is the compiled function's."""
    value = 0
    done: list[Any] = []
    undone: list[Any] = []

    def change(k: int, *, by: int = 2) -> tuple[Callable[[], None], Callable[..., None]]:
        before = value

        def do() -> None:
            nonlocal value
            value = value * by + k

        def undo(more: int = k) -> None:
            nonlocal value
            value = before + more * 0

        return do, undo

    for i, v in enumerate(xs):
        if i % 5 == 3 and done:
            pair = done.pop()
            pair[1]()
            undone.append(pair)
        elif i % 5 == 4 and undone:
            pair = undone.pop()
            pair[0]()
            done.append(pair)
        else:
            pair = change(v, by=3) if i % 2 else change(v)
            pair[0]()
            done.append(pair)
        value %= 1009
    return value, len(done), len(undone)


def never_made(xs: Any) -> Any:
    fs: list[Callable[[int], int]] = []
    total = 0
    for v in xs:
        if fs:
            total += fs.pop()(v)
            fs.append(lambda x, v=v: x + v)
    return total, len(fs)


def compiled_to_closures(xs: Any) -> Any:
    """A recursion that gives back functions, which call those inside them."""

    def compiled(code: int, depth: int) -> Callable[[dict[str, int]], int]:
        if code < 2:
            return lambda env: code
        if code % 3 == 0:
            left, right = compiled(code // 3, depth + 1), compiled(code // 2, depth + 1)
            return lambda env: (left(env) + right(env)) % 10007
        if code % 3 == 1:
            inner = compiled(code // 2, depth + 1)
            return lambda env: inner(env) * 3 % 10007
        return lambda env: env["x"] + depth

    fs = [compiled(v, 0) for v in xs]
    return [f({"x": 5}) for f in fs], [f({"x": i}) for i, f in enumerate(fs)]


def deleted(xs: Any) -> Any:
    def made(k: int) -> Callable[[], int]:
        n = k
        f = lambda: n  # noqa: E731
        n = n + 1
        m = n
        del n
        n = m * 2
        return f

    return [f() for f in [made(v) for v in xs]]


def seen_as_locals(xs: Any) -> Any:
    def made(k: int) -> Callable[[], int]:
        n = k
        f = lambda: n  # noqa: E731
        n = n + len(locals())
        return f

    return [f() for f in [made(v) for v in xs]]


def bound_in_expression(xs: Any) -> Any:
    def made(k: int) -> Callable[[], int]:
        n = k
        f = lambda: n  # noqa: E731
        if (n := n + 1) > 5:
            n += 2
        return f

    return [f() for f in [made(v) for v in xs]]


def bound_in_pattern(xs: Any) -> Any:
    def made(k: int) -> Callable[[], int]:
        n = k
        f = lambda: n  # noqa: E731
        match (k, k + 1):
            case (_, n):
                pass
        return f

    return [f() for f in [made(v) for v in xs]]


def assigned_by_generator(xs: Any) -> Any:
    def made(k: int) -> Callable[[], int]:
        n = k

        def g() -> Any:
            nonlocal n
            for i in range(3):
                n += i
                yield n

        n += 1
        return lambda: sum(g()) + n

    return [f() for f in [made(v) for v in xs]]


def wrapped(xs: Any) -> Any:
    def counting(f: Callable[[int], int]) -> Callable[[int], int]:
        calls = 0

        @functools.wraps(f)
        def g(x: int) -> int:
            nonlocal calls
            calls += 1
            return f(x) + calls

        return g

    def square(k: int) -> Callable[[int], int]:
        return lambda x: x * x + k

    fs = [counting(square(v)) for v in xs]
    return [f(2) for f in fs], [f(3) for f in fs]


FORMS = [in_generator_expressions, annotated, hidden, loop_targets, several_at_once, lists_rebound, undone_and_redone, compiled_to_closures]
REFUSED = [deleted, seen_as_locals, bound_in_expression, bound_in_pattern, assigned_by_generator, wrapped, arrays]


@table("f", FORMS, ids=lambda f: f.__name__)
def test_variables_in_cells_are_bound_and_hidden_as_in_python(f: Callable[..., Any]) -> None:
    assert_agrees(f, (MANY,), (CONSTANT,))


@pytest.mark.native
@table("f", [several_at_once, compiled_to_closures, undone_and_redone], ids=lambda f: f.__name__)
def test_native_code_binds_them_too(f: Callable[..., Any]) -> None:
    assert_agrees(f, (MANY,))


def test_functions_that_are_called_and_never_made_are_no_rows() -> None:
    assert_agrees(never_made, (MANY,), ([],))


@table("f", REFUSED, ids=lambda f: f.__name__)
def test_variables_that_no_attribute_can_stand_for_are_refused(f: Callable[..., Any]) -> None:
    assert "leaves the traced program, or is kept where only the run knows it" in conversion_error(f, MANY).what
