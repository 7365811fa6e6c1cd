"""The gradient benchmark runs, and fails where a gradient is wrong."""

from __future__ import annotations

import numpy as np

from benchmarks import gradients


def test_every_program_has_a_right_gradient(capsys):
    assert gradients.run(quick=True, jax=None) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(gradients.PROGRAMS)


def test_error_finds_a_wrong_gradient():
    x = np.array([1.0, 2.0])
    assert gradients.error(gradients.elementwise_chain, np.zeros(2), x) > 0.5
