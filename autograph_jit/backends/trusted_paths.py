"""Who may have written what stands at a path: only this user, or nothing is read from it.

Code that is found on disk is executed, so nobody else may decide what it is. Root may do everything anyway. Everybody else is kept out
by every directory from the root on, by every symbolic link on the way, and by the file itself (docs/trust.md, "Cache").
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from autograph_jit.backends.file_operations import FileOperations
from autograph_jit.errors import CacheError

ROOT = 0
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
MAX_LINKS = 40  # as Linux: one more is a circle
REMOVE = "Remove it, or everything with `autograph-jit cache clear`."


def find_directory(files: FileOperations, path: str, create: bool = False) -> bool:
    """Whether there is a directory at an absolute path that only this user can fill; with `create` it is made, as are those around it.

    Raises CacheError for one that somebody else can fill or put in its place, and OSError where the system refuses to tell.
    """
    here, pending = split(path)
    trust_ancestor(files, here)
    links = 0
    while pending:
        name = pending.pop()
        if name == os.pardir:
            here = os.path.dirname(here)
            continue
        found = os.path.join(here, name)
        try:
            status = trust_ancestor(files, found)
        except FileNotFoundError:
            if not create:
                return False
            status = make_directory(files, found)
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > MAX_LINKS:
                raise CacheError(path, "leads through symbolic links in a circle")
            start, names = split(os.path.join(here, files.target(found)))
            here, pending = start, pending + names
        else:
            here = found
    trust_owner(trust_ancestor(files, here), files.user(), here, "")
    return True


def split(path: str) -> tuple[str, list[str]]:
    """Where an absolute path begins, and its names, the last one first."""
    start, *names = Path(path).parts
    return start, names[::-1]


def make_directory(files: FileOperations, path: str) -> os.stat_result:
    """A private directory, or what another process, which was faster, has made."""
    with contextlib.suppress(FileExistsError):
        files.make_directory(path)
    return trust_ancestor(files, path)


def trust_ancestor(files: FileOperations, path: str) -> os.stat_result:
    """The status of a directory or a link in whose place only this user and root can put something else."""
    status, user = files.status(path), files.user()
    is_link = stat.S_ISLNK(status.st_mode)
    if not is_link and not stat.S_ISDIR(status.st_mode):
        raise CacheError(path, "is not a directory")
    if user is not None and status.st_uid not in (user, ROOT):
        raise CacheError(path, "belongs to another user")
    if user is not None and not is_link and status.st_mode & OTHERS_WRITE and not status.st_mode & stat.S_ISVTX:
        raise CacheError(path, "can be written by other users")
    return status


def trust_owner(status: os.stat_result, user: int | None, path: str, remedy: str) -> None:
    """Whether what stands at a path belongs to this user, and others cannot write to it."""
    if user is not None and status.st_uid != user:
        raise CacheError(path, "belongs to another user", remedy)
    if user is not None and status.st_mode & OTHERS_WRITE:
        raise CacheError(path, "can be written by other users", remedy)


def read_own(files: FileOperations, path: str, limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes that only this user can have written; empty where there is none.

    Raises CacheError for anything else at that path, and OSError where it cannot be read.
    """
    try:
        descriptor = files.open_to_read(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise CacheError(path, "is a symbolic link", REMOVE) from error
        raise
    try:
        size = trust_file(files.status_of(descriptor), files.user(), path, limit)
        parts = []
        while size > 0 and (part := files.read(descriptor, size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
    finally:
        files.close(descriptor)


def trust_file(status: os.stat_result, user: int | None, path: str, limit: int) -> int:
    """The size of an open file that only this user can have written; the name that was opened may since stand for another."""
    if not stat.S_ISREG(status.st_mode):
        raise CacheError(path, "is not a regular file", REMOVE)
    trust_owner(status, user, path, REMOVE)
    if status.st_nlink > 1:
        raise CacheError(path, "has another name, a hard link", REMOVE)
    if status.st_size > limit:
        raise CacheError(path, f"has {status.st_size} bytes, more than {limit}", REMOVE)
    return status.st_size
