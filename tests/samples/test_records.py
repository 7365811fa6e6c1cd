"""Test of samples/records.py: grain's batches are the rows of the file, and train the same eagerly and compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

pytest.importorskip("grain", reason="the extra samples brings grain")

from samples import records


def sorted_rows(batches: list[Any]) -> np.ndarray:
    return np.sort(np.concatenate([y for _, y in batches]))


def test_checksums_are_those_of_the_standard() -> None:
    assert records.crc32c(b"123456789") == 0xE3069283  # the check value that catalogues of checksums list


def test_records_are_read_once_an_epoch_and_train_as_eagerly(tmp_path: Path) -> None:
    rows, path = records.make_rows(100), tmp_path / "points.tfrecord"
    records.write_records(path, rows)
    for made in (lambda: records.from_records(path, 20, epochs=2), lambda: records.from_rows(rows, 20, epochs=2)):
        batches = list(made())
        assert [x.shape for x, _ in batches] == [(20, records.FEATURES)] * 10
        for epoch in (batches[:5], batches[5:]):
            np.testing.assert_array_equal(sorted_rows(epoch), np.sort(rows["y"]))
        assert not np.array_equal(batches[0][1], rows["y"][:20])
        eager, compiled = (records.train(made(), run(records.make_step())) for run in (lambda step: step, ag.compile))
        np.testing.assert_allclose(compiled, eager, rtol=1e-5)
        assert compiled[-1] < compiled[0]


def test_another_process_reads_the_same_batches_ahead(tmp_path: Path) -> None:
    path = tmp_path / "points.tfrecord"
    records.write_records(path, records.make_rows(40))
    for mine, theirs in zip(records.read_ahead(records.from_records(path, 8, 1)), records.from_records(path, 8, 1), strict=True):
        np.testing.assert_array_equal(mine[1], theirs[1])
