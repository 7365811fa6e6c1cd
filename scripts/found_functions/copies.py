"""Copies of modules of the standard library under a name of their own: what is compiled of them is the user's code, not a library's."""

from __future__ import annotations

import importlib
import re
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

NAMESPACE = "found_copies"
# Forms in C, which would take the place of those in Python.
NATIVE = ("_heapq", "_bisect", "_json", "_datetime", "_decimal", "_statistics", "_operator", "_stat")
OTHER_FILES = {"decimal": "_pydecimal", "datetime": "_pydatetime"}  # where a module is in C first, its form in Python


def write(name: str, folder: Path) -> str:
    """Copy the module, or the package that it is in, once; the name that the copy is imported by."""
    library = Path(sysconfig.get_path("stdlib"))
    package, _, inner = name.partition(".")
    other = OTHER_FILES.get(name, name)
    if not inner and (library / f"{other}.py").exists():
        package = other
    (folder / NAMESPACE).mkdir(parents=True, exist_ok=True)
    (folder / NAMESPACE / "__init__.py").touch()
    if (library / f"{package}.py").exists():
        paths = [library / f"{package}.py"]
    else:
        paths = sorted((library / package).rglob("*.py"))
    for path in paths:
        target = folder / NAMESPACE / path.relative_to(library)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(renamed(path.read_text(), package))
    return ".".join(filter(None, (NAMESPACE, package, inner)))


def renamed(text: str, package: str) -> str:
    """The text of a module whose imports of its own package mean the copy, and which keeps the copy's name."""
    own = f"{NAMESPACE}.{package}"
    text = re.sub(r"^__name__ = .*$", "", text, flags=re.M)
    text = re.sub(rf"^(\s*)import {package}\.(\w+)$", rf"\1import {own}.\2; from {NAMESPACE} import {package}", text, flags=re.M)
    return re.sub(rf"^(\s*)from {package}(\.[\w.]+)? import ", rf"\1from {own}\2 import ", text, flags=re.M)


def install(names: Iterable[str], folder: Path) -> list[str]:
    """Put copies in the place of these modules, for all that imports them from now on; the names of the copies."""
    copied = [write(name, folder) for name in names]
    sys.path.insert(0, str(folder))
    hidden = {name: sys.modules.get(name) for name in NATIVE}
    sys.modules.update(dict.fromkeys(NATIVE))  # type: ignore[arg-type]
    try:
        modules = [importlib.import_module(name) for name in copied]
    finally:
        for name, module in hidden.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    for name, module in zip(names, modules):
        package, _, inner = name.partition(".")
        if inner:
            setattr(importlib.import_module(package), inner, module)
        sys.modules[name] = module
    return copied
