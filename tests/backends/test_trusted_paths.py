"""Code that somebody else may have written is not loaded, and whatever is wrong with the cache costs one warning, never a compilation."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from autograph_jit.backends.disk_cache import DiskCache
from autograph_jit.backends.file_operations import FileOperations
from autograph_jit.errors import CacheWarning

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners, modes and links are a matter of POSIX")
DIGEST, OTHER = "0" * 64, "1" * 64
STRANGER = os.geteuid() + 54321 if os.name == "posix" else 54321


class Foreign(FileOperations):
    """The same files, but for some paths, which belong to another user; changing owners is root's privilege."""

    def __init__(self, *paths: Path) -> None:
        self.inodes = {(path.lstat().st_dev, path.lstat().st_ino) for path in paths}

    def seen(self, status: os.stat_result) -> os.stat_result:
        if (status.st_dev, status.st_ino) in self.inodes:
            status = os.stat_result((*status[:4], STRANGER, *status[5:]))
        return status

    def status(self, path: str) -> os.stat_result:
        return self.seen(super().status(path))

    def status_of(self, descriptor: int) -> os.stat_result:
        return self.seen(super().status_of(descriptor))


def complaints(action: Callable[[], object]) -> tuple[object, list[str]]:
    """What an action gives, and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = action()
    assert all(warning.category is CacheWarning for warning in caught)
    return result, [str(warning.message) for warning in caught]


def open_to_others(path: Path) -> None:
    path.chmod(0o666)


def linked(path: Path) -> None:
    path.rename(path.parent / "elsewhere")
    path.symlink_to(path.parent / "elsewhere")


def named_twice(path: Path) -> None:
    os.link(path, path.parent / "elsewhere")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    os.truncate(path, 40 << 30)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


ENTRIES: dict[Callable[[Path], None], str] = {
    open_to_others: "can be written by other users", linked: "is a symbolic link", named_twice: "has another name, a hard link",
    pipe: "is not a regular file", endless: "is a symbolic link", sparse: "more than", folder: "is not a regular file",
}  # fmt: skip


@pytest.mark.parametrize("spoil", ENTRIES, ids=lambda spoil: spoil.__name__)
def test_an_entry_that_others_may_have_written_is_refused_and_replaced(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    cache = DiskCache(tmp_path / "cache")
    cache.write(DIGEST, b"object code")
    path = cache.path(DIGEST)
    spoil(path)
    result, said = complaints(lambda: cache.read(DIGEST))
    assert result is None and len(said) == 1
    assert f"{path} " in said[0] and ENTRIES[spoil] in said[0] and "autograph-jit cache clear" in said[0]
    again, said = complaints(lambda: (cache.write(DIGEST, b"object code"), cache.read(DIGEST))[1])
    assert said == [] and again == (None if spoil is folder else b"object code")


def test_files_and_directories_of_another_user_are_refused(tmp_path: Path) -> None:
    """The entry, its directory, the one around it, a link to it."""
    cache = DiskCache(tmp_path / "inner" / "cache")
    cache.write(DIGEST, b"object code")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "inner")
    shown = link / "cache" / cache.path(DIGEST).name
    for path in (cache.path(DIGEST), cache.directory, tmp_path / "inner", link):
        seen = DiskCache(link / "cache", files=Foreign(path))
        result, said = complaints(lambda: seen.read(DIGEST))
        assert result is None and len(said) == 1 and f"{shown if path.suffix else path} belongs to another user" in said[0]
    assert DiskCache(link / "cache").read(DIGEST) == b"object code", "one's own link leads to one's own directory"


def test_root_owns_what_is_around_the_directory_but_not_the_directory(tmp_path: Path) -> None:
    class Unprivileged(FileOperations):
        def user(self) -> int:
            return STRANGER

        def status(self, path: str) -> os.stat_result:
            status = super().status(path)
            return os.stat_result((*status[:4], STRANGER if path == mine else 0, *status[5:]))

    directory = tmp_path / "cache"
    directory.mkdir(mode=0o700)
    for mine, expected in ((str(directory), []), ("", [f"{directory} belongs to another user"])):
        _, said = complaints(lambda: DiskCache(directory, files=Unprivileged()).write(DIGEST, b"object code"))
        assert len(said) == len(expected) and all(text in found for text, found in zip(expected, said))


@pytest.mark.parametrize("mode", (0o770, 0o707, 0o1777))
def test_a_directory_that_others_can_write_is_refused_and_so_is_what_it_contains(tmp_path: Path, mode: int) -> None:
    """In a directory whose sticky bit is set nobody replaces what belongs to others: `/tmp` may contain a cache, not be one."""
    outer, inner = DiskCache(tmp_path / "cache"), DiskCache(tmp_path / "cache" / "inner")
    for cache in (outer, inner):
        cache.write(DIGEST, b"object code")
    outer.directory.chmod(mode)
    for cache, is_refused in ((outer, True), (inner, not mode & stat.S_ISVTX)):
        result, said = complaints(lambda: (cache.read(DIGEST), cache.read(DIGEST))[1])
        assert result == (None if is_refused else b"object code") and len(said) == is_refused
        assert not said or f"{outer.directory} can be written by other users" in said[0]


def test_directories_are_made_for_this_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        DiskCache(tmp_path / "a" / "b" / "cache").write(DIGEST, b"object code")
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b", "a/b/cache")] == [0o700] * 3


def test_a_way_back_and_a_circle_of_links(tmp_path: Path) -> None:
    DiskCache(tmp_path / "a" / "cache").write(DIGEST, b"object code")
    assert DiskCache(tmp_path / "a" / ".." / "a" / "cache").read(DIGEST) == b"object code"
    (tmp_path / "b").symlink_to("c")
    (tmp_path / "c").symlink_to("b")
    result, said = complaints(lambda: DiskCache(tmp_path / "b" / "cache").read(DIGEST))
    assert result is None and len(said) == 1 and "in a circle" in said[0]


def test_places_where_no_cache_can_be_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No home directory, as in containers; relative paths, which the folder that a program is started in would decide; a file, a pipe."""
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as where HOME is not set and the user is in no table
    for name in ("XDG_CACHE_HOME", "AUTOGRAPH_JIT_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    cases: dict[str, str] = {"": "is not an absolute path, and there is no such home directory", "cache": "is not an absolute path"}
    cases |= {str(tmp_path / name): "is not a directory" for name in ("file", "pipe", "file/cache")}
    for place, expected in cases.items():
        monkeypatch.setenv("AUTOGRAPH_JIT_CACHE_DIR", place)
        cache = DiskCache()
        result, said = complaints(lambda: (cache.write(DIGEST, b"object code"), cache.read(DIGEST))[1])
        assert result is None and len(said) == 1 and expected in said[0] and "AUTOGRAPH_JIT_CACHE_DIR" in said[0], place
        with pytest.raises(OSError):
            cache.clear()
    assert sorted(os.listdir(tmp_path)) == ["file", "pipe"]


def test_a_tilde_is_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AUTOGRAPH_JIT_CACHE_DIR", "~/mine")
    DiskCache().write(DIGEST, b"object code")
    assert DiskCache(tmp_path / "mine").read(DIGEST) == b"object code"


def test_an_entry_that_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograph_jit.backends.disk_cache.ENTRY_LIMIT_BYTES", 1000)
    cache = DiskCache(tmp_path / "cache")
    _, said = complaints(lambda: [cache.write(digest, bytes(1000)) for digest in (DIGEST, OTHER)])
    assert len(said) == 1 and f"{cache.path(DIGEST)} would have " in said[0]
    assert not cache.directory.exists()
