"""A process that times one program under `numba.njit`, its own functions with it, and prints it as JSON; numba's error ends it."""

from __future__ import annotations

import importlib
import sys
import types
import warnings
from typing import Any

import numba

from benchmarks.everyday_python.child import find
from benchmarks.everyday_python.least import print_figures


def with_numba(function: Any) -> Any:
    """The function, whose module's functions are numba's as well."""
    module = importlib.import_module(function.__module__)
    namespace = dict(vars(module))
    for name, each in vars(module).items():
        if isinstance(each, types.FunctionType) and each.__module__ == module.__name__ and each.__closure__ is None:
            namespace[name] = numba.njit(types.FunctionType(each.__code__, namespace, name, each.__defaults__))
    return namespace[function.__name__]


def main() -> None:
    module, name, size = sys.argv[1:]
    warnings.simplefilter("ignore")  # numba's, that lists are to be its own in later releases
    program = find(module, name)
    print_figures(with_numba(program.function), program.arguments(int(size)))


if __name__ == "__main__":
    main()
