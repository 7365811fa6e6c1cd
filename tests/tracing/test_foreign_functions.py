"""Functions of compiled libraries that Cython and pybind11 make; views beyond the view that they start from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.spatial.distance

import autograph_jit as ag

X = np.array([3.0, 1.0, 2.0, 5.0])
PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "pybind11": (scipy.spatial.distance.pdist, (X.reshape(2, 2),)),
    "cython": (scipy.linalg.det, (np.diag(X) + 1.0,)),
    "view beyond its view": (scipy.linalg.circulant, (X,)),
    "strides backwards": (lambda x: np.lib.stride_tricks.as_strided(x[::-1][1:], shape=(2, 2), strides=(8, -8)), (X,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_result_is_that_of_python(name: str) -> None:
    function, arguments = PROGRAMS[name]
    compiled = ag.compile(function)
    for _ in range(2):
        np.testing.assert_array_equal(compiled(*arguments), function(*arguments))
