"""The suites that are tables of benchmarks: which benchmarks, which contenders, and how they are run side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchmarks import ablation, control_flow, eager, elementwise, kernels, models, overhead, report
from benchmarks.case import Benchmark
from benchmarks.contender import LOCAL, NUMPY, OURS, Contender
from benchmarks.measure import Field, Settings, Timing, measure
from benchmarks.peers.remote import start_peers

Measure = Callable[[Benchmark, Iterable[Field], Settings], dict[str, Timing]]


@dataclass(frozen=True, slots=True)
class Table:
    """Benchmarks, the contenders of this process, those that peers bring, and how a row is measured."""

    benchmarks: tuple[Benchmark, ...]
    local: tuple[Field, ...]
    peers: tuple[str, ...]
    measure: Measure = measure

    def choose(self, text: str) -> list[Benchmark]:
        return [case for case in self.benchmarks if text in case.name or text in case.kind]


TABLES = {
    "kernels": Table(kernels.BENCHMARKS, LOCAL, ("jax",)),
    "control-flow": Table(control_flow.BENCHMARKS, LOCAL, ("jax", "tf.function", "torch")),
    "elementwise": Table(elementwise.BENCHMARKS, (NUMPY, OURS), ("jax", "numexpr", "torch", "torch.compile")),
    "calls": Table(
        overhead.BENCHMARKS,
        LOCAL,
        ("jax", "jax, NumPy arrays", "tf.function", "torch"),
        overhead.measure_calls,
    ),
    "eager": Table(eager.BENCHMARKS, eager.CONTENDERS, ("torch",)),
    "models": Table(
        models.BENCHMARKS,
        models.CONTENDERS,
        ("jax, training", "torch, training", "torch.compile, training", "tf.function, training"),
        models.measure_training,
    ),
    "ablation": Table(ablation.BENCHMARKS, (ablation.OURS, ablation.Without()), ()),
}


def run(table: Table, text: str, settings: Settings, with_peers: bool = True) -> tuple[report.Results, dict[str, str]]:
    """Measure the chosen rows and print them; the results, and of each peer its version or why it is missing."""
    peers, missing = start_peers(table.peers if with_peers else ())
    versions = {peer.name: peer.worker.version for peer in peers} | missing
    field_of = [*table.local, *peers]
    names = [contender.name for contender in field_of]
    for contender in (contender for contender in table.local if isinstance(contender, Contender)):
        overhead.measure_calls(overhead.CASE, [contender], Settings(quick=True))  # no row pays for the first compilation
    chosen = table.choose(text)
    width = max((len(case.name) for case in chosen), default=0) + 2
    print(*(f"{name}: {why}" for name, why in versions.items()), report.header(names, width), sep="\n", flush=True)
    results: report.Results = {}
    try:
        for case in chosen:
            results[case.name] = case, table.measure(case, field_of, settings)
            print(report.row(*results[case.name], names, width), flush=True)
    finally:
        for peer in peers:
            peer.worker.close()
    print("", report.summary(results, names), sep="\n", flush=True)
    return results, versions
