"""What one benchmark is: a plain function, the same written by hand for numba, arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One function to measure.

    plain      the unmodified NumPy function, which autograph_jit compiles and Python runs
    by_hand    the same result as a numba expert would write it: explicit loops; measured under `numba.njit`
    arguments  arguments for a size, always the same ones
    size       the size that is measured; `quick` the one under --quick
    rtol       how far results may differ (sums in another order, a math function's last bits)
    variant    what sets this row apart, where one function has several
    sensitive  steps amplify a changed last bit: who rounds otherwise is compared after `quick` many only
    """

    kind: str
    plain: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: Callable[[int], tuple]
    size: int
    quick: int
    rtol: float = 1e-9
    variant: str = ""
    sensitive: bool = False

    @property
    def name(self) -> str:
        return f"{self.plain.__name__}, {self.variant}" if self.variant else self.plain.__name__
