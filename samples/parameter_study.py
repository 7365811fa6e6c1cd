"""A parameter study on many processes: where the logistic map x -> r x (1 - x) is chaotic (needs the extra `distributed`)."""

from __future__ import annotations

import sys

import numpy as np
from distributed import Client

import autograph_jit as ag


@ag.compile
def exponents(rates, steps):
    """The Lyapunov exponent of each rate, the mean of log |r (1 - 2 x)| along an orbit: it is positive where neighbours part."""
    found = np.empty(len(rates))
    for i in range(len(rates)):
        x, total = 0.3, 0.0
        for _ in range(steps):
            x = rates[i] * x * (1 - x)
            total += np.log(abs(rates[i] * (1 - 2 * x)))
        found[i] = total / steps
    return found


def study(client, rates, steps, tasks=8):
    """The exponents, by so many tasks, which the client's workers share."""
    futures = client.map(ag.distributed.portable(exponents), np.array_split(rates, tasks), steps=steps)
    return np.concatenate(client.gather(futures))


def main() -> None:
    """With an argument: the address of a scheduler of Dask, otherwise on two processes of its own."""
    address = {"address": sys.argv[1]} if sys.argv[1:] else {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    rates = np.linspace(2.8, 4.0, 2401)
    with Client(**address) as client:
        found = study(client, rates, 20_000)
    print(f"chaos first at r = {rates[np.argmax(found > 0.001)]:.3f}; at r = 4 the exponent is {found[-1]:.4f} (log 2 is 0.6931)")


if __name__ == "__main__":
    main()
