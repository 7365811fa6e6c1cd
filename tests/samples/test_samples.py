"""The sample programs do what they say, plain and compiled."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from samples import (
    absolute,
    char_lstm,
    collatz,
    custom_cell,
    digits,
    digits_cnn,
    edit_distance,
    fizzbuzz,
    heat,
    heat_origin,
    huber_regression,
    line_search,
    linear_model,
    logistic,
    lu,
    mandelbrot,
    multiply_subtract,
    nbody,
    newton,
    predators,
    regression,
    revnet,
    square,
    stable_log,
    word2vec,
)

PROGRAMS = {
    "mandelbrot": (mandelbrot.mandelbrot, mandelbrot.example(24)),
    "lu": (lu.lu, lu.example(24)),
    "heat": (heat.heat, heat.example(24)),
    "nbody": (nbody.nbody, nbody.example(20)),
    "edit_distance": (edit_distance.edit_distance, edit_distance.example(60)),
    "square": (square.derivatives, square.example()),
    "absolute": (absolute.slopes, absolute.example()),
    "stable_log": (stable_log.slopes, stable_log.example()),
    "line_search": (line_search.descend, line_search.example()),
    "collatz": (collatz.longest, collatz.example()),
    "fizzbuzz": (fizzbuzz.fizzbuzz, fizzbuzz.example()),
    "regression": (regression.trained, regression.example()),
    "newton": (newton.both_slopes, newton.example()),
    "predators": (predators.sensitivity, predators.example()),
    "logistic": (logistic.train, logistic.example(100, 4)),
    "heat_origin": (heat_origin.recover, heat_origin.example()),
}


def assert_same(mine: Any, theirs: Any) -> None:
    """Equal up to rounding, tuples item by item."""
    if isinstance(theirs, tuple | list):
        assert len(mine) == len(theirs)
        for item, other in zip(mine, theirs):
            assert_same(item, other)
    elif isinstance(theirs, ag.Tensor):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-12, atol=1e-12)
    elif callable(theirs):
        assert mine is theirs
    elif hasattr(theirs, "__dict__"):
        assert_same(tuple(vars(mine).values()), tuple(vars(theirs).values()))
    else:
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_sample_returns_and_writes_what_python_does(name: str) -> None:
    function, arguments = PROGRAMS[name]
    compiled_arguments, plain_arguments = copy.deepcopy(arguments), copy.deepcopy(arguments)
    got, want = ag.compile(function, fallback="error")(*compiled_arguments), function(*plain_arguments)
    assert_same(got, want)
    assert_same(compiled_arguments, plain_arguments)


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


ON_CLUSTERS = {"data_parallel", "parameter_study"}  # they run on the one of tests/distributed
SAMPLES = {path.stem for path in Path(heat.__file__).parent.glob("*.py") if "__main__" in path.read_text()}
SCRIPTS = sorted(SAMPLES - ON_CLUSTERS - {"records"})  # which starts a process: test_records.py
# Arguments of those that train long without.
SHORT = {"digits": ["1", "1"], "digits_cnn": ["1", "1"], "word2vec": ["20"], "char_lstm": ["1"], "revnet": ["1", "1"]}
RUN_ALL = """
import json, runpy, sys
for path, *arguments in json.loads(sys.argv[1]):
    sys.argv = [path, *arguments]
    print("\\f" + path, flush=True)
    runpy.run_path(path, run_name="__main__")
"""


def test_samples_run_as_scripts_and_print_results() -> None:
    folder = Path(heat.__file__).parent
    paths = {str(folder / f"{name}.py"): SHORT.get(name, []) for name in SCRIPTS}
    command = [sys.executable, "-W", "error", "-c", RUN_ALL, json.dumps([[path, *arguments] for path, arguments in paths.items()])]
    environment = {**os.environ, "PYTHONPATH": str(folder.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr
    printed = dict(part.split("\n", 1) for part in done.stdout.split("\f")[1:])
    assert printed.keys() == paths.keys() and all(text.strip() for text in printed.values()) and not done.stderr


def test_square_and_its_derivatives() -> None:
    assert square.derivatives(3.0) == (9.0, 6.0, 2.0)


def test_slope_of_a_branch_is_that_of_the_side_taken() -> None:
    (points,) = absolute.example()
    np.testing.assert_array_equal(absolute.slopes(points), np.stack([np.abs(points), np.sign(points)], axis=1))


def test_stable_log_is_nan_by_the_chain_rule_and_one_by_its_own() -> None:
    by_chain_rule, own, second = ag.compile(stable_log.slopes, fallback="error")(np.float32(100.0))
    assert np.isnan(by_chain_rule) and own == 1.0 and 0.0 <= second < 1e-30


def test_line_search_finds_the_minimum() -> None:
    x, steps = ag.compile(line_search.descend, fallback="error")(np.array([-1.2, 1.0]), 1e-6, 100_000)
    np.testing.assert_allclose(x, [1.0, 1.0], atol=1e-5)
    assert 1000 < steps < 100_000


def test_collatz_takes_111_steps_from_27() -> None:
    assert ag.compile(collatz.collatz, fallback="error")(27) == 111
    assert ag.compile(collatz.longest, fallback="error")(10_000) == (6171, 261)


def test_fizzbuzz_prints_the_same_words(capfd: pytest.CaptureFixture[str]) -> None:
    words = fizzbuzz.fizzbuzz(30)
    plain = capfd.readouterr().out
    assert ag.compile(fizzbuzz.fizzbuzz, fallback="error")(30) == words == 14
    assert capfd.readouterr().out == plain and plain.splitlines()[13:16] == ["14", "FizzBuzz", "16"]


def test_regression_converges_to_the_solution_of_the_normal_equations() -> None:
    _, x, y, rate, tolerance = regression.example()
    w, b, _ = ag.compile(regression.trained, fallback="error")(regression.squared_loss, x, y, rate, 1e-10)
    solution = np.linalg.lstsq(np.column_stack([x, np.ones(len(y))]), y)[0]
    np.testing.assert_allclose([*w, b], solution, rtol=1e-8)


def test_huber_regression_is_flat_where_it_stops_and_robust() -> None:
    loss, x, y, rate, tolerance = regression.example()
    w, b, _ = ag.compile(regression.trained, fallback="error")(loss, x, y, rate, tolerance)
    np.testing.assert_allclose([*w, b], [2.0, -1.0, 0.5], atol=0.15)
    residual = np.clip(x @ w + b - y, -1.0, 1.0)
    np.testing.assert_allclose([*(residual @ x), residual.sum()], 0.0, atol=len(y) * 1e-5)


def test_slope_through_newton_is_the_implicit_one() -> None:
    through, implicit = ag.compile(newton.both_slopes, fallback="error")(0.8, 0.3)
    np.testing.assert_allclose(through, implicit, rtol=1e-12)


def test_sensitivity_of_the_predators_is_that_of_differences() -> None:
    p, y, end, _ = predators.example()
    _, gradient = ag.compile(predators.sensitivity, fallback="error")(p, y, end, 1e-9)
    solve = ag.compile(predators.hares, fallback="error")
    ends = [[solve(p + sign * 1e-5 * step, y, end, 1e-11) for sign in (1, -1)] for step in np.eye(4)]
    np.testing.assert_allclose(gradient, [(ahead - behind) / 2e-5 for ahead, behind in ends], rtol=1e-4)


def test_heat_origin_is_the_warm_stretch() -> None:
    seen, rate, steps, _ = heat_origin.example()
    start = ag.compile(heat_origin.recover, fallback="error")(seen, rate, steps, 2000)
    np.testing.assert_allclose(heat_origin.diffuse(start.copy(), rate, steps), seen, atol=1e-3)
    assert start[12:18].min() > 0.7 and np.abs(start[25:]).max() < 0.05


def test_logistic_step_compiles_once_and_is_the_loop() -> None:
    model, optimizer, x, labels, epochs, batch = logistic.example(96, 3)
    other, its_optimizer, *_ = logistic.example(96, 3)
    ag.compile(logistic.train, fallback="error")(model, optimizer, x, labels, epochs, batch)
    step = ag.compile(logistic.train_step, fallback="error")
    for _ in range(epochs):
        for start in range(0, len(x), batch):
            step(other, its_optimizer, x[start : start + batch], labels[start : start + batch])
    np.testing.assert_allclose(other.w.numpy(), model.w.numpy(), rtol=1e-12)
    assert len(step.specializations) == 1 and int(its_optimizer.steps) == 9


def test_linear_model_finds_the_line_and_takes_the_same_steps_compiled() -> None:
    (model, losses), (_, eager) = (linear_model.train(*linear_model.example(), steps=60, compiled=compiled) for compiled in (True, False))
    np.testing.assert_allclose(losses, eager, rtol=1e-4)
    np.testing.assert_allclose([v.numpy().item() for v in model.variables], [3.0, 2.0], atol=0.05)


def test_perceptron_learns_digits_and_takes_the_same_steps_compiled() -> None:
    (x, y), unseen = digits.load(0)
    (_, losses), (_, eager) = (digits.train(x[:320], y[:320], epochs=2, compiled=compiled) for compiled in (True, False))
    np.testing.assert_allclose(losses, eager, rtol=1e-4)
    model, _ = digits.train(x, y, epochs=12)
    assert digits.accuracy(model, *unseen) > 0.96


def test_convolutional_network_learns_digits_and_takes_the_same_steps_compiled() -> None:
    (x, y), unseen = digits.load(0)
    (_, losses), (_, eager) = (digits_cnn.train(x[:64], y[:64], epochs=2, compiled=compiled) for compiled in (True, False))
    np.testing.assert_allclose(losses, eager, rtol=1e-4)
    model, _ = digits_cnn.train(x, y, epochs=2)
    assert digits.accuracy(model, unseen[0].reshape(-1, 8, 8, 1), unseen[1]) > 0.9


def test_product_and_difference_are_those_of_the_points_and_the_steps_the_same_compiled() -> None:
    (_, losses), (_, eager) = (multiply_subtract.train(*multiply_subtract.example(), 20, compiled) for compiled in (True, False))
    np.testing.assert_allclose(losses, eager, rtol=1e-12)
    found, _ = multiply_subtract.train(*multiply_subtract.example(), 200, compiled=True)
    np.testing.assert_allclose(found, [5.0, 3.0], rtol=1e-9)


def test_huber_regression_point_by_point_keeps_to_the_line_where_squares_do_not() -> None:
    x, y = huber_regression.example()
    found = {}
    for loss in (huber_regression.squared_loss, huber_regression.huber_loss):
        (line, losses), (_, eager) = (huber_regression.train(loss, x, y, 12, compiled) for compiled in (True, False))
        np.testing.assert_allclose(losses, eager, rtol=1e-12)
        found[loss] = np.array([float(line.slope), float(line.offset)])
    slope, offset = found[huber_regression.huber_loss]
    assert abs(slope - 2) < 0.1 and abs(offset - 1) < 0.3
    assert abs(found[huber_regression.squared_loss][1] - 1) > 1.5


def test_line_search_as_an_optimizer_never_goes_up_and_takes_the_same_steps_compiled() -> None:
    (optimizer, losses), (other, eager) = (line_search.train(*line_search.wave(), 20, compiled) for compiled in (True, False))
    np.testing.assert_allclose(losses, eager, rtol=1e-9)
    assert np.all(np.diff(losses) < 0) and losses[-1] < 0.05 * losses[0]
    assert float(optimizer.rate) == float(other.rate)


def test_custom_cell_is_the_same_compiled_within_an_eager_model() -> None:
    (found, losses), (expected, eager) = (custom_cell.train(4, compiled, units=6) for compiled in (True, False))
    np.testing.assert_allclose(losses, eager, rtol=1e-5)
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert losses[-1] < losses[0]


def test_word2vec_takes_the_same_steps_compiled_and_tells_neighbours_better_than_before() -> None:
    words, text = word2vec.load(300)
    centres, neighbours = word2vec.pairs(np.array([7, 8, 9]), window=2)
    assert sorted(zip(centres.tolist(), neighbours.tolist())) == [(7, 8), (7, 9), (8, 7), (8, 9), (9, 7), (9, 8)]
    data = word2vec.pairs(text)
    (_, losses), (_, eager) = (word2vec.train(*data, len(words), 10, compiled) for compiled in (True, False))
    np.testing.assert_allclose(losses, eager, rtol=1e-4)
    model, losses = word2vec.train(*data, len(words), 300)
    assert np.mean(losses[-50:]) < 0.4 * np.mean(losses[:50])
    assert len(word2vec.nearest(model, words, "class")) == 5


def test_character_model_takes_the_same_steps_compiled_and_one_program_serves_all_lengths() -> None:
    sentences = char_lstm.load(longest=30)
    (_, losses, step), (_, eager, _) = (char_lstm.train(sentences, 6, 8, 4, compiled) for compiled in (True, False))
    np.testing.assert_allclose(losses, eager, rtol=1e-4)
    lengths = {batch[0].shape[1] for batch, _ in zip(char_lstm.batches(sentences, 4, seed=0), range(6))}
    assert len(lengths) > 1 and len(step.specializations) == 1
    assert losses[-1] < losses[0]


def test_reversible_network_learns_alike_by_inversion_and_by_ordinary_backpropagation() -> None:
    inverted, ordinary = (revnet.train(4, inverts, channels=4, stages=1) for inverts in (True, False))
    np.testing.assert_allclose(inverted, ordinary, rtol=1e-4)
    assert inverted[-1] < inverted[0]
