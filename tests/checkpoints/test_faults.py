"""Failing file operations, kills and damaged files: the old state or the new one is there, never a mixture, never an untyped error."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import checkpoints
from autograph_jit.checkpoints.files import Files
from autograph_jit.checkpoints.store import sealed
from tests.checkpoints import corruption

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = [name for name in vars(Files) if not name.startswith("_")]
FAULTS = ("fails", "is done, then fails", "no memory", "does a part")


class Failing(Files):
    """Operation number `at` fails in its way; `calls` counts them all."""

    def __init__(self, at: int = -1, fault: str = "fails") -> None:
        self.at, self.fault, self.calls, self.names_called = at, fault, 0, []

    def call(self, name: str, perform: Callable[..., Any], *arguments: Any) -> Any:
        self.calls += 1
        self.names_called.append(name)
        if self.calls - 1 != self.at:
            return perform(*arguments)
        if self.fault == "does a part" and name in ("read", "write"):
            count = arguments[1] // 2 + 1 if name == "read" else arguments[1][: len(arguments[1]) // 2 + 1]
            return perform(arguments[0], count)
        if self.fault == "is done, then fails" or name == "close":  # a descriptor is gone, whatever the system says
            perform(*arguments)
        if self.fault == "no memory":
            raise MemoryError
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def failing(name: str) -> Callable[..., Any]:
    return lambda self, *arguments: self.call(name, getattr(Files, name), *arguments)


for operation in OPERATIONS:
    setattr(Failing, operation, failing(operation))


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine stops in these tests, so that the calls of fsync need only be made."""
    monkeypatch.setattr(Files, "sync", staticmethod(os.fstat))


def state(number: int) -> checkpoints.Checkpoint:
    return checkpoints.Checkpoint(a=ag.Variable(np.full(50, float(number))), b=[ag.Variable(np.full((2, 3), number))], step=number)


def content(checkpoint: Any) -> set[float]:
    return {float(checkpoint.step), *map(float, checkpoint.a.numpy()), *map(float, checkpoint.b[0].numpy().ravel())}


def restored(path: Any) -> float:
    """The number of what was saved, all of which must be of one number."""
    fresh = state(0)
    fresh.restore(path).assert_complete()
    [number] = content(fresh)
    return number


def each_fault(run: Callable[[Failing], None]) -> list[str]:
    """Every operation of `run` fails once in each way; gives the names of the operations."""
    run(clean := Failing())
    assert clean.calls
    for fault in FAULTS:
        for at in range(clean.calls):
            run(Failing(at, fault))
    return clean.names_called


def test_a_save_that_fails_anywhere_leaves_the_old_state_or_the_new(tmp_path: Path) -> None:
    left: list[float] = []

    def run(files: Failing) -> None:
        path = tmp_path / f"{files.at} {files.fault}"
        state(1).save(path)
        second = state(2)
        second.files = files
        try:
            second.save(path)
        except (OSError, MemoryError):
            left.append(restored(path))
            assert left[-1] in (1, 2)
        else:
            assert restored(path) == 2
        state(3).save(path)
        assert restored(path) == 3 and len(os.listdir(path)) == 2

    names = each_fault(run)
    assert {1.0, 2.0} == set(left)
    assert set(names) == set(OPERATIONS) - {"remove_directory", "read", "status"}
    assert names.index("sync") < names.index("replace") and names[-1] == "remove"


def test_a_first_save_that_fails_anywhere_leaves_nothing_or_all(tmp_path: Path) -> None:
    def run(files: Failing) -> None:
        path, first = tmp_path / f"{files.at} {files.fault}", state(1)
        first.files = files
        try:
            first.save(path)
        except (OSError, MemoryError):
            if not (path / "manifest.json").exists():
                with pytest.raises(FileNotFoundError):
                    restored(path)
                return
        assert restored(path) == 1

    each_fault(run)


def test_a_restore_that_fails_anywhere_changes_nothing(tmp_path: Path) -> None:
    state(1).save(tmp_path / "a")

    def run(files: Failing) -> None:
        fresh = state(0)
        fresh.files = files
        try:
            fresh.restore(tmp_path / "a")
        except (OSError, MemoryError, ag.CheckpointError):
            assert content(fresh) == {0.0}
        else:
            assert content(fresh) == {1.0}

    assert set(each_fault(run)) == {"open_to_read", "status", "read", "close"}


def test_a_manager_whose_files_fail_anywhere_has_a_whole_latest_state(tmp_path: Path) -> None:
    def run(files: Failing) -> None:
        checkpoint = state(1)
        manager = checkpoints.CheckpointManager(checkpoint, tmp_path / f"{files.at} {files.fault}", max_to_keep=1)
        manager.save()
        checkpoint.step, checkpoint.files = 2, files
        checkpoint.a.assign(np.full(50, 2.0))
        checkpoint.b[0].assign(np.full((2, 3), 2))
        try:
            manager.save()
        except (OSError, MemoryError):
            assert restored(manager.latest) in (1, 2)
        else:
            assert restored(manager.latest) == 2
        checkpoint.files = Files()
        manager.save()
        assert len(os.listdir(manager.directory)) == 1

    each_fault(run)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes to be killed are forked")
def test_a_killed_process_leaves_a_whole_state() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.checkpoints.kills", "8"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert re.match("8 kills, [0-9]+ of them inside a write", done.stdout), done.stderr


def test_damaged_files_are_a_typed_error_in_little_memory() -> None:
    met = corruption.run(200)
    assert sum(met.values()) == 200 and {how.split(" of ")[0] for how in met} == set(corruption.KINDS)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    state(1).save(path)
    (path / "manifest.json").unlink()
    (path / "manifest.json").mkdir()
    with pytest.raises((ag.CheckpointError, OSError)):
        restored(path)
    (path / "manifest.json").rmdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(path / "manifest.json")
        with pytest.raises(ag.CheckpointError, match="is damaged"):
            restored(path)


def test_a_manifest_that_names_files_elsewhere_or_holds_no_numbers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for change in ({"files": {"../secret": {"bytes": 1, "sha256": ""}}}, {"numbers": {"step": "text"}}, {"format": 2}):
        state(1).save(path)
        body = json.loads((path / "manifest.json").read_text())["checkpoint"]
        (path / "manifest.json").write_bytes(sealed(body | change))
        with pytest.raises(ag.CheckpointError, match="is damaged"):
            restored(path)
