"""Temporaries that updates hold: which are, and that the one nest gives what NumPy gives, bit for bit."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import autograph_jit as ag


def kernels_and_result(function, *args):
    """The nests of a function, after what it does to the arguments was compared with what Python does."""
    compiled = ag.compile(function, fallback="error")
    mine, expected = [np.copy(arg) for arg in args], [np.copy(arg) for arg in args]
    found, wanted = compiled(*mine), function(*expected)
    for x, y in zip(mine, expected):
        np.testing.assert_array_equal(x, y)
    if wanted is not None:
        np.testing.assert_array_equal(found, wanted)
    return compiled.kernels(*args)


def adjoint_of_diffusion(u):
    for _ in range(3):
        t = 0.2 * u[1:-1]
        u[:-2] += t
        u[2:] += t
        u[1:-1] -= 2 * t


def read_behind(u):
    t = u[:-2] * u[2:]
    u[2:] += t
    u[1:-1] *= t


def read_ahead(u):
    t = u[4:] - u[3:-1]
    u[:-4] += t
    u[1:-3] -= t


def scheme(u):
    for _ in range(4):
        flux = 0.5 * u * u
        u[1:] = u[1:] - 0.01 * (flux[1:] - flux[:-1])


def sums_of_parts(u):
    for _ in range(3):
        s = np.zeros(len(u))
        s[1:] -= 0.5 * u[1:]
        s[:-1] += 0.25 * u[1:]
        u += s * u
        u -= 0.125 * s


def two_temporaries(u):
    s = 0.5 * u[1:]
    t = u[:-1] - 3.0
    u[1:] += s
    u[:-1] -= t * s
    u[1:] *= t


def adjoint_of_nonlinear_diffusion(u):
    for _ in range(2):
        d = 0.5 * u[1:]
        g = np.zeros_like(d)
        s = 0.2 * u[1:-1]
        g[1:] += s
        g[:-1] -= s
        w = 1.0 + d * d
        t = g / w - 2.0 * ((d / w) * (1.0 / w) * (g * d)) + 0.5 * (g * w) - 0.25 * (d * g) + 0.125 * (w * w)
        u[1:] += t
        u[:-1] -= t


def other_type(u):
    t = (4 * u[1:-1]).astype(np.float32)
    u[:-2] += t
    u[2:] -= t


LINES = (adjoint_of_diffusion, read_behind, read_ahead, scheme, sums_of_parts, two_temporaries, adjoint_of_nonlinear_diffusion, other_type)


@pytest.mark.parametrize("size", [4, 5, 6, 7, 8, 9, 17, 64, 40_000])
@pytest.mark.parametrize("function", LINES)
def test_elements_of_a_line_are_held(function, size):
    text = kernels_and_result(function, np.random.default_rng(size).standard_normal(size))
    shared = size == 40_000 and function is scheme  # threads share an assignment, but no run of updates
    assert "kernel held" in text or size < 9 or shared


@pytest.mark.parametrize("size", [2, 3])
def test_lines_that_are_hardly_longer_than_their_ends(size):
    for function in (adjoint_of_diffusion, scheme, sums_of_parts, two_temporaries):
        kernels_and_result(function, np.random.default_rng(size).standard_normal(size))


def adjoint_of_heat(u):
    for _ in range(2):
        t = 0.1 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] -= 4 * t
        u[2:, 1:-1] += t
        u[:-2, 1:-1] += t
        u[1:-1, 2:] += t
        u[1:-1, :-2] += t


def fluxes(u):
    for _ in range(2):
        f = 0.5 * u * u
        u[1:, 1:] = u[1:, 1:] - 0.1 * (f[1:, 1:] - f[:-1, 1:]) - 0.2 * (f[1:, 1:] - f[1:, :-1])


def sums_of_planes(u):
    s = np.zeros(u.shape)
    s[1:] -= 0.5 * u[1:]
    s[:-1, 1:] += 0.25 * u[1:, 1:]
    u += s * u
    u[:, 1:] -= 0.125 * s[:, :-1]


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (3, 3), (4, 9), (9, 4), (12, 20), (40, 33)])
@pytest.mark.parametrize("function", [adjoint_of_heat, fluxes, sums_of_planes])
def test_rows_of_a_plane_are_held(function, shape):
    text = kernels_and_result(function, np.random.default_rng(1).standard_normal(shape))
    assert "kernel held" in text or min(shape) < 9


def solid(u):
    t = 0.1 * u[1:-1, 1:-1, 1:-1]
    u[2:, 1:-1, 1:-1] += t
    u[1:-1, :-2, 1:-1] += t
    u[1:-1, 1:-1, 2:] -= t


def test_planes_of_a_solid_are_held():
    assert "kernel held" in kernels_and_result(solid, np.random.default_rng(2).standard_normal((10, 11, 12)))


def written_in_between(u, w):
    t = 0.5 * w[1:-1]
    w[0] = 3.0
    w[3] = 4.0
    u[2:] += t
    u[:-2] -= t


def read_afterwards(u, w):
    t = 0.5 * w[1:-1]
    u[2:] += t
    u[:-2] -= t
    return t * 2


def made_after_the_first_update(u, w):
    u[2:] += w[1:-1]
    t = 0.5 * u[1:-1]
    u[:-2] += t
    u[2:] -= t


def far_apart(u, w):
    t = 0.5 * w[8:]
    u[:-8] += t
    u[8:] -= t


@pytest.mark.parametrize("function", [written_in_between, read_afterwards, made_after_the_first_update, far_apart])
def test_what_must_exist_earlier_or_later_is_not_held(function):
    rng = np.random.default_rng(3)
    kernels_and_result(function, rng.standard_normal(30), rng.standard_normal(30))


def same_array(u, w):
    t = 0.5 * w[1:-1]
    u[2:] += t
    u[:-2] -= t * t


def test_an_operand_that_turns_out_to_be_the_array_is_none():
    mine = np.random.default_rng(4).standard_normal(40)
    expected, compiled = mine.copy(), ag.compile(same_array, fallback="error")
    for first, second in ((slice(None), slice(None)), (slice(0, 30), slice(5, 35)), (slice(5, 35), slice(0, 30))):
        same_array(expected[first], expected[second])
        compiled(mine[first], mine[second])
        np.testing.assert_array_equal(mine, expected)


def repeated_operand(u, w):
    t = u[1:-1] * w
    u[2:] += t
    u[:-2] -= t


def test_an_operand_of_one_element_is_repeated():
    compiled = ag.compile(repeated_operand, fallback="error")
    for size in (40, 3):
        for w in (np.ones(size - 2) * 0.5, np.array([0.5])):
            mine = np.random.default_rng(5).standard_normal(size)
            expected = mine.copy()
            repeated_operand(expected, w)
            compiled(mine, w)
            np.testing.assert_array_equal(mine, expected)
    with pytest.raises(ValueError, match="broadcast"):
        compiled(np.ones(9), np.ones(5))


def statement(rng, target, source, width, rank):
    """An update of a part of `target` by the same number of elements of `source`, `width` wider than the part."""

    def part(name, extra):
        items = []
        for _ in range(rank):
            start = int(rng.integers(0, extra + 1))
            items.append(f"{start or ''}:{start - extra or ''}")
        return f"{name}[{', '.join(items)}]"

    factor = rng.choice(["0.5 *", "-", "2.0 *"])
    return f"    {part(target, 3)} {rng.choice(['+=', '-='])} {factor} {part(source, 3 - width)}"


def random_program(seed, rank):
    """A temporary of slices of an array, and updates of the array by slices of it."""
    rng = np.random.default_rng(seed)
    width = int(rng.integers(1, 4))
    start = int(rng.integers(0, width + 1))
    window = ", ".join([f"{start or ''}:{start - width or ''}"] * rank)
    lines = ["def program(u):", f"    t = 0.5 * u[{window}]"]
    if rng.random() < 0.3:
        lines += ["    s = t * u[" + ", ".join([f":{-width}"] * rank) + "]"]
    lines += [statement(rng, "u", rng.choice(["t", "s"]) if len(lines) > 2 else "t", width, rank) for _ in range(int(rng.integers(2, 6)))]
    source, name = "\n".join(lines) + "\n", f"<held {seed} {rank}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    namespace = {"np": np}
    exec(compile(source, name, "exec"), namespace)  # noqa: S102
    return namespace["program"]


@pytest.mark.parametrize("rank, sizes", [(1, (5, 60)), (2, (6, 25)), (3, (5, 9))])
def test_random_updates_by_random_temporaries(rank, sizes):
    held = 0
    for seed in range(25):
        program = random_program(seed, rank)
        for size in sizes:
            text = kernels_and_result(program, np.random.default_rng(seed).standard_normal((size,) * rank))
        held += "kernel held" in text
    assert held >= 8


def test_the_adjoint_of_a_stencil_is_one_nest_a_step():
    def diffuse(u):
        for _ in range(10):
            u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        return np.sum(u)

    slope = ag.compile(lambda u: ag.grad(diffuse)(u), fallback="error")
    text = slope.kernels(np.arange(50.0))
    assert text.count("kernel update") == 3 and text.count("kernel held") == 1 and "kernel multiply" not in text
    np.testing.assert_allclose(np.sum(slope(np.arange(50.0))[10:-10]), 30.0, atol=1e-9)


def by_a_changed_copy(u):
    v = 0.5 * u
    for _ in range(40):
        t = 0.5 * v * v
        w = v.copy()
        w[1:] = v[1:] - 0.1 * (t[1:] - t[:-1])
        u[:-1] += w[1:]
        u[1:] *= w[:-1]
        v *= 0.5


@pytest.mark.parametrize("size", [1, 2, 3, 10, 100])
def test_a_temporary_holds_what_it_is_made_of(size):
    text = kernels_and_result(by_a_changed_copy, np.random.default_rng(size).standard_normal(size))
    if size > 8:
        assert text.count("kernel held") == 3


def of_size(u, n):
    s = np.zeros(n)
    s[1:] += u[:-1]
    s[:-1] -= u[1:]
    u[2:] += s[2:]
    u -= s


def test_a_temporary_of_negative_size_is_refused():
    compiled = ag.compile(of_size, fallback="error")
    mine, expected = np.arange(16.0), np.arange(16.0)
    compiled(mine, 16)
    of_size(expected, 16)
    np.testing.assert_array_equal(mine, expected)
    with pytest.raises(ValueError, match="negative dimensions"):
        compiled(np.arange(6.0), -1)
    with pytest.raises(ValueError, match="broadcast"):
        compiled(np.arange(6.0), 5)


def test_both_factors_of_a_square_with_a_constant_contribute_one_product():
    def squares(u):
        for _ in range(10):
            flux = 0.5 * u * u
            u[1:] = u[1:] - 0.01 * (flux[1:] - flux[:-1])
        return np.sum(u)

    u = np.random.default_rng(6).standard_normal(30)
    slope = ag.compile(lambda u: ag.grad(squares)(u), fallback="error")
    assert slope.kernels(u.copy()).count("select") == 2  # of two trips at once (`autodiff.rewrites.pairing`)
    direction = np.cos(np.arange(30.0))
    ends = [squares(u + sign * 1e-6 * direction) for sign in (1, -1)]
    assert np.sum(slope(u.copy()) * direction) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)
