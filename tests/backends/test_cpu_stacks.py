"""Products of stacks of matrices: NumPy's numbers, shapes and errors, without a call of Python."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag

SHAPES = [
    ((5, 3, 4), (5, 4, 6)),
    ((5, 30, 40), (5, 40, 60)),
    ((1, 3, 4), (5, 4, 6)),
    ((5, 3, 4), (4, 6)),
    ((3, 4), (5, 4, 6)),
    ((2, 5, 3, 4), (5, 4, 6)),
    ((2, 1, 3, 4), (1, 5, 4, 6)),
    ((5, 3, 4), (4,)),
    ((4,), (5, 4, 6)),
    ((0, 3, 4), (0, 4, 6)),
    ((5, 0, 4), (5, 4, 6)),
    ((5, 3, 0), (5, 0, 6)),
    ((2, 150, 150), (2, 150, 140)),
]


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8"])
@pytest.mark.parametrize("first, second", SHAPES)
def test_stacks_are_multiplied_as_numpy_does(dtype, first, second):
    rng = np.random.default_rng(0)
    x, y = ((rng.standard_normal(shape) * 10).astype(dtype) for shape in (first, second))
    product = ag.compile(lambda x, y: x @ y, fallback="error")
    turned = np.ascontiguousarray(np.swapaxes(x, 0, -1)).swapaxes(0, -1)
    spread = np.repeat(x, 2, axis=-1)[..., ::2]
    for layout in (x, turned, spread):
        found, expected = product(layout, y), x @ y
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype == "f4" else 1e-12, atol=1e-2 if dtype == "f4" else 1e-9)
    assert all(line.split()[2] == "none" for line in product.explain().splitlines() if line.strip().startswith("host calls"))


@pytest.mark.parametrize("first, second", [((5, 3, 4), (6, 4, 6)), ((5, 3, 4), (5, 3, 6)), ((2, 5, 3, 4), (3, 5, 4, 2))])
def test_stacks_that_do_not_fit_raise_what_numpy_raises(first, second):
    x, y = np.ones(first), np.ones(second)
    with pytest.raises(ValueError) as expected:
        x @ y
    with pytest.raises(ValueError) as found:
        ag.compile(lambda x, y: x @ y, fallback="error")(x, y)
    assert str(found.value) == str(expected.value)


def test_gradients_of_stacks():
    rng = np.random.default_rng(1)

    def loss(x, y, z):
        return np.sum(np.tanh(x @ y) @ z)

    x, y, z = rng.standard_normal((3, 2, 4)), rng.standard_normal((4, 5)), rng.standard_normal((3, 5, 2))
    ag.testing.check_grads(loss, (x, y, z), order=2)


@pytest.mark.parametrize("first, second", [*SHAPES[2:9], ((2, 3, 2, 4), (3, 4, 5)), ((2, 3, 2, 4), (4, 5)), ((2, 3, 2, 4), (2, 3, 4, 5))])
def test_gradients_of_repeated_stacks(first, second):
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal(first) * 0.5, rng.standard_normal(second) * 0.5
    ag.testing.check_grads(lambda x, y: np.sum(np.tanh(x @ y) * 1.5), (x, y), order=1, modes="rev")
