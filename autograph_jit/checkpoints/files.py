"""Every file operation of a checkpoint, one method each, so that tests can make them fail; whole files written and read by them."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat

import autograph_jit as ag

TEMPORARY = ".writing-"
CAREFULLY = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Files:
    """Operations on paths and descriptors; each raises OSError where it fails."""

    names = staticmethod(os.listdir)
    status = staticmethod(os.fstat)
    read = staticmethod(os.read)
    write = staticmethod(os.write)
    sync = staticmethod(os.fsync)
    close = staticmethod(os.close)
    replace = staticmethod(os.replace)
    remove = staticmethod(os.unlink)
    remove_directory = staticmethod(os.rmdir)

    @staticmethod
    def make_directory(path: str) -> None:
        os.makedirs(path, exist_ok=True)

    @staticmethod
    def open_to_read(path: str) -> int:
        return os.open(path, os.O_RDONLY | CAREFULLY)

    @staticmethod
    def open_new(path: str) -> int:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CAREFULLY, 0o666)


def sync_directory(files: Files, path: str) -> None:
    """Make the names in a directory last; where directories cannot be opened (Windows) the system does it."""
    if os.name == "nt":
        return
    descriptor = files.open_to_read(path)
    try:
        files.sync(descriptor)
    finally:
        files.close(descriptor)


def write_whole(files: Files, path: str, content: bytes) -> None:
    """Write a file under another name, make it last, then give it its own, in place of what has that; nobody ever sees a part of it."""
    temporary = f"{path}{TEMPORARY}{secrets.token_hex(8)}"
    descriptor = files.open_new(temporary)
    try:
        try:
            left = memoryview(content)
            while left:
                count = files.write(descriptor, left)
                if not count:
                    raise OSError(f"{path}: nothing could be written")
                left = left[count:]
            files.sync(descriptor)
        finally:
            files.close(descriptor)
        files.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):  # the next save to this place removes it
            files.remove(temporary)
        raise


def read_whole(files: Files, path: str, limit: int, wanted: int | None = None) -> bytes:
    """The content of a file of at most `limit` bytes, or of exactly `wanted`; its size is looked at before any memory is taken."""
    descriptor = files.open_to_read(path)
    try:
        status = files.status(descriptor)
        size = status.st_size
        if not stat.S_ISREG(status.st_mode) or size > limit or wanted not in (None, size):
            raise ag.CheckpointError(f"{path} is damaged: a file of {size} bytes, expected {wanted if wanted is not None else 'fewer'}")
        parts = []
        while size and (part := files.read(descriptor, size)):
            parts.append(part)
            size -= len(part)
    finally:
        files.close(descriptor)
    return b"".join(parts)
