"""A call whose arguments compiled code refuses only when it runs is made in Python, where it has not acted."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def history(x, n):
    saved = []
    for k in range(n):
        saved.append(x * k)
    return np.array(saved)


def test_a_list_that_the_data_leave_empty_is_pythons():
    compiled = ag.compile(history)
    assert np.array_equal(compiled(np.arange(3.0), 20), history(np.arange(3.0), 20))
    with pytest.warns(UserWarning, match="on arguments like these:\n`np.array` of a list of arrays that the data leaves empty"):
        found = compiled(np.arange(3.0), 0)
    assert found.shape == (0,)
    assert np.array_equal(compiled(np.arange(3.0), 2), history(np.arange(3.0), 2))


def test_it_raises_where_python_is_not_wanted():
    compiled = ag.compile(history, fallback="error")
    with pytest.raises(ag.ConversionError, match="leaves empty"):
        compiled(np.arange(3.0), 0)


def test_it_raises_where_the_call_has_acted():
    @ag.compile
    def changed(x, n):
        x[0] = 5.0
        return history(x, n)

    with pytest.raises(ag.ConversionError, match="leaves empty"):
        changed(np.arange(3.0), 0)
