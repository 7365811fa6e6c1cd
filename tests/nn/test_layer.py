"""Tests of nn/layer.py and nn/model.py: weights are made once, found through attributes, and are leaves of derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import nn


class Scale(nn.Layer):
    """A layer that counts how often it is built."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.builds = 0

    def build(self, input_shape: Any) -> None:
        self.builds += 1
        self.shape = input_shape
        self.factor = self.add_weight(input_shape[-1:], "ones", name="factor", regularizer="l2")

    def call(self, x: Any) -> Any:
        return x * self.factor


class Nested(nn.Model):
    """Layers and Variables in attributes, lists, tuples and dicts; one layer and one Variable twice, and a way back to the whole."""

    def __init__(self) -> None:
        super().__init__()
        self.step = ag.Variable(0, trainable=False)
        self.parts = [Scale(name="first"), (Scale(name="second"), {"third": Scale(name="third")})]
        self._again = self.parts[0]
        self.bias = self.add_weight((), "zeros", name="bias")
        self.offsets = {"bias": self.bias}
        self.whole = self

    def call(self, x: Any, training: bool = False) -> Any:
        if training:
            self.step.assign_add(1)
        return self.parts[1][1]["third"](self.parts[1][0](self._again(x))) + self.bias


def test_variables_are_found_in_order_of_attributes_each_once() -> None:
    model = Nested()
    assert [v.shape for v in model.variables] == [(), ()]  # those of the parts are not made yet
    model(np.ones(3))
    first, second, third = model.layers[:3]
    assert [layer.name for layer in model.layers] == ["first", "second", "third", "nested"]
    for compiled in (False, True):

        def found() -> Any:
            return [model.variables, model.trainable_variables, model.non_trainable_variables]

        expected = [first.factor, second.factor, third.factor, model.bias]
        lists: Any = ag.compile(found, fallback="error")() if compiled else found()
        for mine, theirs in zip(lists, ([model.step, *expected], expected, [model.step]), strict=True):
            assert len(mine) == len(theirs) and all(a is b for a, b in zip(mine, theirs))
    second.trainable = False
    assert all(a is b for a, b in zip(model.trainable_variables, [first.factor, third.factor, model.bias], strict=True))
    assert [a is b for a, b in zip(model.non_trainable_variables, [model.step, second.factor], strict=True)] == [True, True]


def test_layer_is_built_once_with_the_shape_of_its_first_argument_compiled_or_not() -> None:
    for compiled in (False, True):
        layer = Scale()
        run: Any = ag.compile(lambda x, layer=layer: layer(x) + layer(x), fallback="error") if compiled else lambda x: layer(x) + layer(x)
        for _ in range(3):
            np.testing.assert_array_equal(run(np.ones((2, 3))), np.full((2, 3), 2.0))
        assert (layer.builds, layer.shape) == (1, (2, 3))


def test_training_is_told_to_layers_that_ask() -> None:
    model = nn.Sequential([Nested(), Scale(), lambda x: x * 3])
    run = ag.compile(model, fallback="error")
    for training in (False, True, True):
        np.testing.assert_array_equal(run(np.ones(2), training=training), [3.0, 3.0])
    assert int(model.layers[0].step) == 2
    with pytest.raises(NotImplementedError, match="Sum defines no `call`"):
        type("Sum", (nn.Layer,), {})()(1.0)


class Told(nn.Layer):
    """Gives what it is told, and counts in training."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = ag.Variable(0.0, trainable=False)

    def call(self, x: Any, scale: float = 1.0, training: bool = False) -> Any:
        if training:
            self.calls.assign_add(1.0)
        return x + scale if training else x


class Quiet(nn.Model):
    """Tells its parts nothing, but for one of them that is never in training, and one by position."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = {"one": Told(), "never": Told(), "always": Told()}
        self.fails = False

    def call(self, x: Any) -> Any:
        y = self.parts["never"](self.parts["one"](x), training=False)
        if self.fails and y[0] > 0:
            raise ValueError("as asked")
        return self.parts["one"](self.parts["always"](y, 10.0, True))


def test_layers_that_are_told_nothing_take_part_in_training_as_the_layer_around_does() -> None:
    for compiled in (False, True):
        model = nn.Sequential([Quiet(), lambda x: x * 1])
        run = ag.compile(model, fallback="error") if compiled else model
        one, never, always = model.stages[0].parts.values()
        for training, expected in ((True, 12.0), (None, 10.0), (False, 10.0), (True, 12.0)):
            np.testing.assert_array_equal(run(np.zeros(2, np.float32), training=training), [expected] * 2)
        assert [float(layer.calls) for layer in (one, never, always)] == [4.0, 0.0, 4.0]
        model.stages[0].fails = True
        with pytest.raises(ValueError, match="as asked"):
            run(np.ones(2, np.float32), training=True)
        np.testing.assert_array_equal(run(np.full(2, -1.0, np.float32)), [9.0] * 2)
        np.testing.assert_array_equal(one(np.zeros(2)), [0.0] * 2)


def test_compiled_part_of_an_eager_model_is_told_as_well() -> None:
    told = Told()
    part = ag.compile(lambda x: told(x), fallback="error")
    model = nn.Sequential([part])
    for training in (True, False, True):
        np.testing.assert_array_equal(model(np.zeros(1, np.float32), training=training), [1.0 if training else 0.0])


def test_regularizers_are_losses_with_gradients() -> None:
    model = nn.Sequential([nn.Dense(2, kernel_regularizer="l2", bias_regularizer=nn.regularizers.L1L2(0.5, 0.25)), Scale(dtype="float64")])
    model(np.ones((1, 3)))
    kernel, bias, factor = (v.numpy() for v in model.variables)
    bias[:] = [1.0, -2.0]

    def penalty() -> Any:
        with ag.GradientTape() as tape:
            total = sum(model.losses)
        return total, tape.gradient(total, model.variables)

    for run in (penalty, ag.compile(penalty, fallback="error")):
        total, gradients = run()
        np.testing.assert_allclose(float(total), 0.01 * np.sum(kernel**2) + 1.5 + 0.25 * 5 + 0.02, rtol=1e-6)
        for mine, theirs in zip(gradients, (0.02 * kernel, 0.5 * np.sign(bias) + 0.5 * bias, 0.02 * factor)):
            np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    with pytest.raises(ag.SettingError, match="has no name"):
        model.layers[0].add_weight((2,), regularizer="l1")
    np.testing.assert_allclose(nn.regularizers.get("l1")(np.array([-1.0, 2.0])), 0.03)


def test_gradient_by_a_model_is_a_model_with_gradients_for_weights() -> None:
    model = nn.Sequential([nn.Dense(3, "tanh", kernel_regularizer="l2"), nn.BatchNormalization(), nn.Dense(1)])
    x = np.random.default_rng(0).standard_normal((5, 4))

    def loss(model: Any, x: Any) -> Any:
        return np.mean(model(x) ** 2) + sum(model.losses)

    loss(model, x)
    with ag.GradientTape() as tape:
        value = loss(model, x)
    expected = tape.gradient(value, model.trainable_variables)
    found = ag.grad(loss)(model, x)
    assert type(found) is nn.Sequential and found.stages[1].moving_mean is model.stages[1].moving_mean
    (first, norm, last) = found.stages
    for mine, theirs in zip((first.kernel, first.bias, norm.gamma, norm.beta, last.kernel, last.bias), expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-7)


def test_gradient_of_a_model_lists_gradients_in_the_places_of_its_weights() -> None:
    model, x = nn.Sequential([nn.Dense(3, "tanh"), nn.BatchNormalization(), [nn.Dense(2)][0]]), np.ones((4, 2), np.float32)
    model.constant = np.ones(2)
    model(x)
    variables = model.trainable_variables

    def loss(model: Any) -> Any:
        return np.sum(model(x) ** 2) + sum([np.sum(weight * weight) for weight in model.trainable_variables])

    with ag.GradientTape() as tape:
        value = loss(model)
    wanted = tape.gradient(value, variables)
    for found in (ag.grad(loss)(model), ag.compile(lambda model: ag.grad(loss)(model), fallback="error")(model)):
        assert len(found.trainable_variables) == len(variables) == 6
        for mine, gradient in zip(found.trainable_variables, wanted, strict=True):
            np.testing.assert_allclose(mine, gradient.numpy(), rtol=1e-5, atol=1e-6)
    model.tied = model.stages[0].kernel
    tied = ag.grad(lambda model: np.sum(model(x) ** 2))(model)
    assert [gradient.shape for gradient in tied.trainable_variables] == [variable.shape for variable in variables]


def test_summary_lists_layers_weights_and_numbers() -> None:
    model = nn.Sequential([nn.Dense(4, name="hidden"), nn.BatchNormalization(), nn.Flatten()], name="net")
    lines: list[str] = []
    model.summary(lines.append)
    assert lines[0] == "Sequential 'net'" and "not made yet" in lines[2]
    model(np.ones((2, 3)))
    lines.clear()
    model.summary(lines.append)
    assert [line.split() for line in lines[2:]] == [
        ["hidden", "Dense", "(3,", "4),", "(4,)", "16"],
        ["batch_normalization", "BatchNormalization", "(4,),", "(4,),", "(4,),", "(4,)", "16"],
        ["flatten", "Flatten", "0"],
        ["parameters:", "32,", "of", "which", "training", "changes", "24"],
    ]
    assert model.count_params() == 32


def test_error_of_a_layer_names_its_line_and_that_of_the_caller() -> None:
    layer = nn.Dense(2)
    layer(np.ones((1, 3)))
    for run in (layer, ag.compile(layer, fallback="error")):
        with pytest.raises(ValueError, match="matmul: Input operand 1 has a mismatch") as caught:
            run(np.ones((1, 4)))
        entries = [entry.path.name for entry in caught.traceback]
        assert entries[0] == "test_layer.py" and "core.py" in entries
