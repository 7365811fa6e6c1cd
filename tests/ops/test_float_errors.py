"""The eager rules ignore floating-point errors, whatever NumPy is told to do with them, and leave it as it was."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ops import float_errors
from autograph_jit.ops.float_errors import FLOAT_ERRORS, IGNORED, ErrorState

IGNORE = dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")


def test_variable_of_numpy_is_found() -> None:
    assert not isinstance(FLOAT_ERRORS, ErrorState)
    with np.errstate(all="ignore"):
        assert float_errors.find_error_state()[0] is FLOAT_ERRORS


@pytest.mark.parametrize("state", [FLOAT_ERRORS, ErrorState()])
def test_errors_are_ignored_between_set_and_reset(state: object) -> None:
    with np.errstate(divide="raise", over="warn", invalid="call", under="print"):
        before = np.geterr()
        token = state.set(IGNORED)  # type: ignore[attr-defined]
        assert np.geterr() == IGNORE
        state.reset(token)  # type: ignore[attr-defined]
        assert np.geterr() == before


def test_operations_on_tensors_neither_warn_nor_raise_and_leave_the_state() -> None:
    x, zero = ag.asarray([1.0, -1.0]), ag.asarray([0.0, 0.0])
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        before = np.geterr()
        found = [x / zero, np.log(zero), np.sqrt(-x), x * 1e308 * 1e10, (x / zero).sum(), (x / zero) @ zero, (x * 1e300).astype(np.float32)]
        with pytest.raises(ValueError, match="broadcast"):
            x + np.ones(3)
        assert np.geterr() == before
    assert np.isinf(found[0].numpy()).all() and np.isnan(found[5].numpy())
