"""Ufuncs on stand-ins against NumPy: every ufunc at many dtypes, Python and NumPy scalars, out, where, dtype, methods."""

from __future__ import annotations

import numpy as np

from tests.tables import table
from tests.tracing.staged_run import check_each_like_numpy, check_like_numpy, hosted_calls

UFUNCS = sorted(name for name in dir(np) if isinstance(getattr(np, name), np.ufunc) and getattr(np, name).signature is None)
VALUES = {
    "?": np.array([True, False, True]),
    "i1": np.array([3, -2, 100], "i1"),
    "u1": np.array([3, 200, 0], "u1"),
    "i4": np.array([3, -2, 7], "i4"),
    "i8": np.array([3, -2, 10**12]),
    "u8": np.array([3, 2, 2**63], "u8"),
    "f4": np.array([0.5, -2.25, np.nan], "f4"),
    "f8": np.array([0.5, -2.25, np.inf]),
    "c16": np.array([0.5 + 1j, -2, 1j]),
}


def operands(ufunc: np.ufunc, dtype: str) -> tuple:
    x = VALUES[dtype]
    return (x,) if ufunc.nin == 1 else (x, x[::-1].copy())


def supported(ufunc: np.ufunc, *args: object) -> bool:
    with np.errstate(all="ignore"):
        try:
            results = ufunc(*args)
        except Exception:  # noqa: BLE001 - then the exception is what is compared
            return True
    return all(
        result.dtype.name
        in (
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float32",
            "float64",
            "complex64",
            "complex128",
        )
        for result in (results if isinstance(results, tuple) else (results,))
    )


@table("dtype", VALUES)
@table("name", UFUNCS)
def test_arrays_of_one_dtype(name: str, dtype: str) -> None:
    ufunc = getattr(np, name)
    args = operands(ufunc, dtype)
    if supported(ufunc, *args):
        check_like_numpy(lambda np, *xs: getattr(np, name)(*xs), *args)


@table("dtype", VALUES)
@table("name", [name for name in UFUNCS if getattr(np, name).nin == 2])
def test_python_and_numpy_scalars_promote_as_nep_50_says(name: str, dtype: str) -> None:
    ufunc = getattr(np, name)
    candidates = (2, 2.5, True, np.float32(2.5), np.int8(2), np.float64(2.5), -1, 1000)
    others = [other for other in candidates if supported(ufunc, VALUES[dtype], other)]
    functions: list = []
    for k, other in enumerate(others):
        functions += [
            lambda np, x, *ys, other=other: getattr(np, name)(x, other),
            lambda np, x, *ys, k=k: getattr(np, name)(x, ys[k]),
            lambda np, x, *ys, k=k: getattr(np, name)(ys[k], x[0]),
        ]
    check_each_like_numpy(functions, VALUES[dtype], *others)


@table("dtypes", [("f8", "f4"), ("i8", "f4"), ("u1", "i1"), ("i4", "u8"), ("c16", "f4"), ("?", "i1"), ("i8", "u8")])
def test_mixed_dtypes_and_shapes(dtypes: tuple[str, str]) -> None:
    def function(np, x, y):
        return (
            x + y,
            x * y[:, None],
            np.maximum(x, y),
            x < y,
            np.arctan2(np.abs(x).astype(float), y.real),
            x[:1] - y,
            x[0] + y,
            y - x[0],
            x == y,
            x[:0] + y[:1],
        )

    check_like_numpy(function, VALUES[dtypes[0]], VALUES[dtypes[1]])


def test_operators() -> None:
    def function(np, x, k, n, s):
        out = [
            x + 1,
            2 - x,
            x * n,
            x / 3,
            x // 0.3,
            x % 0.3,
            x**2,
            2.0**x,
            -x,
            +x,
            abs(x),
            x @ x,
            k & 3,
            k | n,
            k ^ 1,
            ~k,
            k << 2,
            k >> 1,
            divmod(x, 0.7),
            x > s,
            s >= x,
            x == 1,
            x != s,
        ]
        x += 1
        x *= k
        x -= s
        x /= 2
        x //= 0.25
        x %= 3
        x **= 2
        k <<= 1
        k |= 1
        k &= n
        return out, 1 < x, (x > 0) & (x < 2), (x > 0) | ~(x < 2), [1.0, 2.0, 3.0] + x, x * [1, 2, 3], (1, 2, 3) - x

    check_like_numpy(function, np.array([0.5, 1.5, 2.5]), np.array([1, 2, 3]), 5, 1.25)


@table(
    "form",
    [
        lambda np, x, y: np.add(x, y, out=x),
        lambda np, x, y: np.add(x, y, x),
        lambda np, x, y: np.add(x, y, out=(y,)),
        lambda np, x, y: np.multiply(x, 2.5, out=y),
        lambda np, x, y: np.exp(y, out=y),
        lambda np, x, y: np.add(x, y, where=y > 1, out=y),
        lambda np, x, y: np.add(x, 1, dtype=float),
        lambda np, x, y: np.add(x, y, dtype="f4"),
        lambda np, x, y: np.add(x[0], y, out=y),
        lambda np, x, y: np.add(x, y[:, None], out=y),
        lambda np, x, y: np.negative(x, out=y),
        lambda np, x, y: np.less(x, y, out=y),
        lambda np, x, y: np.divmod(x, 2),
        lambda np, x, y: np.modf(y),
        lambda np, x, y: np.add(y, y[::-1], out=y),
        lambda np, x, y: np.sqrt(x, out=x),
        lambda np, x, y: np.add.outer(x, y),
        lambda np, x, y: np.multiply.outer(y, y[:2]),
        lambda np, x, y: np.add.reduce(y),
        lambda np, x, y: np.maximum.accumulate(y[::-1]),
        lambda np, x, y: np.add.accumulate(x),
        lambda np, x, y: np.logaddexp.reduce(y),
        lambda np, x, y: np.subtract.reduce(y),
        lambda np, x, y: np.bitwise_or.reduce(x),
        lambda np, x, y: np.multiply.reduce(y, keepdims=True),
        lambda np, x, y: np.add.reduceat(y, [0, 1]),
        lambda np, x, y: np.hypot.reduce(y),
        lambda np, x, y: np.add(x, [1, 2]),
        lambda np, x, y: np.add(x, y, 3),
        lambda np, x, y: np.frexp(y),
        lambda np, x, y: np.ldexp(y, x),
        lambda np, x, y: np.matmul(y, y),
        lambda np, x, y: np.matmul(y, 2),
        lambda np, x, y: np.add(x, None),
        lambda np, x, y: np.add.at(y, [0, 0, 2], 1.5),
        lambda np, x, y: np.add.at(y, x > 1, [1, 2]),
        lambda np, x, y: np.maximum.at(y, [0, 1], 9),
        lambda np, x, y: np.add.at(x, [0, 1], 0.5),
        lambda np, x, y: np.add.at(y, 1, 2),
        lambda np, x, y: np.add.at(y, slice(None, 2), 2),
        lambda np, x, y: np.subtract.at(x, [2, 2], 3),
        lambda np, x, y: np.negative.at(x, [0, 0]),
        lambda np, x, y: np.multiply.at(y, [0, 0], [2, 3]),
        lambda np, x, y: np.power.at(x, [0], 2),
    ],
)
def test_forms_of_calls(form: object) -> None:
    def function(np, x, y):
        return form(np, x, y), x, y

    check_like_numpy(function, np.array([1, 2, 3]), np.array([1.5, 2.5, 0.5]))


@table(
    "statement",
    [
        "n += 0.5",
        "n /= 2",
        "n += z",
        "f += z",
        "f += d",
        "u += -1",
        "u += 300",
        "n **= -1",
        "b += 1",
        "b |= True",
        "f @= f",
        "n += n[:2]",
        "n[:2] += n",
        "z += 1",
        "z *= 2j",
        "f //= n",
    ],
)
def test_in_place_operators_obey_same_kind_casting(statement: str) -> None:
    def function(np, n, f, d, z, u, b):
        scope = {"n": n, "f": f, "d": d, "z": z, "u": u, "b": b}
        exec(statement, scope)
        return scope["n"]

    check_like_numpy(
        function,
        np.array([1, 2, 3]),
        np.array([1, 2, 3], "f4"),
        np.array([0.1, 0.2, 0.3]),
        np.array([1j, 2, 3]),
        np.array([1, 2, 3], "u1"),
        np.array([True, False, True]),
    )


def test_scalars_stay_scalars() -> None:
    def function(np, x, n, f):
        s = np.sum(x)
        return (
            s + 1,
            s * f,
            np.sqrt(n),
            np.sin(f),
            np.maximum(f, 1),
            np.add(n, 1),
            np.float32(f) * 2,
            np.int8(n) + 1,
            s > 1,
            -s,
            abs(s),
            s**2,
            s / 0,
            np.exp(s),
            np.divmod(s, 2),
            np.float64(n) / 0,
        )

    check_like_numpy(function, np.array([1.5, 2.5]), 4, 2.0)


def test_aliasing_operands_are_read_before_they_are_written() -> None:
    def function(np, x):
        x[1:] += x[:-1]
        x[:-1] -= x[1:]
        x[::2] *= x[1::2][::-1]
        x[:] = x[::-1]
        x[2:6] = x[0:4]
        np.add(x[1:], x[:-1], out=x[:-1])

    check_like_numpy(function, np.arange(1.0, 9.0))


def test_native_ufuncs_make_no_host_calls() -> None:
    assert (
        hosted_calls(
            lambda np, x: [
                np.exp(x),
                np.add(x, 1, out=x),
                np.divmod(x, 2),
                np.add.at(x, [0], 1),
                np.isnan(x),
                x @ x,
                np.modf(x),
                np.fabs(x),
            ],
            np.ones(3),
        )
        == []
    )
