"""The benchmarks compare like with like: each numba peer computes what its plain function does."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from benchmarks import control_flow, kernels
from benchmarks.case import Benchmark
from benchmarks.contender import Contender
from benchmarks.measure import Settings, difference, is_mutating, measure

BENCHMARKS = (*kernels.BENCHMARKS, *control_flow.BENCHMARKS)


@pytest.mark.parametrize("case", BENCHMARKS, ids=lambda case: case.name)
def test_peer_written_by_hand_gives_the_plain_result(case: Benchmark) -> None:
    plain_arguments = case.arguments(case.quick)
    by_hand_arguments = copy.deepcopy(plain_arguments)
    want, got = case.plain(*plain_arguments), case.by_hand(*by_hand_arguments)
    assert difference(got, want, case.rtol) == ""
    assert difference(by_hand_arguments, plain_arguments, case.rtol) == ""


def test_names_of_benchmarks_are_unique() -> None:
    assert len({case.name for case in BENCHMARKS}) == len(BENCHMARKS)


def test_difference_finds_another_number_shape_and_container() -> None:
    assert difference(np.array([1.0, 2.1]), np.array([1.0, 2.0]), 1e-9).startswith("largest difference")
    assert difference(np.zeros(3), np.zeros(2), 1e-9).startswith("shape")
    assert difference(np.zeros(2), (np.zeros(2), 1), 1e-9).startswith("ndarray instead of")
    assert difference(None, 1.0, 1e-9) == "None instead of 1.0"


def fill(x: np.ndarray) -> float:
    x[:] = 1.0
    return 1.0


def wrong(x: np.ndarray) -> float:
    return 2.0


def test_function_that_writes_its_argument_is_mutating() -> None:
    case = Benchmark("", fill, fill, lambda n: (np.zeros(n),), 3, 3)
    assert is_mutating(case, case.arguments(3))
    assert not is_mutating(case, (np.ones(3),))


def test_contender_with_a_wrong_result_or_an_error_has_a_fault() -> None:
    case = Benchmark("", fill, wrong, lambda n: (np.zeros(n),), 3, 3)
    plain = Contender("plain", lambda case: case.plain)
    other = Contender("wrong", lambda case: case.by_hand)
    broken = Contender("broken", lambda case: 1 / 0)
    timings = measure(case, [plain, other, broken], Settings(quick=True))
    assert timings["plain"].fault == "" and timings["plain"].median_s > 0
    assert timings["wrong"].fault.startswith("largest difference")
    assert timings["broken"].fault.startswith("ZeroDivisionError")
