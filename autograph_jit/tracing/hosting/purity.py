"""Which functions of libraries tell of their arguments alone and change nothing: called while tracing, all others when the program runs."""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
from enum import Enum
from types import BuiltinFunctionType, CellType, FunctionType, MethodDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph_jit.tracing.plain.calls import KNOWN, NEVER_CONVERTED, NOT_CONVERTED, is_library
from autograph_jit.tracing.plain.packages import package_of

COMPUTING = frozenset(
    "math cmath operator _operator itertools functools _functools collections _collections _collections_abc re _sre struct _struct "
    "fractions numbers string textwrap copy copyreg types typing enum abc _abc dataclasses statistics keyword "
    "unicodedata base64 binascii zlib html urllib.parse colorsys difflib fnmatch ipaddress ast graphlib datetime _datetime json "
    "json.encoder json.decoder _json pickle _pickle builtins contextlib uuid codecs _codecs reprlib platform stat errno scipy".split()
)
# Of these modules, only the functions that are named.
NAMED = {
    "posixpath": "join split splitext basename dirname normpath isabs normcase splitdrive splitroot commonpath",
    "ntpath": "join split splitext basename dirname normpath isabs normcase splitdrive splitroot commonpath",
    "genericpath": "commonprefix samestat",
    "os": "fspath fsencode fsdecode",
    "posix": "fspath cpu_count WEXITSTATUS WIFEXITED",
    "nt": "fspath cpu_count",
    "sys": "intern",
    "pprint": "pformat saferepr",
    "shlex": "quote split join",
    "heapq": "nlargest nsmallest merge",
    "bisect": "bisect_left bisect_right",
    "_bisect": "bisect_left bisect_right",
    "calendar": "isleap leapdays monthrange weekday timegm",
}
ASKING = {
    "builtins": "open input print exec eval globals locals vars dir id __import__ breakpoint memoryview exit quit hash",
    "datetime": "now today utcnow fromtimestamp timestamp astimezone",
    "_datetime": "now today utcnow fromtimestamp timestamp astimezone",
    "json": "dump load",
    "pickle": "dump load",
    "_pickle": "dump load Pickler Unpickler",
    "uuid": "uuid1 uuid4 uuid6 uuid7 uuid8 getnode",
    "statistics": "samples",
    "zlib": "compressobj decompressobj",
    "platform": "node uname",
    "functools": "_lru_cache_wrapper cache_info cache_clear",
    "_functools": "_lru_cache_wrapper cache_info cache_clear",
    "struct": "pack_into",
    "_struct": "pack_into",
    "scipy": "rvs random",
}
PURE_NAMES = {module: frozenset(names.split()) for module, names in NAMED.items()}
ASKING_NAMES = {module: frozenset(names.split()) for module, names in ASKING.items()}
GENERATOR_PARAMETERS = {"rng", "random_state", "seed"}  # SciPy's names for it; without one its functions draw all the same
READING_PACKAGES = ("scipy.io", "scipy.datasets", "scipy.qmc")


def is_function(cell: CellType) -> bool:
    """Whether a captured variable holds a function."""
    try:
        return isinstance(cell.cell_contents, FunctionType)
    except ValueError:  # it is not assigned yet
        return False


def effect_of(fn: FunctionType, seen: frozenset[FunctionType] = frozenset()) -> str | None:
    """The name of what is no computation among the functions that a function of the user's names: a library's that asks or tells."""
    named = {name: fn.__globals__.get(name, vars(builtins).get(name)) for name in fn.__code__.co_names}
    captured = {cell.cell_contents for cell in fn.__closure__ or () if is_function(cell)}
    for name, value in (*named.items(), *((function.__name__, function) for function in captured)):
        if isinstance(value, FunctionType) and not is_library(value):
            inner = None if value in seen else effect_of(value, seen | {fn})
            if inner is not None:
                return inner
        elif isinstance(value, (BuiltinFunctionType, FunctionType)) and not is_pure(value):
            return name
    return None


def is_foreign(value: Any) -> bool:
    """Whether a name of a library's module was given something that is not a library's: for a test, say."""
    kind: Any = type(value)
    return callable(value) and (kind.__module__ == "unittest.mock" or isinstance(value, FunctionType) and not is_library(value))


def is_mutable(x: Any) -> bool:
    """Whether something may change and is no plain array: an object of SciPy's, but for distributions, of NumPy's other classes, or of
    a class of which nothing is known."""
    if isinstance(x, np.ndarray):
        return type(x) is not np.ndarray
    if isinstance(x, (tuple, np.generic, np.ufunc, FunctionType, np.poly1d)):
        return isinstance(x, np.poly1d)
    if isinstance(x, (type, ModuleType, BuiltinFunctionType, MethodType, BaseException, Enum)):
        return False
    return is_opaque_class(type(x)) or type(x).__module__.partition(".")[0] == "scipy" and not type(x).__module__.startswith("scipy.stats")


def is_extension(kind: type) -> bool:
    """Whether a class is, or inherits from, one that somebody's library has in C: what it does with its arguments is not seen."""
    made = (base for base in kind.__mro__ if isinstance(vars(base).get("__new__"), BuiltinFunctionType))
    return any(base.__module__.partition(".")[0] not in KNOWN for base in made)


def is_opaque_class(kind: type) -> bool:
    """Whether nothing is known of a class: it is of an installed package, or somebody's in C."""
    return NEVER_CONVERTED.is_unknown(kind.__module__) or is_extension(kind)


def is_private(fn: Any) -> bool:
    """Whether a function of a library is none of those that it offers: by its name, or since its module does not list it. What such a
    function does with its arguments is not said anywhere."""
    name, module = getattr(fn, "__name__", ""), getattr(fn, "__module__", None)
    if isinstance(fn, type) or not isinstance(name, str) or package_of(module) == "autograph_jit":
        return False
    if name.startswith("_") and not name.endswith("__"):
        return True
    if getattr(fn, "__qualname__", "") != name:
        return False  # a method
    if package_of(module) == "numpy" and "._" in str(module):  # what NumPy offers has a module that it offers
        return True
    offered = getattr(sys.modules.get(module or ""), "__all__", None)
    return isinstance(fn, FunctionType) and offered is not None and name not in offered


@functools.lru_cache(maxsize=1024)
def draws_numbers(fn: FunctionType | type) -> bool:
    """Whether a function or class of SciPy draws random numbers."""
    try:
        return not GENERATOR_PARAMETERS.isdisjoint(inspect.signature(fn).parameters)
    except (TypeError, ValueError):  # one in C that does not tell
        return False


def is_pure(fn: Any) -> bool:
    """Whether a call of something that no user wrote may be answered while the program is traced."""
    if isinstance(fn, MethodType):
        return is_pure(fn.__func__)
    if is_private(fn):
        return False
    if isinstance(fn, (FunctionType, type)) and package_of(fn.__module__) == "scipy" and draws_numbers(fn):
        return False
    if isinstance(fn, FunctionType):
        if NOT_CONVERTED in fn.__dict__ or "print" in fn.__code__.co_names:
            return False
        return is_pure_name(str(fn.__globals__.get("__name__", "")), fn.__name__, fn.__qualname__)
    if isinstance(fn, type):
        if fn.__module__ in NEVER_CONVERTED:
            return is_pure_name(fn.__module__, fn.__name__, fn.__qualname__)
        return not is_extension(fn)
    if isinstance(fn, MethodDescriptorType):
        return is_pure_name(fn.__objclass__.__module__, fn.__name__, fn.__qualname__)
    if isinstance(fn, BuiltinFunctionType):
        owner = fn.__self__
        if isinstance(owner, type):
            return is_pure(owner) and is_pure_name(owner.__module__, fn.__name__, fn.__qualname__)
        return is_pure_name(fn.__module__ or type(owner).__module__, fn.__name__, fn.__qualname__)
    kind = type(fn)
    return is_pure_name(kind.__module__, kind.__name__, kind.__qualname__)


def is_pure_name(module: str, name: str, qualified: str) -> bool:
    """Whether the function or type of this name is listed as one that only computes."""
    package = package_of(module)
    if package == "pathlib":
        return qualified.startswith(("PurePath", "PurePosixPath", "PureWindowsPath")) or name in ("Path", "PosixPath", "WindowsPath")
    if package == "scipy":
        return name not in ASKING_NAMES["scipy"] and not module.startswith(READING_PACKAGES)
    if module in PURE_NAMES:
        return name in PURE_NAMES[module]
    return (module in COMPUTING or package in ("numpy", "autograph_jit")) and name not in ASKING_NAMES.get(module, ())
