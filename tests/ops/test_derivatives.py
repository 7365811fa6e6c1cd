"""Tests of the derivatives that elementwise operations state: against central differences, of each other, and at singular points."""

import numpy as np
import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.ops.registry import get
from tests.tables import table

REAL = {
    "positive": (-2.0, 2.0), "negative": (-2.0, 2.0), "absolute": (0.2, 2.0), "square": (-2.0, 2.0), "reciprocal": (0.3, 2.0),
    "conjugate": (-2.0, 2.0), "sqrt": (0.2, 2.0), "cbrt": (0.2, 2.0), "exp": (-2.0, 2.0), "exp2": (-2.0, 2.0), "expm1": (-2.0, 2.0),
    "log": (0.2, 2.0), "log2": (0.2, 2.0), "log10": (0.2, 2.0), "log1p": (-0.5, 2.0), "sin": (-2.0, 2.0), "cos": (-2.0, 2.0),
    "tan": (-1.0, 1.0), "sinh": (-2.0, 2.0), "cosh": (-2.0, 2.0), "tanh": (-2.0, 2.0), "arcsin": (-0.8, 0.8), "arccos": (-0.8, 0.8),
    "arctan": (-2.0, 2.0), "arcsinh": (-2.0, 2.0), "arccosh": (1.2, 3.0), "arctanh": (-0.8, 0.8), "degrees": (-2.0, 2.0),
    "radians": (-2.0, 2.0), "erf": (-2.0, 2.0), "erfc": (-2.0, 2.0), "lgamma": (-0.9, 5.0), "floor": (0.1, 0.9), "ceil": (0.1, 0.9),
    "gammaln": (-0.9, 5.0), "ndtr": (-2.0, 2.0), "expit": (-2.0, 2.0), "log_expit": (-2.0, 2.0), "logit": (0.1, 0.9), "entr": (0.2, 2.0),
    "trunc": (0.1, 0.9), "rint": (0.1, 0.4), "sign": (0.2, 2.0), "real": (-2.0, 2.0), "imag": (-2.0, 2.0), "angle": (0.2, 2.0),
    "add": (-2.0, 2.0), "subtract": (-2.0, 2.0), "multiply": (-2.0, 2.0), "divide": (0.3, 2.0), "power": (0.2, 2.0),
    "arctan2": (0.2, 2.0), "hypot": (0.2, 2.0), "logaddexp": (-2.0, 2.0), "logaddexp2": (-2.0, 2.0), "maximum": (-2.0, 2.0),
    "minimum": (-2.0, 2.0), "fmax": (-2.0, 2.0), "fmin": (-2.0, 2.0), "copysign": (0.2, 2.0), "heaviside": (0.2, 2.0),
    "nextafter": None, "complex": (-2.0, 2.0), "chain_product": (0.2, 2.0), "remainder": (0.2, 2.0), "fmod": (0.2, 2.0),
    "xlogy": (0.2, 2.0), "xlog1py": (0.2, 2.0),
}  # fmt: skip
COMPLEX = """positive negative absolute sign square reciprocal conjugate sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh
arcsin arccos arctan arcsinh arccosh arctanh real imag angle add subtract multiply divide power chain_product""".split()
ARITY = {name: 2 for name in list(REAL)[list(REAL).index("add") :]}
SHAPES = [((3,), (3,)), ((3, 1), (1, 4)), ((), (3,)), ((0, 3), (0, 3)), ((), ())]
STEP = 1e-6


def absent(rule):
    return not callable(rule)


def inner(x, y):
    """The real inner product of two arrays, complex ones as pairs of reals."""
    return float(np.sum(np.real(np.conjugate(x) * y)))


def values(name, random, shape, dtype):
    if dtype is complex:
        return (random.uniform(0.3, 1.2, shape) + 1j * random.uniform(0.3, 1.2, shape)).astype(complex)[()]
    low, high = REAL[name]
    return np.asarray(random.uniform(low, high, shape))[()]


def tangent_like(random, x):
    t = random.normal(size=np.shape(x))
    return np.asarray(t + 1j * random.normal(size=np.shape(x)) if np.iscomplexobj(x) else t)[()]


def check_first_order(opdef, operands, random, tolerance=2e-7):
    """Forward against central differences, reverse against forward."""
    tangents = tuple(tangent_like(random, x) for x in operands)
    result = opdef.eager(*operands)
    forward = opdef.jvp(tangents, result, *operands)
    plus = opdef.eager(*(x + STEP * t for x, t in zip(operands, tangents)))
    minus = opdef.eager(*(x - STEP * t for x, t in zip(operands, tangents)))
    expected = (plus - minus) / (2 * STEP)
    forward = np.zeros_like(result) if forward is None else forward
    assert np.shape(forward) == np.shape(result)
    np.testing.assert_allclose(forward, expected, rtol=tolerance, atol=tolerance * 10)
    ct = tangent_like(random, result)
    back = opdef.vjp(ct, result, *operands)
    assert len(back) == len(operands)
    spread = [(np.broadcast_to(c, np.shape(result)), np.broadcast_to(t, np.shape(result))) for c, t in zip(back, tangents) if c is not None]
    total = sum(inner(c, t) for c, t in spread)
    assert total == pytest.approx(inner(ct, forward), rel=1e-9, abs=1e-9)
    for each, operand in zip(back, operands):
        assert each is None or np.asarray(each).dtype == operand.dtype


def differentiable(names):
    return [name for name in names if REAL[name] is not None and not absent(get(name).vjp)]


@table("name", differentiable(REAL))
@table("shapes", SHAPES)
def test_rules_of_real_operations_agree_with_differences(name, shapes):
    random = np.random.default_rng(3)
    operands = [values(name, random, shape, float) for shape in shapes[: ARITY.get(name, 1)]]
    check_first_order(get(name), operands, random)


@table("name", COMPLEX)
@table("shapes", SHAPES)
def test_rules_of_complex_operations_agree_with_differences(name, shapes):
    random = np.random.default_rng(4)
    operands = [values(name, random, shape, complex) for shape in shapes[: ARITY.get(name, 1)]]
    check_first_order(get(name), operands, random)


@table("name", [name for name in REAL if REAL[name] is not None and absent(get(name).vjp)])
def test_operations_without_rules_are_flat(name):
    random = np.random.default_rng(5)
    operands = [values(name, random, (20,), float) for _ in range(ARITY.get(name, 1))]
    moved = get(name).eager(operands[0] + STEP, *operands[1:])
    np.testing.assert_array_equal(moved, get(name).eager(*operands))


@table("name", differentiable(REAL))
def test_single_precision_stays_single(name):
    random = np.random.default_rng(6)
    operands = [values(name, random, (4,), float).astype(np.float32) for _ in range(ARITY.get(name, 1))]
    opdef = get(name)
    result = opdef.eager(*operands)
    ct = np.ones_like(result)
    assert all(each is None or each.dtype == np.float32 for each in opdef.vjp(ct, result, *operands))
    tangent = opdef.jvp(tuple(operands), result, *operands)
    assert tangent is None or tangent.dtype == result.dtype


@table("name", [name for name in differentiable(REAL) if ARITY.get(name, 1) == 2])
def test_one_tangent_of_two_gives_a_fresh_tangent_of_the_full_shape(name):
    random = np.random.default_rng(7)
    x, y = values(name, random, (3, 1), float), values(name, random, (4,), float)
    result, t = get(name).eager(x, y), np.ones((3, 1))
    tangent = get(name).jvp((t, None), result, x, y)
    assert tangent.shape == result.shape and not np.shares_memory(tangent, t)
    assert get(name).jvp((None, None), result, x, y) is None


def vjp(name, ct, *operands):
    with np.errstate(all="ignore"):
        return get(name).vjp(ct, get(name).eager(*operands), *operands)


@table(
    ("name", "operands"),
    [("log", (0.0,)), ("sqrt", (0.0,)), ("sqrt", (-1.0,)), ("divide", (0.0, 0.0)), ("power", (-1.0, 0.5)), ("power", (0.0, 0.5)),
     ("multiply", (0.0, -np.inf)), ("arcsin", (2.0,)), ("reciprocal", (0.0,)), ("cbrt", (0.0,)), ("arctan2", (0.0, 0.0))],
)  # fmt: skip
def test_zero_cotangent_stays_zero_at_singular_points(name, operands):
    operands = tuple(np.float64(x) for x in operands)
    assert all(each == 0 for each in vjp(name, np.float64(0), *operands))


def test_slopes_at_special_points():
    zero, one = np.float64(0), np.float64(1)
    assert vjp("absolute", one, zero) == (0,)
    assert vjp("sqrt", one, zero) == (np.inf,)
    assert vjp("hypot", one, zero, zero) == (0, 0)
    assert vjp("power", one, zero, zero) == (0, 0)
    assert vjp("power", one, zero, one) == (1, 0)
    assert vjp("power", one, zero, np.float64(2)) == (0, 0)
    assert vjp("power", one, np.float64(-2), np.float64(3))[0] == 12
    assert np.isnan(vjp("power", one, np.float64(-2), np.float64(3))[1])
    assert vjp("absolute", 1 + 0j, np.complex128(0)) == (0,)


@table("name", ["maximum", "minimum", "fmax", "fmin"])
def test_first_of_equal_operands_takes_the_cotangent(name):
    assert vjp(name, np.float64(3), np.float64(1), np.float64(1)) == (3, 0)


def test_exp_that_overflows_gives_nan_for_a_zero_cotangent():
    assert np.isnan(vjp("exp", np.float64(0), np.float64(1000))[0])


def test_where_gives_to_the_branch_taken():
    condition, ct = np.array([True, False]), np.array([1.0, np.nan])
    first, second = vjp("where", ct, condition, np.zeros(2), np.zeros(2))[1:]
    np.testing.assert_array_equal(first, [1, 0])
    np.testing.assert_array_equal(second, [0, np.nan])
    tangent = get("where").jvp((None, np.float64(2), None), np.zeros((2, 2)), condition, np.float64(0), np.zeros((2, 2)))
    np.testing.assert_array_equal(tangent, [[2, 0], [2, 0]])


def test_complex_cotangent_points_uphill():
    z = np.complex128(1 + 2j)
    (ct,) = vjp("absolute", np.float64(1), z)
    assert abs(z + STEP * ct) - abs(z) == pytest.approx(STEP * abs(ct) ** 2, rel=1e-6)
    (ct,) = vjp("square", np.complex128(1), z)
    assert ct == np.conjugate(2 * z)


def test_cast_carries_the_part_that_the_dtype_holds():
    z, x = np.array([1 + 2j]), np.array([3.0])
    opdef = get("cast")
    (ct,) = opdef.vjp(np.array([1.0]), x, z, dtype=np.dtype(float))
    assert ct.dtype == complex and ct[0] == 1
    (ct,) = opdef.vjp(np.array([1 + 5j]), z, x, dtype=np.dtype(complex))
    assert ct.dtype == float and ct[0] == 1
    assert opdef.vjp(np.array([1.0]), x, np.array([3]), dtype=np.dtype(float)) == (None,)
    assert opdef.jvp((np.array([2.0]),), z, x, dtype=np.dtype(complex)).dtype == complex


def test_ldexp_scales():
    x, n = np.array([1.5]), np.array([3], np.int32)
    assert get("ldexp").vjp(np.array([1.0]), 8 * x, x, n)[0] == 8
    assert get("ldexp").jvp((np.array([2.0]), None), 8 * x, x, n) == 16
