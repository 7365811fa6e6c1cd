"""Packages whose code is not the user's: those that this package knows, and whatever is installed beside it."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from types import FunctionType

from autograph_jit.source import PROGRAMS, is_machinery, note_own_file

PROGRAM_PACKAGES = frozenset(f"autograph_jit.{name}" for name in PROGRAMS)
FOLDERS = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages"))


def package_of(module: object) -> str:
    """The package that a module is of: the first part of its name; the programs of this package count each as one of its own."""
    name = str(module)
    first = name.partition(".")[0]
    if first == "autograph_jit" and (program := ".".join(name.split(".", 2)[:2])) in PROGRAM_PACKAGES:
        return program
    return first


class Packages:
    """The modules that are never converted, by their packages: some packages by their names, others by the folder that they are in. A
    package of which somebody compiles a function is the user's, wherever it is."""

    def __init__(self, known: Collection[str]) -> None:
        self.known = known
        self.own: set[str] = set(PROGRAM_PACKAGES)
        self.installed: dict[str, bool] = {}

    def __contains__(self, module: object) -> bool:
        return package_of(module) in self.known or self.is_unknown(module)

    def is_unknown(self, module: object) -> bool:
        """Whether a module's package is installed, and nothing is known of what it does."""
        name = package_of(module)
        found = self.installed.get(name)
        if found is None:
            if name in self.known or (package := sys.modules.get(name)) is None:
                return False
            found = self.installed[name] = name not in self.own and is_installed(package)
        return found

    def note_own(self, function: object) -> None:
        """Somebody compiles, converts or differentiates a function: its package is the user's."""
        name = package_of(getattr(function, "__module__", None))
        if name not in self.known:
            self.own.add(name)
            self.installed[name] = False
        elif isinstance(function, FunctionType) and not is_machinery(function.__code__.co_filename):
            note_own_file(function.__code__.co_filename)


def is_installed(module: object) -> bool:
    """Whether a module comes from a folder of installed packages."""
    places = [getattr(module, "__file__", None), *(getattr(module, "__path__", None) or ())]
    return any(folder in str(place) for place in places for folder in FOLDERS)
