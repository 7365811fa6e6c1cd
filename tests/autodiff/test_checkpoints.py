"""Gradients of loops that are cut into segments: the same values, less memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.autodiff.checkpointing import checkpoints
from tests.autodiff import checkpoint_programs as programs
from tests.autodiff.test_pullback import central_difference

pytestmark = pytest.mark.native

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
    "while loop": (programs.orbit, 0.7),
    "while loop with a test on floats": (programs.newton, 2.0),
    "while loop with break and continue": (programs.grown_until, 0.13),
    "while loop whose test counts": (programs.test_that_counts, 0.7),
    "while loop over arrays": (programs.arrays_until, np.array([0.3, 0.4, 0.6])),
    "counted loop in a while loop": (programs.loop_inside_until, 0.7),
    "while loop in a counted loop": (programs.until_inside_loop, 0.7),
    "while loop without a trip": (programs.never, 0.7),
}
TWICE = (
    "scalar recurrence",
    "pair with break",
    "array written in place",
    "arrays that change places",
    "while loop",
    "while loop with a test on floats",
    "while loop over arrays",
    "while loop in a counted loop",
)
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


@pytest.mark.parametrize("name", TWICE)
def test_gradient_of_a_gradient_by_segments(name):
    function, x = CASES[name]

    def norm_of_gradient(u):
        g = ag.grad(function)(u)
        return np.sum(g * g)

    expected = central_difference(lambda u: norm_of_gradient(fresh(u)), x, 1e-5)
    np.testing.assert_allclose(ag.grad(norm_of_gradient)(fresh(x)), expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(("name", "megabytes"), [("recurrence", 1), ("orbit", 1), ("saved_recurrence", 9), ("saved_while_loop", 16)])
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


BY_THE_RUN = {
    "counted loop": (programs.saved_recurrence, 0.7),
    "while loop": (programs.saved_while_loop, 0.7),
    "branches": (programs.saved_branches, 0.7),
    "arrays": (programs.saved_arrays, np.array([0.7, 0.9])),
    "nested loops": (programs.saved_nest, 0.7),
}


def were_cut(gradient):
    return [any(decision[0] == "checkpoint" for decision in made.program.decisions) for made in gradient.compiled.specializations]


@pytest.mark.parametrize("name", BY_THE_RUN)
def test_loop_that_a_run_finds_to_save_too_much_is_cut(name):
    function, x = BY_THE_RUN[name]
    expected = ag.grad(function)(x, 2500)
    with ag.config(saved_bytes=4000):
        gradient = ag.grad(function)
        gradient(x, 10)
        assert were_cut(gradient) == [False]
        for _ in range(4):
            np.testing.assert_allclose(gradient(x, 2500), expected, rtol=1e-10)
        assert were_cut(gradient) == [True, False]
        np.testing.assert_allclose(gradient(x, 11), ag.grad(function)(x, 11), rtol=1e-10)


def test_program_that_has_acted_is_not_run_again(capsys):
    def loss(x, n):
        x[0] = x[0] + 1.0
        return programs.saved_recurrence(x[0], n)

    def told(x, n):
        print("once")
        return programs.saved_recurrence(x, n)

    with ag.config(saved_bytes=4000):
        x = np.array([-0.3])
        assert ag.grad(loss)(x, 2000) == pytest.approx(ag.grad(programs.recurrence)(0.7, 2000), rel=1e-10)
        assert x[0] == 0.7
        assert ag.grad(told)(0.7, 2000) == pytest.approx(ag.grad(programs.recurrence)(0.7, 2000), rel=1e-10)
    assert capsys.readouterr().out == "once\n"


def test_handler_of_the_program_does_not_see_the_budget():
    def loss(x, n):
        try:
            return programs.saved_recurrence(x, n)
        except MemoryError:
            return x

    with ag.config(saved_bytes=4000):
        assert ag.grad(loss)(0.7, 2000) == pytest.approx(ag.grad(programs.recurrence)(0.7, 2000), rel=1e-10)


def test_loop_that_cannot_be_cut_saves_what_it_must():
    def loss(x, n):
        kept = [x]
        for _ in range(n):
            kept.append(np.sin(kept[-1]) * x)
        return kept[-1]

    expected = ag.grad(loss)(0.7, 3000)
    with ag.config(saved_bytes=4000):
        assert ag.grad(loss)(0.7, 3000) == expected


def test_loop_that_calls_python_cannot_be_checkpointed():
    def loss(x):
        for _ in ag.loop_options(range(20), checkpoint=True):
            x = x * 1.1
            print(x)
        return x

    with pytest.raises(TypeError, match="this loop cannot be checkpointed") as raised:
        ag.grad(loss)(1.0)
    assert "it calls Python (print)" in str(raised.value)


def test_while_loop_that_calls_python_cannot_be_checkpointed():
    def loss(x):
        while ag.loop_options(x < 20, checkpoint=True):
            x = x * 1.1
            print(x)
        return x

    with pytest.raises(TypeError, match="this loop cannot be checkpointed"):
        ag.grad(loss)(1.0)


def test_condition_with_options_is_the_condition():
    assert ag.loop_options(True, checkpoint=True) is True
    assert ag.compile(programs.newton, fallback="error")(2.0) == programs.newton(2.0)
    with pytest.raises(ValueError, match="unroll"):
        ag.loop_options(1.0 < 2.0, unroll=True)


def test_wish_that_is_no_length_is_refused():
    with pytest.raises(ValueError, match="expected True, False or a positive int"):
        ag.loop_options(range(3), checkpoint=-1)
