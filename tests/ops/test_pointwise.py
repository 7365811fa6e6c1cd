"""Every elementwise operation of the registry, at every dtype it accepts: its eager rule, its type rule and its scalar expression agree."""

import math

import numpy as np
import pytest
import scipy.special

import autograph_jit.ops  # noqa: F401
from autograph_jit.errors import GraphError
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.scalar import operand
from autograph_jit.ir.scalar_eager import evaluate_expression
from autograph_jit.ir.types import SHORT_NAMES, ArrayType, ScalarType
from autograph_jit.ops.registry import OPS, get
from tests.tables import table

TOLERANCES = {"float32": 1e-5, "complex64": 1e-5, "float64": 1e-12, "complex128": 1e-12}
# Their own tests are below: attributes, or a reference other than a ufunc.
APART = frozenset({"constant", "cast", "erf", "erfc", "lgamma", "gammaln", "ndtr"})
SHAPES = {
    "vectors": [(7,), (7,), (7,)],
    "no elements": [(0, 3), (0, 3), (0, 3)],
    "rank 0": [(), (), ()],
    "broadcast": [(3, 1), (1, 4), (4,)],
}


def operand_dtypes(name, dtype, arity):
    dtypes = [dtype] * arity
    if name == "where":
        dtypes[0] = np.dtype(bool)
    if name == "ldexp":
        dtypes[1:] = [np.dtype(np.int32)] * (arity - 1)
    return dtypes


def arity_of(name, dtype):
    """How many operands of this dtype the operation takes; 0 if it takes none."""
    for arity in (1, 2, 3):
        try:
            get(name).infer(tuple(ScalarType(each) for each in operand_dtypes(name, dtype, arity)), {})
        except GraphError:
            continue
        return arity
    return 0


def accepted():
    """(name, dtype, arity) of the whole registry."""
    for name, opdef in OPS.items():
        if isinstance(opdef.kernel, Pointwise) and name not in APART:
            for dtype in map(np.dtype, SHORT_NAMES):
                if arity := arity_of(name, dtype):
                    yield pytest.param(name, dtype, arity, id=f"{name}-{dtype}")


def sample(name, dtype, shape, random):
    """Ordinary and extreme values."""
    count = math.prod(shape)
    if dtype.kind == "b":
        values = random.integers(0, 2, count)
    elif dtype.kind in "iu":
        low = 0 if name == "power" or dtype.kind == "u" else -9
        values = random.integers(low, 5 if name == "power" else 9, count)
        if dtype.kind == "i" and name != "power":
            values = np.where(random.random(count) < 0.1, np.iinfo(dtype).min, values)
    else:
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 0.5])
        values = np.where(random.random(count) < 0.5, random.choice(special, count), 3 * random.normal(size=count))
        if dtype.kind == "c":
            values = random.normal(size=count) + 1j * random.normal(size=count)
    return values.astype(dtype).reshape(shape)


def nonzero_product(ct, partial):
    """Zero where the first factor is, whatever the second is."""
    return np.where(ct == 0, 0, ct * partial)


def reference(name, operands):
    """NumPy's own answer, or SciPy's."""
    composed = {"where": np.where, "real": np.real, "imag": np.imag, "angle": np.angle}
    composed |= {"complex": lambda re, im: re + 1j * im, "chain_product": nonzero_product}
    composed |= {"stop_gradient": np.copy, "recomputed": np.copy}
    with np.errstate(all="ignore"):
        return composed.get(name, getattr(np, name, getattr(scipy.special, name, None)))(*operands)


def assert_equal(got, expected, dtype):
    rtol = TOLERANCES.get(dtype.name, 0)
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=0, equal_nan=True)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@table(("name", "dtype", "arity"), list(accepted()))
def test_eager_type_and_expression_agree_with_numpy(name, dtype, arity):
    random, opdef, dtypes = np.random.default_rng(0), get(name), operand_dtypes(name, dtype, arity)
    (result_type,) = opdef.infer(tuple(map(ScalarType, dtypes)), {})
    expression = opdef.kernel.expression(*[operand(index, each) for index, each in enumerate(dtypes)])
    assert expression.dtype == result_type.dtype
    for shapes in SHAPES.values():
        operands = [sample(name, each, shape, random) for each, shape in zip(dtypes, shapes)]
        result = opdef.eager(*operands)
        (array_type,) = opdef.infer(tuple(ArrayType(each.dtype, each.shape) for each in operands), {})
        assert isinstance(result, np.ndarray) and result.flags.c_contiguous
        assert ArrayType(result.dtype, result.shape) == array_type
        assert not any(np.shares_memory(result, each) for each in operands)
        if name == "complex":
            np.testing.assert_array_equal(result.real, np.broadcast_arrays(*operands)[0])
        else:
            assert_equal(result, reference(name, operands), dtype)
        assert_equal(np.broadcast_to(evaluate_expression(expression, *operands), result.shape), result, dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@table(("name", "dtype", "arity"), list(accepted()))
def test_strided_operands_and_scalars(name, dtype, arity):
    random, opdef, dtypes = np.random.default_rng(1), get(name), operand_dtypes(name, dtype, arity)
    wide = [sample(name, each, (6, 8), random) for each in dtypes]
    strided = [each[::2, ::-2] for each in wide]
    assert_equal(opdef.eager(*strided), opdef.eager(*[each.copy() for each in strided]), dtype)
    transposed = opdef.eager(*[each.T for each in wide])
    assert transposed.flags.c_contiguous
    scalars = [each[0, 0] for each in wide]
    result = opdef.eager(*scalars)
    (result_type,) = opdef.infer(tuple(map(ScalarType, dtypes)), {})
    assert isinstance(result, np.generic) and result.dtype == result_type.dtype
    assert_equal(result, transposed[0, 0], dtype)


@table("name", sorted(name for name, opdef in OPS.items() if isinstance(opdef.kernel, Pointwise)))
def test_elementwise_operations_are_pure(name):
    assert get(name).effect is Effect.PURE


@table("target", SHORT_NAMES)
@table("source", SHORT_NAMES)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_cast_is_astype(source, target):
    values = np.array([0, 1, 2.75, 100]).astype(source)
    result = get("cast").eager(values[::2], dtype=np.dtype(target))
    expected = values[::2].astype(target)
    np.testing.assert_array_equal(result, expected)
    assert result.dtype == expected.dtype and result.flags.c_contiguous
    expression = get("cast").kernel.expression(operand(0, np.dtype(source)), dtype=np.dtype(target))
    np.testing.assert_array_equal(evaluate_expression(expression, values), values.astype(target))
    scalar = get("cast").eager(values[2], dtype=np.dtype(target))
    assert isinstance(scalar, np.generic) and scalar.dtype == np.dtype(target)


@table("name", ["erf", "erfc", "lgamma"])
def test_special_functions_follow_the_math_module(name):
    values = np.array([0.5, 1.0, 2.5])
    np.testing.assert_array_equal(get(name).eager(values), [getattr(math, name)(x) for x in values])
    assert get(name).eager(values.astype(np.float32)).dtype == np.float32


def test_gammaln_keeps_minus_infinity():
    values = np.array([0.5, 2.5, 0.0, -3.0, -0.5, np.inf, -np.inf, np.nan])
    np.testing.assert_allclose(get("gammaln").eager(values), scipy.special.gammaln(values), rtol=1e-13)


@table(
    ("name", "dtypes"),
    [
        ("divide", ("i8", "i8")),
        ("add", ("i8", "f8")),
        ("sin", ("i8",)),
        ("subtract", ("?", "?")),
        ("logical_and", ("f8", "f8")),
        ("bitwise_and", ("f8", "f8")),
    ],
)
def test_dtypes_that_need_a_cast_are_refused(name, dtypes):
    with pytest.raises(GraphError):
        get(name).infer(tuple(ScalarType(np.dtype(each)) for each in dtypes), {})


def test_shapes_that_do_not_broadcast_fail_with_numpys_message():
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(3,\) \(4,\)"):
        get("add").eager(np.zeros(3), np.zeros(4))


@table(("name", "x", "y", "expected"), [("floor_divide", -7, 0, 0), ("remainder", -7, 0, 0), ("floor_divide", -(2**63), -1, -(2**63))])
def test_integer_division_never_traps(name, x, y, expected):
    assert get(name).eager(np.int64(x), np.int64(y)) == expected


@table(("name", "x", "y"), [("add", 2**63 - 1, 1), ("subtract", -(2**63), 1), ("multiply", 2**62, 2)])
def test_python_integers_do_not_wrap(name, x, y):
    assert get(f"pyint_{name}").eager(np.int64(3), np.int64(2)) == {"add": 5, "subtract": 1, "multiply": 6}[name]
    with pytest.raises(OverflowError, match="Python int too large"):
        get(f"pyint_{name}").eager(np.int64(x), np.int64(y))


@table(
    ("x", "error", "message"),
    [
        (np.nan, ValueError, "cannot convert float NaN to integer"),
        (-np.inf, OverflowError, "cannot convert float infinity to integer"),
        (2.0**63, OverflowError, "Python int too large"),
        (-(2.0**63), OverflowError, "Python int too large"),
    ],
)
def test_truncation_to_a_python_integer_fails_where_it_does_not_fit(x, error, message):
    assert get("pyint_truncate").eager(np.float64(-3.7)) == -3
    with pytest.raises(error, match=message):
        get("pyint_truncate").eager(np.float64(x))
