"""Code kept on disk: found again by another process, never out of date, never believed when damaged, refused where others can write."""

from __future__ import annotations

import ctypes
import gc
import os
import random
import re
import subprocess
import sys
import time
import weakref
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import library
from autograph_jit.backends.cpu.library import Library, circumstances, digest_of
from autograph_jit.backends.disk_cache import MAGIC, SUFFIX, TEMPORARY, DiskCache, unsealed
from autograph_jit.errors import CacheError, CacheWarning

DIGEST = "0" * 64
PROGRAM = """
import sys
import numpy as np
import autograph_jit as ag
sys.path.insert(0, {folder!r})
import callee

SCALE = {scale}

@ag.compile(fallback="error")
def total(x):
    result = 0.0
    for value in x:
        result += SCALE * callee.term(value)
    return result

print(total(np.arange(5.0)))
print("disk" if " disk " in total.explain() else "compiled")
"""


@pytest.fixture
def cache(tmp_path: Path) -> DiskCache:
    return DiskCache(tmp_path / "cache")


def program_file(source: str, directory: Path) -> Path:
    """The file of a program, written once."""
    path = directory.parent / f"program_{zlib.crc32(source.encode())}.py"
    if not path.exists():
        path.write_text(source)
    return path


def run(source: str, directory: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own, with this cache."""
    variables = os.environ | {"AUTOGRAPH_JIT_CACHE": "1", "AUTOGRAPH_JIT_CACHE_DIR": str(directory)} | environment
    command, folder = [sys.executable, program_file(source, directory)], Path(__file__).parents[2]
    return subprocess.run(command, env=variables, capture_output=True, text=True, cwd=folder)


def lines(source: str, directory: Path, **environment: str) -> list[str]:
    done = run(source, directory, PYTHONPATH=str(Path(__file__).parents[2]), **environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.split()


def test_what_was_written_is_read(cache: DiskCache) -> None:
    assert cache.read(DIGEST) is None
    cache.write(DIGEST, b"object code")
    assert cache.read(DIGEST) == b"object code"
    assert cache.read("1" * 64) is None
    assert cache.directory.stat().st_mode & 0o777 == 0o700


def test_a_disabled_cache_neither_reads_nor_writes(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "cache", enabled=False)
    cache.write(DIGEST, b"object code")
    assert cache.read(DIGEST) is None and not cache.directory.exists()


def test_damaged_entries_are_never_believed(cache: DiskCache) -> None:
    """1,000 truncations and bit flips at random places: the entry counts as absent."""
    body = bytes(range(256)) * 4
    cache.write(DIGEST, body)
    whole = cache.path(DIGEST).read_bytes()
    assert unsealed(DIGEST, whole) == body
    chance = random.Random(5)
    for _ in range(500):
        assert not unsealed(DIGEST, whole[: chance.randrange(len(whole))])
        position = chance.randrange(len(whole))
        flipped = whole[position] ^ (1 << chance.randrange(8))
        assert not unsealed(DIGEST, whole[:position] + bytes([flipped]) + whole[position + 1 :])
    for damaged in (b"", whole[:-1], whole + b"\0", MAGIC.replace(b"2", b"1") + whole[len(MAGIC) :]):
        cache.path(DIGEST).write_bytes(damaged)
        assert cache.read(DIGEST) is None
    cache.path(DIGEST).write_bytes(whole)
    assert cache.read(DIGEST) == body


def test_an_entry_under_another_name_is_damaged(cache: DiskCache) -> None:
    """As a restore, a tool that synchronises folders or a fault of the file system leaves it."""
    other = "1" * 64
    cache.write(DIGEST, b"object code")
    cache.write(other, b"other code")
    cache.path(other).write_bytes(cache.path(DIGEST).read_bytes())
    assert cache.read(other) is None and cache.read(DIGEST) == b"object code"


def test_code_under_another_name_is_compiled_again(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "disk_cache", cache)
    texts = [f"define i64 @entry() {{\n  ret i64 {number}\n}}\n" for number in (1, 2)]
    first, second = (cache.path(digest_of(library.normalize_ir_text(text))) for text in texts)
    assert [run_entry(text) for text in texts] == [(1, False), (2, False)]
    second.write_bytes(first.read_bytes())
    assert [run_entry(text) for text in texts] == [(1, True), (2, False)]
    assert [run_entry(text) for text in texts] == [(1, True), (2, True)]


def run_entry(text: str) -> tuple[int, bool]:
    """What the function `entry` of a module returns, and whether its code was found on disk."""
    found = Library(text)
    return ctypes.CFUNCTYPE(ctypes.c_int64)(found.address("entry"))(), found.from_disk


def test_pruning_removes_what_was_used_longest_ago(cache: DiskCache) -> None:
    names = [f"{index:064}" for index in range(8)]
    for age, name in enumerate(names):
        cache.write(name, bytes(1000))
        os.utime(cache.path(name), (1000.0 + age, 1000.0 + age))
    abandoned = cache.directory / (TEMPORARY + "of a process that was killed")
    abandoned.write_bytes(b"half")
    os.utime(abandoned, (1000.0, 1000.0))
    (cache.directory / "notes.txt").write_text("not the cache's")
    assert cache.read(names[0]) is not None
    cache.prune(4 * 1100)
    kept = {path.name for path in cache.directory.iterdir()}
    assert names[0] + SUFFIX in kept and names[7] + SUFFIX in kept and names[1] + SUFFIX not in kept
    assert cache.usage().bytes <= 0.75 * 4 * 1100
    assert abandoned.name not in kept and "notes.txt" in kept


def test_clearing_says_what_there_was_and_leaves_what_is_being_written(cache: DiskCache) -> None:
    cache.write(DIGEST, b"object code")
    unfinished, foreign = cache.directory / (TEMPORARY + "of another process"), cache.directory / ("notes" + SUFFIX)
    unfinished.write_bytes(b"half")
    foreign.write_text("not the cache's")
    removed = cache.clear()
    assert removed.entries == 1 and removed.bytes > len(b"object code")
    assert cache.usage().entries == 0 and {*cache.directory.iterdir()} == {unfinished, foreign}


def test_what_stands_in_the_place_of_an_entry_does_not_stop_clearing(cache: DiskCache) -> None:
    cache.write(DIGEST, b"object code")
    full, empty, link = (cache.path(digit * 64) for digit in "1ef")
    (full / "inside").mkdir(parents=True)
    empty.mkdir()
    link.symlink_to(cache.directory)
    with pytest.raises(CacheError, match=rf"is cleared but for 1: {full}: "):
        cache.clear()
    assert [*cache.directory.iterdir()] == [full]
    assert cache.usage().entries == 0
    cache.prune(0)
    assert full.is_dir()


def test_many_writers_and_readers_of_one_entry_agree(cache: DiskCache) -> None:
    def visit(index: int) -> bytes | None:
        cache.write(DIGEST, b"the same for all" * 1000)
        return cache.read(DIGEST)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(visit, range(64))) == {b"the same for all" * 1000}
    assert cache.usage().entries == 1


def test_another_process_finds_the_code_and_notices_every_edit(tmp_path: Path) -> None:
    """A hit needs the same code: hash seeds do not matter, an edited callee in another file and another global do."""
    directory, callee = tmp_path / "cache", tmp_path / "callee.py"
    callee.write_text("def term(value):\n    return value * value\n")
    source = PROGRAM.format(folder=str(tmp_path), scale=1.0)
    assert lines(source, directory, PYTHONHASHSEED="1") == ["30.0", "compiled"]
    assert lines(source, directory, PYTHONHASHSEED="2") == ["30.0", "disk"]
    assert lines(source, directory, AUTOGRAPH_JIT_CACHE="0") == ["30.0", "compiled"]
    time.sleep(0.01)
    callee.write_text("def term(value):\n    return value + value\n")
    assert lines(source, directory) == ["20.0", "compiled"]
    assert lines(PROGRAM.format(folder=str(tmp_path), scale=2.0), directory)[0] == "40.0"


def test_four_processes_at_once_and_damaged_entries(tmp_path: Path) -> None:
    directory = tmp_path / "cache"
    (tmp_path / "callee.py").write_text("def term(value):\n    return value * value\n")
    source = PROGRAM.format(folder=str(tmp_path), scale=1.0)
    program_file(source, directory)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: lines(source, directory)[0], range(4)))
    assert results == ["30.0"] * 4
    for path in directory.glob("*" + SUFFIX):
        path.write_bytes(path.read_bytes()[:-7])
    assert lines(source, directory) == ["30.0", "compiled"]


def test_memory_of_deleted_functions_goes_back() -> None:
    """Code that is gone is unmapped: each compilation here has 64 kB of data, 200 of them leave less than 4 kB each."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    text = "@numbers = global [8192 x i64] zeroinitializer\ndefine ptr @entry() {\n  ret ptr @numbers\n}\n"
    if not Path("/proc/self/statm").exists():
        pytest.skip("the size of the process is read from /proc")
    for _ in range(20):
        Library(text)
    before = resident()
    for _ in range(200):
        Library(text)
    assert (resident() - before) / 200 < 4096


def test_a_deleted_function_takes_its_code_with_it() -> None:
    @ag.compile(fallback="error")
    def doubled(x):
        return x + x

    assert doubled(2.0) == 4.0
    (specialization,) = doubled.specializations
    (executable,) = specialization.executables.values()
    library = weakref.ref(executable.library)
    del doubled, specialization, executable
    gc.collect()
    assert library() is None


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_warns_and_reads_go_on(cache: DiskCache) -> None:
    cache.write(DIGEST, b"first")
    cache.directory.chmod(0o500)
    try:
        with pytest.warns(CacheWarning):
            cache.write("1" * 64, b"second")
        assert cache.read(DIGEST) == b"first" and cache.read("1" * 64) is None
    finally:
        cache.directory.chmod(0o700)


def test_other_versions_of_what_compiles_have_other_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "define i64 @entry() {\n  ret i64 1\n}\n"
    before = digest_of(text)
    circumstances.cache_clear()
    for name in ("numba.__version__", "llvmlite.__version__", "numpy.__version__", "sys.version", f"{library.__name__}.OPTION"):
        with monkeypatch.context() as changed:
            changed.setattr(name, "0.0.1")
            assert digest_of(text) != before, name
        circumstances.cache_clear()
    circumstances.cache_clear()
    assert digest_of(text) == before != digest_of(text, as_written=True)


def test_a_closure_value_that_changes_is_noticed() -> None:
    factor = 2.0

    @ag.compile(fallback="error")
    def scaled(x):
        return x * factor

    assert scaled(3.0) == 6.0
    factor = 5.0
    assert scaled(3.0) == 15.0


def test_nothing_of_an_entry_is_unpickled_or_evaluated() -> None:
    """The modules that read the cache know no pickle, marshal, eval or exec."""
    package = Path(ag.__file__).parent
    for module in ("backends/disk_cache.py", "backends/trusted_paths.py", "backends/file_operations.py", "backends/cpu/library.py"):
        words = set(re.findall(r"\w+", (package / module).read_text()))
        assert not words & {"pickle", "marshal", "eval", "exec", "loads"}
