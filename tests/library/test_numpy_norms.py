"""Norms along an axis that stays, and sums of products of rows by einsum, are loops of compiled code and give what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag

RNG = np.random.default_rng(0)
TALL, STACK = RNG.normal(size=(6, 4)), RNG.normal(size=(3, 4, 5))


@pytest.mark.parametrize("order", [None, 1, 2, np.inf, -np.inf])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_norm_keeps_its_axis_in_compiled_code(order, axis):
    def norm(x):
        return x / np.linalg.norm(x, order, axis=axis, keepdims=True)

    compiled = ag.compile(norm, fallback="error")
    np.testing.assert_allclose(compiled(TALL), norm(TALL), rtol=1e-14)
    assert "host calls    none" in compiled.explain(TALL)


@pytest.mark.parametrize(
    ("subscripts", "operands"),
    [
        ("ij,ij->i", (TALL, TALL + 1)),
        ("ij,ij->j", (TALL, TALL + 1)),
        ("bij,bj->bi", (STACK, STACK[:, 0])),
        ("bj,bij->ib", (STACK[:, 0], STACK)),
        ("bi,ij,bj->b", (TALL, TALL[:4], TALL)),
        ("bij,bij->b", (STACK, STACK * 2)),
        ("ij,ij->i", (np.arange(12, dtype=np.int8).reshape(3, 4), np.arange(12, dtype=np.int8).reshape(3, 4) * 3)),
        ("bij,bjk->bik", (STACK, STACK.transpose(0, 2, 1))),
    ],
)
def test_einsum_with_rows_gives_numpys_values(subscripts, operands):
    def contract(*arrays):
        return np.einsum(subscripts, *arrays)

    got, want = ag.compile(contract, fallback="error")(*operands), contract(*operands)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)
