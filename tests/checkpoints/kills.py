"""Processes that save without end are killed at random moments; what they leave is a whole state, and the newest that they told of.

    python -m tests.checkpoints.kills 120

prints how many kills fell inside a write, and raises AssertionError at a damaged or lost state.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import autograph_jit as ag
from autograph_jit import checkpoints

SHAPES = [(400, 500), (7,), (), (300, 300)]
FIRST, LONGEST_SECONDS = 1, 0.15


def state(number: int) -> checkpoints.Checkpoint:
    return checkpoints.Checkpoint(all=[ag.Variable(np.full(shape, float(number))) for shape in SHAPES], step=number)


def save_without_end(folder: Path, told: int, newest: int) -> None:
    """Save to one place over and over, and by a manager beside it; write each number that is saved to `told`."""
    checkpoint = state(newest)
    manager = checkpoints.CheckpointManager(checkpoint, folder / "all", max_to_keep=2)
    while True:
        newest += 1
        checkpoint.step = newest
        for variable in checkpoint.all:
            variable.assign(np.full(variable.shape, float(newest)))
        checkpoint.save(folder / "one")
        manager.save()
        os.write(told, b"%d\n" % newest)


def restored(path: str | Path) -> int:
    """The number of a saved state; AssertionError where parts are of different numbers."""
    fresh = state(0)
    fresh.restore(path).assert_complete()
    found = {fresh.step, *(float(value) for variable in fresh.all for value in np.unique(variable.numpy()))}
    assert len(found) == 1, f"{path}: a mixture of {found}"
    return fresh.step


def kill(folder: Path, newest: int, seconds: float) -> tuple[int | None, bool]:
    """The newest number told before the kill, None where there was none, and whether files of a write under way are left."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        save_without_end(folder, writing, newest)
    os.close(writing)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading) as lines:
        told = [int(line) for line in lines]
    return (told or [None])[-1], any(folder.glob("**/*.writing-*"))


def run(count: int, seed: int = 0) -> int:
    """Kill `count` processes; gives how many kills fell inside a write."""
    generator, inside, saved = random.Random(seed), 0, (FIRST, FIRST)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        state(FIRST).save(folder / "one")
        checkpoints.CheckpointManager(state(FIRST), folder / "all", 2).save()
        for _ in range(count):
            told, is_inside = kill(folder, max(saved), generator.uniform(0.005, LONGEST_SECONDS))
            inside += is_inside
            before, manager = saved, checkpoints.CheckpointManager(state(0), folder / "all", 2)
            saved = restored(folder / "one"), restored(str(manager.latest))
            least = before if told is None else (told, told)
            most = (told or max(before)) + 1
            assert all(low <= number <= most for low, number in zip(least, saved)), f"{saved} are left, {least} were safe"
    return inside


if __name__ == "__main__":
    asked = int(sys.argv[1])
    print(f"{asked} kills, {run(asked)} of them inside a write, no damaged checkpoint")
