"""Object code and refusals kept between processes: one file an entry, named by the digest of what it stands for, checked when read."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from autograph_jit.backends.file_operations import FileOperations
from autograph_jit.backends.trusted_paths import find_directory, read_own
from autograph_jit.callers import warn_caller
from autograph_jit.errors import CacheError, CacheWarning
from autograph_jit.records import dataclass

MAGIC = b"autograph_jit object 2\n"
DIGEST_SIZE = 32
SUFFIX, REFUSAL, PROGRAM = ".object", ".refusal", ".program"  # object code; as text a call's refusal, a program but for its code
SUFFIXES = (SUFFIX, REFUSAL, PROGRAM)
TEMPORARY = ".writing-"
NAMES = re.compile(re.escape(TEMPORARY) + f".*|[0-9a-f]{{64}}({'|'.join(map(re.escape, SUFFIXES))})")
LIMIT_BYTES, ENTRY_LIMIT_BYTES = 512 << 20, 128 << 20
KEPT_AFTER_PRUNING = 0.75
WRITES_BETWEEN_PRUNINGS = 256
ABANDONED_SECONDS = 3600.0  # a temporary file of this age belongs to a process that was killed
REMEDY = "Set AUTOGRAPH_JIT_CACHE_DIR to the absolute path of a directory of your own with mode 0700, or AUTOGRAPH_JIT_CACHE=0."
SMALLER = "Divide the function, or set AUTOGRAPH_JIT_CACHE=0."
HOMELESS = ", and there is no such home directory"


def default_directory() -> str:
    """AUTOGRAPH_JIT_CACHE_DIR, or `autograph_jit` where the system keeps a user's caches; `~` is a home directory, where there is one."""
    chosen = os.environ.get("AUTOGRAPH_JIT_CACHE_DIR")
    if not chosen and sys.platform == "darwin":
        chosen = "~/Library/Caches/autograph_jit"
    elif not chosen:
        base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
        chosen = os.path.join(base or "~/.cache", "autograph_jit")
    return os.path.expanduser(chosen)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the cache holds: its directory, the number of entries, their bytes, how many of them are refusals."""

    directory: Path
    entries: int
    bytes: int
    refusals: int = 0

    def __str__(self) -> str:
        among = f", {self.refusals} of them {'a refusal' if self.refusals == 1 else 'refusals'}" if self.refusals else ""
        return f"{self.directory}: {self.entries} {'entry' if self.entries == 1 else 'entries'}{among}, {self.bytes / 1e6:.1f} MB"


class DiskCache:
    """Entries by digest in one directory of the user's own; a damaged entry counts as absent, one that others may have written as none.

    Content decides: the digest covers everything that the bytes depend on, so an entry is never out of date, and the entry's checksum
    covers the digest, so one that stands under another's name is a damaged one. Nothing of it is evaluated or unpickled. What goes wrong
    is said once in a CacheWarning, and never stops a compilation.
    """

    def __init__(self, directory: str | os.PathLike[str] | None = None, enabled: bool = True, files: FileOperations | None = None) -> None:
        self.chosen, self.enabled, self.files = directory, enabled, files or FileOperations()
        self.writes = 0
        self.complained = False

    @property
    def directory(self) -> Path:
        return Path(self.chosen or default_directory())

    def path(self, digest: str, suffix: str = SUFFIX) -> Path:
        return self.directory / (digest + suffix)

    def read(self, digest: str, suffix: str = SUFFIX) -> bytes | None:
        """The bytes that were kept under this digest, None where there are none, or none that can be believed."""
        with self.complaining():
            if self.enabled and find_directory(self.files, self.absolute()):
                path = str(self.path(digest, suffix))
                body = unsealed(digest, read_own(self.files, path, ENTRY_LIMIT_BYTES))
                if body:
                    with contextlib.suppress(OSError):
                        self.files.touch(path)  # pruning keeps what was used last; where that cannot be noted, it goes by age
                    return body
        return None

    def write(self, digest: str, body: bytes, suffix: str = SUFFIX) -> None:
        """Keep bytes under this digest; other processes see all of them or none."""
        with self.complaining():
            if self.enabled:
                content = sealed(digest, body)
                if len(content) > ENTRY_LIMIT_BYTES:
                    size = f"would have {len(content)} bytes, more than {ENTRY_LIMIT_BYTES}"
                    raise CacheError(str(self.path(digest, suffix)), size, SMALLER)
                find_directory(self.files, self.absolute(), create=True)
                self.writes += 1
                if self.writes % WRITES_BETWEEN_PRUNINGS == 1:
                    self.prune(LIMIT_BYTES)
                write_whole(self.files, str(self.directory / (TEMPORARY + secrets.token_hex(8))), str(self.path(digest, suffix)), content)

    def drop(self, digest: str, suffix: str = SUFFIX) -> None:
        """Remove an entry that may be gone already."""
        with self.complaining(), contextlib.suppress(FileNotFoundError):
            self.files.remove(str(self.path(digest, suffix)))

    def absolute(self) -> str:
        """The directory; CacheError for a relative one: whoever fills the folder that a program is started in would decide what it runs."""
        directory = str(self.directory)
        if not os.path.isabs(directory):
            raise CacheError(directory, "is not an absolute path" + (HOMELESS if directory.startswith("~") else ""))
        return directory

    @contextlib.contextmanager
    def complaining(self) -> Iterator[None]:
        """What fails around the cache is one warning a process, with the path, the reason and the remedy, and then nothing is cached."""
        try:
            yield
        except (OSError, MemoryError) as error:
            if self.complained:
                return
            self.complained = True
            remedy = getattr(error, "remedy", "") or REMEDY
            text = f"Compiled code is not kept between processes: {reason(error, self.directory)}. {remedy}"
            warn_caller(text, CacheWarning)

    def found(self) -> Iterator[tuple[str, os.stat_result]]:
        """Entries and temporary files, or what else has the name of one; other files in the directory are not the cache's."""
        directory = self.absolute()
        try:
            names = self.files.names(directory)
        except FileNotFoundError:
            return
        for name in names:
            if NAMES.fullmatch(name):
                path = os.path.join(directory, name)
                with contextlib.suppress(FileNotFoundError):  # removed since
                    yield path, self.files.status(path)

    def usage(self) -> Usage:
        """How much is kept; OSError where that cannot be seen."""
        sizes = {path: status.st_size for path, status in self.found() if is_entry(path, status)}
        return Usage(self.directory, len(sizes), sum(sizes.values()), sum(path.endswith(REFUSAL) for path in sizes))

    def refusal(self) -> str:
        """Why nothing is read from the directory and nothing written, empty where it can be used or made."""
        try:
            find_directory(self.files, self.absolute())
        except OSError as error:
            return reason(error, self.directory)
        return ""

    def clear(self) -> Usage:
        """Remove every entry, and what stands in the place of one; what was there. Files that other processes are writing stay.

        Raises OSError where the directory cannot be read, and CacheError at the end where something could not be removed.
        """
        before, errors = self.usage(), []
        for path, status in self.found():
            if not is_being_written(path, status):
                try:
                    self.remove(path, status)
                except OSError as error:
                    errors.append(reason(error, path))
        if errors:
            raise CacheError(str(self.directory), f"is cleared but for {len(errors)}: {errors[0]}")
        return before

    def remove(self, path: str, status: os.stat_result) -> None:
        """Remove a file or an empty directory that may be gone already."""
        with contextlib.suppress(FileNotFoundError):
            (self.files.remove_directory if stat.S_ISDIR(status.st_mode) else self.files.remove)(path)

    def prune(self, limit: int) -> None:
        """Where more than `limit` bytes are kept, remove those that were not used for the longest time, and abandoned temporary files."""
        kept = []
        for path, status in self.found():
            if is_entry(path, status):
                kept.append((status.st_mtime, path, status))
            elif not path.endswith(SUFFIXES) and not is_being_written(path, status):
                self.remove(path, status)
        total = sum(status.st_size for *_, status in kept)
        if total <= limit:
            return
        for _, path, status in sorted(kept):
            if total <= limit * KEPT_AFTER_PRUNING:
                break
            self.remove(path, status)
            total -= status.st_size


def is_entry(path: str, status: os.stat_result) -> bool:
    """Whether a file is an entry."""
    return path.endswith(SUFFIXES) and stat.S_ISREG(status.st_mode)


def is_being_written(path: str, status: os.stat_result) -> bool:
    """Whether a process may be about to give a temporary file the name of an entry."""
    return not path.endswith(SUFFIXES) and time.time() - status.st_mtime <= ABANDONED_SECONDS


def reason(error: BaseException, path: str | Path) -> str:
    """What failed, with the path: of the operation, or that of what was attempted."""
    if isinstance(error, CacheError):
        return str(error)
    return f"{getattr(error, 'filename', None) or path}: {getattr(error, 'strerror', None) or str(error) or type(error).__name__}"


def sealed(digest: str, body: bytes) -> bytes:
    """An entry: its checksum covers the format, the name and the body."""
    return MAGIC + checksum(digest, body) + body


def unsealed(digest: str, content: bytes) -> bytes:
    """The body of a whole entry of this name, empty for any other bytes."""
    body = content[len(MAGIC) + DIGEST_SIZE :]
    return body if body and hmac.compare_digest(content, sealed(digest, body)) else b""


def checksum(digest: str, body: bytes) -> bytes:
    return hashlib.sha256(MAGIC + digest.encode() + b"\n" + body).digest()


def write_whole(files: FileOperations, temporary: str, path: str, content: bytes) -> None:
    """Write a file under another name, then give it its own: nobody ever sees a part of it. Where that fails nothing is left."""
    descriptor = files.open_new(temporary)
    try:
        try:
            left = memoryview(content)
            while left:
                count = files.write(descriptor, left)
                if not count:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
                left = left[count:]
        finally:
            files.close(descriptor)
        files.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):  # what stays is pruned when it is old
            files.remove(temporary)
        raise


disk_cache = DiskCache()
