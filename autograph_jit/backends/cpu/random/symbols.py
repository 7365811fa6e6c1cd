"""Addresses that draws refer to by name: NumPy's distributions, what tells a PCG64 from other bit generators, tables of the ziggurats.

The tables are no part of NumPy's interface. They are asked for: a bit generator of our own gives NumPy's function a chosen word, and
the number that comes back tells the width of the layer. Below how many steps of that width a word is a number at once follows from the
widths. That limit is taken a little lower, and NumPy is asked at it too: where it answers otherwise than a ziggurat would, there is no
table, and NumPy's function draws.
"""

from __future__ import annotations

import ctypes
from functools import cache

import llvmlite.binding as llvm
import numpy as np
from numpy.random import _generator  # type: ignore[attr-defined]

from autograph_jit.ops.random import DISTRIBUTIONS
from autograph_jit.records import dataclass

LAYERS = 256
MARGIN = 16  # by how many steps a limit is taken lower
NOWHERE = 1  # an address that no function has
PCG64_NEXT_DOUBLE = "ag_pcg64_next_double"
WIDTHS, LIMITS = "ag_widths_", "ag_limits_"  # how the names of tables begin
WORD, NUMBER, POINTER = ctypes.c_uint64, ctypes.c_double, ctypes.c_void_p


class Interface(ctypes.Structure):
    """NumPy's `bitgen_t`."""

    _fields_ = [(name, POINTER) for name in ("state", "next_uint64", "next_uint32", "next_double", "next_raw")]


@dataclass(frozen=True, slots=True)
class Ziggurat:
    """How a word makes a number of a distribution (Marsaglia and Tsang, 2000): eight bits choose a layer, others count steps in it.

    symbol  NumPy's function
    layer   the lowest bit of the layer
    steps   the lowest bit of the steps, above which there are `bits`
    sign    the bit that makes the number negative, or None
    """

    symbol: str
    layer: int
    steps: int
    bits: int
    sign: int | None

    def word(self, layer: int, steps: int) -> int:
        """The word that makes so many steps in a layer."""
        return steps << self.steps | layer << self.layer


ZIGGURATS = {
    "standard_normal": Ziggurat("random_standard_normal", 0, 9, 52, 8),
    "standard_exponential": Ziggurat("random_standard_exponential", 3, 11, 53, None),
}
kept: dict[str, np.ndarray] = {}  # the tables stay for the process


@cache
def library() -> ctypes.CDLL:
    """The library that exports NumPy's distributions."""
    return ctypes.CDLL(_generator.__file__)


@cache
def register() -> None:
    """Make NumPy's distributions, and the function of PCG64, known to LLVM's linker."""
    for symbol in {distribution.symbol for distribution in DISTRIBUTIONS.values()} - {""}:
        llvm.add_symbol(symbol, ctypes.cast(getattr(library(), symbol), POINTER).value)
    llvm.add_symbol(PCG64_NEXT_DOUBLE, pcg64_next_double())


def pcg64_next_double() -> int:
    """The function of PCG64 that gives the next float; nowhere where the state is laid out otherwise than compiled code takes it to be."""
    source = np.random.PCG64(0)
    state, inner = source.state["state"], POINTER.from_address(source.ctypes.state_address).value
    words = (WORD * 4).from_address(inner or 0)
    laid_out = words[0] | words[1] << 64, words[2] | words[3] << 64
    is_known = laid_out == (state["state"], state["inc"])
    return ctypes.cast(source.ctypes.next_double, POINTER).value or NOWHERE if is_known else NOWHERE


@cache
def tables(distribution: str) -> tuple[str, str] | None:
    """The names of the widths and of the limits of a ziggurat; None where NumPy draws otherwise."""
    found = find_tables(distribution)
    if found is None:
        return None
    names = WIDTHS + distribution, LIMITS + distribution
    for name, table in zip(names, found):
        kept[name] = table
        llvm.add_symbol(name, table.ctypes.data)
    return names


def find_tables(distribution: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Widths and limits by layer."""
    form = ZIGGURATS[distribution]
    probe = Probe(form.symbol)
    widths = np.array([probe(form.word(layer, 1))[0] for layer in range(LAYERS)])
    ratios = np.roll(widths, 1) / widths  # up to the layer above, every point of a layer lies under the curve
    ratios[1] = 0.0  # there is none above it
    limits = np.maximum(ratios * 2.0**form.bits - MARGIN, 0.0).astype(np.uint64)
    for layer, steps in enumerate(map(int, limits)):
        if steps and probe(form.word(layer, steps - 1)) != ((steps - 1) * widths[layer], 1):
            return None
    return widths, limits


class Probe:
    """NumPy's function on a bit generator that gives one word, then the middle of everything; how often it was asked is counted."""

    def __init__(self, symbol: str) -> None:
        self.word, self.asked = 0, 0
        self.callbacks = ctypes.CFUNCTYPE(WORD, POINTER)(self.next_word), ctypes.CFUNCTYPE(NUMBER, POINTER)(self.next_double)
        words, doubles = (ctypes.cast(callback, POINTER).value for callback in self.callbacks)
        self.interface = Interface(None, words, None, doubles, words)
        self.function = getattr(library(), symbol)
        self.function.restype, self.function.argtypes = NUMBER, [POINTER]

    def next_word(self, state: object) -> int:
        self.asked += 1
        return self.word if self.asked == 1 else 1 << 63

    def next_double(self, state: object) -> float:
        self.asked += 1
        return 0.5

    def __call__(self, word: int) -> tuple[float, int]:
        """The number of a word, and how often the bit generator was asked."""
        self.word, self.asked = word, 0
        return self.function(ctypes.byref(self.interface)), self.asked
