"""`value_and_grad` of a loss over a batch that many processes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.distributed.engines import behind, engine_of
from autograph_jit.distributed.parts import added, divided, shares
from autograph_jit.optim.trees import leaves, with_leaves

REDUCTIONS = ("mean", "sum")


def value_and_grad(function: Callable[..., Any], client: Any, *, reduction: str = "mean", parts: int | None = None) -> Callable[..., Any]:
    """A function (params, *batch) that gives what `ag.value_and_grad(function)` does, computed by the workers of `client`.

    function   of (params, *batch), a mean or a sum over the rows of the batch. `params` is a tree of arrays: lists, tuples, dicts,
               dataclasses. The arrays of `batch` are divided by rows; numbers and other objects go to all workers
    client     a `dask.distributed.Client`, or a communicator of mpi4py: then all its processes make the same calls, and get the results.
               With an asynchronous client the function's results are to be awaited, and `parts` has to be given
    reduction  "mean" or "sum": what `function` takes over rows
    parts      into how many parts a batch is divided; None: as many as there are workers now

    Values and gradients of parts are added in a fixed order: the same number of parts gives the same bits, whichever workers compute them.
    Raises ShapeError where a batch has fewer rows than parts.

    >>> class Alone:  # what this uses of a communicator of mpi4py
    ...     Get_rank, Get_size = (lambda self: 0), (lambda self: 1)
    ...     allgather = lambda self, x: [x]
    >>> error = value_and_grad(lambda w, x, y: ((w * x - y) ** 2).mean(), Alone(), parts=2)
    >>> error(3.0, [0.0, 1.0], [0.0, 2.0])
    (np.float64(0.5), 1.0)
    """
    engine, count = engine_of(client, parts)
    if not callable(function):
        raise ag.SettingError(f"ag.distributed.value_and_grad takes a function, compiled or not, not {type(function).__name__}")
    if reduction not in REDUCTIONS:
        raise ag.SettingError(f"reduction={reduction!r}: expected one of {', '.join(map(repr, REDUCTIONS))}")
    task = engine.place(ag.value_and_grad(function))

    def divided_value_and_grad(params: Any, *batch: Any) -> tuple[Any, Any]:
        if any(np.asarray(leaf).dtype == object for leaf in leaves(params)):
            raise ag.SettingError("params of a divided gradient are arrays in lists, tuples, dicts and dataclasses; models have train_step")
        pieces = divided(batch, count)
        factors = shares(batch, pieces) if reduction == "mean" else [1.0] * count

        def sums(results: list[Any]) -> tuple[Any, Any]:
            value, *gradients = added([[value, *leaves(gradient)] for value, gradient in results], factors)
            return value, with_leaves(params, gradients)

        return behind(engine.run(task, params, pieces), sums)

    return divided_value_and_grad
