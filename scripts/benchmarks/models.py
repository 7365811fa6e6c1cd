"""Training steps: forward pass, gradient and Adam of four models in float32, ours compiled and eager, and as written for the peers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit import nn, optim
from benchmarks.case import Benchmark
from benchmarks.contender import WALL, FirstCall, Runner
from benchmarks.measure import Field, Settings, Timing, call_and_compare, difference, take_turns

COMPARED = 20  # steps, after which losses are compared
RTOL = 2e-3  # of those: Adam divides by the roots of small numbers, and peers add its epsilon elsewhere
HEADS, STEPS, CLASSES = 4, 50, 10


class Block(nn.Model):
    """A transformer block: attention and two dense layers, each behind a normalization and added to its input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before_attention, self.attention = nn.LayerNormalization(), nn.MultiHeadAttention(HEADS, width // HEADS)
        self.before_dense, self.wide, self.narrow = nn.LayerNormalization(), nn.Dense(4 * width, "relu"), nn.Dense(width)

    def call(self, x):
        y = self.before_attention(x)
        x = x + self.attention(y, y)
        return x + self.narrow(self.wide(self.before_dense(x)))


def classified(model, x, y):
    return np.mean(nn.losses.sparse_categorical_crossentropy(y, model(x), from_logits=True))


def fitted(model, x, y):
    return np.mean(nn.losses.mean_squared_error(y, model(x)))


def make_perceptron(units: int) -> Any:
    widths = (256, 256) if units == 784 else (128, 64)
    return nn.Sequential([*(nn.Dense(width, "relu") for width in widths), nn.Dense(CLASSES)])


def make_recurrent(units: int) -> Any:
    return nn.Sequential([nn.LSTM(units), nn.Dense(CLASSES)])


def make_convolutional(size: int) -> Any:
    return nn.Sequential([nn.Conv2D(16, 3, activation="relu"), nn.Conv2D(32, 3, activation="relu"), nn.Flatten(), nn.Dense(CLASSES)])


@dataclass(frozen=True, slots=True)
class Task:
    """A model of a size, and its loss."""

    make: Callable[[int], Any]
    loss: Callable[[Any, Any, Any], Any]


TASKS = {
    "perceptron": Task(make_perceptron, classified),
    "recurrent": Task(make_recurrent, classified),
    "transformer": Task(Block, fitted),
    "convolutional": Task(make_convolutional, classified),
}


def model_with(name: str, x: Any, weights: tuple[Any, ...]) -> Any:
    """The model whose input has the last size of x, or that of its images, built, with these weights if there are any."""
    nn.set_seed(0)
    model = TASKS[name].make(x.shape[1] if name == "convolutional" else x.shape[-1])
    model(x)
    for variable, weight in zip(model.trainable_variables, weights):
        variable.assign(weight)
    return model


def first_loss(name: str, x: Any, y: Any, *weights: Any) -> Any:
    """The loss before the first step."""
    return float(TASKS[name].loss(model_with(name, x, weights), x, y))


def perceptron(*arguments):
    return first_loss("perceptron", *arguments)


def recurrent(*arguments):
    return first_loss("recurrent", *arguments)


def transformer(*arguments):
    return first_loss("transformer", *arguments)


def convolutional(*arguments):
    return first_loss("convolutional", *arguments)


def arguments_of(name: str, shape: tuple[int, ...], size: int) -> tuple:
    """Input, truth and weights: `size` examples of a shape."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((size, *shape), np.float32)
    y = rng.standard_normal((size, *shape), np.float32) if name == "transformer" else rng.integers(0, CLASSES, size)
    return (x, y, *(variable.numpy().copy() for variable in model_with(name, x, ()).trainable_variables))


@dataclass(frozen=True, slots=True)
class Steps:
    """A training step with its data; every call takes one, so that no two give the same loss."""

    function: Callable[..., Any]
    data: tuple

    def first(self) -> FirstCall:
        start = time.perf_counter()
        loss = self.function(*self.data)
        return FirstCall(time.perf_counter() - start, float(loss))

    def sample(self, batch: int, warm: int, clock: str = WALL) -> float:
        now, function, data = getattr(time, clock), self.function, self.data
        for _ in range(warm):
            function(*data)
        start = now()
        for _ in range(batch):
            function(*data)
        return (now() - start) / batch

    def again(self) -> Any:
        return float(self.function(*self.data))


@dataclass(frozen=True, slots=True)
class Trained:
    """Our models with Adam; the whole step is compiled, or nothing but the update, which it always is."""

    name: str
    is_compiled: bool

    def start(self, case: Benchmark, arguments: tuple, mutating: bool) -> Runner:
        x, y, *weights = arguments
        loss, model = TASKS[case.plain.__name__].loss, model_with(case.plain.__name__, x, tuple(weights))
        optimizer = optim.Adam(0.001)
        optimizer.build(model.trainable_variables)

        def step(x, y):
            with ag.GradientTape() as tape:
                value = loss(model, x, y)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(value, variables), variables))
            return value

        return Steps(ag.compile(step, fallback="error") if self.is_compiled else step, (x, y))


CONTENDERS = (Trained("ours", True), Trained("eager", False))


def measure_training(case: Benchmark, field_of: Iterable[Field], settings: Settings) -> dict[str, Timing]:
    """Time a step under every contender that has the model, in turns; the losses of the first step and of the twentieth are compared."""
    arguments = case.arguments(case.quick if settings.quick else case.size)
    want, later = FirstCall(math.nan, case.plain(*arguments)), None
    running: dict[str, Any] = {}
    timings: dict[str, Timing] = {}
    for contender in field_of:
        runner, timing = call_and_compare(contender, case, arguments, True, want)
        if runner is not None:
            running[contender.name], steps = runner, runner
            steps.sample(COMPARED - 2, 0)
            found = steps.again()  # type: ignore[attr-defined]
            later = found if later is None else later
            timing.fault = timing.fault or difference(found, later, RTOL)
        if runner is not None or timing.fault:
            timings[contender.name] = timing
    take_turns(running, timings, settings)
    return timings


def case_of(plain: Callable[..., Any], variant: str, shape: tuple[int, ...], size: int) -> Benchmark:
    return Benchmark("training", plain, plain, partial(arguments_of, plain.__name__, shape), size, 4, 1e-4, variant)


BENCHMARKS = (
    case_of(perceptron, "64-128-64-10, batch 64", (64,), 64),
    case_of(perceptron, "784-256-256-10, batch 32", (784,), 32),
    case_of(perceptron, "784-256-256-10, batch 512", (784,), 512),
    case_of(recurrent, "LSTM of 64, 50 steps", (STEPS, 64), 32),
    case_of(recurrent, "LSTM of 128, 50 steps", (STEPS, 128), 32),
    case_of(transformer, "width 64, 64 tokens", (64, 64), 16),
    case_of(transformer, "width 128, 64 tokens", (64, 128), 16),
    case_of(convolutional, "8x8", (8, 8, 1), 32),
    case_of(convolutional, "28x28", (28, 28, 1), 32),
)
