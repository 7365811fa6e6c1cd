"""The small eager operations as one writes them for PyTorch."""

from __future__ import annotations

from typing import Any

import torch

from benchmarks.peers.program import Program, by_name

RATE = 0.1


def scaled(x: Any, y: Any) -> Any:
    return x * 2.0


def hyperbolic_tangent(x: Any, y: Any) -> Any:
    return torch.tanh(x)


def total(x: Any, y: Any) -> Any:
    return x.sum()


def element(x: Any, y: Any) -> Any:
    return x[1]


def window(x: Any, y: Any) -> Any:
    return x[1:3]


def product(x: Any, w: Any) -> Any:
    return x @ w


def training_step(x: Any, y: Any, *parameters: Any) -> Any:
    w, b, v, c = (p.detach().requires_grad_() for p in parameters)
    error = torch.tanh(x @ w + b) @ v + c - y
    loss = (error * error).mean()
    slopes = torch.autograd.grad(loss, (w, b, v, c))
    with torch.no_grad():
        return loss.detach(), *(p.detach() - RATE * g for p, g in zip((w, b, v, c), slopes))


def recorded_add(x: Any, y: Any) -> Any:
    return x.requires_grad_() + y


def recorded_tanh(x: Any, y: Any) -> Any:
    return torch.tanh(x.requires_grad_())


OPERATIONS = (scaled, hyperbolic_tangent, total, element, window, product, recorded_add, recorded_tanh)
PROGRAMS = by_name(tuple(map(Program, (*OPERATIONS, training_step))))
