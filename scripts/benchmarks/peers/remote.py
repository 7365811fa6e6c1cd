"""A contender that runs in the process and the environment of a peer (`peers.worker`), in turns with those of this process."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.case import Benchmark
from benchmarks.contender import WALL, FirstCall, Runner
from benchmarks.peers.exchange import read_values, write_values
from benchmarks.peers.installed import ROOT, interpreter, is_installed

# What a contender is called, the peer that it needs, its module.
CONTENDERS = {
    "jax": ("jax", "jax_contender"),
    "jax, NumPy arrays": ("jax", "jax_numpy_contender"),
    "jax.grad": ("jax", "jax_gradients_contender"),
    "tf.function": ("tensorflow", "tensorflow_contender"),
    "torch": ("torch", "torch_contender"),
    "torch.compile": ("torch", "torch_compiled_contender"),
    "jax, training": ("jax", "jax_training"),
    "tf.function, training": ("tensorflow", "tensorflow_training"),
    "torch, training": ("torch", "torch_training"),
    "torch.compile, training": ("torch", "torch_training_compiled"),
    "numexpr": ("numexpr", "numexpr_contender"),
}


class Fault(RuntimeError):
    """What a worker reports instead of an answer."""


class Worker:
    """The process; it ends when its input is closed, at the latest with this one."""

    def __init__(self, python: Path, module: str, *folders: Path) -> None:
        paths = os.pathsep.join(map(str, (ROOT / "scripts", *folders)))
        variables = os.environ | {"PYTHONPATH": paths, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
        self.complaints = tempfile.TemporaryFile("w+")
        self.running = subprocess.Popen(
            [python, "-m", "benchmarks.peers.worker", module],
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            text=True,
        )
        greeting = self.read()
        self.version: str = greeting["version"]
        self.programs = frozenset(greeting["programs"])

    def read(self) -> dict[str, Any]:
        assert self.running.stdout is not None
        line = self.running.stdout.readline()
        if not line:
            status = self.running.wait()
            self.complaints.seek(0)
            raise Fault(
                f"the process has ended with status {status}: {(self.complaints.read().strip().splitlines() or ['no message'])[-1]}"
            )
        return json.loads(line)

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self.running.stdin is not None
        print(json.dumps(request), file=self.running.stdin, flush=True)
        answer = self.read()
        if "fault" in answer:
            raise Fault(answer["fault"])
        return answer

    def close(self) -> None:
        assert self.running.stdin is not None
        self.running.stdin.close()
        self.running.wait()


@dataclass(frozen=True, slots=True)
class Remote:
    """A benchmark that a worker runs."""

    worker: Worker
    name: str
    arguments: tuple

    def first(self) -> FirstCall:
        with tempfile.TemporaryDirectory() as folder:
            write_values(folder, "arguments", self.arguments)
            answer = self.worker.ask(do="start", name=self.name, folder=folder)
            values = read_values(folder, "result")
        kept = len(values) - len(answer["also"])
        result = values[0] if kept == 1 else tuple(values[:kept])
        return FirstCall(answer["seconds"], result, dict(zip(answer["also"], values[kept:])), answer["processor_s"])

    def again(self) -> Any:
        """The result of one more call."""
        with tempfile.TemporaryDirectory() as folder:
            self.worker.ask(do="again", folder=folder)
            return read_values(folder, "result")[0]

    def sample(self, batch: int, warm: int, clock: str = WALL) -> float:
        return self.worker.ask(do="sample", batch=batch, warm=warm, clock=clock)["seconds"]


@dataclass(frozen=True, slots=True)
class PeerContender:
    """A peer by the name of one of its modules."""

    name: str
    worker: Worker

    def start(self, case: Benchmark, arguments: tuple, mutating: bool) -> Runner | None:
        name = case.plain.__name__
        return Remote(self.worker, name, arguments) if name in self.worker.programs else None


def start_peers(names: tuple[str, ...]) -> tuple[list[PeerContender], dict[str, str]]:
    """The contenders of these names whose peers are installed, and why the others are missing."""
    found, missing = [], {}
    for name in names:
        peer, module = CONTENDERS[name]
        if not is_installed(peer):
            missing[name] = "not installed: scripts/bench --install-peers"
            continue
        try:
            found.append(PeerContender(name, Worker(interpreter(peer), f"benchmarks.peers.{module}")))
        except (Fault, OSError) as error:
            missing[name] = str(error)
    return found, missing
