"""The comparison that the tests of tracing rest on finds differences of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tracing.agreement import freeze, run


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (1, 1.0),
        (1, True),
        (1.0, np.float64(1.0)),
        (np.zeros(2), np.zeros(2, np.float32)),
        (np.zeros(2), np.zeros((2, 1))),
        ([1], (1,)),
        ({"a": 1}, {"a": 2}),
        (0.0, float("nan")),
    ],
)
def test_values_of_different_type_dtype_shape_or_content_differ(x: Any, y: Any) -> None:
    assert freeze(x) == freeze(x) and freeze(x) != freeze(y)


def test_outcome_shows_result_exception_arguments_and_prints() -> None:
    def f(x: Any) -> Any:
        print("seen")
        x[0] = 1
        return x[5]

    outcome = run(f, ([0],))
    assert (outcome.error, outcome.printed, outcome.result) == ("IndexError: list index out of range", "seen\n", freeze(None))
    assert outcome.arguments == freeze(([1],))
