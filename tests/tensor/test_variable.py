"""Tests of tensor/variable.py: state that is assigned in place, and that compiled functions read and write."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag

STATE = ag.Variable([1.0, 2.0], name="state")


def test_assignments_write_in_place():
    v = ag.Variable([1.0, 2.0])
    array = v.numpy()
    v.assign([3.0, 4.0])
    v.assign_add(1.0)
    v.assign_sub([1.0, 0.0])
    v[0] = 9.0
    assert v.numpy() is array
    np.testing.assert_array_equal(array, [9.0, 5.0])
    assert (v.shape, v.dtype, v.name, v.trainable) == ((2,), np.dtype(float), None, True)


def test_variable_keeps_an_array_of_its_own():
    x = np.zeros(2)
    ag.Variable(x).assign(1.0)
    np.testing.assert_array_equal(x, 0.0)


def test_compiled_function_reads_and_writes_a_captured_variable():
    @ag.compile(fallback="error")
    def step(x):
        STATE[0] = STATE[0] + x
        return STATE * 2.0

    STATE.assign([1.0, 2.0])
    np.testing.assert_array_equal(np.asarray(step(1.0)), [4.0, 4.0])
    STATE.assign([10.0, 3.0])
    np.testing.assert_array_equal(np.asarray(step(1.0)), [22.0, 6.0])
    np.testing.assert_array_equal(STATE.numpy(), [11.0, 3.0])


def test_compiled_function_tells_variables_tensors_and_arrays_apart():
    def kinds(*values):
        return [(isinstance(x, ag.Variable), isinstance(x, ag.Tensor), isinstance(x, np.ndarray), type(x).__name__) for x in values]

    values = (STATE, ag.asarray([1.0]), np.ones(1))
    assert ag.compile(kinds, fallback="error")(*values) == kinds(*values)


def test_sizes_of_variables_are_constants_until_another_one_is_seen():
    total = ag.compile(lambda v: np.sum(v * 2.0), fallback="error")
    for size, programs in ((20, 1), (20, 1), (30, 2), (40, 2)):
        assert total(ag.Variable(np.ones(size))) == 2.0 * size
        assert len(total.specializations) == programs
    assert "sizes {0: 20}" in str(total.explain(ag.Variable(np.ones(20))))
