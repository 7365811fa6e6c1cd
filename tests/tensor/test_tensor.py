"""Tensor against the ndarray that it wraps: the same values, dtypes, views, writes and errors."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.opdef import OpDef
from autograph_jit.ops.dispatch import EAGER, interpreting, unboxed

ARRAYS = {
    "f64": np.array([[1.5, -2.0, 3.0], [4.0, 0.5, -6.0]]),
    "f32": np.array([[1, 2, 3], [4, 5, 6]], np.float32),
    "i64": np.array([[1, 2, 3], [4, 5, 6]]),
    "u8": np.array([[1, 2, 250], [4, 5, 6]], np.uint8),
    "b1": np.array([[True, False, True], [False, False, True]]),
    "c128": np.array([[1 + 2j, 2, 3], [4, 5j, 6]]),
}
EXPRESSIONS: dict[str, Callable[[Any], Any]] = {
    "python scalar": lambda x: x + 2,
    "scalar in front": lambda x: 2 * x,
    "float scalar": lambda x: x * 1.5,
    "other array": lambda x: np.ones((2, 3), np.float32) * x,
    "comparison": lambda x: x == 2,
    "division": lambda x: x / 3,
    "ufunc": lambda x: np.multiply(x, x),
    "logical": lambda x: np.logical_or(x, 0),
    "sum": lambda x: x.sum(),
    "sum of an axis": lambda x: np.sum(x, axis=0, keepdims=True),
    "prod": lambda x: np.prod(x, axis=(0, 1)),
    "mean": lambda x: x.mean(axis=1),
    "any": lambda x: np.any(x, axis=-1),
    "item": lambda x: x[1, -2],
    "row": lambda x: x[1],
    "slices": lambda x: x[::-1, None, 1:],
    "ellipsis": lambda x: x[..., 0],
    "mask": lambda x: x[x != 2],
    "index array": lambda x: x[[1, 0, 1], [2, 2, 0]],
    "transpose": lambda x: x.T @ x.T.transpose(1, 0) if x.dtype.kind != "b" else x.T,
    "reshape": lambda x: x.reshape(3, -1),
    "where": lambda x: np.where(x != 2, x, 0),
    "concatenate": lambda x: np.concatenate([x, np.zeros((1, 3), np.int8)]),
    "stack": lambda x: np.stack([x, x], axis=1),
    "astype": lambda x: x.astype(np.float32) if x.dtype.kind != "c" else x.astype(np.complex64),
    "copy": lambda x: x.copy(),
    "cumsum": lambda x: np.cumsum(x, axis=1),
    "tolist": lambda x: x.tolist(),
    "shape": lambda x: (x.shape, x.ndim, x.size, len(x)),
    "linear algebra": lambda x: np.linalg.norm(x.astype(complex)),
}


def assert_same(found: Any, expected: Any) -> None:
    """Tensors where NumPy gives arrays and scalars, of equal values and dtypes."""
    if isinstance(expected, np.ndarray | np.generic):
        assert isinstance(found, ag.Tensor)
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_array_equal(found.numpy(), expected)
    else:
        assert not isinstance(found, ag.Tensor) and found == expected


@pytest.mark.parametrize("dtype", ARRAYS)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression_gives_what_numpy_gives(expression: str, dtype: str) -> None:
    compute, array = EXPRESSIONS[expression], ARRAYS[dtype]
    assert_same(compute(ag.asarray(array.copy())), compute(array))


def test_views_share_memory_with_the_array() -> None:
    array = np.arange(6.0)
    x = ag.asarray(array)
    assert x.numpy() is array
    x[1:4][::2] = 9.0
    x.reshape(2, 3).T[0, 1] = -1.0
    assert array.tolist() == [0.0, 9.0, 2.0, -1.0, 4.0, 5.0]


def test_in_place_operators_write_into_the_array() -> None:
    array = np.arange(3.0)
    x = view = ag.asarray(array)
    x += 1
    x[1:] *= ag.asarray([10.0, 100.0])
    assert x is view and array.tolist() == [1.0, 20.0, 300.0]


def test_ndarray_operated_in_place_with_a_tensor_stays_an_ndarray() -> None:
    array = same = np.ones(2)
    array += ag.asarray([1.0, 2.0])
    assert array is same and array.tolist() == [2.0, 3.0]


def test_output_argument_is_written_and_returned() -> None:
    out = ag.asarray(np.zeros(2))
    assert np.add(np.ones(2), 1, out=out) is out
    assert np.cumsum(ag.asarray([1.0, 2.0]), out=out) is out
    assert out.tolist() == [1.0, 3.0]


def test_masked_and_gathered_assignment_write_into_the_array() -> None:
    array = np.arange(5.0)
    x = ag.asarray(array)
    x[x > 2] = ag.asarray(0.0)
    x[[0, 1]] = [7.0, 8.0]
    assert array.tolist() == [7.0, 8.0, 2.0, 0.0, 0.0]


ERRORS: dict[str, Callable[[Any], Any]] = {
    "index": lambda x: x[7],
    "too many indices": lambda x: x[0, 0],
    "shapes": lambda x: x + np.ones(2),
    "assigned shape": lambda x: x.__setitem__(slice(None), np.ones(2)),
    "in-place cast": lambda x: x.__iadd__(1j),
    "in-place shape": lambda x: np.add(x, np.ones((2, 3)), out=x),
    "reshape": lambda x: x.reshape(2, 2),
    "axis": lambda x: x.sum(axis=1),
    "ambiguous truth": lambda x: bool(x),
    "attribute": lambda x: x.nothing,
    "hash": lambda x: hash(x),
    "empty maximum": lambda x: x[:0].max(),
    "integer out of bounds": lambda x: x.astype(np.uint8) + 300,
}


@pytest.mark.parametrize("case", ERRORS)
def test_error_is_the_one_that_numpy_raises(case: str) -> None:
    with pytest.raises(Exception) as expected:
        ERRORS[case](np.arange(3.0))
    with pytest.raises(type(expected.value)) as found:
        ERRORS[case](ag.asarray(np.arange(3.0)))
    assert str(found.value).replace("Tensor", "numpy.ndarray") == str(expected.value)


def test_conversions_to_python_numbers() -> None:
    x = ag.asarray([2])
    assert (int(x[0]), float(x[0]), complex(x[0]), bool(x[0]), [10, 20, 30][x[0]]) == (2, 2.0, 2 + 0j, True, 30)
    assert f"{ag.asarray(1.25):.1f} {ag.asarray(3)}" == "1.2 3"
    assert 2 in x and 3 not in x


def test_iteration_gives_items_and_refuses_rank_0() -> None:
    assert [float(item) for item in ag.asarray([1.0, 2.0])] == [1.0, 2.0]
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(ag.asarray(1.0))


def test_repr_names_the_type_the_dtype_and_a_shape_that_the_values_do_not_show() -> None:
    assert repr(ag.asarray([[1, 2], [3, 4]])) == "Tensor([[1, 2],\n        [3, 4]], dtype=int64)"
    assert repr(ag.asarray(np.zeros((0, 3)))) == "Tensor([], shape=(0, 3), dtype=float64)"
    assert repr(ag.Variable(np.zeros((50, 50)))).endswith("0., 0.]], shape=(50, 50), dtype=float64)")
    assert str(ag.asarray([1.5, 2])) == "[1.5 2. ]"


def test_asarray_copies_only_where_it_is_asked_to() -> None:
    array = np.ones(2)
    x = ag.asarray(array)
    assert ag.asarray(x) is x and x.numpy() is array and np.asarray(x) is array
    assert ag.asarray(x, copy=True).numpy() is not array
    assert ag.asarray(x, dtype=np.float32).dtype == np.float32
    assert ag.asarray([ag.asarray(1.0), 2.0]).tolist() == [1.0, 2.0]


def test_tensor_survives_copying_and_pickling() -> None:
    x = ag.asarray([1.0, 2.0])
    for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert isinstance(other, ag.Tensor) and other.tolist() == [1.0, 2.0] and other.numpy() is not x.numpy()


class Recorder:
    """Runs operations eagerly and keeps their names."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def bind(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        self.names.append(op.name)
        return EAGER.bind(op, operands, attributes)

    def record(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any], result: Any) -> None:
        self.names.append(op.name)


def test_an_interpreter_sees_every_operation() -> None:
    x = ag.asarray(np.arange(4.0))
    with interpreting(Recorder()) as recorder:
        y = np.exp(x[1:]) * 2
        y[0] = 3
        np.fft.fft(y.sum() + x)
    assert isinstance(recorder, Recorder)
    names = ["basic_index", "exp", "multiply", "cast", "basic_index", "assign", "reduce", "add", "host_call"]
    assert recorder.names == names


def test_unboxed_leaves_plain_values_alone() -> None:
    array = np.ones(1)
    assert unboxed(array) is array and unboxed(ag.Tensor(array)) is array


@ag.compile(fallback="error")
def halve(x: Any, y: Any) -> Any:
    x[0] = 0.0
    return x, y * 0.5 + x, y.sum(), len(y)


def test_compiled_function_takes_tensors_and_gives_tensors() -> None:
    x, y = ag.asarray(np.ones(20)), np.arange(20.0)
    same, mixed, total, count = halve(x, y)
    assert same is x and x[0] == 0.0
    assert isinstance(mixed, ag.Tensor) and isinstance(total, ag.Tensor) and count == 20
    np.testing.assert_array_equal(mixed.numpy(), y * 0.5 + x.numpy())
    assert float(total) == 190.0


def test_compiled_function_gives_arrays_for_arrays_after_tensors() -> None:
    halve(ag.asarray(np.ones(30)), np.ones(30))
    results = halve(np.ones(30), np.ones(30))
    assert [type(result) for result in results] == [np.ndarray, np.ndarray, np.float64, int]


def test_eager_function_runs_on_tensors() -> None:
    with ag.eager():
        same, mixed, _, count = halve(ag.asarray(np.ones(4)), np.arange(4.0))
    assert isinstance(mixed, ag.Tensor) and mixed.tolist() == [0.0, 1.5, 2.0, 2.5] and count == 4


def test_constants_have_the_dtypes_of_tensorflow():
    values = [1.5, 2, True, 1j, [1, 2.0], [[1, 2], [3, 4]], np.float64(1.5), np.arange(3), [np.float64(2.0)], (1.0, np.int64(2))]
    expected = "float32 int32 bool complex128 float32 int32 float64 int64 float64 float64".split()

    def dtypes(*values):
        return [(ag.constant(x), ag.convert_to_tensor(x)) for x in values]

    for make in (dtypes, ag.compile(dtypes, fallback="error")):
        for pair, value, dtype in zip(make(*values), values, expected):
            assert type(pair[0]) is ag.Tensor
            for made in pair:
                assert made.dtype.name == dtype
                np.testing.assert_array_equal(made, value)
    assert ag.constant(2**40).dtype == np.int64


def test_constant_fills_a_shape():
    def filled(x):
        return ag.constant(x, shape=(2, 3)), ag.constant([1.0, 2.0], "float64", (2, 1))

    for make in (filled, ag.compile(filled, fallback="error")):
        full, column = make(7.0)
        assert (full.dtype, column.dtype) == (np.float32, np.float64)
        np.testing.assert_array_equal(full.numpy(), np.full((2, 3), 7.0))
        np.testing.assert_array_equal(column.numpy(), [[1.0], [2.0]])


def test_copies_lie_in_memory_as_numpys_do():
    orders = (lambda x: x.copy(), lambda x: x.T.copy(), lambda x: x.copy("K"), lambda x: x.copy(order="F"), lambda x: np.copy(x), np.copy)
    for x in (np.asfortranarray(np.arange(12.0).reshape(3, 4)), np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2)[::2]):
        for copied in orders:
            expected, found = copied(x), copied(ag.Tensor(x))
            assert found.numpy().strides == expected.strides
            np.testing.assert_array_equal(found.numpy(), expected)


def test_copies_in_any_order_have_a_derivative():
    x = ag.Tensor(np.asfortranarray(np.arange(12.0).reshape(3, 4)))
    with ag.GradientTape() as tape:
        tape.watch(x)
        total = (np.copy(x) * x.copy("K")).sum()
    np.testing.assert_array_equal(tape.gradient(total, x).numpy(), 2.0 * x.numpy())
