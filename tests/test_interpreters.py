"""Pythons in which compiled code would be unsafe: the import says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograph_jit import interpreters

SUB_INTERPRETER = """
try:
    import _interpreters as interpreters
    here = interpreters.create("legacy")
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    here = interpreters.create(isolated=False)
    run = interpreters.run_string
run(here, '''
import warnings
warnings.simplefilter("ignore")
try:
    import autograph_jit
except ImportError as error:
    print(error, flush=True)
''')
"""


def test_import_without_the_interpreters_lock_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    with pytest.raises(ImportError, match="PYTHON_GIL=1"):
        interpreters.refuse_unsafe()


def test_import_in_a_sub_interpreter_is_refused() -> None:
    variables = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", SUB_INTERPRETER], env=variables, capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("autograph_jit cannot be used in a sub-interpreter: import it in the main one"), done.stderr
