"""The sample programs do what they say, plain and compiled."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph_jit as ag
from samples import edit_distance, heat, lu, mandelbrot, nbody

PROGRAMS = {
    "mandelbrot": (mandelbrot.mandelbrot, mandelbrot.example(24)),
    "lu": (lu.lu, lu.example(24)),
    "heat": (heat.heat, heat.example(24)),
    "nbody": (nbody.nbody, nbody.example(20)),
    "edit_distance": (edit_distance.edit_distance, edit_distance.example(60)),
}


@pytest.mark.skipif(not hasattr(ag, "compile"), reason="the package does not export `compile` yet")
@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_sample_returns_and_writes_what_python_does(name: str) -> None:
    function, arguments = PROGRAMS[name]
    compiled_arguments, plain_arguments = copy.deepcopy(arguments), copy.deepcopy(arguments)
    got, want = ag.compile(function, fallback="error")(*compiled_arguments), function(*plain_arguments)
    np.testing.assert_allclose(got, want, rtol=1e-12)
    for mine, theirs in zip(compiled_arguments, plain_arguments):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


def test_lu_factors_multiply_to_the_permuted_matrix() -> None:
    (a,) = lu.example(30)
    factors = a.copy()
    order = lu.lu(factors)
    lower = np.tril(factors, -1) + np.eye(30)
    np.testing.assert_allclose(lower @ np.triu(factors), a[order], rtol=1e-10, atol=1e-12)


def test_lu_of_a_singular_matrix_is_none() -> None:
    assert lu.lu(np.zeros((3, 3))) is None


def test_edit_distance_of_kitten_and_sitting_is_three() -> None:
    assert edit_distance.edit_distance(edit_distance.codes("kitten", 9), edit_distance.codes("sitting", 9)) == 3


def test_mandelbrot_centre_never_escapes() -> None:
    counts = mandelbrot.mandelbrot(31, 25, 50)
    assert counts[12, 22] == 50 and counts[0, 0] < 5


def test_heat_stops_early_on_an_even_plate() -> None:
    assert heat.heat(np.ones((8, 8)), 0.2, 100, 1e-9) == 1


def test_nbody_keeps_its_momentum() -> None:
    position, velocity, mass, dt, _ = nbody.example()
    before = mass @ velocity
    nbody.nbody(position, velocity, mass, dt, 50)
    np.testing.assert_allclose(mass @ velocity, before, rtol=1e-9, atol=1e-12)
