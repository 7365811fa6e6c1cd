"""Gradients and training over many processes, by Dask or MPI."""

from autograph_jit.distributed.gradients import value_and_grad
from autograph_jit.distributed.portable import portable
from autograph_jit.distributed.training import train_step

__all__ = ["portable", "train_step", "value_and_grad"]
