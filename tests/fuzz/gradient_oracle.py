"""Judges the derivatives of a smooth program: reverse, forward and taped ones against differences of the plain function, and each other.

The ways: `compiled` (value), `grad` (value, arguments afterwards, gradient), `jvp` (along a random direction), `tape` (the converted
function under an eager tape), `second` (a directional derivative of the gradient, forward over reverse) and `twice` (reverse over
reverse). The first two run as native code; of the others most programs run only the verified graph, by the operations' eager rules, which
is faster.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.runtime.derivatives import derive
from autograph_jit.runtime.gradients import Derived, Gradient, Pushforward
from tests.differential.harness import difference
from tests.fuzz.differences import EPSILON, STEPS, NotedFunction, flat, rebuilt, slope
from tests.fuzz.oracle import (
    MATCH,
    MISMATCH,
    PLAIN_LIMIT_SECONDS,
    REFUSED,
    SKIPPED,
    InterpretedFunction,
    Outcome,
    TookTooLong,
    Verdict,
    is_refusal,
    outcome,
    time_limit,
)
from tests.fuzz.programs import load

WAYS = ("compiled", "grad", "jvp", "tape", "second", "twice")
LARGEST_VALUE = 1e6
LARGEST_SLOPE = 0.4 / min(STEPS)  # where the value may change by more in the shortest step, a sine may turn unseen


def judge_gradients(text: str, name: str, only: str = "", ways: tuple[str, ...] = WAYS, native: bool = False) -> Verdict:
    """The verdict on a program; `native`: all ways run as native code."""
    function, calls = load(text, name)
    refused, skipped = "", ""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = Judged(function, NotedFunction(text, name), load(taped_text(text), f"{name} taped")[0], native)
        for index, make in enumerate(calls):
            verdict = judged.call(make, [way for way in ways if only in ("", way) or (way == "grad" and only != "compiled")])
            if verdict.kind == MISMATCH:
                way, _, reason = verdict.reason.partition(": ")
                return Verdict(MISMATCH, f"{way}, call {index}: {reason}")
            refused, skipped = refused or verdict.reason * (verdict.kind == REFUSED), skipped or verdict.reason * (verdict.kind == SKIPPED)
    return Verdict(REFUSED, refused) if refused else Verdict(SKIPPED, skipped) if skipped else Verdict(MATCH)


NUMBER_UPDATE = re.compile(r"\b(r|t|[seh]\d+) ([-+*/])= (.*)")


def taped_text(text: str) -> str:
    """The program for Tensors: `math` takes their values only, `np.array` does not record, and an augmented assignment to a Tensor without
    axes writes to it, where one to a number gives a name to another number."""
    head, f, body = text.partition("def f(")
    body, calls, rest = body.partition("CALLS = ")
    body = NUMBER_UPDATE.sub(r"\1 = \1 \2 (\3)", body)
    body = body.replace("math.atan(", "np.arctan(").replace("math.", "np.").replace("np.array([", "ag.asarray([")
    body = re.sub(r"= (np\.(?:zeros|ones)\([^\n]*\))$", r"= ag.asarray(\1)", body, flags=re.M)
    return f"{head}{f}{body}{calls}{rest}"


def judge_derivatives(text: str, name: str, only: str = "") -> Verdict:
    """The verdict in all ways; of a run's programs every fourth one has second derivatives, every 16th runs all as native code."""
    number = int(name) if name.isdigit() else 0
    return judge_gradients(text, name, only, WAYS if only or number % 4 == 0 else WAYS[:-2], native=number % 16 == 0)


class Fault(Exception):
    """A derivative is wrong; the text says which."""


class Judged:
    """A function and what is derived from it."""

    def __init__(self, function: Callable[..., Any], noted: NotedFunction, taped: Callable[..., Any], native: bool) -> None:
        self.function, self.noted, self.taped = function, noted, ag.convert(taped)
        self.compiled = ag.compile(function, fallback="error")
        self.native = native
        self.fixed: dict[int, Callable[..., Any]] = {}

    def run(self, derived: Derived, *arguments: Any) -> Any:
        """A derivative as native code, or its graph interpreted."""
        return derived(*arguments) if self.native else InterpretedFunction(derived.compiled)(*arguments)

    def with_trips(self, n: int) -> Callable[..., Any]:
        """The function of its other arguments."""
        function = self.function

        def fixed(*primals: Any) -> Any:
            return function(*primals[:2], n, *primals[2:])

        return self.fixed.setdefault(n, fixed)

    def call(self, make: Callable[[], tuple[Any, ...]], ways: list[str]) -> Verdict:
        """The verdict on one call."""
        try:
            with time_limit(PLAIN_LIMIT_SECONDS):
                want = outcome(self.function, make)
        except TookTooLong:
            return Verdict(SKIPPED, "plain Python takes too long")
        if want.error is None and not (np.isfinite(want.value) and abs(want.value) < LARGEST_VALUE):
            return Verdict(SKIPPED, "the value is too large")
        run = Run(self, make, want)
        refused = ""
        for way in ways:
            try:
                getattr(run, way)()
            except Fault as fault:
                return Verdict(MISMATCH, f"{way}: {fault}")
            except Exception as error:
                if not is_refusal(error):
                    return Verdict(MISMATCH, f"{way}: raised {type(error).__name__}: {error}")
                refused = refused or f"{way}: {error}"
        return Verdict(REFUSED, refused) if refused else Verdict(SKIPPED, run.unsure) if run.unsure else Verdict(MATCH)


class Run:
    """One call of a judged function in every way."""

    def __init__(self, judged: Judged, make: Callable[[], tuple[Any, ...]], want: Outcome) -> None:
        self.judged, self.make, self.want = judged, make, want
        self.arguments = make()
        self.argnums = tuple(i for i, item in enumerate(self.arguments) if isinstance(item, (float, dict, np.ndarray)))
        self.at = flat(self.arguments)
        self.tolerance = 3e-3 if any(getattr(item, "dtype", None) == np.float32 for item in self.arguments) else 1e-6
        self.direction = np.random.default_rng(len(self.at)).standard_normal(len(self.at))
        self.value: Any = None
        self.gradient: np.ndarray | None = None
        self.unsure = ""

    def compiled(self) -> None:
        """The value is Python's."""
        got = outcome(self.judged.compiled, self.make)
        if is_refusal(got.error):
            raise got.error  # type: ignore[misc]
        self.expect_outcome(got)
        self.value = got.value

    def expect_outcome(self, got: Outcome) -> None:
        if type(got.error) is not type(self.want.error):
            raise Fault(f"raised {got.error!r}, expected {self.want.error!r}")
        if self.want.error is not None:
            return
        loose = self.tolerance > 1e-5
        fault = None if loose else difference(float(got.value), float(self.want.value), "value")
        fault = fault or difference(got.arguments, self.want.arguments, "arguments afterwards")
        if fault is not None:
            raise Fault(fault)

    def grad(self) -> None:
        """The gradient is what differences give; value and written arguments are as without it."""
        derived = ag.value_and_grad(self.judged.function, argnums=self.argnums)
        got = outcome(derived, self.make)
        if is_refusal(got.error):
            raise got.error  # type: ignore[misc]
        if got.error is None:
            got = Outcome(got.value[0], None, got.printed, got.arguments)
            self.gradient = self.gradient_of(derived)
        self.expect_outcome(got)
        if self.want.error is not None:
            self.unsure = "plain Python raises"
            return
        if self.value is not None and not np.allclose(got.value, self.value, rtol=1e-7 * self.tolerance, atol=1e-7 * self.tolerance):
            raise Fault(f"value {got.value!r}, without the gradient {self.value!r}")
        assert self.gradient is not None
        for i in range(len(self.at)):
            self.expect_slope(self.reference, np.eye(len(self.at))[i], self.gradient[i], f"element {i} of the gradient")

    def gradient_of(self, derived: Any) -> np.ndarray:
        """The gradient as a vector of real numbers."""
        _, gradients = derived(*self.make())
        for argnum, gradient in zip(self.argnums, gradients):
            if np.shape(gradient) != np.shape(self.arguments[argnum]) or type(gradient) is not type(self.arguments[argnum]):
                raise Fault(f"gradient {gradient!r} of {self.arguments[argnum]!r}")
        return flat(gradients)

    def reference(self, numbers: np.ndarray) -> tuple[Any, Any]:
        value, path = self.judged.noted(rebuilt(self.arguments, numbers))
        return float(value), path

    def expect_slope(self, function: Any, direction: np.ndarray, got: Any, what: str, noise: float = EPSILON) -> None:
        """A derivative along a direction is what differences give, where these can tell."""
        try:
            found = slope(function, self.at, direction, noise)
        except Exception:
            found = None
        if found is None or np.max(np.abs(found.value)) > LARGEST_SLOPE:
            self.unsure = "differences cannot tell"
            return
        scale = max(float(np.max(np.abs(found.value))), 1e-3 * float(np.max(np.abs(self.gradient), initial=0.0)))
        if not np.all(np.abs(got - found.value) <= self.tolerance * scale + found.error + self.tolerance * 1e-6):
            raise Fault(f"{what} {got!r}, by differences {found.value!r} within {found.error!r}")

    def usable(self) -> bool:
        return self.want.error is None and self.gradient is not None

    def expect_product(self, got: Any, what: str) -> None:
        """A directional derivative is the product of gradient and direction."""
        assert self.gradient is not None
        want, scale = float(self.gradient @ self.direction), float(np.abs(self.gradient) @ np.abs(self.direction))
        if not abs(float(got) - want) <= self.tolerance * 1e-3 * scale + 1e-12:
            raise Fault(f"{what} {got!r}, by the gradient {want!r}")

    def jvp(self) -> None:
        """Forward mode agrees with reverse mode."""
        if not self.usable():
            return
        fixed, primals = self.split()
        tangents = tuple(rebuilt(primals, self.direction, None))
        value, tangent = self.judged.run(derive(Pushforward, fixed), primals, tangents)
        if self.value is not None and abs(float(value) - float(self.value)) > 1e-3 * self.tolerance * (1 + abs(float(value))):
            raise Fault(f"value {value!r}, expected {self.value!r}")
        self.expect_product(tangent, "tangent")

    def split(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The function of its differentiable arguments alone."""
        arguments = self.make()
        return self.judged.with_trips(arguments[2]), tuple(arguments[i] for i in self.argnums)

    def tape(self) -> None:
        """The converted function under an eager tape has the same gradient."""
        if not self.usable():
            return
        arguments = [as_tensors(item) for item in self.make()]
        sources = [arguments[i] for i in self.argnums]
        with ag.GradientTape() as tape:
            tape.watch(*sources)
            value = self.judged.taped(*arguments)
        if not isinstance(value, ag.Tensor):
            return
        gradients = tape.gradient(value, sources, unconnected_gradients="zero")
        got = flat(as_arrays(gradients))
        assert self.gradient is not None
        scale = float(np.max(np.abs(self.gradient), initial=0.0))
        if got.shape != self.gradient.shape or not np.allclose(
            got, self.gradient, rtol=self.tolerance * 1e-2, atol=self.tolerance * 1e-2 * scale + 1e-13
        ):
            raise Fault(f"gradient {got!r}, by the transform {self.gradient!r}")

    def second(self) -> None:
        """Forward over reverse is what differences of the gradient give."""
        if not self.usable() or self.tolerance > 1e-5:
            return
        fixed, primals = self.split()
        gradient = ag.grad(fixed, tuple(range(len(primals))))
        tangents = tuple(rebuilt(primals, self.direction, None))
        product = flat(self.judged.run(derive(Pushforward, gradient), primals, tangents)[1])

        def by_differences(numbers: np.ndarray) -> tuple[Any, Any]:
            return flat(self.judged.run(gradient, *rebuilt(primals, numbers, None))), self.reference(numbers)[1]

        self.expect_slope(by_differences, self.direction, product, "second derivative", 100 * EPSILON)

    def twice(self) -> None:
        """Reverse over reverse agrees with forward over reverse."""
        if not self.usable() or self.tolerance > 1e-5:
            return
        fixed, primals = self.split()
        argnums = tuple(range(len(primals)))
        gradient = ag.grad(fixed, argnums)
        tangents = tuple(rebuilt(primals, self.direction, None))

        def product(*args: Any) -> Any:
            return inner_product(gradient(*args), tangents)

        reverse = flat(self.judged.run(Gradient(product, argnums, False, False), *self.split()[1]))
        forward = flat(self.judged.run(derive(Pushforward, gradient), self.split()[1], tangents)[1])
        if not np.allclose(reverse, forward, rtol=1e-8, atol=1e-9 * float(np.max(np.abs(forward), initial=0.0)) + 1e-12, equal_nan=True):
            raise Fault(f"reverse over reverse {reverse!r}, forward over reverse {forward!r}")


def inner_product(found: Any, fixed: Any) -> Any:
    """The real inner product of two trees."""
    total: Any = 0.0
    for a, b in zip(found, fixed):
        if isinstance(b, dict):
            total = total + inner_product(list(a.values()), list(b.values()))
        else:
            total = total + (np.sum((np.conj(a) * b).real) if np.asarray(b).dtype.kind == "c" else np.sum(a * b))
    return total


def as_tensors(item: Any) -> Any:
    """Numbers and arrays of floats as Tensors."""
    if isinstance(item, dict):
        return {key: as_tensors(part) for key, part in item.items()}
    return ag.asarray(item) if isinstance(item, (float, np.ndarray)) else item


def as_arrays(item: Any) -> Any:
    if isinstance(item, dict):
        return {key: as_arrays(part) for key, part in item.items()}
    return [as_arrays(part) for part in item] if isinstance(item, (list, tuple)) else item.numpy()
