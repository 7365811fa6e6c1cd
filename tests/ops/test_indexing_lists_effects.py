"""Tests of ops/indexing.py, ops/lists.py and ops/effects.py."""

import numpy as np
import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.errors import GraphError
from autograph_jit.ir.dims import atom
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ir.types import BOOL, F64, I64, OBJECT, ArrayType, ListType
from autograph_jit.ops.registry import get

N = atom("s0")
ARRAY, FULL = ("array",), ("full",)
CUBE = np.arange(24.0).reshape(2, 3, 4)
FLOATS = ListType(F64)


def eager(name, *operands, **attributes):
    return get(name).eager(*operands, **attributes)


def array_type(*dims, dtype=float):
    return ArrayType(np.dtype(dtype), dims)


@pytest.mark.parametrize(
    ("items", "index"),
    [
        ((ARRAY, FULL, FULL), ([1, 0, 1],)),
        ((FULL, ARRAY, FULL), ([-1],)),
        ((ARRAY, FULL, ARRAY), ([0, 1], [3, 2])),
        ((ARRAY, ARRAY, FULL), ([[0], [1]], [0, 2])),
        ((FULL, FULL, ARRAY), (2,)),
        ((ARRAY, FULL, FULL), ([],)),
    ],
)
def test_gather_is_numpys_advanced_indexing(items, index):
    arrays = [np.array(each, np.int64) for each in index]
    rest = iter(arrays)
    expected = CUBE[tuple(next(rest) if item is ARRAY else slice(None) for item in items)]
    result = eager("gather", CUBE, *arrays, items=items)
    np.testing.assert_array_equal(result, expected)
    assert result.flags.c_contiguous and not np.shares_memory(result, CUBE)
    types = (array_type(2, 3, 4), *(array_type(*each.shape, dtype=np.int64) for each in arrays))
    assert get("gather").infer(types, {"items": items, "dims": result.shape}) == (array_type(*result.shape),)


def test_gather_out_of_bounds():
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 2"):
        eager("gather", CUBE, np.array([5]), items=(ARRAY, FULL, FULL))


@pytest.mark.parametrize(
    ("mode", "expected"), [("set", [3, 0, 5]), ("add", [4, 0, 5]), ("max", [3, 0, 5]), ("min", [0, 0, 0]), ("multiply", [0, 0, 0])]
)
def test_scatter_counts_duplicates_in_order(mode, expected):
    array = np.zeros(3)
    eager("scatter", array, np.array([1.0, 3.0, 5.0]), np.array([0, 0, 2]), items=(ARRAY,), mode=mode)
    assert array.tolist() == expected


def test_mask_selects_and_assigns():
    array = np.arange(6.0).reshape(2, 3)
    mask = array > 2
    np.testing.assert_array_equal(eager("mask_select", array, mask), array[mask])
    np.testing.assert_array_equal(eager("mask_select", array, np.array([False, True])), array[1:])
    eager("mask_assign", array, mask, np.float64(-1))
    assert array.sum() == 0 + 1 + 2 - 3
    with pytest.raises(ValueError, match="cannot assign 2 input values to the 3 output values where the mask is true"):
        eager("mask_assign", array, mask, np.zeros(2))


def test_mask_of_the_wrong_size():
    with pytest.raises(IndexError, match="boolean index did not match indexed array along axis 0"):
        eager("mask_select", np.zeros(3), np.zeros(2, bool))
    assert get("mask_select").can_fail((array_type(N), array_type(atom("s1"), dtype=bool)), {})
    assert not get("mask_select").can_fail((array_type(N, 3), array_type(N, dtype=bool)), {})


def test_nonzero_gives_one_vector_for_each_axis():
    array = np.eye(3)
    for found, expected in zip(eager("nonzero", array), np.nonzero(array), strict=True):
        np.testing.assert_array_equal(found, expected)
        assert found.flags.c_contiguous


@pytest.mark.parametrize("descending", [False, True])
def test_sort_makes_a_fresh_array(descending):
    array = np.array([[3.0, 1.0, 2.0]])
    result = eager("sort", array, axis=1, descending=descending)
    assert result.tolist() == ([[3, 2, 1]] if descending else [[1, 2, 3]]) and array[0, 0] == 3


@pytest.mark.parametrize("kind", [None, "quicksort", "heapsort", "stable"])
def test_argsort_leaves_equal_elements_as_numpy_does(kind):
    array = np.tile([1, 0], 20)
    np.testing.assert_array_equal(eager("argsort", array, axis=0, kind=kind), np.argsort(array, kind=kind))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("ranks", [[0], [2, 1, 1], [-4, 9], []])
def test_order_statistics_are_sorted_elements(ranks, axis):
    array = np.array([[3.0, 1.0, np.nan], [np.inf, -0.5, 2.0], [5.0, 4.0, 0.0]])
    places = np.clip(np.array(ranks, np.int64), 0, 2)
    found = eager("order_statistics", array, np.array(ranks, np.int64), axis=axis)
    np.testing.assert_array_equal(found, np.sort(array, axis).take(places, axis), strict=True)


def test_order_statistics_of_nothing_may_fail():
    assert get("order_statistics").can_fail((array_type(atom("d0")), array_type(2, dtype=np.int64)), {"axis": 0})
    assert not get("order_statistics").can_fail((array_type(3), array_type(2, dtype=np.int64)), {"axis": 0})
    with pytest.raises(IndexError, match="empty axes"):
        eager("order_statistics", np.empty(0), np.array([0]), axis=0)


def test_repeat_is_numpys_and_refuses_counts_beyond_memory():
    array, counts = np.arange(6).reshape(2, 3), np.array([2, 0, 1])
    np.testing.assert_array_equal(eager("repeat", array, counts, axis=1), np.repeat(array, counts, 1), strict=True)
    for wrong, text in (([1, -1, 0], "negative"), ([1, 2], "broadcast"), ([1 << 62] * 3, "too big")):
        with pytest.raises(ValueError, match=text):
            eager("repeat", array, np.array(wrong), axis=1)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_of_scalars_and_arrays(side):
    array = np.array([1.0, 2.0, 2.0, 3.0])
    assert eager("searchsorted", array, np.float64(2), side=side) == {"left": 1, "right": 3}[side]
    np.testing.assert_array_equal(eager("searchsorted", array, np.array([0.0, 9.0]), side=side), [0, 4])


def test_list_operations_are_pythons():
    items = eager("list_new", elem=F64)
    for number in (1.0, 2.0, 3.0):
        eager("list_push", items, np.float64(number))
    other = eager("list_copy", items)
    eager("list_set", items, np.int64(-1), np.float64(9))
    eager("list_insert", items, np.int64(0), np.float64(5))
    assert items == [5, 1, 2, 9] and other == [1, 2, 3]
    assert eager("list_pop", items, np.int64(-1)) == 9 and eager("list_get", items, np.int64(0)) == 5
    assert eager("list_len", items) == 3
    np.testing.assert_array_equal(eager("list_to_array", items), [5, 1, 2])
    eager("list_clear", items)
    assert items == []


@pytest.mark.parametrize(
    ("name", "items", "operands", "message"),
    [
        ("list_pop", [], (-1,), "pop from empty list"),
        ("list_pop", [1.0], (3,), "pop index out of range"),
        ("list_get", [1.0], (1,), "list index out of range"),
        ("list_set", [1.0], (1, 2.0), "list assignment index out of range"),
    ],
)
def test_list_errors_are_pythons(name, items, operands, message):
    with pytest.raises(IndexError, match=message):
        eager(name, items, *map(np.float64, operands))


def test_check_raises_its_error_with_the_payload():
    error = ErrorSpec(ValueError, "size {} is bad")
    assert eager("check", np.True_, np.int64(3), error=error) == ()
    with pytest.raises(ValueError, match="size 3 is bad"):
        eager("check", np.False_, np.int64(3), error=error)


def test_raise_raises_the_object_or_the_error():
    with pytest.raises(KeyError, match="gone"):
        eager("raise_", KeyError("gone"))
    with pytest.raises(ValueError, match="bad 2"):
        eager("raise_", np.int64(2), error=ErrorSpec(ValueError, "bad {}"))


@pytest.mark.parametrize(
    ("name", "types", "attributes"),
    [
        ("gather", (array_type(N), array_type(3)), {"items": (ARRAY,), "dims": (3,)}),
        ("gather", (array_type(N, N), I64), {"items": (ARRAY,), "dims": (N,)}),
        ("scatter", (array_type(N), F64, I64), {"items": (ARRAY,), "mode": "mean"}),
        ("scatter", (array_type(N), I64, I64), {"items": (ARRAY,), "mode": "set"}),
        ("mask_select", (array_type(N), array_type(N)), {"dims": (N,)}),
        ("mask_assign", (array_type(N), array_type(N, dtype=bool), I64), {}),
        ("nonzero", (array_type(),), {"dims": (N,)}),
        ("sort", (array_type(N),), {"axis": 1}),
        ("order_statistics", (array_type(N), array_type(3)), {"axis": 0}),
        ("order_statistics", (array_type(N), I64), {"axis": 0}),
        ("order_statistics", (array_type(N), array_type(3, dtype=np.int64)), {"axis": 1}),
        ("repeat", (array_type(N), array_type(N)), {"axis": 0, "dims": (N,)}),
        ("repeat", (array_type(N), array_type(N, dtype=np.int64)), {"axis": 0, "dims": (N, N)}),
        ("searchsorted", (array_type(N), I64), {"side": "left"}),
        ("list_push", (FLOATS, I64), {}),
        ("list_get", (FLOATS, F64), {}),
        ("list_get", (array_type(N), I64), {}),
        ("check", (F64,), {}),
        ("check", (BOOL, array_type(N)), {}),
        ("raise_", (F64,), {"error": None}),
        ("tally", (F64,), {"number": 0}),
    ],
)
def test_types_that_do_not_fit_are_refused(name, types, attributes):
    with pytest.raises(GraphError):
        get(name).infer(types, attributes)


def test_types_of_lists():
    assert get("list_pop").infer((FLOATS, I64), {}) == (F64,)
    assert get("list_copy").infer((FLOATS,), {}) == (FLOATS,)
    assert get("raise_").infer((OBJECT,), {}) == ()
