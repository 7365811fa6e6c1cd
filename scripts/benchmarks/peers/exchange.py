"""Arguments and results between processes: arrays as .npy files, numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def write_values(folder: str, name: str, values: Sequence[Any]) -> None:
    """Write each array to `folder/name-K.npy` and the list of values to `folder/name.json`."""
    listed: list[Any] = []
    for k, value in enumerate(values):
        if isinstance(value, np.ndarray):
            np.save(Path(folder, f"{name}-{k}.npy"), value)
            listed.append({"array": k})
        else:
            listed.append(value)
    Path(folder, f"{name}.json").write_text(json.dumps(listed))


def read_values(folder: str, name: str) -> list[Any]:
    listed = json.loads(Path(folder, f"{name}.json").read_text())
    return [np.load(Path(folder, f"{name}-{value['array']}.npy")) if isinstance(value, dict) else value for value in listed]
