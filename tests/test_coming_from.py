"""The tables of docs/coming_from.md: the code in each row runs, and gives what the row says."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tables import table

PAGE = Path(__file__).resolve().parent.parent / "docs" / "coming_from.md"
CODE = re.compile(r"`([^`]+)`")
MENTIONED = re.compile(r"@[\w.]+|\w+(=[\w\"]*)?|\(.*\)|with [^:]*|self\..*|1 / 0")  # words, options, pieces: not run
FROM_A_MODULE = re.compile(r"(ag|checkpoints|metrics|nn|np|optim|summaries)(\.\w+)+")  # has to be there, and is no result


@dataclass(frozen=True, slots=True)
class Row:
    lineno: int
    theirs: str
    here: str
    code: list[str]
    value: str


def read_rows() -> list[Row]:
    """The rows of all tables that have a third column "gives"."""
    rows, in_table = [], False
    for lineno, line in enumerate(PAGE.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells or set(cells) == {"---"}:
            in_table = in_table and bool(cells)
        elif not in_table:
            in_table = True
            assert cells[1:] == ["here", "gives"], f"line {lineno}"
        else:
            assert len(cells) == 3, f"line {lineno} has {len(cells)} cells"
            rows.append(Row(lineno, *cells[:2], CODE.findall(cells[1]), cells[2].strip("`")))
    return rows


ROWS = read_rows()


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What the page's blocks of code define."""
    found: dict[str, Any] = {"__name__": "coming_from"}
    source = tmp_path_factory.mktemp("coming_from") / "page.py"
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    source.write_text("\n".join(blocks))
    exec(compile(source.read_text(), str(source), "exec"), found)
    yield found
    found["folder"].cleanup()


def run(code: str, names: dict[str, Any], source: Path) -> Any:
    """The value of an expression, None of statements; the code stands in a file, where the compiler looks for it."""
    source.write_text(code + "\n")
    try:
        expression = compile(code, str(source), "eval")
    except SyntaxError:
        return exec(compile(code, str(source), "exec"), names)
    return eval(expression, names)


def assert_equal(found: Any, expected: Any) -> None:
    """Equal up to rounding, whatever holds the numbers."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            assert_equal(found[key], expected[key])
    elif isinstance(expected, list | tuple) and not isinstance(found, np.ndarray):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_equal(one, other)
    elif isinstance(expected, str | bool | type | None):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)


def run_row(row: Row, names: dict[str, Any], folder: Path) -> None:
    """Run what is whole, and compare what the last result is."""
    here, value, has_run = dict(names), None, False
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="error"):  # to run in Python is not what a row says
        for index, code in enumerate(row.code):
            if code in here or not MENTIONED.fullmatch(code):
                found, has_run = run(code, here, folder / f"line_{row.lineno}_{index}.py"), True
                value = value if FROM_A_MODULE.fullmatch(code) else found
    assert has_run or row.here.startswith("none"), "a row has code to run, or says that there is none"
    if row.value:
        assert_equal(value, run(row.value, here, folder / "value.py"))


@table("row", ROWS, ids=lambda row: f"line {row.lineno}: {row.theirs}")
def test_row_does_what_it_says(row: Row, names: dict[str, Any], tmp_path: Path) -> None:
    run_row(row, names, tmp_path)


def test_page_has_rows_for_all_four() -> None:
    assert len(ROWS) > 150
    for heading in ("TensorFlow", "JAX", "PyTorch", "Numba"):
        assert re.search(rf"^## {heading}", PAGE.read_text(), re.M)
