"""Gradients of loops that are cut into segments: the same values, less memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.autodiff import checkpoints
from tests.autodiff import checkpoint_programs as programs
from tests.autodiff.test_pullback import central_difference

RANDOM = np.random.default_rng(0)
CASES = {
    "scalar recurrence": (programs.recurrence, 0.7),
    "pair with break": (programs.pair_with_break, np.array([0.7, 0.9])),
    "array written in place": (programs.diffuse_in_place, 0.1 * RANDOM.standard_normal(8)),
    "arrays that change places": (programs.leapfrog, RANDOM.standard_normal(8)),
    "recurrent network": (programs.network, RANDOM.standard_normal((3, 3))),
    "nested segments": (programs.nested, 0.7),
    "break not taken": (programs.break_not_taken, 0.8),
    "array filled by index": (programs.fill_by_index, np.array([0.5, 0.7, -0.4])),
}
PEAK = """
import re
import autograph_jit as ag
from tests.autodiff import checkpoint_programs as programs

def kilobytes(name):
    with open("/proc/self/status") as status:
        return int(re.search(name + r":\\s+(\\d+)", status.read()).group(1))

import sys

gradient = ag.grad(getattr(programs, sys.argv[1]))
gradient(0.7, 10)
gradient(0.7, 12)
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = kilobytes("VmRSS")
gradient(0.7, 1_000_000)
print(kilobytes("VmHWM") - before)
"""


def fresh(x):
    return x.copy() if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize("name", CASES)
def test_gradient_by_segments_equals_central_differences(name):
    function, x = CASES[name]
    np.testing.assert_allclose(ag.grad(function)(fresh(x)), central_difference(function, x), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["scalar recurrence", "pair with break", "arrays that change places"])
def test_gradient_of_a_gradient_by_segments(name):
    function, x = CASES[name]

    def norm_of_gradient(u):
        g = ag.grad(function)(u)
        return np.sum(g * g)

    expected = central_difference(lambda u: norm_of_gradient(fresh(u)), x, 1e-5)
    np.testing.assert_allclose(ag.grad(norm_of_gradient)(fresh(x)), expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(("name", "megabytes"), [("recurrence", 1), ("saved_recurrence", 16), ("saved_while_loop", 16)])
def test_a_million_steps_need_sixteen_bytes_each_or_in_segments_next_to_nothing(name, megabytes):
    done = subprocess.run([sys.executable, "-c", PEAK, name], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1000 * megabytes


def test_loop_that_would_save_more_than_the_budget_is_cut_by_itself(monkeypatch):
    cut = []
    original = checkpoints.cut
    monkeypatch.setattr(checkpoints, "cut", lambda *arguments: cut.append(1) or original(*arguments))

    def loss(x):
        s = 0.1
        for _ in range(1000):
            s = np.sin(s) * x
        return s

    expected = ag.grad(loss)(0.9)
    assert not cut
    with ag.config(saved_bytes=4000):
        assert ag.grad(loss)(0.9) == pytest.approx(expected, rel=1e-12)
    assert cut


def test_loop_that_calls_python_cannot_be_checkpointed():
    def loss(x):
        for _ in ag.loop_options(range(20), checkpoint=True):
            x = x * 1.1
            print(x)
        return x

    with pytest.raises(TypeError, match="this loop cannot be checkpointed") as raised:
        ag.grad(loss)(1.0)
    assert "it calls Python (print)" in str(raised.value)


def test_wish_that_is_no_length_is_refused():
    with pytest.raises(ValueError, match="expected True, False or a positive int"):
        ag.loop_options(range(3), checkpoint=-1)
