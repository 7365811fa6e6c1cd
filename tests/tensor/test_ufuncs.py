"""Operators of Tensors: at once where a loop takes the operands as they are, with casts otherwise, and the same either way."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.tensor.ufuncs import UNSUPPORTED, apply_ufunc

OPERATORS: dict[str, tuple[Callable[..., Any], np.ufunc]] = {
    "+": (operator.add, np.add), "-": (operator.sub, np.subtract), "*": (operator.mul, np.multiply), "/": (operator.truediv, np.divide),
    "//": (operator.floordiv, np.floor_divide), "%": (operator.mod, np.remainder), "**": (operator.pow, np.power),
    "<": (operator.lt, np.less), "==": (operator.eq, np.equal), "&": (operator.and_, np.bitwise_and), "^": (operator.xor, np.bitwise_xor),
    "@": (operator.matmul, np.matmul), "<<": (operator.lshift, np.left_shift),
}  # fmt: skip
DTYPES = [np.dtype(char) for char in "?bhilBIfdFDeq"]
NUMBERS = [True, 2, 2.5, 1j, 300, np.float32(1.5), np.int8(3), np.float64(0.5), np.bool_(True)]


def operands(dtype: np.dtype) -> list[np.ndarray]:
    """Arrays of a dtype: a vector, a matrix in Fortran order, a strided view, rank 0, no element."""
    values = np.array([1, 2, 0, 3, 1, 2, 2, 3, 1]).astype(dtype)
    return [values[:3], np.asfortranarray(values.reshape(3, 3)), values[:6][::2], values[1].reshape(()), values[:0]]


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """The class of the error, or everything that tells a result: type, dtype, shape, order in memory, writeability, bits."""
    try:
        with np.errstate(all="ignore"):
            result = function(*args)
    except (TypeError, ValueError, OverflowError) as error:
        return type(error)
    if not isinstance(result, ag.Tensor):
        return type(result), repr(result)
    array = result.numpy()
    return array.dtype, array.shape, array.flags.c_contiguous, array.flags.writeable, array.tobytes()


def by_casts(ufunc: np.ufunc, *args: Any) -> Any:
    """What the ufunc gives where every operand goes through the casts of its loop; NumPy's own where no operation stands for it."""
    result = apply_ufunc(ufunc, args)
    if result is not UNSUPPORTED:
        return result
    return ag.Tensor.of(ufunc(*(arg.numpy() if isinstance(arg, ag.Tensor) else arg for arg in args)))


@pytest.mark.parametrize("name", OPERATORS)
def test_operator_gives_what_its_loop_gives_after_casts(name: str) -> None:
    operation, ufunc = OPERATORS[name]
    for dtype in DTYPES:
        for x in operands(dtype):
            for y in [*operands(dtype), *operands(np.dtype(np.float64))[:1], *operands(np.dtype(np.int64))[:1], *NUMBERS]:
                box = ag.Tensor(x)
                expected, reflected = outcome(by_casts, ufunc, box, y), outcome(by_casts, ufunc, y, box)
                assert outcome(operation, box, y) == expected, (dtype, x, y)
                assert outcome(ufunc, box, y) == expected, (dtype, x, y)
                assert outcome(ufunc, y, box) == reflected, (dtype, x, y)
                if isinstance(y, np.ndarray):
                    assert outcome(operation, box, ag.Tensor(y)) == expected, (dtype, x, y)


@pytest.mark.parametrize(
    "ufunc", [np.negative, np.absolute, np.tanh, np.sqrt, np.invert, np.logical_not, np.floor, np.isfinite, np.conjugate]
)
def test_ufunc_of_one_tensor_gives_what_its_loop_gives_after_casts(ufunc: np.ufunc) -> None:
    for dtype in DTYPES:
        for x in operands(dtype):
            assert outcome(ufunc, ag.Tensor(x)) == outcome(by_casts, ufunc, ag.Tensor(x)), (dtype, x)


def test_results_are_tensors_whatever_kind_of_tensor_the_operands_are() -> None:
    variable, tensor = ag.Variable([1.0, 2.0]), ag.asarray([3.0, 4.0])
    for result in (variable + tensor, tensor - variable, 2.0 * variable, -variable, np.exp(variable), variable @ tensor, variable.sum()):
        assert type(result) is ag.Tensor


def test_tape_follows_the_operands_that_were_watched_when_the_operation_ran() -> None:
    x, y = ag.asarray([1.0, 2.0]), ag.asarray([3.0, 4.0])
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        early = x * y
        tape.watch(y)
        late = x * y
    assert tape.gradient(early, y) is None and tape.gradient(early, x).tolist() == [3.0, 4.0]
    assert tape.gradient(late, y).tolist() == [1.0, 2.0]


def test_only_what_is_followed_gets_a_contribution() -> None:
    x = ag.asarray([-1.0, 2.0])
    with np.errstate(all="raise"), ag.GradientTape() as tape:
        tape.watch(x)
        y = x**3
    assert tape.gradient(y, x).tolist() == [3.0, 12.0]


def test_nested_tapes_record_operators_for_second_derivatives() -> None:
    x = ag.Variable([0.5, 1.5])
    with ag.GradientTape() as outer:
        with ag.GradientTape() as inner:
            y = (np.tanh(x) * 2.0 - 1.0 / x).sum()
        slope = inner.gradient(y, x)
    t = np.tanh(x.numpy())
    np.testing.assert_allclose(slope.numpy(), 2 * (1 - t * t) + x.numpy() ** -2.0, rtol=1e-14)
    np.testing.assert_allclose(outer.gradient(slope, x).numpy(), -4 * t * (1 - t * t) - 2 * x.numpy() ** -3.0, rtol=1e-14)


def test_gradient_of_a_result_that_is_used_twice_does_not_change_that_of_its_operands() -> None:
    x, y = ag.asarray([1.0, 2.0]), ag.asarray([3.0, 4.0])
    with ag.GradientTape() as tape:
        tape.watch(x, y)
        total = x + y
        z = total + x
    assert [g.tolist() for g in tape.gradient(z, [total, x, y])] == [[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]]
