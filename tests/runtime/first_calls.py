"""Threads that wait at a barrier and then all make first calls, of different functions.

The numbers of `python -m tests.runtime.first_calls 8 1000 0 --collect` are threads, calls of each, and the kind of function that comes
first. It runs in a process of its own, in which nothing was compiled before, and ends with 0 where every call gave what Python gives.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_jit as ag

Case = tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]


def loop(factor: float) -> Case:
    def halve(x: float) -> float:
        while x > factor:
            x = 0.5 * x + 0.25
        return x

    return ag.compile(halve, fallback="error"), halve, (1000.0 + factor,)


def nest(factor: float) -> Case:
    def wave(x: np.ndarray) -> Any:
        return np.sum(np.sqrt(x * x + factor)), x * factor

    return ag.compile(wave, fallback="error"), wave, (np.arange(64.0),)


def growing(factor: float) -> Case:
    def digits(n: int) -> list[int]:
        found = []
        while n > int(factor):
            found.append(n % 7)
            n //= 3
        return found

    return ag.compile(digits, fallback="error"), digits, (123456,)


def written(factor: float) -> Case:
    def sums(x: np.ndarray, y: np.ndarray) -> None:
        for i in range(1, len(x)):
            y[i] = y[i - 1] + x[i] * factor

    def fresh(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(x: np.ndarray) -> np.ndarray:
            y = np.zeros_like(x)
            function(x, y)
            return y

        return call

    return fresh(ag.compile(sums, fallback="error")), fresh(sums), (np.arange(16.0),)


def raising(factor: float) -> Case:
    def pick(x: np.ndarray, i: int) -> float:
        return float(x[i] * factor)

    def caught(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(x: np.ndarray, i: int) -> str:
            try:
                return repr(function(x, i))
            except IndexError as error:
                return str(error)

        return call

    return caught(ag.compile(pick, fallback="error")), caught(pick), (np.arange(4.0), 9)


def slope(factor: float) -> Case:
    def cube(x: float) -> float:
        y = x
        for _ in range(3):
            y = y * x
        return y * factor

    return ag.grad(cube), lambda x: 4.0 * x**3 * factor, (1.5,)


def taped(factor: float) -> Case:
    product = ag.compile(lambda x: x * x * factor, fallback="error")

    def call(x: float) -> float:
        with ag.GradientTape() as tape:
            watched = ag.Variable(np.array(x))
            y = product(watched)
        return float(tape.gradient(y, watched))

    return call, lambda x: 2.0 * x * factor, (1.5,)


def shared(factor: float) -> Case:
    def large(x: np.ndarray) -> Any:
        return np.exp(-x * x) * factor

    return ag.compile(large, fallback="error"), large, (np.linspace(0.0, 1.0, 1 << 17),)


MAKERS = (loop, nest, growing, written, raising, slope, taped, shared)
LONG = (taped, shared)


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    return bool(np.allclose(found, expected, rtol=1e-12)) if not isinstance(expected, (list, str)) else found == expected


def main(threads: int, calls: int, first: int, collects: bool) -> int:
    faulthandler.enable()
    makers = [MAKERS[(first + index // 2) % len(MAKERS)] for index in range(threads)]  # two of a kind are ready at about the same time
    cases = [make(2.0 + index) for index, make in enumerate(makers)]
    expected = [plain(*args) for _, plain, args in cases]
    barrier, failures = threading.Barrier(threads), []

    def work(index: int) -> None:
        function, _, args = cases[index]
        few = min(calls, 50) if makers[index] in LONG else calls
        barrier.wait()
        try:
            for _ in range(few):
                found = function(*args)
                if not same(found, expected[index]):
                    failures.append(f"{index}: {found} for {expected[index]}")
                    return
        except BaseException:  # noqa: BLE001 - told by the process
            failures.append(f"{index}: {traceback.format_exc()}")

    if collects:
        gc.set_threshold(1)
    workers = [threading.Thread(target=work, args=(index,)) for index in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print("\n".join(failures))
    sys.stdout.flush()
    return 1 if failures else 0


if __name__ == "__main__":
    os._exit(main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), "--collect" in sys.argv))
