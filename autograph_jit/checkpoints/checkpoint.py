"""`Checkpoint`: the state of objects, saved and restored by paths of attributes; `CheckpointManager` keeps the newest of a directory."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import warnings
from dataclasses import dataclass
from typing import Any

import autograph_jit as ag
from autograph_jit.checkpoints import store
from autograph_jit.checkpoints.files import Files
from autograph_jit.checkpoints.state import find_state, from_json, generator_state, to_json

OWN = ("lock", "files")
NUMBERED = re.compile(r"ckpt-([0-9]+)")


@dataclass(frozen=True, slots=True)
class RestoreStatus:
    """What a restore did not cover: paths of the objects that the checkpoint lacks, and of the checkpoint that the objects lack."""

    missing: tuple[str, ...]
    unexpected: tuple[str, ...]

    def assert_complete(self) -> RestoreStatus:
        """Raise CheckpointError, with the paths, unless all was there on both sides."""
        if self.missing or self.unexpected:
            missing, unexpected = (", ".join(paths) or "nothing" for paths in (self.missing, self.unexpected))
            raise ag.CheckpointError(
                f"the checkpoint lacks: {missing}; the objects lack: {unexpected}. "
                "Layers and optimizers have their Variables when they are built: build them before restoring"
            )
        return self


class FairLock:
    """A lock that its holder may take again, and that lets whoever waits in before a thread that has just given it up.

    Who waits holds `turn`, which everybody needs on the way in; with a plain lock a loop of steps would shut a save out for long.
    """

    def __init__(self) -> None:
        self.turn, self.lock = threading.Lock(), threading.Lock()
        self.owner: int | None = None
        self.depth = 0

    def __enter__(self) -> FairLock:
        if self.owner != threading.get_ident():
            with self.turn:
                self.lock.acquire()
            self.owner = threading.get_ident()
        self.depth += 1
        return self

    def __exit__(self, *exception: object) -> None:
        self.depth -= 1
        if not self.depth:
            self.owner = None
            self.lock.release()


class Checkpoint:
    """The Variables and random generators that objects lead to, and numbers, under the names given.

    Lists, tuples, dicts and attributes are gone through; an object that several paths lead to is saved once, and found again by any of
    them. A number given by name, or in a list or dict, is state too: `checkpoint.step`. Hold `lock` while a step runs, if another thread
    saves: a save takes it while it copies the state, not while it writes, so what is saved is a state between two steps.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = Checkpoint(weights=[ag.Variable([1.0, 2.0])], step=7)
    ...     path = saved.save(folder + "/first")
    ...     fresh = Checkpoint(weights=[ag.Variable([0.0, 0.0])], step=0)
    ...     status = fresh.restore(path)
    >>> fresh.weights, fresh.step, status.missing
    ([Variable([1., 2.], dtype=float64)], 7, ())
    """

    def __init__(self, **objects: Any) -> None:
        if taken := [name for name in objects if name in OWN or hasattr(type(self), name)]:
            raise ag.SettingError(f"Checkpoint: `{taken[0]}` is a name of its own; choose another one")
        self.lock, self.files = FairLock(), Files()
        vars(self).update(objects)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Write the state to a directory of this name, in place of a checkpoint that is there; gives the path. If that fails (OSError), the
        one before is still there; when it has returned, the new one is on disk, also if the machine stops."""
        with self.lock:
            state = find_state(vars(self))
            saved = store.Saved(
                [(paths, variable.numpy().copy()) for variable, paths in state.variables],
                [(paths, generator_state(generator)) for generator, paths in state.generators],
                {path: to_json(place.holder[place.key]) for path, place in state.numbers.items()},
            )
        store.write(self.files, os.fspath(path), saved)
        return os.fspath(path)

    def restore(self, path: str | os.PathLike[str], expect_partial: bool = False) -> RestoreStatus:
        """Write a saved state into the objects; gives what was not covered. A warning names saved Variables that have no place in the
        objects, as those of a layer that is not built yet, unless `expect_partial` says that this is meant.

        CheckpointError (a ValueError) says what is damaged, or names the Variables of another shape or dtype; nothing is changed then.
        """
        saved = store.read(self.files, os.fspath(path))
        with self.lock:
            state = find_state(vars(self))
            variables, lacking, unused = matched(state.variables, saved.arrays)
            generators, lacking_generators, unused_generators = matched(state.generators, saved.generators)
            states = check(os.fspath(path), variables, generators)
            for variable, array, _ in variables:
                variable.assign(array)
            for (generator, *_), found in zip(generators, states):
                generator.bit_generator.state = found
            for name in state.numbers.keys() & saved.numbers.keys():
                state.numbers[name].write(saved.numbers[name])
        if unused and not expect_partial:
            warnings.warn(text_of_partial(os.fspath(path), unused), stacklevel=2)
        lacking_numbers = [name for name in state.numbers if name not in saved.numbers]
        unused_numbers = [name for name in saved.numbers if name not in state.numbers]
        return RestoreStatus((*lacking, *lacking_generators, *lacking_numbers), (*unused, *unused_generators, *unused_numbers))


def text_of_partial(path: str, unused: list[str]) -> str:
    """The warning for Variables that are left in a checkpoint."""
    more = f" and {len(unused) - 4} more" if len(unused) > 4 else ""
    return (
        f"{path} is restored in part: the objects have no Variable for {', '.join(unused[:4])}{more}. Layers and optimizers have theirs "
        "when they are built: call the model, or build, before restoring; or give expect_partial=True"
    )


def matched(found: list[Any], saved: list[Any]) -> tuple[list[tuple[Any, Any, str]], list[str], list[str]]:
    """Objects with what was saved for them and a path that both have; paths of objects and of what was saved that have no partner."""
    by_path = {path: index for index, (paths, _) in enumerate(saved) for path in paths}
    pairs, lacking, used = [], [], set()
    for x, paths in found:
        common = next((path for path in paths if path in by_path), None)
        if common is None:
            lacking.append(paths[0])
        else:
            used.add(by_path[common])
            pairs.append((x, saved[by_path[common]][1], common))
    return pairs, lacking, [paths[0] for index, (paths, _) in enumerate(saved) if index not in used]


def check(path: str, variables: list[Any], generators: list[Any]) -> list[Any]:
    """The states of generators, ready to be set; CheckpointError where anything does not fit, with all that does not."""
    wrong = [
        f"{name}: saved {array.dtype}{array.shape}, here {variable.dtype}{variable.shape}"
        for variable, array, name in variables
        if array.shape != variable.shape or array.dtype != variable.dtype
    ]
    states = []
    for generator, found, name in generators:
        try:
            states.append(from_json(found))
            type(generator.bit_generator)().state = states[-1]
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            wrong.append(f"{name}: {error}")
    if wrong:
        raise ag.CheckpointError(f"{path} does not fit, and nothing was restored: {'; '.join(wrong)}")
    return states


class CheckpointManager:
    """Keeps the newest `max_to_keep` saves of a checkpoint in a directory, as `ckpt-1`, `ckpt-2`, ...

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint = Checkpoint(step=0)
    ...     manager = CheckpointManager(checkpoint, folder, max_to_keep=2)
    ...     for checkpoint.step in (1, 2, 3):
    ...         path = manager.save()
    ...     [os.path.basename(path) for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    """

    def __init__(self, checkpoint: Checkpoint, directory: str | os.PathLike[str], max_to_keep: int) -> None:
        if max_to_keep < 1:
            raise ag.SettingError(f"CheckpointManager: max_to_keep is {max_to_keep}; at least the save itself is kept")
        self.checkpoint, self.directory, self.max_to_keep = checkpoint, os.fspath(directory), max_to_keep

    @property
    def checkpoints(self) -> list[str]:
        """The paths of whole saves, the oldest first."""
        return [path for path in self.places() if os.path.exists(os.path.join(path, store.MANIFEST))]

    @property
    def latest(self) -> str | None:
        """The path of the newest save, None where there is none."""
        return next(reversed(self.checkpoints), None)

    def save(self) -> str:
        """Save under the next number and remove what is over `max_to_keep`; gives the path."""
        places = self.places()
        number = int(NUMBERED.fullmatch(os.path.basename(places[-1]))[1]) + 1 if places else 1  # type: ignore[index]
        path = os.path.join(self.directory, f"ckpt-{number}")
        self.checkpoint.save(path)
        kept = self.checkpoints[-self.max_to_keep :]
        for old in places:
            if old not in kept:
                with contextlib.suppress(OSError):  # what stays is removed by the next save
                    store.remove(self.checkpoint.files, old)
        return path

    def restore_latest(self) -> RestoreStatus | None:
        """Restore the newest save; None, and nothing changed, where there is none."""
        return None if self.latest is None else self.checkpoint.restore(self.latest)

    def places(self) -> list[str]:
        """The directories with numbers, whole or not, in order."""
        names = os.listdir(self.directory) if os.path.isdir(self.directory) else []
        numbers = sorted(int(match[1]) for name in names if (match := NUMBERED.fullmatch(name)))
        return [os.path.join(self.directory, f"ckpt-{number}") for number in numbers]
