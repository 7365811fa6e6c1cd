"""What runs the parts of a call: a client of Dask, or the processes of an MPI communicator. Results come in the order of the parts."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import autograph_jit as ag
from autograph_jit.distributed.portable import portable

Part = tuple[Any, ...]


class Dask:
    """A client of dask.distributed. All that a task needs is known to the scheduler, which gives it to another worker if one is lost."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def count(self) -> int:
        """How many parts there are where nothing else is asked for."""
        if self.client.asynchronous:
            raise ag.SettingError("the workers of an asynchronous client are not known without waiting: give parts=")
        workers = len(self.client.nthreads())
        if not workers:
            raise ag.SettingError("the client has no workers yet: call client.wait_for_workers(n), or give parts=")
        return workers

    def agreed(self, x: Any) -> Any:
        """What all processes that run this program take for `x`."""
        return x

    def place(self, task: Callable[..., Any]) -> Any:
        """Bring a task to where it runs."""
        return self.client.submit(same, portable(task), pure=False)

    def run(self, task: Any, common: Any, parts: list[Part]) -> Any:
        """`task(common, *part)` for each part, or something to await that gives the results. `task` is what `place` gave."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # what lies with one worker only would be lost with it
            shared = self.client.submit(same, common, pure=False)
            futures = [self.client.submit(call, task, shared, *part, pure=False) for part in parts]
        return self.client.gather(futures)


class Communicator:
    """A communicator of mpi4py, in whose processes this program runs: each computes its share of the parts and gets all results. Its
    methods are those of `Dask`."""

    def __init__(self, communicator: Any) -> None:
        self.communicator = communicator

    def count(self) -> int:
        return self.communicator.Get_size()

    def agreed(self, x: Any) -> Any:
        return self.communicator.bcast(x)

    def place(self, task: Callable[..., Any]) -> Any:
        return task

    def run(self, task: Any, common: Any, parts: list[Part]) -> list[Any]:
        size, results = self.communicator.Get_size(), []
        try:
            for part in parts[self.communicator.Get_rank() :: size]:
                results.append(task(common, *part))
        except Exception as error:  # the others wait: it is raised in all processes
            results = [error]
        gathered = self.communicator.allgather(results)
        for share in gathered:
            if share and isinstance(share[0], Exception):
                raise share[0]
        return [gathered[i % size][i // size] for i in range(len(parts))]


Engine = Dask | Communicator


def behind(results: Any, finish: Callable[[list[Any]], Any]) -> Any:
    """`finish(results)`; of an asynchronous client something to await that gives it."""

    async def waited() -> Any:
        return finish(await results)

    return waited() if inspect.isawaitable(results) else finish(results)


def same(x: Any) -> Any:
    return x


def call(task: Callable[..., Any], *args: Any) -> Any:
    return task(*args)


def engine_of(client: Any, parts: int | None) -> tuple[Engine, int]:
    """The engine that a client or communicator is, and the number of parts, its own where none is given."""
    engine: Engine
    if hasattr(client, "submit") and hasattr(client, "gather") and hasattr(client, "nthreads"):
        engine = Dask(client)
    elif hasattr(client, "allgather") and hasattr(client, "Get_rank"):
        engine = Communicator(client)
    else:
        raise ag.SettingError(
            f"ag.distributed takes a dask.distributed.Client (pip install 'autograph-jit[distributed]') or a communicator of mpi4py "
            f"(pip install 'autograph-jit[mpi]'), not {type(client).__name__}"
        )
    if parts is not None and parts < 1:
        raise ag.SettingError(f"parts={parts!r}: expected a positive int, or None for as many as there are workers")
    return engine, engine.count() if parts is None else parts
