"""The garbage collector rests while many objects are made that live on."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import driver
from autograph_jit.converters import pipeline
from autograph_jit.garbage import young_objects
from autograph_jit.runtime import executables


def test_it_rests_while_a_function_is_traced_and_from_the_graph_to_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[bool] = []

    def noting(function: Any) -> Any:
        return lambda *args, **named: states.append(gc.isenabled()) or function(*args, **named)

    monkeypatch.setattr(driver, "build_module", noting(driver.build_module))
    monkeypatch.setattr(pipeline, "_convert_source", noting(pipeline._convert_source))
    for name in ("copy_graph", "run_pipeline"):
        monkeypatch.setattr(executables, name, noting(getattr(executables, name)))
    monkeypatch.setattr(executables.cpu, "compile_graph", noting(executables.cpu.compile_graph))
    assert ag.compile(lambda x: x * 2.0 + 1.0, fallback="error")(np.arange(3.0)).tolist() == [1.0, 3.0, 5.0]
    assert states == [False] * 5 and gc.isenabled()


def test_it_works_again_after_an_error_and_stays_off_where_it_was() -> None:
    with pytest.raises(KeyError), young_objects():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with young_objects():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_the_import_makes_is_not_looked_at_by_young_collections() -> None:
    program = "import gc, autograph_jit; print(sum(len(gc.get_objects(generation)) for generation in (0, 1)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 5000  # of a hundred thousand


def test_rows_of_an_argument_are_looked_at_once_in_a_call_at_most() -> None:
    def longest(roads: dict[str, dict[str, int]], town: str, n: int) -> int:
        most = 0
        for _ in range(n):
            for other, length in roads[town].items():
                if length >= most:
                    most, town = length, other
        return most

    roads = {f"town {k}": {f"town {(j * k + 1) % 1000}": j * k % 31 for j in range(k % 5 + 1)} for k in range(1000)}
    compiled = ag.compile(longest, fallback="error")
    assert [compiled(roads, "town 1", 300) for _ in range(3)] == [longest(roads, "town 1", 300)] * 3
    begun: list[str] = []
    note = lambda phase, info: begun.append(phase)  # noqa: E731
    gc.callbacks.append(note)
    try:
        for _ in range(20):
            compiled(roads, "town 1", 300)
    finally:
        gc.callbacks.remove(note)
    assert begun.count("start") <= 20
