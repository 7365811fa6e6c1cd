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
from autograph_jit.tracing.structures.guards import are_others, has_none_of


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


def test_it_rests_while_guards_go_through_rows() -> None:
    states: list[bool] = []

    class Rows(list):
        def __iter__(self) -> Any:
            states.append(gc.isenabled())
            return super().__iter__()

    assert has_none_of(Rows([[], []]), {}) and are_others(Rows([[], []]), {})
    assert states and not any(states) and gc.isenabled()
