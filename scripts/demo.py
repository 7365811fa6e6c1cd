"""Compile unmodified NumPy programs, check every result against plain Python, time them, draw two of them."""

from __future__ import annotations

import argparse
import copy
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import autograph_jit as ag
from samples import edit_distance, heat, lu, mandelbrot, nbody

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 - the backend is chosen before pyplot loads

RELATIVE_TOLERANCE = 1e-9  # float64: reductions may be summed in another order
COMPILED_RUNS = 5
QUICK_SIZE = 40


@dataclass(frozen=True, slots=True)
class Program:
    """A sample: the plain function and how to make its arguments."""

    function: Callable[..., Any]
    example: Callable[..., tuple]


@dataclass(frozen=True, slots=True)
class Run:
    """What one call gave: its value, its arguments afterwards, its time."""

    value: Any
    arguments: tuple
    seconds: float


PROGRAMS = (
    Program(mandelbrot.mandelbrot, mandelbrot.example),
    Program(lu.lu, lu.example),
    Program(heat.heat, heat.example),
    Program(nbody.nbody, nbody.example),
    Program(edit_distance.edit_distance, edit_distance.example),
)


def call(function: Callable[..., Any], arguments: tuple) -> Run:
    """Call with a copy of the arguments, so that in-place changes are this call's own."""
    mine = copy.deepcopy(arguments)
    start = time.perf_counter()
    value = function(*mine)
    return Run(value, mine, time.perf_counter() - start)


def is_same(got: Any, want: Any) -> bool:
    """Same type of container, dtype, shape and numbers; floats within RELATIVE_TOLERANCE of the largest."""
    if isinstance(want, tuple):
        return isinstance(got, tuple) and len(got) == len(want) and all(map(is_same, got, want))
    if want is None or got is None:
        return got is want
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if want.dtype.kind != "f":
        return np.array_equal(got, want)
    return np.allclose(got, want, rtol=RELATIVE_TOLERANCE, atol=RELATIVE_TOLERANCE * np.max(np.abs(want), initial=0.0))


def show(program: Program, arguments: tuple) -> tuple[bool, Run | None]:
    """Run one program plain and compiled, print its row of the table; tell whether the results agree."""
    name = program.function.__name__
    plain = call(program.function, arguments)
    try:
        compiled = ag.compile(program.function, fallback="error")
        first = call(compiled, arguments)
        again = [call(compiled, arguments) for _ in range(COMPILED_RUNS)]
    except Exception as error:  # noqa: BLE001 - a program that fails is reported, the others still run
        print(f"{name:16}{plain.seconds:10.4f}   {type(error).__name__}: {error}")
        return False, None
    best = min(run.seconds for run in again)
    right = all(is_same(run.value, plain.value) and is_same(run.arguments, plain.arguments) for run in (first, *again))
    verdict = "same" if right else "DIFFERS"
    print(f"{name:16}{plain.seconds:10.4f}{best:12.6f}{plain.seconds / best:10.1f}{first.seconds:14.3f}   {verdict}", flush=True)
    return right, first


def draw(field: np.ndarray, title: str, colours: str, path: Path) -> None:
    """Write a field as a picture and say where."""
    plt.imsave(path, field, cmap=colours)
    print(f"{title}: {path.resolve()}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder of the pictures (default: demo-output)")
    options = parser.parse_args()
    print(f"Converted source of {edit_distance.edit_distance.__name__}:\n\n{ag.to_source(edit_distance.edit_distance)}\n")
    print(f"{'program':16}{'plain s':>10}{'compiled s':>12}{'speed-up':>10}{'first call s':>14}   against plain Python")
    results = {
        program.function.__name__: show(program, program.example(QUICK_SIZE) if options.quick else program.example())
        for program in PROGRAMS
    }
    print()
    options.output.mkdir(parents=True, exist_ok=True)
    if (picture := results["mandelbrot"][1]) is not None:
        draw(np.log1p(picture.value), "Mandelbrot set", "magma", options.output / "mandelbrot.png")
    if (plate := results["heat"][1]) is not None:
        draw(plate.arguments[0], "heat field", "inferno", options.output / "heat.png")
    return 0 if all(right for right, _ in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
