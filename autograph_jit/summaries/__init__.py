"""Summaries of a training for TensorBoard."""

from autograph_jit.summaries.writer import SummaryWriter

__all__ = ["SummaryWriter"]
