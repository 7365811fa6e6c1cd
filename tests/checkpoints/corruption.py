"""Saved files with bytes changed, cut off, doubled, exchanged or gone: CheckpointError always, in little memory, and nothing restored.

python -m tests.checkpoints.corruption 10000
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import tracemalloc
from collections import Counter
from pathlib import Path

import autograph_jit as ag
from tests.checkpoints.models import Training

MOST_BYTES = 2_000_000  # that a restore of a damaged file may take; the files have 3 kB
KINDS = ("flip", "byte", "cut", "longer", "zeros", "doubled part", "vast", "gone", "empty", "other's")


def damage(path: Path, other: Path, generator: random.Random) -> str:
    """Damage one file of a checkpoint; gives how. `other` is a checkpoint of another state."""
    file = generator.choice(sorted(path.iterdir()))
    kind, content = generator.choice(KINDS), bytearray(file.read_bytes())
    place = generator.randrange(len(content))
    if kind == "flip":
        content[place] ^= 1 << generator.randrange(8)
    elif kind == "byte":
        content[place] = (content[place] + generator.randrange(1, 256)) % 256
    elif kind == "cut":
        del content[place:]
    elif kind == "longer":
        content += generator.randbytes(generator.randrange(1, 100))
    elif kind == "zeros":
        content[place:] = bytes(len(content) - place + 1)
    elif kind == "doubled part":
        content[place:place] = content[place : place + 50]
    elif kind == "empty":
        content.clear()
    elif kind == "other's":
        content = bytearray(next(other.glob("*" + file.suffix)).read_bytes())
    file.write_bytes(content)
    if kind == "vast":
        with file.open("r+b") as sparse:
            sparse.truncate(1 << 40)
    if kind == "gone":
        file.unlink()
    return f"{kind} of {file.suffix}"


def run(count: int, seed: int = 0) -> Counter[str]:
    """Restore `count` damaged checkpoints; gives how many of each kind. AssertionError where one is taken for whole."""
    generator, met = random.Random(seed), Counter[str]()
    training = Training(0)
    before = training.values()
    with tempfile.TemporaryDirectory() as name:
        whole, other, path = (Path(name) / part for part in ("whole", "other", "damaged"))
        training.checkpoint.save(whole)
        Training(1).checkpoint.save(other)
        tracemalloc.start()
        for _ in range(count):
            shutil.copytree(whole, path)
            how = damage(path, other, generator)
            tracemalloc.reset_peak()
            start = tracemalloc.get_traced_memory()[0]
            try:
                training.checkpoint.restore(path)
            except (ag.CheckpointError, FileNotFoundError) as error:
                assert isinstance(error, ag.CheckpointError) or how == "gone of .json", f"{how}: {error!r}"
                met[how] += 1
            else:
                raise AssertionError(f"{how} was restored")
            taken = tracemalloc.get_traced_memory()[1] - start
            assert taken < MOST_BYTES, f"{how}: {taken} bytes"
            assert training.values() == before, how
            shutil.rmtree(path)
        tracemalloc.stop()
    return met


if __name__ == "__main__":
    print(run(int(sys.argv[1])))
