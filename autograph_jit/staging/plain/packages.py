"""Packages whose code is not the user's: those that this package knows, and whatever is installed beside it."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from types import FunctionType

from autograph_jit.source import PACKAGE, note_own_file

FOLDERS = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages"))


class Packages:
    """The names of packages that are never converted: some by their names, others by the folder that they are in. A package of which
    somebody compiles a function is the user's, wherever it is."""

    def __init__(self, known: Collection[str]) -> None:
        self.known = known
        self.own: set[str] = set()
        self.installed: dict[str, bool] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.known or self.is_unknown(name)

    def is_unknown(self, name: str) -> bool:
        """Whether a package is installed, and nothing is known of what it does."""
        found = self.installed.get(name)
        if found is None:
            if name in self.known or (module := sys.modules.get(name)) is None:
                return False
            found = self.installed[name] = name not in self.own and is_installed(module)
        return found

    def note_own(self, function: object) -> None:
        """Somebody compiles, converts or differentiates a function: its package is the user's."""
        name = str(getattr(function, "__module__", None)).partition(".")[0]
        if name not in self.known:
            self.own.add(name)
            self.installed[name] = False
        elif isinstance(function, FunctionType) and not function.__code__.co_filename.startswith(PACKAGE):
            note_own_file(function.__code__.co_filename)


def is_installed(module: object) -> bool:
    """Whether a module comes from a folder of installed packages."""
    places = [getattr(module, "__file__", None), *(getattr(module, "__path__", None) or ())]
    return any(folder in str(place) for place in places for folder in FOLDERS)
