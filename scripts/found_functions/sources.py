"""Where calls come from: a module of the standard library with its tests, or the examples in a package's docstrings."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass

TESTED = """
textwrap heapq bisect statistics fractions colorsys calendar difflib string shlex random graphlib posixpath ntpath genericpath fnmatch
base64 quopri ipaddress datetime decimal copy locale html configparser operator reprlib pprint getopt optparse argparse csv xdrlib mimetypes
numbers plistlib sched stringprep uuid gettext hmac stat keyword cmd netrc opcode pathlib tomllib tokenize pickletools
""".split()
WITH_PARTS = {  # test module: the modules copied
    "test_json": ("json", "json.scanner", "json.decoder", "json.encoder", "json.tool"),
    "test_urlparse": ("urllib.parse",),
    "test_htmlparser": ("html.parser",),
    "test_http_cookies": ("http.cookies",),
    "test_robotparser": ("urllib.robotparser", "urllib.parse"),
    "test_strptime": ("_strptime",),
    "test_email": (
        "email._encoded_words email._header_value_parser email._parseaddr email._policybase email.base64mime email.charset email.encoders"
        " email.errors email.feedparser email.generator email.header email.headerregistry email.iterators email.message email.parser"
        " email.policy email.quoprimime email.utils email.contentmanager"
    ).split(),
}
EXAMPLES = {  # package: the parts with examples
    "numpy": ("numpy", "numpy.linalg", "numpy.fft", "numpy.polynomial", "numpy.ma", "numpy.lib"),
    "scipy": tuple(
        f"scipy.{part}"
        for part in "cluster fft fftpack integrate interpolate linalg ndimage optimize signal sparse spatial special stats".split()
    ),
    "networkx": tuple(
        f"networkx.{part}" for part in "algorithms classes convert convert_matrix drawing generators linalg readwrite relabel utils".split()
    ),
    "pandas": tuple(
        f"pandas.core.{part}" for part in "arrays dtypes frame generic groupby indexes internals reshape series strings tools".split()
    ),
    "mpmath": ("mpmath",),
    "toolz": ("toolz",),
    "more_itertools": ("more_itertools",),
}


@dataclass(frozen=True, slots=True)
class Source:
    """Modules that are copied and the tests that call them, or the parts of a package whose examples are run."""

    name: str
    copied: tuple[str, ...] = ()
    tests: str = ""
    examples: tuple[str, ...] = ()


def sources() -> list[Source]:
    """All sources, those of packages that are not installed among them."""
    found = [Source(name, (name,), f"test.test_{name.lstrip('_')}") for name in TESTED]
    found += [Source(tests, tuple(parts), f"test.{tests}") for tests, parts in WITH_PARTS.items()]
    return found + [Source(part, (), "", (part,)) for parts in EXAMPLES.values() for part in parts]


def modules_of(part: str) -> Iterator[str]:
    """A module and, of a package, the modules in it that are not tests."""
    yield part
    module = importlib.import_module(part)
    if part in ("numpy", "mpmath") or not hasattr(module, "__path__"):
        return
    for found in pkgutil.walk_packages(module.__path__, f"{part}.", onerror=lambda name: None):
        if not {"tests", "conftest", "setup", "test"} & set(found.name.split(".")):
            yield found.name
