"""Training on many processes: two spirals told apart, each step's batch divided among workers of Dask, or by `mpiexec` among processes.

python samples/data_parallel.py [address]            needs the extra `distributed`
mpiexec -n 2 python samples/data_parallel.py mpi     needs the extra `mpi`
"""

from __future__ import annotations

import sys

import numpy as np

import autograph_jit as ag
from autograph_jit import nn


def spirals(size):
    """So many points of each of two spirals, and which they belong to; the seed is fixed."""
    rng = np.random.default_rng(0)
    angle, label = np.tile(np.linspace(0.5, 7.0, size), 2), np.repeat([0, 1], size)
    turned = angle + np.pi * label
    points = np.stack([angle * np.cos(turned), angle * np.sin(turned)], axis=1) + 0.1 * rng.standard_normal((2 * size, 2))
    return points.astype(np.float32), label


def train(make_step, epochs, size=256):
    """A model, and the loss of each step. `make_step` makes the training step of (model, loss, optimizer)."""
    nn.set_seed(0)
    model = nn.Sequential([nn.Dense(32, "tanh"), nn.Dense(32, "tanh"), nn.Dense(2)])
    step = make_step(model, nn.losses.SparseCategoricalCrossentropy(from_logits=True), ag.optim.Adam(0.05))
    batches = nn.batches(spirals(size), 128, seed=0)
    return model, [float(step(x, y)) for _ in range(epochs) for x, y in batches]


def train_divided(client, epochs, size=256):
    """The same with the gradients of a client's workers, or of a communicator's processes."""
    return train(lambda model, loss, optimizer: ag.distributed.train_step(model, loss, optimizer, client), epochs, size)


def report(client):
    model, losses = train_divided(client, epochs=15)
    x, y = spirals(256)
    right = np.mean(np.argmax(model(x), axis=-1) == y)
    return f"loss {losses[0]:.3f} at first and {losses[-1]:.4f} at last, {100 * right:.1f} % told apart"


def main() -> None:
    """With an argument: the address of a scheduler of Dask, otherwise on two processes of its own; or `mpi`."""
    if sys.argv[1:] == ["mpi"]:
        from mpi4py import MPI  # noqa: PLC0415 one of the two is enough

        told = report(MPI.COMM_WORLD)
        if MPI.COMM_WORLD.Get_rank() == 0:
            print(told)
    else:
        from distributed import Client  # noqa: PLC0415

        address = {"address": sys.argv[1]} if sys.argv[1:] else {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with Client(**address) as client:
            print(report(client))


if __name__ == "__main__":
    main()
