"""Random NumPy calls, compiled and called many times: `--nans` with special values, `--canaries` on guarded memory; the judge is NumPy.

Each seed is one call as a function of its arguments, compiled with `fallback="error"` and no cap on its programs, and called `CALLS` times
with other sizes, layouts and values. Compared are the result with its type and dtype, NaNs, infinities and the signs of zeros, the type and
text of the exception, and every byte of the arguments and of the guards around them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import autograph_jit as ag
from tests.differential.harness import TOLERANCES
from tests.fuzz.numpy_arguments import Recipe
from tests.fuzz.numpy_catalogue import ANY, INTEGERS, PLACES, REAL
from tests.fuzz.oracle import MATCH, MISMATCH, REFUSED, Verdict, is_refusal, same_text
from tests.fuzz.programs import load

CALLS = 20
FLOATS, INTS = ("float64", "float64", "float32"), ("int64", "int64", "int32", "int8", "uint8", "uint64", "uint16")
COMPLEX = ("complex128", "complex64")
NAMES = re.compile(r"(?<![\w.'])([a-z])(?![\w'(=])")
BOUND = re.compile(r"\bfor (\w) in")
# Which of two zeros these give depends on the order of the operands; sums of these cancel, and are as exact as their largest terms.
ORDER_OF_ZEROS = re.compile("max|min|clip|sort|median|percentile|quantile|unique|partition")
SUMS = re.compile("sum|mean|average|var|std|cov|corr|trap|grad|norm|percentile|quantile|median|hist|@|dot|linspace|inner|einsum")
FIRST_LINE = "# {suite} {seed}: {dtypes}\n"


def names_of(text: str) -> tuple[str, ...]:
    """The arguments that a call names, in alphabetical order."""
    return tuple(sorted(set(NAMES.findall(text)) - set(BOUND.findall(text))))


def choice(suite: str, dice: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """A call, and the dtypes that its arrays may have."""
    form = dice.random()
    if suite == "canaries":
        return str(dice.choice(PLACES)), FLOATS if form < 0.6 else INTS if form < 0.8 else (*COMPLEX, "bool")
    if form < 0.35:
        return str(dice.choice(REAL)), FLOATS if form < 0.25 else (*FLOATS, *INTS, "bool")
    if form < 0.5:
        return str(dice.choice(INTEGERS)), INTS if form < 0.45 else (*INTS, "bool")
    return str(dice.choice(ANY)), FLOATS if form < 0.7 else COMPLEX if form < 0.85 else (*FLOATS, *INTS, *COMPLEX, "bool")


def call_text(suite: str, seed: int) -> str:
    """The module of a seed, with the dtypes of its arguments in the first line."""
    dice = np.random.default_rng(seed)
    call, dtypes = choice(suite, dice)
    first = str(dice.choice(dtypes))
    chosen = {name: first if dice.random() < 0.7 else str(dice.choice(dtypes)) for name in names_of(call)}
    *statements, result = call.split("; ")
    body = "".join(f"    {line}\n" for line in (*statements, f"return {result}"))
    listed = " ".join(f"{name}={dtype}" for name, dtype in chosen.items())
    head = FIRST_LINE.format(suite=suite, seed=seed, dtypes=listed)
    return f"{head}import numpy as np\n\nCALLS = ()\n\n\ndef f({', '.join(chosen)}):\n{body}"


def judge_calls(text: str, name: str, only: str = "") -> Verdict:
    """The verdict on the calls that a text describes; one call alone where `only` is its number."""
    head, _, listed = text.splitlines()[0].partition(": ")
    _, suite, seed = head.split(" ")
    dtypes = dict(part.split("=") for part in listed.split(" "))
    function = load(text, name)[0]
    compiled = ag.compile(function, fallback="error")
    refused, loose = "", bool(ORDER_OF_ZEROS.search(text))
    for number in [int(only)] if only else range(CALLS):
        recipe = Recipe(dtypes, int(seed), number, suite == "nans")
        with ag.config(max_programs=10**6):
            want, got = (outcome(one, recipe) for one in (function, compiled))
        if is_refusal(got.error):
            refused = refused or str(got.error)
            continue
        scale = largest(want.arrays) if SUMS.search(text) else 0.0
        fault = fault_of(got, want, Judge(loose, scale))
        if fault:
            shown = ", ".join(f"{key}={value!r}" for key, (value, _) in zip(dtypes, recipe.made()))
            return Verdict(MISMATCH, f"{text.splitlines()[-1].strip()}, call {number}: {fault}; {shown}")
    return Verdict(REFUSED, refused) if refused else Verdict(MATCH)


@dataclass(frozen=True)
class Outcome:
    """What a call did: its result or exception, the bytes around its arrays, and the arrays as they are afterwards."""

    result: Any
    error: Exception | None
    around: list[bytes]
    arrays: list[np.ndarray]


@dataclass(frozen=True)
class Judge:
    """What counts: the signs of zeros unless `loose`; differences beyond rounding of numbers of this scale."""

    loose: bool
    scale: float


def largest(arrays: list[np.ndarray]) -> float:
    """The largest finite magnitude."""
    return max((float(np.max(np.abs(x[np.isfinite(x)]).astype(float), initial=0.0)) for x in arrays), default=0.0)


def outcome(function: Callable[..., Any], recipe: Recipe) -> Outcome:
    """What a call does."""
    made = recipe.made()
    result, error = None, None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = copied(function(*(value for value, _ in made)))
        except Exception as raised:
            error = raised
    guarded = [guard for _, guard in made if guard is not None]
    arrays = [guard.array.copy() for guard in guarded]
    for guard in guarded:
        guard.array[...] = 0
    return Outcome(result, error, [guard.region.tobytes() for guard in guarded], arrays)


def copied(value: Any) -> Any:
    """A result that later calls do not change: the guarded memory is used again."""
    if isinstance(value, (list, tuple)):
        return type(value)._make(map(copied, value)) if hasattr(value, "_make") else type(value)(map(copied, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def fault_of(got: Outcome, want: Outcome, judge: Judge) -> str | None:
    """The first difference between two outcomes."""
    if got.error is not None or want.error is not None:
        if type(got.error).__qualname__ != type(want.error).__qualname__ or not same_text(str(got.error), str(want.error)):
            return f"raised {got.error!r}, expected {want.error!r}"
    if got.around != want.around:
        return "memory around the arguments differs"
    return value_fault(got.result, want.result, judge, "result") or value_fault(got.arrays, want.arrays, judge, "arguments afterwards")


def value_fault(got: Any, want: Any, judge: Judge, where: str) -> str | None:
    """The first difference between two results."""
    if type(got).__qualname__ != type(want).__qualname__:
        return f"{where}: {got!r} of {type(got).__name__}, expected {want!r} of {type(want).__name__}"
    if isinstance(want, (list, tuple)):
        if len(got) != len(want):
            return f"{where}: {got!r}, expected {want!r}"
        return next((fault for k, pair in enumerate(zip(got, want)) if (fault := value_fault(*pair, judge, f"{where}[{k}]"))), None)
    if isinstance(want, (np.ndarray, np.generic, float, complex)):
        return None if same_arrays(np.asarray(got), np.asarray(want), judge) else f"{where}: {got!r}, expected {want!r}"
    return None if got == want else f"{where}: {got!r}, expected {want!r}"


def same_arrays(got: np.ndarray, want: np.ndarray, judge: Judge) -> bool:
    """Whether two arrays hold the same: what is no number, infinite or a signed zero in the same places, other numbers up to rounding."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if want.dtype.kind == "c":
        return same_arrays(got.real, want.real, judge) and same_arrays(got.imag, want.imag, judge)
    if want.dtype.kind != "f":
        return np.array_equal(got, want)
    tolerance = TOLERANCES.get(want.dtype, 0.0)
    scale = max(float(np.max(np.abs(want[np.isfinite(want)]), initial=0.0)), judge.scale)
    zeros = (got == 0) & (want == 0)
    signs = judge.loose or np.array_equal(np.signbit(got)[zeros], np.signbit(want)[zeros])
    return signs and np.allclose(got, want, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
