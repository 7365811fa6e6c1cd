"""Functions that a program makes and keeps in lists, dicts and instances: called natively, with Python's values, identities and errors."""

from __future__ import annotations

import heapq
import math
import operator
import types
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees, conversion_error

MANY, CONSTANT = list(range(20)), [4] * 18


class Total:
    def __init__(self) -> None:
        self.total = 0

    def add(self, v: int) -> None:
        self.total += v


class Button:
    def __init__(self, n: int, pressed: Callable[[int], int]) -> None:
        self.n, self.pressed = n, pressed

    def press(self) -> int:
        return self.pressed(self.n)


def adder(k: int) -> Callable[[int], int]:
    return lambda x: x + k


def twice(f: Callable[[int], int]) -> Callable[[int], int]:
    return lambda x: f(f(x))


def divider(k: int) -> Callable[[int], int]:
    return lambda v: v // (k - 3)


def adding_to(total: Total, k: int) -> Callable[[int], None]:
    return lambda v: total.add(v * k)


def greeter(name: str, k: int | None, items: list[int]) -> Callable[[str], str]:
    def greet(word: str) -> str:
        items.append(1)
        return word + name + str(len(items)) + ("-" if k is None else str(k))

    return greet


def with_defaults(k: int) -> Callable[..., int]:
    def f(x: int, y: int = k + 1, /, *, m: int = 2, n: int = k) -> int:
        return x * m + k + n * y

    return f


def restoring(state: list[int], old: int) -> Callable[[], None]:
    def restore() -> None:
        state[0] = old

    return restore


def several(xs: Any) -> Any:
    """Functions of several codes, and from outside."""
    ops: list[Callable[[int], int]] = []
    for v in xs:
        if v % 3 == 0:
            ops.append(adder(v))
        elif v % 3 == 1:
            ops.append(lambda x, k=v: x * k % 1000)
        else:
            ops.append(abs if v % 2 else operator.neg)
    t = 5
    for op in ops:
        t = op(t)
    return t, [op is abs for op in ops], [op == operator.neg for op in ops], ops[0] is ops[-1], len(ops)


def from_outside(xs: Any) -> Any:
    fs: list[Callable[[float], float]] = []
    alike: list[Callable[[float], float]] = []
    for v in xs:
        fs.append(math.sin if v % 2 else math.cos)
        alike.append(math.sin)
    found = [f(0.5) for f in fs], [f is math.sin for f in fs], [f != math.cos for f in fs]
    return found, [f is math.sin for f in alike], [f is not math.sin for f in alike], alike[0] is alike[-1]


def told_apart(xs: Any) -> Any:
    ops = []
    for v in xs:
        ops.append(adder(v))
    f, g, h = ops[0], ops[-1], adder(9)
    found = f is g, f == g, f is f, f != g, f is None, f in ops, h in ops, ops.count(f), h is f, f is adder, f == abs
    kinds = callable(f), isinstance(f, types.FunctionType), isinstance(f, int), type(f) is types.FunctionType, f.__name__
    ops.remove(g)
    ops.insert(0, h)
    return found, kinds, len(ops), [op(1) for op in ops], [op(2) for op in ops[::2] + list(reversed(ops))]


def events(xs: Any) -> Any:
    """Handlers by name, as people write them."""
    handlers: dict[str, list[Callable[[int], None]]] = {}
    log: list[tuple[str, int]] = []
    total = Total()

    def on(name: str, handler: Callable[[int], None]) -> None:
        handlers.setdefault(name, []).append(handler)

    def fire(name: str, v: int) -> None:
        for handler in handlers.get(name, []):
            handler(v)

    def logger(tag: str) -> Callable[[int], None]:
        def write(v: int) -> None:
            log.append((tag, v))

        return write

    for v in xs:
        on("even" if v % 2 == 0 else "odd", logger(str(v)))
        on("all", adding_to(total, v))
    for v in xs[:3]:
        fire("even" if v % 2 == 0 else "odd", v)
        fire("all", v)
        fire("none", v)
    return log, total.total


def scheduled(xs: Any) -> Any:
    """Functions that make functions of their own code when they are called."""
    queue: deque[Any] = deque()
    log = []

    def later(k: int) -> Callable[[int], None]:
        def run(now: int) -> None:
            log.append((now, k))
            if k > 0:
                queue.append((now + 1, later(k - 1)))

        return run

    for v in xs:
        queue.append((v, later(2)))
    while queue:
        now, f = queue.popleft()
        f(now)
    return log


def in_a_heap(xs: Any) -> Any:
    queue: list[Any] = []
    out = []
    for i, v in enumerate(xs):
        heapq.heappush(queue, (v % 5, i, adder(v)))
    while queue:
        t, _, f = heapq.heappop(queue)
        out.append(f(t))
    return out


def by_name(xs: Any) -> Any:
    fs = {}
    for v in xs:
        fs[str(v)] = greeter("n" + str(v), None if v % 2 else v, [v, v + 1])
    out = [fs[name]("hi") for name in fs]
    missing = fs.get("none")
    return out, "3" in fs, fs["4"]("x"), missing is None


def undone(xs: Any) -> Any:
    state, undo, out = [0], [], []
    for v in xs:
        undo.append(restoring(state, state[0]))
        state[0] += v
    while undo:
        undo.pop()()
        out.append(state[0])
    return out


def kept(xs: Any) -> Any:
    """In attributes, beside None, in functions, under options."""
    rows, fs = [], [None] * len(xs)
    composed, named = [], []
    for i, v in enumerate(xs):
        rows.append(Button(v, adder(v)))
        composed.append(twice(adder(v)))
        named.append(with_defaults(v))
        if v % 2:
            fs[i] = adder(v)  # type: ignore[call-overload]
    pressed = [row.press() for row in rows], [0 if f is None else f(2) for f in fs], [f(1) for f in composed]
    return pressed, [f(1) for f in named], [f(2, 3, m=4) for f in named], [f(*[2], **{"n": 5}) for f in named]


def in_a_variable(xs: Any) -> Any:
    f, g = adder(0), abs
    for v in xs:
        if v > 3:
            f = adder(v)
        if v == 4:
            g = f  # type: ignore[assignment]
    return f(1), g(-1)


def curried(xs: Any) -> Any:
    def outer(a: int) -> Any:
        def middle(b: int) -> Callable[[int], int]:
            return lambda x: x + a * b

        return middle

    fs = [outer(v)(v + 1) for v in xs]
    return [f(1) for f in fs]


def raising(xs: Any) -> Any:
    out: list[Any] = []
    fs = [divider(v) for v in xs]
    for f in fs:
        try:
            out.append(f(10))
        except ZeroDivisionError as error:
            out.append(str(error))
    return out, [f(7) for f in fs]


def called_wrongly(xs: Any) -> Any:
    fs = [adder(v) for v in xs]
    return [f() for f in fs]  # type: ignore[call-arg]


def bound_later(xs: Any) -> Any:
    """Variables of the compiled function, which have one value for all functions when they are called."""
    ops, others, counting = [], [], []
    k, count = 1, 0

    def counted(v: int) -> Callable[[int], None]:
        def add(x: int) -> None:
            nonlocal count
            count += v * x

        return add

    for v in xs:
        w = v * 2
        ops.append(lambda x: x + w)
        others.append(lambda x, v=v: x * v + k)
        counting.append(counted(v))
        k += v
    found = [op(1) for op in ops], [op(1) for op in others]
    k = 7
    for f in counting:
        f(2)
    return found, [op(1) for op in others], count


def bound_later_in_calls(xs: Any) -> Any:
    """The same in a function that is called several times, which is compiled once."""
    ops = []
    k = 0
    total = Total()

    def note(x: int) -> int:
        total.add(x)
        return total.total

    def noting(n: int) -> Callable[[int], int]:
        return lambda x: note(x) + n

    for v in xs:
        ops.append(lambda x: x + k)
        ops.append(noting(v))

    def run(x: int) -> int:
        t = 0
        for f in ops:
            t += f(x)
            for _ in range(3):
                t = t * 3 % 1001
        return t

    first = run(1)
    k, total.total = 5, 100
    second = run(1)
    k = 9
    return first, second, run(1), run(2), total.total


def rebound(k: int) -> Callable[[int], int]:
    f = lambda x: x + k  # noqa: E731
    k = k * 10
    return f


def of_rebound(xs: Any) -> Any:
    fs = [rebound(v) for v in xs]
    return [f(1) for f in fs]


def counters(xs: Any) -> Any:
    def counter() -> Callable[[], int]:
        n = 0

        def tick() -> int:
            nonlocal n
            n += 1
            return n

        return tick

    fs = [counter() for v in xs]
    return [f() + f() for f in fs]


def leaving(xs: Any) -> Any:
    return [adder(v) for v in xs]


NATIVE = [several, from_outside, told_apart, events, scheduled, in_a_heap, by_name, undone, kept, in_a_variable, curried, raising]
NATIVE += [called_wrongly, bound_later, of_rebound, counters, bound_later_in_calls]
USUAL = "rare = True", "raise", '"text of error"', '"except"'


@table("f", NATIVE, ids=lambda f: f.__name__)
def test_functions_in_containers_are_called_as_by_python_and_call_nothing_of_it(f: Callable[..., Any]) -> None:
    assert_agrees(f, (MANY,), (CONSTANT,))
    calls = [line for line in ag.compile(f, fallback="error").graph(MANY).split("\n") if "= host_call" in line]
    assert [line for line in calls if not any(each in line for each in USUAL)] == []


@pytest.mark.native
@table("f", [several, events, scheduled, kept], ids=lambda f: f.__name__)
def test_native_code_calls_them_too(f: Callable[..., Any]) -> None:
    assert_agrees(f, (MANY,), (CONSTANT,))


def test_functions_that_leave_are_refused() -> None:
    assert "leaves the traced program, or is kept where only the run knows it" in conversion_error(leaving, MANY).what
