"""The suites of scripts/bench run at small sizes, and a peer that is not installed, broken or wrong is reported."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import ablation, control_flow, eager, elementwise, kernels, models, overhead, plot, report, tables
from benchmarks.array_programs import registry as array_programs
from benchmarks.case import Benchmark
from benchmarks.contender import Local
from benchmarks.measure import Settings, difference_of_calls
from benchmarks.peers import installed, remote

QUICK = Settings(quick=True)
PYTHON_WITHOUT_DISTRIBUTIONS = """#!/bin/sh -e
if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && exit; fi
for last; do :; done
printf 'Looking for it.\\nnothing for %s\\n' "$last" >&2
exit 1
"""
MODULES = (kernels, control_flow, elementwise, overhead, eager, models, array_programs)
EVERY = {case.plain.__name__: case for module in MODULES for case in module.BENCHMARKS}
PEER_MODULES = sorted(Path(remote.__file__).parent.glob("*.py"))

FAKE = '''"""A contender that adds: right, wrong and failing."""

from benchmarks.peers.program import Program, by_name

VERSION = "1.5"


def right(x, y):
    x += y
    return x.sum(), x


def wrong(x, y):
    return x.sum() + 1.0


def failing(x, y):
    raise ValueError("no such thing")


PROGRAMS = by_name((Program(right, also=(0,)), Program(wrong), Program(failing)))


def prepare(name, arguments):
    print("what a library prints is not an answer")
    return lambda: PROGRAMS[name].function(*(value.copy() for value in arguments))
'''


def right(x, y):
    x += y
    return x.sum()


def wrong(x, y):
    return x.sum()


def failing(x, y):
    return x.sum()


def absent(x, y):
    return x.sum()


def case_of(function) -> Benchmark:
    return Benchmark("", function, function, lambda n: (np.arange(float(n)), np.ones(n)), 5, 5)


@pytest.fixture
def fake(tmp_path: Path):
    (tmp_path / "fake_contender.py").write_text(FAKE)
    worker = remote.Worker(Path(sys.executable), "fake_contender", tmp_path)
    yield remote.PeerContender("fake", worker)
    worker.close()


def test_worker_is_timed_and_its_changed_arguments_are_compared(fake) -> None:
    timings = tables.measure(case_of(right), [fake], QUICK)
    assert timings["fake"].fault == "" and timings["fake"].time_s > 0 and fake.worker.version == "1.5"


def test_wrong_result_and_exception_of_a_worker_are_faults(fake) -> None:
    assert tables.measure(case_of(wrong), [fake], QUICK)["fake"].fault.startswith("largest difference 1")
    assert tables.measure(case_of(failing), [fake], QUICK)["fake"].fault == "Fault: ValueError: no such thing"


def test_contender_without_a_program_is_left_out(fake) -> None:
    assert tables.measure(case_of(absent), [fake], QUICK) == {}


def test_peers_that_are_not_installed_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "FOLDER", tmp_path)
    found, missing = remote.start_peers(tuple(remote.CONTENDERS))
    assert not found
    assert set(missing) == set(remote.CONTENDERS) and all("--install-peers" in why for why in missing.values())


def test_peer_whose_process_ends_is_reported_with_its_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "jax" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    monkeypatch.setattr(installed, "FOLDER", tmp_path)
    monkeypatch.setitem(remote.CONTENDERS, "jax", ("jax", "no_such_contender"))
    found, missing = remote.start_peers(("jax",))
    assert not found and "No module named" in missing["jax"]


def test_peer_that_cannot_be_installed_is_left_out_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"  # makes environments of itself, in which pip finds nothing: one of Python's own takes seconds to make
    python.write_text(PYTHON_WITHOUT_DISTRIBUTIONS)
    python.chmod(0o755)
    monkeypatch.setattr(installed, "FOLDER", tmp_path)
    monkeypatch.setattr(installed, "PYTHONS", ())
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setitem(installed.RECIPES, "numexpr", (("no-such-distribution-of-any-name",),))
    assert installed.install("numexpr") == f"numexpr: left out; {python}: nothing for no-such-distribution-of-any-name"
    assert not installed.is_installed("numexpr") and not (tmp_path / "numexpr").exists()


@pytest.mark.parametrize("path", PEER_MODULES, ids=lambda path: path.stem)
def test_every_program_of_a_peer_belongs_to_a_benchmark(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    names = {call.args[0].id for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Program"}
    assert names <= set(EVERY)


@pytest.mark.parametrize("name", sorted(remote.CONTENDERS.keys() - {"jax.grad"}))  # gradients: test_gradient_benchmarks.py
def test_installed_peer_gives_the_plain_results(name: str) -> None:
    found, missing = remote.start_peers((name,))
    if missing:
        pytest.skip(missing[name])
    faults = {}
    for case in (EVERY[program] for program in sorted(found[0].worker.programs)):
        arguments = case.arguments(case.quick)
        got = found[0].start(case, arguments, False).first()
        faults[case.name] = difference_of_calls(got, Local(case.plain, arguments, True).first(), case.rtol)
    found[0].worker.close()
    assert not any(faults.values()), faults


@pytest.mark.parametrize("suite", ["control-flow", "calls"])
def test_table_runs_at_small_sizes(suite: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    results, versions = tables.run(tables.TABLES[suite], "", QUICK, with_peers=False)
    assert not report.is_faulty(results) and not versions
    assert set(results) == {case.name for case in tables.TABLES[suite].benchmarks}
    assert "against numba" in capsys.readouterr().out
    plot.write(tmp_path / "plot.svg", suite, results)
    assert len(ElementTree.parse(tmp_path / "plot.svg").findall(".//{*}circle")) >= 2 * len(results)


def test_elementwise_table_is_drawn_by_size(tmp_path: Path) -> None:
    results, _ = tables.run(tables.TABLES["elementwise"], "arithmetic, float64", QUICK, with_peers=False)
    assert len(results) == len(elementwise.SIZES) and not report.is_faulty(results)
    plot.write(tmp_path / "plot.svg", "elementwise", results)
    texts = [element.text for element in ElementTree.parse(tmp_path / "plot.svg").findall(".//{*}text")]
    assert "arithmetic, float64 (ns per element)" in texts


def test_every_optimisation_has_a_program_that_runs_without_it() -> None:
    assert {case.kind for case in ablation.BENCHMARKS} == set(ablation.SWITCHES)
    results, _ = tables.run(tables.TABLES["ablation"], "", QUICK)
    assert not report.is_faulty(results)
    assert all(set(timings) == {"ours", "without"} for _, timings in results.values())


def test_summary_names_the_best_peer_and_what_is_under_the_floor() -> None:
    def timing(seconds: float) -> tables.Timing:
        return tables.Timing(time_s=seconds, first_call_s=0.1)

    case = case_of(absent)
    results = {
        "quick": (case, {"numpy": timing(9.0), "numba": timing(2.0), "ours": timing(1.0), "jax": timing(4.0)}),
        "slow": (case, {"numpy": timing(0.5), "numba": timing(3.0), "ours": timing(1.0), "jax": timing(0.5)}),
    }
    said = report.summary(results, ["numpy", "numba", "ours", "jax"])
    assert "against the best peer of each: 2 timed, 1.00 x as fast (geometric mean), least 0.50 (slow)" in said
    assert "under 0.8 of the best peer: slow 0.50" in said
    assert "slower than NumPy by over 5%: slow" in said
