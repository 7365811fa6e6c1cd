"""A process of its own that runs the tests or the examples of one source and writes the calls that it recorded."""

from __future__ import annotations

import contextlib
import doctest
import functools
import importlib
import io
import os
import pickle
import signal
import sys
import tempfile
import types
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from found_functions.copies import install
from found_functions.recording import Recorder
from found_functions.sources import Source, modules_of, sources

RUN_SECONDS = 60


class Enough(BaseException):
    """The time for one source is over."""


def tests_of(source: Source) -> Callable[[], object]:
    """What runs the module's tests; whether they pass is not asked, for they look at the copy."""
    helper = importlib.import_module("test.support.import_helper")
    fresh = helper.import_fresh_module

    def unless_copied(name: str, *args: Any, **kwargs: Any) -> Any:
        return importlib.import_module(name) if name in source.copied or name.startswith("test.") else fresh(name, *args, **kwargs)

    helper.import_fresh_module = unless_copied
    tests = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(source.tests))
    return functools.partial(unittest.TextTestRunner(stream=io.StringIO()).run, tests)


def examples_of(part: str) -> Callable[[], object]:
    """What runs the examples in the docstrings of a part of a package, as far as they run."""
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(verbose=False)
    found: dict[str, doctest.DocTest] = {}
    for name in modules_of(part):
        try:
            module = importlib.import_module(name)
        except Exception:  # noqa: BLE001 - an optional dependency that is missing
            continue
        globs = names_in_examples(module)
        members = [value for value in vars(module).values() if callable(value) and hasattr(value, "__name__")]
        for owner in (module, *members):
            for test in finder.find(owner, str(owner.__name__), globs=globs):
                found.setdefault(test.docstring, test)
    return lambda: [runner.run(test, out=lambda text: None) for test in found.values()]


def names_in_examples(module: types.ModuleType) -> dict[str, Any]:
    """What examples take for imported."""
    names = dict(vars(module))
    for name, package in {"np": "numpy", "pd": "pandas", "nx": "networkx", "scipy": "scipy"}.items():
        with contextlib.suppress(ImportError):
            names[name] = importlib.import_module(package)
    return names


def main() -> None:
    name, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    source = next(source for source in sources() if source.name == name)
    prefixes = install(source.copied, folder) if source.copied else [name.partition(".")[0]]
    os.chdir(tempfile.mkdtemp(prefix="found-"))
    warnings.simplefilter("ignore")

    def stop(number: int, frame: Any) -> None:
        raise Enough

    run = tests_of(source) if source.tests else examples_of(name)
    signal.signal(signal.SIGALRM, stop)
    recorder = Recorder(tuple(f"{prefix}." for prefix in prefixes))
    signal.alarm(RUN_SECONDS)
    with contextlib.suppress(Enough), contextlib.redirect_stdout(io.StringIO()), recorder:
        run()
    signal.alarm(0)
    out.write_bytes(pickle.dumps([(found.module, found.name, found.line, found.calls) for found in recorder.functions()]))
    os._exit(0)  # threads of tests may be left


if __name__ == "__main__":
    main()
