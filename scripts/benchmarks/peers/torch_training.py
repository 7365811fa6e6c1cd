"""Training steps in PyTorch: the models of `benchmarks.models` as functions of their weights, with its own Adam for all of them at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.peers.program import Program, by_name

VERSION = torch.__version__
HEADS, EPSILON = 4, 0.001


def perceptron(x: Any, y: Any, w: Any, b: Any, *rest: Any) -> Any:
    z = torch.addmm(b, x, w)
    return perceptron(functional.relu(z), y, *rest) if rest else functional.cross_entropy(z, y)


def recurrent(x: Any, y: Any, kernel: Any, recurrent_kernel: Any, bias: Any, w: Any, b: Any) -> Any:
    """By the library's cell; its kernels are those of `leaves`, turned."""
    zeros = x.new_zeros(1, x.shape[0], recurrent_kernel.shape[1])
    parameters = [kernel, recurrent_kernel, bias, torch.zeros_like(bias)]
    h = torch.lstm(x, (zeros, zeros), parameters, True, 1, 0.0, True, False, True)[1][0]
    return functional.cross_entropy(torch.addmm(b, h, w), y)


def transformer(x: Any, y: Any, *weights: Any) -> Any:
    g, b, wq, bq, wk, bk, wv, bv, wo, bo, g2, b2, w1, b1, w2, b2_ = weights
    z = functional.layer_norm(x, g.shape, g, b, EPSILON)
    q, k, v = ((z @ w + c).unflatten(-1, (HEADS, -1)).transpose(1, 2) for w, c in ((wq, bq), (wk, bk), (wv, bv)))
    x = x + functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2) @ wo + bo
    x = x + functional.relu(functional.layer_norm(x, g2.shape, g2, b2, EPSILON) @ w1 + b1) @ w2 + b2_
    return functional.mse_loss(x, y)


def convolutional(x: Any, y: Any, *weights: Any) -> Any:
    """The kernels are those of `leaves`, in the library's order of axes; memory is channels-last."""
    *convolutions, w, b = weights
    x = x.permute(0, 3, 1, 2)
    for kernel, bias in zip(convolutions[::2], convolutions[1::2]):
        x = functional.relu(functional.conv2d(x, kernel, bias))
    return functional.cross_entropy(torch.addmm(b, x.permute(0, 2, 3, 1).flatten(1), w), y)


PROGRAMS = by_name(tuple(map(Program, (perceptron, recurrent, transformer, convolutional))))


def leaves(name: str, weights: list) -> list:
    """The weights as the library wants them to lie."""
    found = [torch.from_numpy(weight.copy()) for weight in weights]
    if name == "recurrent":
        found[:2] = [weight.T.contiguous() for weight in found[:2]]
    if name == "convolutional":
        found = [w.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last) if w.ndim == 4 else w for w in found]
    return found


def data(arguments: list) -> list:
    return [torch.from_numpy(np.asarray(value)) for value in arguments[:2]]


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    """A call that takes one step and gives the loss before it."""
    loss, (x, y), weights = PROGRAMS[name].function, data(arguments), leaves(name, arguments[2:])
    for weight in weights:
        weight.requires_grad_()
    adam = torch.optim.Adam(weights, 0.001, fused=True)
    counts = itertools.count(1)

    def call() -> Any:
        adam.zero_grad()
        adam.param_groups[0]["eps"] = 1e-7 / math.sqrt(1 - 0.999 ** next(counts))  # added before the correction, as the others do
        value = loss(x, y, *weights)
        value.backward()
        adam.step()
        return value.detach()

    return call
