"""Compiled functions and gradient functions go to other processes by reference."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import autograph_jit as ag


@ag.compile
def energy(x, exponent=2):
    total = 0.0
    for value in x:
        total += value**exponent
    return total


class Accumulator:
    def __init__(self):
        self.state = np.zeros(3)

    @ag.compile
    def add(self, x):
        self.state += x
        return self.state.sum()


slope = ag.grad(energy)
matrix_of_slopes = ag.jacobian(slope)


def test_a_compiled_function_is_pickled_and_copied_by_reference():
    assert pickle.loads(pickle.dumps(energy)) is energy
    assert copy.copy(energy) is energy and copy.deepcopy(energy) is energy


def test_a_bound_method_is_pickled_with_its_instance():
    add = pickle.loads(pickle.dumps(Accumulator().add))
    assert add(np.ones(3)) == 3.0


@pytest.mark.parametrize("function, expected", [(slope, [0.0, 2.0, 4.0]), (matrix_of_slopes, 2 * np.eye(3))])
def test_a_gradient_function_is_pickled_as_what_it_was_made_of(function, expected):
    again = pickle.loads(pickle.dumps(function))
    assert again is not function
    np.testing.assert_array_equal(again(np.arange(3.0)), expected)


def plain_energy(x):
    return np.sum(x**2)


renamed_energy = ag.compile(plain_energy, fallback="error")


def test_a_compiled_function_whose_name_is_that_of_another_is_pickled_as_what_it_was_made_of():
    again = pickle.loads(pickle.dumps(renamed_energy))
    assert again.function is plain_energy and again.options == renamed_energy.options and again(np.ones(3)) == 3.0
    assert type(pickle.loads(pickle.dumps(ag.compile(plain_energy, eager=True)))) is type(ag.compile(plain_energy, eager=True))
    assert copy.copy(renamed_energy) is renamed_energy and copy.deepcopy([renamed_energy])[0] is renamed_energy


def test_a_local_function_cannot_be_pickled():
    local = ag.compile(lambda x: x)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(local)


def test_forked_processes_run_what_the_parent_compiled():
    x = np.arange(5.0)
    assert energy(x) == 30.0
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(energy, [x, 2 * x]) == [30.0, 120.0]
