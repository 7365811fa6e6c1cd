"""`train_step`: training by batches that many processes share, each with a copy of the model."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import autograph_jit as ag
from autograph_jit.distributed.engines import Engine, behind, engine_of
from autograph_jit.distributed.parts import added, divided, shares
from autograph_jit.nn import seeds
from autograph_jit.nn.training import loss_and_gradients

LOCK = threading.Lock()  # a worker may have several threads, and a copy of a model is for one


class Replica:
    """A worker's copy of a model: the gradients of its loss on a part of a batch."""

    def __init__(self, model: Any, loss: Callable[..., Any]) -> None:
        self.model, self.loss = model, loss
        self.compiled = ag.compile(lambda x, y: loss_and_gradients(model, loss, x, y))

    def __reduce__(self) -> tuple[Any, ...]:
        return Replica, (self.model, self.loss)

    def __call__(self, weights: list[Any], seed: int, x: Any, y: Any) -> tuple[Any, list[Any], list[Any]]:
        """The mean loss, its gradients, and what the call has made of the variables without gradients."""
        with LOCK:
            before = seeds.GENERATOR.bit_generator.state
            assign(self.model.variables, weights)
            seeds.set_seed(seed)
            try:
                value, gradients = self.compiled(x, y)
            finally:
                seeds.GENERATOR.bit_generator.state = before
            return value, gradients, [variable.numpy().copy() for variable in self.model.non_trainable_variables]


def assign(variables: list[ag.Variable], values: list[Any]) -> None:
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)


def train_step(model: Any, loss: Callable[..., Any], optimizer: Any, client: Any, *, parts: int | None = None) -> Callable[..., Any]:
    """A training step (x, y) whose gradients the workers of `client` compute, each on a part of the batch. It returns the mean loss.

    model      a model of `nn`; its variables here are the ones that are trained, and the optimizer's state is here as well
    loss       a function of (y_true, y_pred); regularizers of the model are added for the gradient
    client, parts  as of `value_and_grad`

    Running averages, as of BatchNormalization, become the mean of those of the parts, whose own averages normalize them. Dropout draws for
    each part from a seed that the common generator gives: `nn.set_seed` makes it repeatable.
    """
    engine, count = engine_of(client, parts)
    task = None

    def step(x: Any, y: Any) -> Any:
        nonlocal task
        pieces = divided((x, y), count)
        if task is None:
            model(pieces[0][0][:1])  # makes weights that are not there yet
            assign(model.variables, engine.agreed([variable.numpy() for variable in model.variables]))
            task = engine.place(Replica(model, loss))
        return one_step(engine, task, model, optimizer, pieces, shares((x, y), pieces))

    return step


def one_step(engine: Engine, task: Any, model: Any, optimizer: Any, pieces: list[Any], factors: list[float]) -> Any:
    """Gradients of all parts, and the update that they give."""
    trained, others = model.trainable_variables, model.non_trainable_variables
    seed = engine.agreed(int(seeds.GENERATOR.integers(2**32)))
    weights = [variable.numpy().copy() for variable in model.variables]

    def update(results: list[Any]) -> Any:
        value, *sums = added([[value, *gradients, *states] for value, gradients, states in results], factors)
        optimizer.apply_gradients(zip(sums[: len(trained)], trained))
        for variable, mean, first in zip(others, sums[len(trained) :], results[0][2]):
            variable.assign(mean if variable.dtype.kind in "fc" else first)
        return value

    return behind(engine.run(task, weights, [(seed + i, *piece) for i, piece in enumerate(pieces)]), update)
