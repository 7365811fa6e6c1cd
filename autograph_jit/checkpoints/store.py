"""A checkpoint on disk: a directory with the arrays (safetensors) and `manifest.json`, which names them and makes them count.

The arrays have a file named after their content. The manifest is put in the place of the one before when they are safe on disk, so there
is the old state or the new one at every moment. It holds the SHA-256 of the arrays' file and one of itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.checkpoints.files import TEMPORARY, Files, read_whole, sync_directory, write_whole

try:
    from safetensors import SafetensorError
    from safetensors import numpy as safetensors
except ImportError:  # told when a checkpoint is written or read
    safetensors, SafetensorError = None, ValueError  # type: ignore[assignment, misc]

FORMAT = 1
MANIFEST = "manifest.json"
MANIFEST_LIMIT_BYTES = 64 << 20
OWN_NAMES = re.compile(rf"(arrays-[0-9a-f]{{64}}\.safetensors|{re.escape(MANIFEST)})({re.escape(TEMPORARY)}[0-9a-f]+)?")
ALIEN = (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError)  # what reading damaged text may raise


@dataclass(frozen=True, slots=True)
class Saved:
    """What a checkpoint holds: arrays and states of generators with all their paths, numbers by path."""

    arrays: list[tuple[list[str], Any]]
    generators: list[tuple[list[str], Any]]
    numbers: dict[str, bool | int | float]


def write(files: Files, path: str, saved: Saved) -> None:
    """Write a checkpoint, in place of the one that stands there."""
    content = library().save({str(index): storable(array) for index, (_, array) in enumerate(saved.arrays)})
    digest = hashlib.sha256(content).hexdigest()
    name = f"arrays-{digest}.safetensors"
    body = {
        "format": FORMAT,
        "files": {name: {"bytes": len(content), "sha256": digest}},
        "arrays": [{"paths": paths, "shape": list(array.shape), "dtype": str(array.dtype)} for paths, array in saved.arrays],
        "generators": [{"paths": paths, "state": state} for paths, state in saved.generators],
        "numbers": saved.numbers,
    }
    files.make_directory(path)
    sync_directory(files, os.path.dirname(os.path.abspath(path)))
    write_whole(files, os.path.join(path, name), content)
    sync_directory(files, path)
    write_whole(files, os.path.join(path, MANIFEST), sealed(body))
    sync_directory(files, path)
    with contextlib.suppress(OSError):  # what stays is removed by the next save
        remove_files(files, path, {MANIFEST, name})


def read(files: Files, path: str) -> Saved:
    """Read a checkpoint and check all of it; CheckpointError names what is damaged."""
    place = os.path.join(path, MANIFEST)
    text = read_whole(files, place, MANIFEST_LIMIT_BYTES)
    try:
        body = json.loads(text)["checkpoint"]
        if sealed(body) != text or body["format"] != FORMAT:
            raise ValueError("its checksum or its format is another")
        [(name, file)] = body["files"].items()
        if not OWN_NAMES.fullmatch(name) or not all(isinstance(value, (bool, int, float)) for value in body["numbers"].values()):
            raise ValueError("it holds what no checkpoint does")
    except ALIEN as error:
        raise ag.CheckpointError(f"{place} is damaged: {error}") from error
    place = os.path.join(path, name)
    try:
        content = read_whole(files, place, file["bytes"], file["bytes"])
        if hashlib.sha256(content).hexdigest() != file["sha256"]:
            raise ValueError("its checksum is another")
        arrays = library().load(content)
        found = [(entry["paths"], stored(arrays[str(index)], entry)) for index, entry in enumerate(body["arrays"])]
    except (*ALIEN, FileNotFoundError, SafetensorError) as error:
        raise error if isinstance(error, ag.CheckpointError) else ag.CheckpointError(f"{place} is damaged: {error}") from error
    return Saved(found, [(entry["paths"], entry["state"]) for entry in body["generators"]], body["numbers"])


def remove(files: Files, path: str) -> None:
    """Remove a checkpoint: first its manifest, then the rest; files of other names stay, and the directory with them."""
    with contextlib.suppress(FileNotFoundError):
        files.remove(os.path.join(path, MANIFEST))
    sync_directory(files, path)
    remove_files(files, path, set())
    files.remove_directory(path)


def remove_files(files: Files, path: str, kept: set[str]) -> None:
    for name in files.names(path):
        if OWN_NAMES.fullmatch(name) and name not in kept:
            files.remove(os.path.join(path, name))


def sealed(body: Any) -> bytes:
    """The manifest's text, the only one for this content."""
    text = json.dumps(body, sort_keys=True)
    return json.dumps({"checkpoint": body, "sha256": hashlib.sha256(text.encode()).hexdigest()}, sort_keys=True, indent=1).encode()


def storable(array: Any) -> Any:
    """An array that the file format has: complex numbers as pairs."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    return array[..., None].view(array.real.dtype) if np.iscomplexobj(array) else array


def stored(array: Any, entry: Any) -> Any:
    """The array as it was before `storable`."""
    found = array.view(entry["dtype"])[..., 0] if np.dtype(entry["dtype"]).kind == "c" else array
    if list(found.shape) != entry["shape"] or str(found.dtype) != entry["dtype"]:
        raise ValueError("an array is not what the manifest says")
    return found


def library() -> Any:
    if safetensors is None:
        raise ag.MissingExtraError("checkpoints are written and read by safetensors: pip install 'autograph-jit[checkpoints]'")
    return safetensors
