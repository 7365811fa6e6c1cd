"""Tests of ops/movement.py: views share memory, have NumPy's shapes, and fail with NumPy's messages."""

import numpy as np
import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.errors import GraphError
from autograph_jit.ir.dims import atom
from autograph_jit.ir.types import F64, I64, ArrayType
from autograph_jit.ops.registry import get

MATRIX = np.arange(12.0).reshape(3, 4)
FULL, NEW, INT = ("full",), ("newaxis",), ("int",)
N = atom("s0")


def view(name, array, *integers, **attributes):
    return get(name).eager(array, *map(np.int64, integers), **attributes)


def matrix_type(*dims):
    return ArrayType(np.dtype(float), dims)


@pytest.mark.parametrize(
    ("items", "integers", "expected"),
    [
        ((INT, FULL), (1,), MATRIX[1]),
        ((INT, FULL), (-1,), MATRIX[-1]),
        ((FULL, INT), (2,), MATRIX[:, 2]),
        ((("slice", True, True, False), FULL), (1, 9), MATRIX[1:9]),
        ((("slice", False, False, True), ("slice", True, False, True)), (-1, 3, -2), MATRIX[::-1, 3::-2]),
        ((("slice", True, True, False), FULL), (2, 1), MATRIX[2:1]),
        ((NEW, FULL, NEW, FULL), (), MATRIX[None, :, None]),
        ((INT, INT), (1, 2), np.array(6.0)),
    ],
)
def test_basic_index_is_numpys_view(items, integers, expected):
    array = MATRIX.copy()
    result = view("basic_index", array, *integers, items=items)
    np.testing.assert_array_equal(result, expected)
    assert result.shape == expected.shape and (result.size == 0 or np.shares_memory(result, array))


def test_basic_index_out_of_bounds():
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        view("basic_index", MATRIX, 7, items=(INT, FULL))


def test_basic_index_with_step_zero():
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        view("basic_index", MATRIX, 0, items=(("slice", False, False, True), FULL))


@pytest.mark.parametrize(
    ("items", "operands"), [((INT,), 1), ((INT, FULL), 0), ((FULL, FULL, FULL), 0), ((("slice", True, True, False), FULL), 1)]
)
def test_basic_index_refuses_items_that_do_not_fit(items, operands):
    with pytest.raises(GraphError, match="basic_index"):
        get("basic_index").infer((matrix_type(3, 4), *(I64,) * operands), {"items": items, "dims": (3,)})


def test_only_integers_and_steps_make_basic_index_fail():
    can_fail = get("basic_index").can_fail
    types = (matrix_type(3, 4), I64)
    assert can_fail(types, {"items": (INT, FULL)})
    assert can_fail(types, {"items": (("slice", False, False, True), FULL)})
    assert not can_fail(types, {"items": (("slice", True, False, False), FULL)})


def test_transpose_permutes():
    array = np.zeros((2, 3, 4))
    assert view("transpose", array, perm=(2, 0, 1)).shape == (4, 2, 3)
    assert get("transpose").infer((matrix_type(2, N, 4),), {"perm": (2, 0, 1)}) == (matrix_type(4, 2, N),)


@pytest.mark.parametrize(
    ("shape", "array", "shares"), [((4, 3), MATRIX, True), ((-1,), MATRIX, True), ((12,), MATRIX.T, False), ((2, -1, 2), MATRIX, True)]
)
def test_reshape_copies_only_where_it_must(shape, array, shares):
    result = view("reshape", array, *shape)
    np.testing.assert_array_equal(result, array.reshape(shape))
    assert np.shares_memory(result, array) == shares


def test_reshape_of_the_wrong_size():
    with pytest.raises(ValueError, match=r"cannot reshape array of size 12 into shape \(5,\)"):
        view("reshape", MATRIX, 5)


def test_reshape_that_adds_an_axis_of_one_cannot_fail():
    opdef = get("reshape")
    assert not opdef.can_fail((matrix_type(N), I64, I64), {"dims": (N, 1)})
    assert opdef.can_fail((matrix_type(N), I64), {"dims": (atom("s1"),)})


def test_broadcast_to_repeats_by_stride_zero():
    result = view("broadcast_to", np.arange(3.0), 2, 3)
    np.testing.assert_array_equal(result, np.broadcast_to(np.arange(3.0), (2, 3)))
    assert result.strides[0] == 0
    with pytest.raises(ValueError, match="could not be broadcast"):
        view("broadcast_to", np.arange(3.0), 2, 4)


@pytest.mark.parametrize("name", ["real", "imag"])
def test_parts_are_views(name):
    array = np.array([1 + 2j, 3 - 4j])
    part = view(f"{name}_view", array)
    np.testing.assert_array_equal(part, getattr(array, name))
    part[0] = 9
    assert getattr(array[0], name) == 9


@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_diagonal_is_a_writable_view(offset):
    array = MATRIX.copy()
    result = view("diagonal", array, offset=offset, axis1=0, axis2=1)
    np.testing.assert_array_equal(result, array.diagonal(offset))
    result[...] = -1
    assert (array == -1).sum() == result.size


def test_as_strided_takes_bytes():
    windows = view("as_strided", np.arange(5.0), 3, 3, 8, 8)
    np.testing.assert_array_equal(windows, [[0, 1, 2], [1, 2, 3], [2, 3, 4]])


def test_sizes_and_strides_are_numbers():
    assert view("dim", MATRIX, axis=1) == 4
    assert view("stride", MATRIX, axis=0) == 32
    with pytest.raises(GraphError, match="axis 2 is out of bounds"):
        get("dim").infer((matrix_type(3, 4),), {"axis": 2})


@pytest.mark.parametrize(
    ("name", "types", "attributes"),
    [
        ("transpose", (matrix_type(2, 3),), {"perm": (0, 0)}),
        ("reshape", (matrix_type(2, 3), F64), {"dims": (6,)}),
        ("reshape", (matrix_type(2, 3), I64), {"dims": (6, 1)}),
        ("real_view", (matrix_type(2, 3),), {}),
        ("diagonal", (matrix_type(2, 3),), {"offset": 0, "axis1": 0, "axis2": -2, "dims": (2,)}),
        ("as_strided", (matrix_type(2, 3), I64), {"dims": (2,)}),
        ("dim", (F64,), {"axis": 0}),
    ],
)
def test_types_that_do_not_fit_are_refused(name, types, attributes):
    with pytest.raises(GraphError):
        get(name).infer(types, attributes)


def test_a_reshape_needs_a_check_unless_both_sides_have_as_many_elements_and_some():
    n, m, d = atom("s0"), atom("s1"), atom("d0")
    for before, after, needs in [
        ((n, m, 8), (n * m, 8), False),
        ((n * m, 8), (n, m, 2, 4), False),
        ((n, 6), (2 * n, 3), False),
        ((n, m), (m, n), False),
        ((n, m), (n, n), True),
        ((n, 6), (n, 5), True),
        ((n, d), (d, n), True),  # np.zeros((3, 0)).reshape(0, -1) fails
        ((n - 2, 6), (6, n - 2), True),  # may be empty as well
        ((n, d), (n, 1, d), False),
    ]:
        types = (ArrayType(F64.dtype, before), *(I64,) * len(after))
        assert get("reshape").can_fail(types, {"dims": after}) is needs, (before, after)
