"""What all optimizers share: missing gradients, other orders, decay, limits, accumulation, rates, pure updates."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import optim
from autograph_jit.optim.trees import leaves
from tests.tables import table


@dataclasses.dataclass(frozen=True)
class Line:
    slope: Any
    offset: Any


def variables(*values: Any) -> list[ag.Variable]:
    return [ag.Variable(np.array(value, np.float32)) for value in values]


def test_a_variable_without_a_gradient_stays_and_keeps_its_slots() -> None:
    x, y = variables([1.0], [2.0])
    optimizer = optim.Adam(0.1)
    optimizer.build([x, y])
    optimizer.apply_gradients(zip([None, np.array([1.0])], [x, y]))
    assert x.numpy() == 1.0 and y.numpy() < 2.0
    assert optimizer.slots[0][0].numpy() == 0.0 and optimizer.slots[1][0].numpy() != 0.0


def test_no_gradient_at_all_is_an_error() -> None:
    with pytest.raises(ag.SettingError, match="does the loss depend on the variables"):
        optim.SGD().apply_gradients([(None, ag.Variable(1.0))])


def test_gradients_in_another_order_use_the_slots_of_their_variables() -> None:
    found = []
    for order in (slice(None), slice(None, None, -1)):
        x = variables([1.0], [2.0])
        optimizer = optim.SGD(0.1, momentum=0.9)
        for step in range(3):
            pairs = list(zip([np.array([1.0]), np.array([-3.0])], x))
            optimizer.apply_gradients(pairs[order] if step else pairs)
        found.append([v.numpy().tolist() for v in x])
    assert found[0] == found[1]


def test_a_variable_that_the_optimizer_was_not_built_for_is_an_error() -> None:
    x, y = variables([1.0], [2.0])
    optimizer = optim.SGD()
    optimizer.build([x])
    with pytest.raises(ag.SettingError, match="SGD was built for other variables: call build"):
        optimizer.apply_gradients([(np.array([1.0]), y)])


def test_integers_cannot_be_trained() -> None:
    with pytest.raises(ag.SettingError, match="count is int64"):
        optim.SGD().build([ag.Variable(1, name="count")])


def test_float32_variables_and_slots_stay_float32_by_float64_gradients() -> None:
    x = variables([1.0, 2.0])
    optimizer = optim.Adam()
    optimizer.apply_gradients(zip([np.array([1.0, 2.0])], x))
    assert x[0].dtype == optimizer.slots[0][0].dtype == np.float32


def test_setting_the_learning_rate_compiles_nothing_anew() -> None:
    x = variables([1.0])
    optimizer = optim.SGD(0.5)
    optimizer.apply_gradients([(np.array([1.0]), x[0])])
    programs = len(optimizer.compiled.specializations)
    for rate in (0.25, 0.125):
        optimizer.learning_rate = rate
        optimizer.apply_gradients([(np.array([1.0]), x[0])])
    assert x[0].numpy() == 0.125 and len(optimizer.compiled.specializations) == programs


def test_optimizers_of_many_kinds_do_not_use_up_the_programs_of_one_function() -> None:
    with ag.config(max_programs=1):
        for momentum, shape in ((0.5, (2,)), (0.75, (2,)), (0.5, (2, 3))):
            x = ag.Variable(np.zeros(shape))
            optimizer = optim.SGD(0.5, momentum)
            for _ in range(2):
                optimizer.apply_gradients([(np.ones(shape), x)])
            assert np.all(x.numpy() == -0.5 - 0.5 * (1 + momentum))


def test_a_step_that_is_given_its_optimizer_is_compiled_once_for_optimizers_of_a_kind() -> None:
    @ag.compile(fallback="error")
    def step(optimizer: Any, x: Any) -> None:
        optimizer.minimize(lambda: np.sum(x * x), [x])

    for rate in (0.25, 0.125):
        x, optimizer = ag.Variable(np.ones(2)), optim.SGD(rate)
        optimizer.build([x])
        step(optimizer, x)
        assert np.all(x.numpy() == 1 - 2 * rate)
    assert len(step.specializations) == 1


def test_a_pickled_optimizer_goes_on_with_variables_of_its_own() -> None:
    x = ag.Variable(np.zeros(2))
    optimizer = optim.SGD(0.5, 0.5)
    optimizer.apply_gradients([(np.ones(2), x)])
    for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        [y] = other.trained
        other.apply_gradients([(np.ones(2), y)])
        assert np.all(y.numpy() == -1.25) and np.all(x.numpy() == -0.5) and int(optimizer.iterations) == 1


LIMITS = [
    ({"clipnorm": 1.0}, [[0.6, 0.8], [0.5]]),
    ({"clipvalue": 2.0}, [[2.0, 2.0], [0.5]]),
    ({"global_clipnorm": 1.0}, [[3 / 25.25**0.5, 4 / 25.25**0.5], [0.5 / 25.25**0.5]]),
    ({"global_clipnorm": 100.0}, [[3.0, 4.0], [0.5]]),
]


@table("options, expected", LIMITS)
def test_gradients_are_cut_to_limits(options: Any, expected: Any) -> None:
    x = variables([0.0, 0.0], [0.0])
    optim.SGD(1.0, **options).apply_gradients(zip([np.array([3.0, 4.0]), np.array([0.5])], x))
    for variable, moved in zip(x, expected):
        np.testing.assert_allclose(-variable.numpy(), moved, rtol=1e-6)


def test_two_limits_and_unknown_options_are_errors() -> None:
    with pytest.raises(ag.SettingError, match="only one of clipnorm"):
        optim.SGD(clipnorm=1.0, clipvalue=1.0)
    with pytest.raises(TypeError, match="Adam takes no argument clip_norm"):
        optim.Adam(clip_norm=1.0)


def test_clipping_of_trees_keeps_zeros_and_shows_infinite_norms() -> None:
    tree = {"a": [np.zeros(2)], "b": (np.array([[3.0]]), None)}
    assert np.array_equal(optim.clip_by_norm(tree, 1.0)["a"][0], np.zeros(2))
    cut, norm = optim.clip_by_global_norm(tree, 1.5)
    assert norm == 3.0 and cut["b"][0] == 1.5 and cut["b"][1] is None
    assert np.isnan(optim.clip_by_global_norm([np.array([np.inf, 1.0])], 1.0)[0][0]).all()


def test_decay_takes_a_part_off_each_weight_before_the_step() -> None:
    x = ag.Variable(np.array([2.0]))
    optim.SGD(0.5, weight_decay=0.1).apply_gradients([(np.array([1.0]), x)])
    assert x.numpy() == pytest.approx(2.0 - 2.0 * 0.1 * 0.5 - 0.5)


def test_accumulated_gradients_make_the_step_of_their_mean() -> None:
    rows = np.random.default_rng(0).standard_normal((6, 3))
    x, y = ag.Variable(np.zeros(3)), ag.Variable(np.zeros(3))
    often, seldom = optim.Adam(0.1), optim.Adam(0.1, gradient_accumulation_steps=3)
    for index, row in enumerate(rows):
        seldom.apply_gradients([(row, y)])
        assert int(seldom.iterations) == (index + 1) // 3
    for part in (rows[:3], rows[3:]):
        often.apply_gradients([(part.mean(axis=0), x)])
    np.testing.assert_allclose(y.numpy(), x.numpy(), rtol=1e-12)


def test_compiled_steps_with_accumulation_and_a_schedule_equal_eager_ones_and_are_native() -> None:
    def train(compiled: bool) -> np.ndarray:
        x = ag.Variable(np.array([3.0, -1.0]))
        optimizer = optim.Adam(
            optim.CosineDecay(0.1, 10, warmup_target=0.5, warmup_steps=2), gradient_accumulation_steps=2, global_clipnorm=1.0
        )
        optimizer.build([x])

        def step(scale: float) -> Any:
            return optimizer.minimize(lambda: np.sum(x * x) * scale, [x])

        run = ag.compile(step, fallback="error") if compiled else step
        losses = [float(run(float(scale))) for scale in range(1, 6)]
        if compiled:
            assert "host calls    none" in run.explain(1.0)
        return np.array([*losses, *x.numpy()])

    np.testing.assert_allclose(train(True), train(False), rtol=1e-12)


def test_a_loop_over_steps_is_compiled_as_a_whole() -> None:
    x = ag.Variable(np.array([3.0, -1.0]))
    optimizer = optim.SGD(0.1, momentum=0.5)
    optimizer.build([x])

    @ag.compile(fallback="error")
    def train(steps: int) -> Any:
        for _ in range(steps):
            optimizer.minimize(lambda: np.sum(x * x), [x])

    train(50)
    value, velocity = np.array([3.0, -1.0]), np.zeros(2)
    for _ in range(50):
        velocity = 0.5 * velocity - 0.1 * 2 * value
        value = value + velocity
    np.testing.assert_allclose(x.numpy(), value, rtol=1e-9)
    assert int(optimizer.iterations) == 50


def test_a_compiled_step_makes_the_slots_in_its_first_call_also_where_a_rule_has_none() -> None:
    for momentum, expected in ((0.5, 3.0 - 0.1 - 0.15 - 0.175), (0.0, 3.0 - 0.1 - 0.1 - 0.1)):
        x = ag.Variable(np.array([3.0]))
        optimizer = optim.SGD(0.1, momentum)

        @ag.compile(fallback="error")
        def step(g: Any) -> None:
            optimizer.apply_gradients([(g, x)])

        for _ in range(3):
            step(np.array([1.0]))
        assert x.numpy() == pytest.approx(expected) and len(step.specializations) == 1
        assert "host calls    none" in step.explain(np.array([1.0]))


@table(
    "params",
    [[np.array([1.0, 2.0]), np.array(0.5)], {"a": np.array([1.0, 2.0]), "b": (np.array(0.5),)}, Line(np.array([1.0, 2.0]), np.array(0.5))],
    ids=lambda value: type(value).__name__,
)
def test_a_compiled_pure_update_equals_the_plain_one(params: Any) -> None:
    rule = optim.Adam(0.1)
    update = ag.compile(rule.update, fallback="error")
    found, expected = (params, rule.init(params)), (params, rule.init(params))
    for _ in range(3):
        found, expected = update(found[0], found[1], found[0]), rule.update(expected[0], expected[1], expected[0])
    assert type(found[0]) is type(params)
    for one, other in zip(leaves(found), leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_minimize_gives_the_loss_before_the_step() -> None:
    x = ag.Variable(np.array([3.0]))
    optimizer = optim.SGD(0.1)
    losses = [float(optimizer.minimize(lambda: np.sum(x * x), [x])) for _ in range(3)]
    np.testing.assert_allclose(losses, [9.0, 9.0 * 0.64, 9.0 * 0.64**2])


def test_lbfgs_solves_a_least_squares_problem_in_variables_of_two_shapes() -> None:
    generator = np.random.default_rng(0)
    a, y = generator.standard_normal((20, 3)), generator.standard_normal(20)
    w, b = ag.Variable(np.zeros((3, 1))), ag.Variable(0.0)

    @ag.compile(fallback="error")
    def loss() -> Any:
        return np.sum((a @ w[:, 0] + b - y) ** 2)

    result = optim.LBFGS(tolerance=1e-10).minimize(loss, [w, b])
    solution = np.linalg.lstsq(np.column_stack([a, np.ones(20)]), y, rcond=None)[0]
    assert result.success
    np.testing.assert_allclose([*w.numpy()[:, 0], float(b)], solution, rtol=1e-7)


def test_a_network_of_three_layers_trains_alike_compiled_and_eagerly() -> None:
    def train(compiled: bool) -> list[Any]:
        generator = np.random.default_rng(0)
        x, y = generator.standard_normal((64, 64)), generator.standard_normal((64, 10))
        layers = [ag.Variable(0.1 * generator.standard_normal(shape)) for shape in ((64, 128), (128, 64), (64, 10))]
        optimizer = optim.Adam(0.01)
        optimizer.build(layers)

        def step() -> Any:
            with ag.GradientTape() as tape:
                h = np.maximum(np.maximum(x @ layers[0], 0) @ layers[1], 0)
                loss = np.mean((h @ layers[2] - y) ** 2)
            optimizer.apply_gradients(zip(tape.gradient(loss, layers), layers))
            return loss

        run = ag.compile(step, fallback="error") if compiled else step
        return [[float(run()) for _ in range(5)], *(layer.numpy() for layer in layers)]

    for one, other in zip(train(True), train(False)):
        np.testing.assert_allclose(one, other, rtol=1e-9)
