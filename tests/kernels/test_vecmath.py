"""Vectorised functions keep their error bounds, give NumPy's special values, and are what array loops run."""

from __future__ import annotations

import importlib
import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.special

import autograph_jit as ag
from autograph_jit.backends.cpu.target import has_fused_multiply_add
from autograph_jit.ir.scalar import Expr, call, operand
from autograph_jit.kernels.vecmath.expand import FUNCTIONS as EXPANDED
from autograph_jit.kernels.vecmath.expand import expand
from autograph_jit.ops.registry import get
from measure_ulp import DTYPES, FUNCTIONS, Function, compiled, measure

ROOT = Path(__file__).resolve().parent.parent.parent
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0)


def log_gamma(x: np.ndarray) -> np.ndarray:
    """SciPy's, which is infinite at subnormal numbers; there Python's, which near 1 is wrong by 50 ulp."""
    return np.where(np.abs(x) < 1e-30, get("gammaln").eager(x), scipy.special.gammaln(x))


REFERENCES = {"lgamma": log_gamma}
each_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)


@each_dtype
@each_function
def test_error_stays_within_its_bound(function: Function, dtype: type) -> None:
    found = measure(function, dtype, 150)
    assert found.error_ulp <= found.bound, found


@each_dtype
@each_function
def test_special_values_are_those_of_numpy(function: Function, dtype: type) -> None:
    least, largest = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    points = [*SPECIAL, largest, -largest, least, -least, *((2.0, -2.0, 3.0, -3.0, 0.5, -0.5) if function.arity == 2 else ())]
    x = list(np.array(list(itertools.product(points, repeat=function.arity)), dtype).T)
    with np.errstate(all="ignore"):
        want = REFERENCES.get(function.name, function.compute)(*x)
    got = compiled(function)(*x)
    same = (np.isnan(got) & np.isnan(want)) | ((got == want) & (np.signbit(got) == np.signbit(want)))
    finite = np.isfinite(want) & np.isfinite(got) & (want != 0) & (np.abs(want) < largest)
    distance = np.abs(np.where(finite, got, 1) - np.where(finite, want, 1)) / np.spacing(np.abs(np.where(finite, want, 1)))
    wrong = ~(same | (finite & (distance <= 2 * function.bound)))
    assert not np.any(wrong), [column[wrong].tolist() for column in (*x, got, want)]


def test_every_expanded_function_is_measured() -> None:
    assert {function.name for function in FUNCTIONS} == set(EXPANDED)


def nodes(expression: Expr) -> list[Expr]:
    """Every node once."""
    found: dict[int, Expr] = {}
    stack = [expression]
    while stack:
        node = stack.pop()
        if id(node) not in found:
            found[id(node)] = node
            stack.extend(node.args)
    return list(found.values())


def test_a_function_of_the_same_argument_is_expanded_once() -> None:
    x = operand(0, np.dtype("f8"))
    once, twice = expand(call("exp", x)).expression, expand(call("exp", x) + call("exp", x)).expression
    assert len(nodes(twice)) == len(nodes(once)) + 1


def exp_of_rows(x):
    return np.exp(x)


@pytest.mark.skipif(not has_fused_multiply_add(), reason="calls are expanded where the processor has fused multiply-add")
def test_results_do_not_depend_on_layout() -> None:
    x = np.random.default_rng(3).normal(size=(17, 23))
    f = ag.compile(exp_of_rows)
    want = f(x)
    for same in (np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], x[:, ::-1][:, ::-1]):
        np.testing.assert_array_equal(f(same), want)


def exponentials(x):
    return np.exp(x).sum()


def test_a_processor_without_fused_multiply_add_calls_the_c_library() -> None:
    program = (
        "import numpy as np, autograph_jit as ag\n"
        "from autograph_jit.backends.cpu.target import has_fused_multiply_add\n"
        "from tests.kernels.test_vecmath import exponentials\n"
        "assert not has_fused_multiply_add()\n"
        "x = np.linspace(-2, 2, 100)\n"
        "np.testing.assert_allclose(ag.compile(exponentials)(x), exponentials(x), rtol=1e-14)\n"
    )
    environment = {**os.environ, "NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "", "PYTHONPATH": f"{ROOT}:{ROOT / 'scripts'}"}
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, cwd=ROOT)
    assert found.returncode == 0, found.stderr


def squares_and_roots(x):
    return x**2, x**0.5, x**-1, np.power(x, 3)


@each_dtype
def test_powers_with_a_known_exponent_are_products_and_roots(dtype: type) -> None:
    x = np.random.default_rng(4).uniform(0.1, 9, 500).astype(dtype)
    square, root, inverse, cube = ag.compile(squares_and_roots)(x)
    for got, want in ((square, x * x), (root, np.sqrt(x)), (inverse, 1 / x), (cube, x * (x * x))):
        np.testing.assert_array_equal(got, want)


def identities(x):
    return np.cos(x - 1), np.exp(x - 1), np.cosh(x - 1), np.power(x + 9, x + 1), np.cbrt(x * 27), np.hypot(x * 3, x * 4), np.log(x)


@each_dtype
def test_exact_results_are_exact(dtype: type) -> None:
    got = ag.compile(identities)(np.ones(40, dtype))
    for values, want in zip(got, (1, 1, 1, 100, 3, 5, 0), strict=True):
        np.testing.assert_array_equal(values, np.full(40, want, dtype))


@each_dtype
def test_logarithms_of_powers_are_whole(dtype: type) -> None:
    def both(x, y):
        return np.log2(x), np.log10(y)

    k = np.arange(-20, 11)
    tens = np.array([float(f"1e{n}") for n in np.abs(k)], dtype)
    binary, decimal = ag.compile(both)(np.exp2(k).astype(dtype), tens)
    np.testing.assert_array_equal(binary, k)
    np.testing.assert_array_equal(decimal[np.abs(k) <= 10], np.abs(k)[np.abs(k) <= 10])


def sine_of(x):
    return np.sin(x)


def sum_of_sines(x):
    return np.sin(x).sum(), np.cos(x).max(axis=0), np.tan(x).min()


def test_huge_angles_anywhere_in_an_array_are_right() -> None:
    x = np.random.default_rng(5).normal(size=(3, 1100))
    x[0, 5], x[1, 600], x[2, 1099] = 1e22, -3e300, np.inf
    with np.errstate(invalid="ignore"):
        want = np.sin(x)
    np.testing.assert_allclose(ag.compile(sine_of)(x), want, rtol=1e-14)
    np.testing.assert_allclose(ag.compile(sine_of)(x[:, ::2]), want[:, ::2], rtol=1e-14)
    y = np.ascontiguousarray(x[:2])
    got, want = ag.compile(sum_of_sines)(y), sum_of_sines(y)
    for value, right in zip(got, want, strict=True):
        np.testing.assert_allclose(value, right, rtol=1e-12)


def logarithms_of_gamma(x):
    total = 0.0
    for i in range(len(x)):
        total += math.lgamma(x[i])
    return scipy.special.gammaln(x), total


def test_lgamma_is_compiled_for_either_sign_in_arrays_and_loops() -> None:
    x = np.linspace(-30.3, 170.4, 2000)
    f = ag.compile(logarithms_of_gamma, fallback="error")
    got, total = f(x)
    np.testing.assert_allclose(got, scipy.special.gammaln(x), rtol=1e-13)
    np.testing.assert_allclose(total, sum(map(math.lgamma, x)), rtol=1e-13)
    assert "host calls    none" in str(f.explain(x))


@pytest.mark.parametrize(("x", "error"), [(0.0, ValueError), (-3.0, ValueError), (1e306, OverflowError)])
def test_lgamma_fails_as_pythons(x: float, error: type[Exception]) -> None:
    with pytest.raises(error) as found:
        ag.compile(logarithms_of_gamma)(np.array([x]))
    with pytest.raises(error) as wanted:
        math.lgamma(x)
    assert str(found.value) == str(wanted.value)


def sine_in_place(x):
    x[:] = np.sin(x) + x


def test_huge_angles_in_place_are_right() -> None:
    x = np.linspace(-9, 9, 1500)
    x[700] = 1e20
    want = np.sin(x) + x
    ag.compile(sine_in_place)(x)
    np.testing.assert_allclose(x, want, rtol=1e-14)


STRETCH = "    x = np.tanh(x) + 0.5\n" + "    x = x * 0.9 + 0.1\n" * 60
LONG_CHAIN = "import numpy as np\n\n\ndef long_chain(x):\n" + STRETCH * 8 + "    return x\n"


def test_a_long_chain_of_functions_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vecmath_long_chain.py").write_text(LONG_CHAIN)
    monkeypatch.syspath_prepend(tmp_path)
    plain = importlib.import_module("vecmath_long_chain").long_chain
    x = np.linspace(-1, 1, 50)
    np.testing.assert_allclose(ag.compile(plain, fallback="error")(x), plain(x), rtol=1e-13)


@each_dtype
@each_function
def test_any_bit_pattern_gives_numpys_kind_of_result(function: Function, dtype: type) -> None:
    """NaN, infinities and signs as NumPy has them, and no number further from its own than twice the bound."""
    rng = np.random.default_rng(6)
    operands = [np.frombuffer(rng.bytes(np.dtype(dtype).itemsize * 700), dtype) for _ in range(function.arity)]
    with np.errstate(all="ignore"):
        got, want = compiled(function)(*operands), REFERENCES.get(function.name, function.compute)(*operands)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
        np.testing.assert_array_equal(np.signbit(got) | np.isnan(got), np.signbit(want) | np.isnan(want))
        np.testing.assert_array_max_ulp(np.where(np.isnan(got), 0, got), np.where(np.isnan(want), 0, want), 8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("exponent", [3, 4, 5, 6])
def test_whole_powers_of_single_numbers(dtype, exponent):
    def powers(x, out):
        for i in range(len(x)):
            out[i] = x[i] ** exponent

    rng = np.random.default_rng(exponent)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 3.0, 1e-30, -1e-30, 1e30, -1e30, 1e-310]
    x = np.concatenate([special, rng.standard_normal(2000), np.exp(rng.uniform(-20, 20, 2000))]).astype(dtype)
    expected, found = np.array([number**exponent for number in x]), np.empty_like(x)
    compiled = ag.compile(powers, fallback="error")
    compiled(x, found)
    np.testing.assert_array_max_ulp(found[: len(special)], expected[: len(special)], 0)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    np.testing.assert_array_max_ulp(found, expected, 1)
    assert np.mean((found != expected) & ~np.isnan(x)) < 0.005
    (executable,) = compiled.specializations[0].executables.values()
    assert "llvm.pow" not in executable.llvm and "@pow" not in executable.llvm
