"""The gradient benchmark runs, and fails where a gradient is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import gradients
from benchmarks.gradients_case import as_benchmark
from benchmarks.measure import Settings
from benchmarks.peers.remote import start_peers


def test_every_program_has_a_right_gradient(capsys):
    found, versions = gradients.run(Settings(quick=True), with_peers=False)
    assert not gradients.is_faulty(found) and not versions
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(gradients.PROGRAMS)
    for program in gradients.PROGRAMS:
        figures = json.loads(json.dumps(gradients.as_json(found), allow_nan=False))[program.name]
        assert min(figures["primal_s"], figures["gradient_s"], figures["first_call_s"]) > 0 and figures["jax_s"] is None
        assert figures["error"] < gradients.TOLERANCE


def test_a_wrong_gradient_is_a_fault():
    assert gradients.is_faulty({"wrong": gradients.Figures(1.0, 2.0, None, 0.1, 0.5)})
    assert gradients.is_faulty({"no number": gradients.Figures(1.0, 2.0, None, 0.1, float("nan"))})
    assert gradients.as_json({"no number": gradients.Figures(1.0, 2.0, None, 0.1, float("nan"))})["no number"]["error"] is None


def test_error_finds_a_wrong_gradient():
    x = np.array([1.0, 2.0])
    assert gradients.error(gradients.elementwise_chain, np.zeros(2), x) > 0.5


def test_a_gradient_is_compiled_in_its_first_measured_call():
    program = gradients.PROGRAMS[5]
    firsts = [gradients.measured(program, Settings(quick=True), None).first_call_s for _ in range(2)]
    assert min(firsts) > 10 * gradients.measured(program, Settings(quick=True), None).gradient_s


def test_installed_jax_gives_the_gradients() -> None:
    found, missing = start_peers(("jax.grad",))
    if missing:
        pytest.skip(missing["jax.grad"])
    errors = {}
    for program in gradients.PROGRAMS:
        argument = program.argument(program.quick)
        runner = found[0].start(as_benchmark(program), (argument,), False)
        assert runner is not None, program.name
        errors[program.name] = gradients.error(program.function, runner.first().result, argument)
    found[0].worker.close()
    assert all(error < gradients.TOLERANCE for error in errors.values()), errors
