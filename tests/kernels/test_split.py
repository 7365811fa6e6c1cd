"""Arrays of which single columns are read: which are split, which stay, the results and the errors."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag

POINTS = np.random.default_rng(0).standard_normal((40, 2))
CORNERS = np.random.default_rng(1).integers(-40, 40, (60, 3))


def areas(p, t):
    a, b, c = p[t[:, 0]], p[t[:, 1]], p[t[:, 2]]
    u, v = b - a, c - a
    return 0.5 * np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])


def of_rows(p, t):
    d = (p - p[0]) * 2.0
    q = d.T * d.T
    return q[0] + q[-1]


def with_a_row(p, t):
    d = p - np.mean(p, axis=0)
    return np.sum(d[:, 0] * d[:, 1]), np.max(d[:, 1])


def with_a_column(p, t):
    d = p * p[:, :1]
    return d[:, 0] - d[:, 1]


def assigned(p, t):
    out = np.zeros((3, len(p)))
    d = p * p
    out[0] = d[:, 0]
    out[2] = d[:, 1]
    return out


def chosen_and_cast(p, t):
    d = np.where(p > 0, t[: len(p), :2], -1)
    return d[:, 0] + d[:, 1]


def kernels_of(function, *args):
    compiled = ag.compile(function, fallback="error")
    found, wanted = compiled(*args), function(*args)
    for mine, theirs in zip(found if isinstance(found, tuple) else (found,), wanted if isinstance(wanted, tuple) else (wanted,)):
        np.testing.assert_allclose(mine, theirs, rtol=1e-13, strict=True)
    return compiled.kernels(*args).count("kernel ")


@pytest.mark.parametrize("function, nests", [(areas, 1), (assigned, 2), (chosen_and_cast, 1), (with_a_column, 1)])
def test_columns_run_in_the_nests_that_read_them(function, nests):
    assert kernels_of(function, POINTS, CORNERS) == nests


@pytest.mark.parametrize("function", [of_rows, with_a_row])
def test_results_stay(function):
    kernels_of(function, POINTS, CORNERS)


def returned(p):
    d = p + 1.0
    return d[:, 0], d[:, 1] * 2.0


def written(p):
    d = p + 1.0
    first = d[:, 0]
    first[0] = 100.0
    return d[:, 0] + d[:, 1]


def read_whole(p):
    d = p + 1.0
    return d[:, 0] * d[:, 1] + np.sum(d)


def of_two_axes(p):
    d = p + 1.0
    return np.sum(d[:, 0]) + np.sum(d[0])


def changed_after(p):
    p = p.copy()
    d = p + 1.0
    p[:, 0] = 50.0
    return d[:, 0] * d[:, 1]


@pytest.mark.parametrize("function", [returned, written, read_whole, of_two_axes, changed_after])
def test_what_is_written_kept_or_read_whole_stays_an_array(function):
    kernels_of(function, POINTS)


def test_index_out_of_bounds_is_an_error_of_the_first_gather():
    wrong = CORNERS.copy()
    wrong[7, 2], wrong[9, 0] = 40, -41
    with pytest.raises(IndexError) as wanted:
        areas(POINTS, wrong)
    with pytest.raises(IndexError) as found:
        ag.compile(areas, fallback="error")(POINTS, wrong)
    assert str(found.value) == str(wanted.value)


def stretched(p, q):
    d = p * q
    return d[:, 0] + d[:, 1]


@pytest.mark.parametrize("shape", [(40, 2), (1, 2), (40, 1), (1, 1), (2,)])
def test_stretched_operands(shape):
    kernels_of(stretched, POINTS, np.random.default_rng(2).standard_normal(shape))


def test_operands_that_do_not_fit_are_an_error():
    with pytest.raises(ValueError, match="could not be broadcast"):
        ag.compile(stretched, fallback="error")(POINTS, np.ones((39, 2)))


def of_a_solid(p, i, j):
    rows = p[i, :, j]
    return rows[:, 0] - rows[:, 1]


def test_columns_of_rows_whose_indices_are_not_adjacent():
    p = np.random.default_rng(3).standard_normal((5, 2, 6))
    kernels_of(of_a_solid, p, np.array([0, 4, 2]), np.array([5, -1, 3]))


def caught(p, t):
    try:
        d = p[t]
        total = d[:, 0] + d[:, 1]
    except IndexError:
        total = p[:, 0] * 2.0
    return total


@pytest.mark.parametrize("last", [3, 40])
def test_errors_are_caught_where_they_were(last):
    kernels_of(caught, POINTS, np.array([0, last]))


def test_gradient_of_areas():
    found = ag.grad(lambda p, t: np.sum(areas(p, t)))(POINTS, CORNERS)
    step = 1e-6
    for k, c in ((0, 0), (3, 1), (39, 1)):
        moved = [POINTS.copy(), POINTS.copy()]
        moved[0][k, c] += step
        moved[1][k, c] -= step
        numeric = (areas(moved[0], CORNERS).sum() - areas(moved[1], CORNERS).sum()) / (2 * step)
        assert found[k, c] == pytest.approx(numeric, rel=1e-6, abs=1e-7)
