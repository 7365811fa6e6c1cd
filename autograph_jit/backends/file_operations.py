"""Every file operation of the cache, one method each: tests replace them by ones that fail."""

from __future__ import annotations

import os
from collections.abc import Iterable

# What another process may put in a file's place is not followed, not waited for, not made the terminal, not given to children.
CAREFULLY = ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY")
PRIVATE_FILE, PRIVATE_DIRECTORY = 0o600, 0o700


def flags(names: Iterable[str]) -> int:
    """The flags of `os.open` that the platform has."""
    return sum(getattr(os, name, 0) for name in names)


class FileOperations:
    """Operations on paths and descriptors; each raises OSError where it fails."""

    def user(self) -> int | None:
        """The number of the user who reads and writes, None where files have no owners of this kind."""
        return os.geteuid() if hasattr(os, "geteuid") else None

    def status(self, path: str) -> os.stat_result:
        """What stands at a path itself, a symbolic link for instance."""
        return os.lstat(path)

    def target(self, path: str) -> str:
        """Where a symbolic link leads."""
        return os.readlink(path)

    def make_directory(self, path: str) -> None:
        """A directory for this user alone."""
        os.mkdir(path, PRIVATE_DIRECTORY)

    def names(self, path: str) -> list[str]:
        """What a directory contains."""
        return os.listdir(path)

    def open_to_read(self, path: str) -> int:
        """A descriptor of the file itself, not of what a link leads to; a pipe without a writer does not wait."""
        return os.open(path, os.O_RDONLY | flags(CAREFULLY))

    def open_new(self, path: str) -> int:
        """A descriptor of a file that was not there, for this user alone."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | flags(CAREFULLY), PRIVATE_FILE)

    def status_of(self, descriptor: int) -> os.stat_result:
        """What is open."""
        return os.fstat(descriptor)

    def read(self, descriptor: int, count: int) -> bytes:
        """At most so many bytes; none at the end."""
        return os.read(descriptor, count)

    def write(self, descriptor: int, content: memoryview) -> int:
        """How many of the bytes were written."""
        return os.write(descriptor, content)

    def close(self, descriptor: int) -> None:
        """Give a descriptor back."""
        os.close(descriptor)

    def replace(self, source: str, target: str) -> None:
        """Give a file another name, in place of what has that name."""
        os.replace(source, target)

    def touch(self, path: str) -> None:
        """Note that a file was used now."""
        os.utime(path)

    def remove(self, path: str) -> None:
        """Remove a file, or a link itself."""
        os.unlink(path)

    def remove_directory(self, path: str) -> None:
        """Remove an empty directory."""
        os.rmdir(path)
