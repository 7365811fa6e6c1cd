"""A process under PyPy that times one program and prints it as JSON. PyPy's Python is 3.9: what is newer, and NumPy, is missing here."""

from __future__ import annotations

import dataclasses
import importlib
import sys
import types
from typing import Any

from benchmarks.everyday_python.least import print_figures

NEWER_OPTIONS = ("slots", "kw_only")  # of dataclasses


def allow_newer_options() -> None:
    """Let `dataclass` ignore what Python 3.9 does not know."""
    original = dataclasses.dataclass

    def dataclass(cls: Any = None, **options: Any) -> Any:
        return original(cls, **{name: value for name, value in options.items() if name not in NEWER_OPTIONS})

    dataclasses.dataclass = dataclass  # type: ignore[assignment]


def main() -> None:
    module, name, size = sys.argv[1:]
    allow_newer_options()
    sys.modules["numpy"] = types.ModuleType("numpy")  # programs that use it fail, others of their file do not
    program = next(each for each in importlib.import_module(module).PROGRAMS if each.name == name)
    print_figures(program.function, program.arguments(int(size)))


if __name__ == "__main__":
    main()
