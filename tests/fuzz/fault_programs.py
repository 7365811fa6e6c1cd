"""Programs whose allocations are let fail: of each what is called, on what, and the states that arguments may be left in."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import autograph_jit as ag


@dataclass(frozen=True, slots=True)
class Program:
    """`states(*args)` gives the arguments, as a list, as a call that fails may leave them, then as it leaves them, then its result."""

    compiled: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    states: Callable[..., Iterator[Any]]


def program(plain: Callable[..., Any], arguments: Callable[[], tuple[Any, ...]], compiled: Callable[..., Any] | None = None) -> Program:
    """A program that writes at most once to its arguments: one that fails has written or not."""

    def states(*args: Any) -> Iterator[Any]:
        yield list(args)
        result = plain(*args)
        yield list(args)
        yield result

    return Program(ag.compile(plain, fallback="error") if compiled is None else compiled, arguments, states)


def numbers() -> Program:
    def run(x: float, n: int) -> tuple[float, int, bool]:
        for i in range(n):
            x = 0.5 * x + i
        return x, n * 1000, x > 3.0

    return program(run, lambda: (2.5, 7))


def arrays() -> Program:
    def run(x: np.ndarray, y: np.ndarray) -> Any:
        z = x @ y
        return z[::-1], np.concatenate([x[0], y[:, 0]]), x.T, np.cumsum(z, axis=1)[z > 0.0]

    return program(run, lambda: (np.arange(12.0).reshape(3, 4) - 5.0, np.arange(8.0).reshape(4, 2) - 3.0))


def trips() -> Program:
    def run(x: np.ndarray, n: int) -> Any:
        last = x
        for i in range(n):
            y = np.sort(x + i)[::-1] * 1.5
            if y[0] > 4.0:
                last = y + last
        return last

    return program(run, lambda: (np.array([0.5, 2.0, 1.0]), 5))


def written() -> Program:
    def run(x: np.ndarray, y: np.ndarray) -> Any:
        order = np.argsort(x)
        z = x[order] * 2.0
        y[:] = z + y
        return y, z

    return program(run, lambda: (np.array([3.0, 1.0, 2.0]), np.ones(3)))


def lists() -> Program:
    def run(n: int) -> Any:
        found, squares = [], [1.5]
        while n > 1:
            found.append(n)
            squares.insert(0, n * 0.5)
            n = n // 2 if n % 2 == 0 else 3 * n + 1
        return found, squares, sorted(found)

    return program(run, lambda: (27,))


def list_argument() -> Program:
    def run(items: list[int], n: int) -> int:
        total = 0
        for i in range(n):
            items.append(i * 7)
            total += items[0] + items.pop(0)
        return total

    return program(run, lambda: ([3, 1, 2], 40))


def objects() -> Program:
    def run(body: Any, x: np.ndarray) -> float:
        energy = 0.0
        for i in range(len(x)):
            energy += float(x[i]) * body.mass
        moved = x + energy
        body.energy, body.place = energy, moved
        return energy

    return program(run, lambda: (types.SimpleNamespace(mass=2.0, energy=0.0, place=None), np.arange(4.0)))


def host_calls() -> Program:
    def run(x: np.ndarray, n: int) -> Any:
        text = f"{x[0]:.3f} of {n}"
        pieces = text.split(" ") if n > 2 else []
        return text, len(pieces), np.linalg.svd(x.reshape(2, 2), compute_uv=False), {str(n): x[1]}

    return program(run, lambda: (np.array([3.0, 1.0, 2.0, 5.0]), 4))


def caught() -> Program:
    def run(x: np.ndarray, n: int) -> Any:
        found, missed = [], 0
        for i in range(n):
            try:
                found.append(float(x[i]) / float(x[0] - i))
            except (IndexError, ZeroDivisionError):
                missed += 1
        return found, missed

    return program(run, lambda: (np.array([2.0, 1.0, 4.0]), 6))


def gradient() -> Program:
    def loss(x: np.ndarray) -> Any:
        total = 0.0
        for i in range(4):
            y = np.tanh(x * (i + 1.0))
            total = total + np.sum(y * y)
        return total

    def plain(x: np.ndarray) -> Any:
        return sum(2.0 * k * np.tanh(x * k) / np.cosh(x * k) ** 2 for k in (1.0, 2.0, 3.0, 4.0))

    return program(plain, lambda: (np.array([0.1, -0.2, 0.3]),), ag.grad(loss))


def gradient_of_while() -> Program:
    def grow(x: float) -> float:
        y = x
        while y < 100.0:
            y = y * x
        return y

    return program(lambda x: 5.0 * x**4, lambda: (3.0,), ag.grad(grow))


def taped() -> Program:
    product = ag.compile(lambda x: np.sum(x * x * x), fallback="error")

    def run(x: np.ndarray) -> Any:
        with ag.GradientTape() as tape:
            watched = ag.Variable(x)
            y = product(watched)
        return np.asarray(tape.gradient(y, watched))

    return program(lambda x: 3.0 * x * x, lambda: (np.array([1.0, 2.0]),), run)


def shared() -> Program:
    def run(x: np.ndarray, y: np.ndarray) -> Any:
        return np.tanh(x) * y, np.sum(x * y), np.exp(x[:1000]) @ np.ones((1000, 3))

    return program(run, lambda: (np.linspace(-1.0, 1.0, 50_000), np.linspace(0.0, 1.0, 50_000)))


def shared_products() -> Program:
    def run(x: np.ndarray, y: np.ndarray) -> Any:
        return np.tanh(x @ y) + 1.0

    return program(run, lambda: (np.linspace(-1.0, 1.0, 200 * 190).reshape(200, 190), np.linspace(0.0, 1.0, 190 * 180).reshape(190, 180)))


def texts() -> Program:
    def run(text: str, words: list[str]) -> Any:
        counts: dict[str, int] = {}
        for word in text.split() + words:
            counts[word] = counts.get(word, 0) + 1
        return counts, sorted(counts), "-".join(words), set(words)

    return program(run, lambda: ("the é 日本 cat the " + "x" * 600 + "é", [f"word {k % 90}" for k in range(200)]))


def depth(n: int) -> int:
    return 0 if n <= 0 else 1 + depth(n - 1)


def recursive() -> Program:
    def run(x: np.ndarray) -> int:
        return depth(int(x[0]))

    return program(run, lambda: (np.array([4.0]),))


PROGRAMS: dict[str, Callable[[], Program]] = {
    make.__name__: make
    for make in (
        *(numbers, arrays, trips, written, lists, list_argument, objects, host_calls, caught),
        *(gradient, gradient_of_while, taped, shared, shared_products, recursive, texts),
    )
}
