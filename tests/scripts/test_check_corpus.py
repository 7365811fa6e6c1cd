"""The corpus check counts what passed, and fails under the floor and only there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import check_corpus

RUNNER = 'import pathlib, sys\nprint("FAILED a.b: wrong")\nprint(pathlib.Path(sys.argv[-1]).read_text())\nsys.exit(1)\n'


@pytest.mark.parametrize(("least", "status"), [(0, 0), (7, 0), (8, 1)])
def test_status_is_one_under_the_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int, status: int) -> None:
    (tmp_path / "run.py").write_text(RUNNER)
    (tmp_path / "cases.py").write_text("7 passed, 2 failed")
    floor = tmp_path / "floor.txt"
    floor.write_text(f"# a comment\ncases.py {least}  # another\n")
    monkeypatch.setattr(sys, "argv", ["check_corpus.py", str(tmp_path), str(floor)])
    assert check_corpus.main() == status


def test_runner_without_a_summary_is_under_any_floor(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text("1 / 0\n")
    passed, output = check_corpus.run_file(tmp_path, "cases.py")
    assert passed == -1 and "ZeroDivisionError" in output


def test_floor_file_of_the_project_is_readable() -> None:
    floor = check_corpus.read_floor(Path(__file__).parent.parent / "corpus_floor.txt")
    assert set(floor) == {"plain.py", "language.py", "arrays.py", "errors.py", "gradients.py"}
