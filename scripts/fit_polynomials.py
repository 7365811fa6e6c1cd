"""Fit the polynomials of the vectorised functions with mpmath and write `kernels/vecmath/coefficients.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpmath as mp
import numpy as np

TARGET = Path(__file__).resolve().parent.parent / "autograph_jit" / "kernels" / "vecmath" / "coefficients.py"
HEAD = '"""Coefficients of the polynomials, the constant term first, by dtype; written by scripts/fit_polynomials.py."""\n'
TINY = mp.mpf(10) ** -30


@dataclass(frozen=True, slots=True)
class Fit:
    """A smooth function on an interval and the number of coefficients that each dtype takes."""

    name: str
    meaning: str
    function: Callable[[mp.mpf], mp.mpf]
    low: float
    high: float
    terms64: int
    terms32: int


def exp_rest(r: mp.mpf) -> mp.mpf:
    return mp.mpf(1) / 2 if abs(r) < TINY else (mp.expm1(r) - r) / r**2


FITS = (Fit("EXP", "(exp(r) - 1 - r) / r**2 for |r| <= log(2) / 2", exp_rest, -0.3466, 0.3466, 10, 5),)


def coefficients(fit: Fit, terms: int, dtype: str) -> list[float]:
    """The Chebyshev interpolant of the function, which is within a few parts in a hundred of the best polynomial."""
    high_first = mp.chebyfit(fit.function, [fit.low, fit.high], terms)
    return [float(np.dtype(dtype).type(float(c))) for c in reversed(high_first)]


def listing(fit: Fit) -> str:
    """One table as Python source."""
    lines = [f"# {fit.meaning}", f"{fit.name} = {{"]
    for dtype, terms in (("f8", fit.terms64), ("f4", fit.terms32)):
        numbers = coefficients(fit, terms, dtype)
        lines += [f'    "{dtype}": (', *(f"        {number!r}," for number in numbers), "    ),"]
    return "\n".join([*lines, "}"])


def main() -> int:
    mp.mp.dps = 60
    TARGET.write_text("\n\n".join([HEAD.rstrip(), *map(listing, FITS)]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
