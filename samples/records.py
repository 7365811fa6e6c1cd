"""Data by grain: a file of records, mapped, shuffled, put into batches, repeated and prefetched by processes, for a compiled training step.

`python -m samples.records` writes a TFRecord file of points in a temporary folder and trains on it for 20 epochs, while another process
reads ahead. It needs the package grain: `pip install 'autograph-jit[samples]'`.
"""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path

import grain
import numpy as np

import autograph_jit as ag
from autograph_jit import nn

FEATURES = 8
ROW = np.dtype([("x", "<f4", FEATURES), ("y", "<f4")])
CASTAGNOLI = 0x82F63B78  # the polynomial of CRC-32C, its bits from the lowest on


def crc32c(data):
    """The checksum of RFC 3720, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (CASTAGNOLI if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def checksum(data):
    """As TFRecord files have it: rotated, so that a checksum of what has checksums in it stays one."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def write_records(path, rows):
    """A TFRecord file: for each record its length, the checksum of that, its bytes, the checksum of those."""
    with Path(path).open("wb") as file:
        for row in rows:
            length, data = struct.pack("<Q", row.nbytes), row.tobytes()
            file.write(length + struct.pack("<I", checksum(length)) + data + struct.pack("<I", checksum(data)))


def make_rows(size, seed=0):
    """Points, and the values of a line at them with noise."""
    rng = np.random.default_rng(seed)
    rows = np.zeros(size, ROW)
    rows["x"] = rng.standard_normal((size, FEATURES))
    rows["y"] = rows["x"] @ np.linspace(-1, 1, FEATURES) + 0.01 * rng.standard_normal(size)
    return rows


def parsed(record):
    """The arrays that a record holds."""
    (row,) = np.frombuffer(record, ROW)
    return row["x"], row["y"]


def from_records(path, size, epochs, seed=0):
    """Batches of a file, shuffled within a window of 64 records."""
    dataset = grain.experimental.TFRecordIterDataset(str(path)).map(parsed)
    dataset = grain.experimental.WindowShuffleIterDataset(dataset, window_size=64, seed=seed)
    return grain.experimental.RepeatIterDataset(dataset.batch(size), epochs)


def from_rows(rows, size, epochs, seed=0):
    """Batches of rows in memory, each epoch in an order of its own."""
    dataset = grain.MapDataset.source(rows).seed(seed).shuffle().repeat(epochs).map(lambda row: (row["x"], row["y"]))
    return dataset.to_iter_dataset().batch(size)


def read_ahead(dataset, processes=1):
    """The same batches, made by other processes; more than one share rows in memory, a file is for one."""
    return dataset.mp_prefetch(grain.MultiprocessingOptions(num_workers=processes))


def make_step():
    """A training step of a line."""
    nn.set_seed(0)
    model, optimizer = nn.Sequential([nn.Dense(1)]), ag.optim.Adam(0.05)
    model(np.zeros((1, FEATURES), np.float32))

    def step(x, y):
        with ag.GradientTape() as tape:
            loss = np.mean((model(x)[:, 0] - y) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return step


def train(batches, step):
    """The losses of a step for each batch."""
    return [float(step(x, y)) for x, y in batches]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "points.tfrecord")
        write_records(path, make_rows(512))
        losses = train(read_ahead(from_records(path, 32, epochs=20)), ag.compile(make_step()))
    print(f"{len(losses)} steps, loss {losses[0]:.3f} at first, {losses[-1]:.5f} at last")


if __name__ == "__main__":
    main()
