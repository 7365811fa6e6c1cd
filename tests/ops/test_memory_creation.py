"""Tests of ops/memory.py and ops/creation.py: reads, writes, copies and fresh arrays."""

import numpy as np
import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.errors import GraphError
from autograph_jit.ir.dims import atom
from autograph_jit.ir.types import F64, I64, ArrayType, ScalarType
from autograph_jit.ops.registry import get

N = atom("s0")


def eager(name, *operands, **attributes):
    return get(name).eager(*operands, **attributes)


def array_type(*dims, dtype=float):
    return ArrayType(np.dtype(dtype), dims)


def integers(*numbers):
    return tuple(map(np.int64, numbers))


def test_load_wraps_negative_indices_and_checks_bounds():
    array = np.arange(6.0).reshape(2, 3)
    assert eager("load", array, *integers(-1, 2)) == 5.0
    assert isinstance(eager("load", np.array(3.0)), np.float64)
    with pytest.raises(IndexError, match="index -4 is out of bounds for axis 1 with size 3"):
        eager("load", array, *integers(0, -4))


def test_store_writes_one_element():
    array = np.zeros((2, 3))
    assert eager("store", array, np.float64(7), *integers(-1, 0)) == ()
    assert array[1, 0] == 7 and array.sum() == 7


@pytest.mark.parametrize(
    "source", [np.float64(2), np.arange(3.0), np.ones((2, 1)), np.ones((1, 2, 3))], ids=["scalar", "row", "column", "leading axis"]
)
def test_assign_broadcasts(source):
    array, expected = np.zeros((2, 3)), np.zeros((2, 3))
    eager("assign", array, source)
    expected[...] = source
    np.testing.assert_array_equal(array, expected)


def test_assign_reads_an_overlapping_source_first():
    array = np.arange(5.0)
    eager("assign", array[1:], array[:-1])
    assert array.tolist() == [0, 0, 1, 2, 3]


def test_assign_of_the_wrong_size():
    with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(3,\) into shape \(2,\)"):
        eager("assign", np.zeros(2), np.zeros(3))


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        (array_type(N), F64, False),
        (array_type(N), array_type(N), False),
        (array_type(N), array_type(1), False),
        (array_type(3, N), array_type(1, 3, N), False),
        (array_type(N), array_type(atom("s1")), True),
        (array_type(N), array_type(2, N), True),
    ],
)
def test_assign_fails_only_where_shapes_are_not_proved(target, source, expected):
    assert get("assign").can_fail((target, source), {}) == expected


def test_load_fails_unless_proved_or_of_rank_0():
    can_fail = get("load").can_fail
    assert can_fail((array_type(N), I64), {})
    assert not can_fail((array_type(N), I64), {"proved": True})
    assert not can_fail((array_type(),), {})


def test_copy_is_fresh_and_in_c_order():
    array = np.arange(6.0).reshape(2, 3).T
    result = eager("copy", array)
    np.testing.assert_array_equal(result, array)
    assert result.flags.c_contiguous and not np.shares_memory(result, array)


def test_same_memory_is_told_from_overlapping_memory():
    array = np.zeros(5)
    assert eager("is_same", array, array[:]) and not eager("is_same", array, array[1:])
    assert eager("overlaps", array[:3], array[2:]) and not eager("overlaps", array[:2], array[2:])


def test_fresh_arrays_have_the_sizes_of_their_operands():
    assert eager("empty", *integers(2, 3), dtype=np.dtype(np.int8)).shape == (2, 3)
    full = eager("full", np.float32(2), *integers(0, 3))
    assert full.shape == (0, 3) and full.dtype == np.float32
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        eager("full", np.float64(0), *integers(-1))


def test_array_constant_is_a_fresh_copy_each_time():
    value = np.arange(3)
    result = eager("array_constant", value=value)
    result[0] = 9
    assert value[0] == 0 and get("array_constant").infer((), {"value": value}) == (array_type(3, dtype=np.int64),)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.float32, np.float64])
def test_arange_counts_in_its_dtype(dtype):
    result = eager("arange", dtype(3), dtype(-2), np.int64(4))
    np.testing.assert_array_equal(result, [3, 1, -1, -3])
    assert result.dtype == dtype and eager("arange", dtype(0), dtype(1), np.int64(-3)).shape == (0,)


def test_arange_is_start_plus_multiples_of_the_step():
    start, step = np.float64(0.1), np.float64(0.1)
    np.testing.assert_array_equal(eager("arange", start, step, np.int64(8)), start + step * np.arange(8))


def test_concat_joins_along_an_axis():
    x, y = np.ones((2, 3)), np.zeros((2, 1))
    np.testing.assert_array_equal(eager("concat", x, y, axis=1), np.concatenate([x, y], 1))
    with pytest.raises(ValueError, match="all the input array dimensions except for the concatenation axis must match exactly"):
        eager("concat", x, y, axis=0)


def test_concat_fails_only_where_the_other_axes_may_differ():
    can_fail = get("concat").can_fail
    assert not can_fail((array_type(N, 3), array_type(2, 3)), {"axis": 0, "dims": (N + 2, 3)})
    assert can_fail((array_type(N, 3), array_type(2, 3)), {"axis": 1, "dims": (N, 6)})


@pytest.mark.parametrize(
    ("name", "types", "attributes"),
    [
        ("load", (array_type(N),), {}),
        ("load", (array_type(N), F64), {}),
        ("store", (array_type(N), I64, I64), {}),
        ("assign", (array_type(N), array_type(N, dtype=np.float32)), {}),
        ("copy", (F64,), {}),
        ("is_same", (F64, F64), {}),
        ("constant", (), {"value": 1.0}),
        ("empty", (F64,), {"dtype": np.dtype(float), "dims": (N,)}),
        ("full", (I64, I64), {}),
        ("full", (array_type(N), I64), {"dims": (N,)}),
        ("arange", (I64, F64, I64), {"dims": (N,)}),
        ("concat", (), {"axis": 0, "dims": (N,)}),
        ("concat", (array_type(N), array_type(N, 2)), {"axis": 0, "dims": (N,)}),
    ],
)
def test_types_that_do_not_fit_are_refused(name, types, attributes):
    with pytest.raises(GraphError):
        get(name).infer(types, attributes)


def test_constant_has_the_type_of_its_number():
    assert get("constant").infer((), {"value": np.int8(3)}) == (ScalarType(np.dtype(np.int8)),)
