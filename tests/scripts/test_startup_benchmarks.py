"""The measurements of start-up and first calls run, and code on disk is found."""

from __future__ import annotations

from pathlib import Path

from benchmarks import startup


def test_a_process_reports_its_time_and_finds_code_on_disk(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"scripts:{Path.cwd()}")
    program = startup.FIRST_RESULTS["ours"] + '\nprint("disk" in f.explain())\n'
    path = startup.script(program, str(tmp_path))
    seconds, printed = startup.run(path, cache=str(tmp_path / "cache"))
    assert seconds > 0 and printed == "False\n"
    assert startup.run(path, cache=str(tmp_path / "cache"))[1] == "True\n"
    assert startup.run(path)[1] == "False\n"


def test_the_table_shows_every_function_and_the_extremes() -> None:
    text = startup.describe({"heat": 0.2, "lu": 0.4, "sieve": 0.1}, {"heat": 0.02, "lu": 0.05, "sieve": 0.01})
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["heat", "0.200", "0.020"],
        ["lu", "0.400", "0.050"],
        ["sieve", "0.100", "0.010"],
        ["median", "0.200", "0.020"],
        ["longest", "0.400", "0.050"],
    ]
