"""Checkpoints: the state of models, optimizers, metrics and random generators on disk, whole or not at all."""

from autograph_jit.checkpoints.checkpoint import Checkpoint, CheckpointManager, RestoreStatus

__all__ = ["Checkpoint", "CheckpointManager", "RestoreStatus"]
