"""Pickles by value what other processes cannot import, with its source, which a compilation there starts from."""

from __future__ import annotations

import copyreg
import hashlib
import linecache
import marshal
import os
from types import CodeType
from typing import Any

import cloudpickle

from autograph_jit.nn import seeds


class SourcePickler(cloudpickle.Pickler):
    """cloudpickle's, which takes functions, lambdas and classes of `__main__` by value. Code brings its source with it, a compiled function
    is what it was made of, and the common random generator is that of the process where it arrives."""

    def reducer_override(self, x: Any) -> Any:
        if isinstance(x, CodeType):
            return code_with_source, packed_code(x)
        if x is seeds.GENERATOR:
            return getattr, (seeds, "GENERATOR")
        if hasattr(type(x), "__staged__") and x.__module__ in ("__main__", *cloudpickle.list_registry_pickle_by_value()):
            return copyreg.__newobj__, (type(x),), x.__getstate__()  # type: ignore[attr-defined]
        return super().reducer_override(x)


def packed_code(code: CodeType) -> tuple[bytes, str, list[str]]:
    """The arguments of `code_with_source`: a file of another content has another name there."""
    name, lines = code.co_filename, linecache.getlines(code.co_filename)
    if lines:
        digest = hashlib.sha256("".join(lines).encode()).hexdigest()[:12]
        name = os.path.join(f"<{digest}>", os.path.basename(name))
    return marshal.dumps(renamed(code, name)), name, lines


def renamed(code: CodeType, filename: str) -> CodeType:
    """The code, and that inside it, as of another file."""
    constants = tuple(renamed(x, filename) if isinstance(x, CodeType) else x for x in code.co_consts)
    return code.replace(co_filename=filename, co_consts=constants)


def code_with_source(packed: bytes, filename: str, lines: list[str]) -> CodeType:
    """The code where it arrives; its source is found under its file's name."""
    if lines:
        linecache.cache[filename] = sum(map(len, lines)), None, lines, filename
    return marshal.loads(packed)
