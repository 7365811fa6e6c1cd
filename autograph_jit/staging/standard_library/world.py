"""Functions of the standard library that ask or change the world outside: files, the environment, logs, warnings, the calendar.

They are called when the program runs, each time and in the order of its effects; most others are called while it is traced, with what is
known then.
"""

from __future__ import annotations

import datetime
import glob
import logging
import os
import pathlib
import shutil
import socket
import tempfile
import uuid
import warnings
from types import MethodType
from typing import Any

from autograph_jit.staging.values import Protocol

NAMES: dict[Any, str] = {
    os: "getcwd getenv getpid listdir makedirs mkdir remove rename replace rmdir stat unlink urandom",
    os.path: "exists getmtime getsize isdir isfile islink",
    pathlib.Path: "exists glob is_dir is_file iterdir mkdir read_bytes read_text rename stat touch unlink write_bytes write_text",
    logging: "critical debug error exception info log warning",
    logging.Logger: "critical debug error exception info isEnabledFor log warning",
    warnings: "warn",
    glob: "glob",
    shutil: "copy copyfile copytree disk_usage move rmtree",
    socket: "gethostname",
    tempfile: "mkdtemp mkstemp",
    uuid: "uuid1 uuid4",
}
CALENDAR = (datetime.datetime, datetime.date)
TODAY = ("now", "today", "utcnow")


def is_of_world(fn: Any) -> bool:
    """Whether a call of a function asks or changes the world outside."""
    if isinstance(fn, MethodType):
        return fn.__func__ in FUNCTIONS
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, CALENDAR):
        return getattr(fn, "__name__", "") in TODAY
    return type(fn) in KINDS and fn in FUNCTIONS


FUNCTIONS = frozenset(getattr(owner, name) for owner, names in NAMES.items() for name in names.split())
KINDS = frozenset(map(type, FUNCTIONS))
Protocol.is_of_world = is_of_world
