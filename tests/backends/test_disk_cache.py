"""Code kept on disk: found again by another process, never out of date, never believed when damaged, refused where others can write."""

from __future__ import annotations

import gc
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
import weakref
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.library import Library, circumstances, digest_of
from autograph_jit.backends.disk_cache import MAGIC, SUFFIX, TEMPORARY, DiskCache
from autograph_jit.errors import CacheWarning

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


def run(source: str, directory: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own, with this cache."""
    variables = os.environ | {"AUTOGRAPH_JIT_CACHE": "1", "AUTOGRAPH_JIT_CACHE_DIR": str(directory)} | environment
    path = directory.parent / f"program_{zlib.crc32(source.encode())}.py"
    if not path.exists():
        path.write_text(source)
    return subprocess.run([sys.executable, str(path)], env=variables, capture_output=True, text=True, cwd=Path(__file__).parents[2])


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
    assert (cache.hits, cache.misses) == (1, 1)
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
    chance = random.Random(5)
    for _ in range(500):
        cache.path(DIGEST).write_bytes(whole[: chance.randrange(len(whole))])
        assert cache.read(DIGEST) is None
        position = chance.randrange(len(whole))
        flipped = whole[position] ^ (1 << chance.randrange(8))
        cache.path(DIGEST).write_bytes(whole[:position] + bytes([flipped]) + whole[position + 1 :])
        assert cache.read(DIGEST) is None
    cache.path(DIGEST).write_bytes(MAGIC.replace(b"1", b"0") + whole[len(MAGIC) :])
    assert cache.read(DIGEST) is None
    cache.path(DIGEST).write_bytes(whole)
    assert cache.read(DIGEST) == body


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="modes of directories are a matter of POSIX")
def test_a_directory_that_others_can_write_is_refused(cache: DiskCache) -> None:
    cache.write(DIGEST, b"object code")
    cache.directory.chmod(0o770)
    with pytest.warns(CacheWarning, match="can be written by other users"):
        assert cache.read(DIGEST) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.read(DIGEST) is None, "one warning a process"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners of directories are a matter of POSIX")
def test_a_directory_of_another_user_is_refused(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.write(DIGEST, b"object code")
    monkeypatch.setattr(os, "getuid", lambda: 12345678)
    with pytest.warns(CacheWarning, match="belongs to another user"):
        assert cache.read(DIGEST) is None


def test_a_write_that_fails_warns_and_leaves_nothing(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    cache.write(DIGEST, b"first")
    monkeypatch.setattr(os, "replace", fail)
    with pytest.warns(CacheWarning, match="No space left on device"):
        cache.write("1" * 64, b"second")
    assert [path.name for path in cache.directory.iterdir()] == [DIGEST + SUFFIX]


def test_a_file_in_place_of_the_directory_warns(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = DiskCache(tmp_path / "file" / "cache")
    with pytest.warns(CacheWarning):
        cache.write(DIGEST, b"object code")
    assert cache.read(DIGEST) is None


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


def test_clearing_says_what_there_was(cache: DiskCache) -> None:
    cache.write(DIGEST, b"object code")
    removed = cache.clear()
    assert removed.entries == 1 and removed.bytes > len(b"object code")
    assert cache.usage().entries == 0


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


def test_eight_processes_at_once_and_a_damaged_entry(tmp_path: Path) -> None:
    directory = tmp_path / "cache"
    (tmp_path / "callee.py").write_text("def term(value):\n    return value * value\n")
    source = PROGRAM.format(folder=str(tmp_path), scale=1.0)
    assert lines(source, tmp_path / "warm up")[0] == "30.0"  # the file of the program is written once
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: lines(source, directory)[0], range(8)))
    assert results == ["30.0"] * 8
    for path in directory.glob("*" + SUFFIX):
        path.write_bytes(path.read_bytes()[:-7])
    assert lines(source, directory) == ["30.0", "compiled"]
    assert lines(source, directory) == ["30.0", "disk"]


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


WRITER = """
import sys
from pathlib import Path
from autograph_jit.backends.disk_cache import DiskCache
cache = DiskCache(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    cache.write("0" * 64, bytes(range(256)) * 4000)
"""


@pytest.mark.skipif(os.name != "posix", reason="processes are killed by signals of POSIX")
def test_a_writer_that_is_killed_leaves_a_whole_entry_or_none(cache: DiskCache, tmp_path: Path) -> None:
    """kill -9 at random moments of writing: what is read is whole, and what was begun is not taken for an entry."""
    chance = random.Random(3)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    for _ in range(4):
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(cache.directory)], stdout=subprocess.PIPE, env=environment)
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        time.sleep(chance.uniform(0.01, 0.1))
        child.kill()
        child.wait()
        child.stdout.close()
        assert cache.read(DIGEST) in (None, bytes(range(256)) * 4000)
    assert cache.usage().entries <= 1
    cache.write(DIGEST, b"again")
    assert cache.read(DIGEST) == b"again"


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


@pytest.mark.parametrize("error", (PermissionError(13, "Permission denied"), OSError(30, "Read-only file system")))
def test_a_directory_that_takes_no_files_warns_once(cache: DiskCache, monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    cache.write(DIGEST, b"first")
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    with pytest.warns(CacheWarning, match="not kept between processes"):
        cache.write("1" * 64, b"second")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.write("2" * 64, b"third")
    assert cache.read(DIGEST) == b"first"


@pytest.mark.slow
def test_damaged_code_is_compiled_again(tmp_path: Path) -> None:
    """Flipped bits and truncations of real object code: the checksum finds each before the code is loaded, and the result is right."""
    directory = tmp_path / "cache"
    (tmp_path / "callee.py").write_text("def term(value):\n    return value * value\n")
    source = PROGRAM.format(folder=str(tmp_path), scale=1.0)
    assert lines(source, directory) == ["30.0", "compiled"]
    chance = random.Random(11)
    whole = {path: path.read_bytes() for path in directory.glob("*" + SUFFIX)}
    for attempt in range(4):
        for path, content in whole.items():
            place = chance.randrange(len(content))
            damaged = content[:place] if attempt % 2 else content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]
            path.write_bytes(damaged)
        assert lines(source, directory) == ["30.0", "compiled"]
    assert lines(source, directory) == ["30.0", "disk"]


def test_other_versions_of_what_compiles_have_other_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "define i64 @entry() {\n  ret i64 1\n}\n"
    before = digest_of(text)
    circumstances.cache_clear()
    monkeypatch.setattr("numba.__version__", "0.0.1")
    assert digest_of(text) != before
    monkeypatch.undo()
    circumstances.cache_clear()
    assert digest_of(text) == before


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
    for module in ("backends/disk_cache.py", "backends/cpu/library.py"):
        words = set(re.findall(r"\w+", (package / module).read_text()))
        assert not words & {"pickle", "marshal", "eval", "exec", "loads"}
