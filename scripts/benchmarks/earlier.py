"""Whether a change made anything slower: every kernel and gradient of this checkout and of an earlier one, in processes that take turns.

`scripts/bench --against CHECKOUT`. The earlier checkout gives the package alone; the programs are those of this one. A row is measured
up to three times: what is over the limit once and not again is the machine's.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks import gradients, kernels
from benchmarks.contender import CPU, Local
from benchmarks.gradients_case import gradient_anew
from benchmarks.measure import is_mutating

SCRIPTS = Path(__file__).resolve().parents[1]
HERE = SCRIPTS.parent
LIMIT, TRIES = 1.10, 3
LEAST_SAMPLES, LONGEST_SECONDS = 7, 0.6
SHORTEST_SECONDS = 1e-3  # shorter calls are timed in batches


class Server:
    """One checkout's side: the programs by name, the one that was started last."""

    def __init__(self) -> None:
        import autograph_jit as ag  # noqa: PLC0415 - that of the checkout, which PYTHONPATH names

        self.package = ag.__file__
        ag.config(cache=False)
        self.functions: dict[str, Any] = {}
        for case in kernels.BENCHMARKS:
            self.functions[case.name] = ag.compile(case.plain, fallback="error"), case.plain, case
        for program in gradients.PROGRAMS:
            self.functions[f"gradient of {program.name}"] = gradient_anew(program.function), program.function, program

    def start(self, name: str, quick: bool) -> float:
        """Seconds of the first call."""
        function, plain, case = self.functions[name]
        size = case.quick if quick else case.size
        arguments = case.arguments(size) if hasattr(case, "arguments") else (case.argument(size),)
        mutating = is_mutating(case, arguments) if hasattr(case, "plain") else is_mutating(gradients.as_benchmark(case), arguments)
        self.running = Local(function, arguments, mutating)
        return self.running.first().seconds

    def sample(self, batch: int) -> float:
        """Seconds of a call."""
        return self.running.sample(batch, 1, CPU)


def serve() -> None:
    """Answer requests, a line of JSON each."""
    answers, sys.stdout = sys.stdout, sys.stderr
    server = Server()
    print(json.dumps([server.package, list(server.functions)]), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(getattr(server, request.pop("do"))(**request)), file=answers, flush=True)


class Side:
    """The process of one checkout."""

    def __init__(self, checkout: Path) -> None:
        variables = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (checkout, SCRIPTS, HERE)))}
        command = [sys.executable, "-P", "-m", "benchmarks.earlier"]  # -P: the working directory, a checkout too, would be found first
        self.process = subprocess.Popen(command, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.names: list[str]
        package, self.names = self.read()
        if not Path(package).is_relative_to(checkout):
            raise RuntimeError(f"{checkout} was to be measured, and {package} was found")

    def read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, do: str, **request: Any) -> Any:
        assert self.process.stdin is not None
        print(json.dumps({"do": do, **request}), file=self.process.stdin, flush=True)
        return self.read()


def compare(sides: tuple[Side, Side], name: str, quick: bool) -> dict[str, float]:
    """Least seconds of a call now and before, in turns, and of both first calls."""
    first = [side.ask("start", name=name, quick=quick) for side in sides]
    one = max(side.ask("sample", batch=1) for side in sides)
    batch = 1 + int(SHORTEST_SECONDS / max(one, 1e-7))
    rounds = 1 if quick else max(LEAST_SAMPLES, min(40, int(LONGEST_SECONDS / (one * batch))))
    samples = [[side.ask("sample", batch=batch) for side in sides] for _ in range(rounds)]
    now, before = map(min, zip(*samples))
    return {"now_s": now, "before_s": before, "ratio": now / before, "first_now_s": first[0], "first_before_s": first[1]}


def run(checkout: Path, only: str, quick: bool) -> dict[str, dict[str, float]]:
    """Measure and print; figures by name."""
    sides = Side(HERE), Side(checkout.resolve())
    names = [name for name in sides[0].names if only in name]
    width = max(map(len, names), default=0) + 2
    print(f"{'times in ms':{width}}{'now':>10}{'before':>10}{'ratio':>8}{'first now, s':>14}{'before':>8}", flush=True)
    found: dict[str, dict[str, float]] = {}
    for name in names:
        for _ in range(TRIES):
            figures = compare(sides, name, quick)
            found[name] = min((found.get(name, figures), figures), key=lambda one: one["ratio"])
            if found[name]["ratio"] <= LIMIT:
                break
        row = found[name]
        times = f"{1e3 * row['now_s']:10.4g}{1e3 * row['before_s']:10.4g}{row['ratio']:8.3f}"
        print(f"{name:{width}}{times}{row['first_now_s']:14.3f}{row['first_before_s']:8.3f}", flush=True)
    print("", summary(found), sep="\n", flush=True)
    return found


def summary(found: dict[str, dict[str, float]]) -> str:
    """The geometric means, and what is over the limit in each of its tries."""
    ratios = [row["ratio"] for row in found.values()] or [math.nan]
    firsts = [row["first_now_s"] / row["first_before_s"] for row in found.values()] or [math.nan]
    over = [f"{name} {row['ratio']:.2f}" for name, row in found.items() if row["ratio"] > LIMIT]
    means = f"{statistics.geometric_mean(ratios):.4f} x the time before, first calls {statistics.geometric_mean(firsts):.2f} x"
    return f"{len(found)} programs: {means} (geometric means)\nover {LIMIT:g} in {TRIES} tries: {', '.join(over) or 'none'}"


if __name__ == "__main__":
    serve()
