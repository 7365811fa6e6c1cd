"""Object code kept between processes: one file an entry, named by the digest of what it was made from, checked when it is read."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from autograph_jit.errors import CacheWarning
from autograph_jit.records import dataclass

MAGIC = b"autograph_jit object 1\n"
DIGEST_SIZE = 32
SUFFIX = ".object"
TEMPORARY = ".writing-"
LIMIT_BYTES = 512 << 20
KEPT_AFTER_PRUNING = 0.75
WRITES_BETWEEN_PRUNINGS = 256
ABANDONED_SECONDS = 3600.0  # a temporary file of this age belongs to a process that was killed


def default_directory() -> Path:
    """AUTOGRAPH_JIT_CACHE_DIR, or `autograph_jit` where the system keeps a user's caches."""
    chosen = os.environ.get("AUTOGRAPH_JIT_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "autograph_jit"
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "autograph_jit"


@dataclass(frozen=True, slots=True)
class Usage:
    """What the cache holds: its directory, the number of entries, their bytes."""

    directory: Path
    entries: int
    bytes: int


class DiskCache:
    """Entries by digest in one directory of the user's own; a damaged entry counts as absent, a directory that cannot be trusted as none.

    Content decides: the digest covers everything that the bytes depend on, so an entry is never out of date, and nothing of it
    is evaluated or unpickled. What goes wrong with the directory is said once in a CacheWarning, and never stops a compilation.
    """

    def __init__(self, directory: Path | None = None, enabled: bool = True) -> None:
        self.chosen, self.enabled = directory, enabled
        self.writes = self.hits = self.misses = 0
        self.complained = False

    @property
    def directory(self) -> Path:
        return self.chosen or default_directory()

    def read(self, digest: str) -> bytes | None:
        """The bytes that were kept under this digest, None where there are none or they are damaged."""
        if not self.enabled or not self.usable(create=False):
            return None
        path = self.path(digest)
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        body = content[len(MAGIC) + DIGEST_SIZE :]
        whole = body and content.startswith(MAGIC) and content[len(MAGIC) : -len(body)] == hashlib.sha256(body).digest()
        if not whole:
            self.misses += 1
            return None
        self.hits += 1
        with contextlib.suppress(OSError):
            os.utime(path)  # pruning keeps what was used last
        return body

    def write(self, digest: str, body: bytes) -> None:
        """Keep bytes under this digest; other processes see all of them or none."""
        if not self.enabled or not self.usable(create=True):
            return
        if self.writes % WRITES_BETWEEN_PRUNINGS == 0:
            self.prune(LIMIT_BYTES)
        self.writes += 1
        temporary = ""
        try:
            descriptor, temporary = tempfile.mkstemp(prefix=TEMPORARY, dir=self.directory)
            with os.fdopen(descriptor, "wb") as file:
                file.write(MAGIC + hashlib.sha256(body).digest() + body)
            os.replace(temporary, self.path(digest))
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            self.complain(str(error))

    def path(self, digest: str) -> Path:
        return self.directory / (digest + SUFFIX)

    def usable(self, create: bool) -> bool:
        """Whether the directory exists and only this user can write to it: its files are run as code."""
        directory = self.directory
        try:
            if create:
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = directory.stat()
        except FileNotFoundError:
            return False
        except OSError as error:
            self.complain(str(error))
            return False
        if not hasattr(os, "getuid"):
            return True
        if status.st_uid != os.getuid():
            self.complain(f"{directory} belongs to another user")
        elif status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            self.complain(f"{directory} can be written by other users")
        else:
            return True
        return False

    def complain(self, reason: str) -> None:
        """One warning a process."""
        if self.complained:
            return
        self.complained = True
        remedy = "Set AUTOGRAPH_JIT_CACHE_DIR to a directory of your own with mode 0700, or AUTOGRAPH_JIT_CACHE=0."
        warnings.warn(f"Compiled code is not kept between processes: {reason}. {remedy}", CacheWarning, stacklevel=2)

    def files(self) -> Iterator[os.DirEntry[str]]:
        """The entries and temporary files; other files in the directory are not the cache's."""
        with contextlib.suppress(FileNotFoundError), os.scandir(self.directory) as found:
            yield from (file for file in found if file.name.endswith(SUFFIX) or file.name.startswith(TEMPORARY))

    def usage(self) -> Usage:
        """How much is kept."""
        sizes = [file.stat().st_size for file in self.files() if file.name.endswith(SUFFIX)]
        return Usage(self.directory, len(sizes), sum(sizes))

    def clear(self) -> Usage:
        """Remove every entry; what was there."""
        before = self.usage()
        for file in self.files():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(file.path)
        return before

    def prune(self, limit: int) -> None:
        """Where more than `limit` bytes are kept, remove those that were not used for the longest time, and abandoned temporary files."""
        kept = []
        for file in self.files():
            with contextlib.suppress(OSError):
                status = file.stat()
                if file.name.endswith(SUFFIX):
                    kept.append((status.st_mtime, status.st_size, file.path))
                elif time.time() - status.st_mtime > ABANDONED_SECONDS:
                    os.unlink(file.path)
        total = sum(size for _, size, _ in kept)
        if total <= limit:
            return
        for _, size, path in sorted(kept):
            if total <= limit * KEPT_AFTER_PRUNING:
                break
            with contextlib.suppress(OSError):
                os.unlink(path)
                total -= size


disk_cache = DiskCache()
