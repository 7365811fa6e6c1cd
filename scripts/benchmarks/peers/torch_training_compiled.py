"""Training steps in PyTorch, each compiled as a whole: gradients by `torch.func`, Adam written out. It needs a C++ compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from benchmarks.peers import torch_training

VERSION = torch_training.VERSION
# The compiler would unroll the steps of a recurrent model, and calls the library's cell as it is.
PROGRAMS = {name: program for name, program in torch_training.PROGRAMS.items() if name != "recurrent"}
RATE, BETA_1, BETA_2, EPSILON = 0.001, 0.9, 0.999, 1e-7


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    """A call that takes one step and gives the loss before it."""
    loss, (x, y), weights = PROGRAMS[name].function, torch_training.data(arguments), torch_training.leaves(name, arguments[2:])
    torch.compiler.reset()

    @torch.compile
    def step(count: Any, weights: Any, means: Any, squares: Any) -> Any:
        gradients, value = torch.func.grad_and_value(lambda weights: loss(x, y, *weights))(weights)
        rate = RATE * torch.sqrt(1 - BETA_2 ** (count + 1)) / (1 - BETA_1 ** (count + 1))
        for weight, mean, square, gradient in zip(weights, means, squares, gradients):
            mean.lerp_(gradient, 1 - BETA_1)
            square.lerp_(gradient * gradient, 1 - BETA_2)
            weight.sub_(rate * mean / (square.sqrt() + EPSILON))
        count.add_(1)
        return value

    state = torch.zeros(()), weights, [torch.zeros_like(w) for w in weights], [torch.zeros_like(w) for w in weights]

    def call() -> Any:
        with torch.no_grad():
            return step(*state)

    return call
