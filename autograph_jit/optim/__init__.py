"""Optimizers: rules that change Variables, or trees of arrays, along gradients; clipping; schedules of the learning rate."""

from autograph_jit.optim.clipping import clip_by_global_norm, clip_by_norm, clip_by_value, global_norm
from autograph_jit.optim.lbfgs import LBFGS
from autograph_jit.optim.optimizer import Optimizer
from autograph_jit.optim.rules import SGD, Adagrad, Adam, AdamW, RMSprop
from autograph_jit.optim.schedules import Constant, CosineDecay, ExponentialDecay, PiecewiseConstantDecay, Schedule

__all__ = [
    "SGD", "Adagrad", "Adam", "AdamW", "Constant", "CosineDecay", "ExponentialDecay", "LBFGS", "Optimizer", "PiecewiseConstantDecay",
    "RMSprop", "Schedule", "clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm",
]  # fmt: skip
