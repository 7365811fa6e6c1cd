"""The README's and the documents' examples run, print what they say, and their links lead somewhere.

A fenced block that opens with ```python is run, all blocks of one file in one namespace, at the document's own line
numbers. A block that opens with ```output must equal what has been printed since the last one.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from dataclasses import dataclass
from pathlib import Path

import pytest

import autograph_jit as ag

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_EXAMPLES = [path for path in DOCUMENTS if "```python" in path.read_text()]
each_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)


@dataclass(frozen=True, slots=True)
class Fence:
    """One fenced block: its language, its first line's number in the document (from 1), its text."""

    language: str
    lineno: int
    text: str


def read_fences(document: str) -> list[Fence]:
    fences, language, start = [], None, 0
    lines = document.splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            continue
        if language is None:
            language, start = line[3:].strip(), number + 1
        else:
            fences.append(Fence(language, start, "\n".join(lines[start - 1 : number - 1]) + "\n"))
            language = None
    assert language is None, f"the fence of line {start - 1} is not closed"
    return fences


def run_examples(name: str, fences: list[Fence], folder: Path) -> None:
    """Run the python blocks; the source file keeps the document's line numbers, so that tracebacks name them."""
    source = folder / f"{name}.py"
    lines = [""] * max(fence.lineno + fence.text.count("\n") for fence in fences)
    for fence in (fence for fence in fences if fence.language == "python"):
        block = fence.text.splitlines()
        lines[fence.lineno - 1 : fence.lineno - 1 + len(block)] = block
    source.write_text("\n".join(lines) + "\n")
    module = types.ModuleType(name)
    module.__file__ = str(source)
    sys.modules[name] = module
    printed = io.StringIO()
    try:
        for fence in fences:
            if fence.language == "python":
                code = compile("\n" * (fence.lineno - 1) + fence.text, str(source), "exec")
                with contextlib.redirect_stdout(printed):
                    exec(code, module.__dict__)
            elif fence.language == "output":
                assert printed.getvalue().rstrip() == fence.text.rstrip(), f"{name}, line {fence.lineno}"
                printed = io.StringIO()
    finally:
        del sys.modules[name]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.name)
def test_examples_of_a_document_run(path: Path, tmp_path: Path) -> None:
    text = path.read_text()
    if "import autograph_jit as ag" in text and not hasattr(ag, "compile"):
        pytest.skip("the package does not export `compile` yet")
    run_examples(f"example_{path.stem}", read_fences(text), tmp_path)


@each_document
def test_links_of_a_document_lead_to_files(path: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text())
    missing = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert not missing, f"{path.name}: {missing}"


def test_printed_text_that_differs_from_the_document_is_found(tmp_path: Path) -> None:
    fences = read_fences("```python\nprint(1 + 1)\n```\n\n```output\n3\n```\n")
    with pytest.raises(AssertionError, match="line 6"):
        run_examples("example_wrong", fences, tmp_path)


def test_error_in_an_example_names_the_document_line(tmp_path: Path) -> None:
    fences = read_fences("text\n\n```python\nx = 1\n1 / 0\n```\n")
    with pytest.raises(ZeroDivisionError) as caught:
        run_examples("example_error", fences, tmp_path)
    assert caught.traceback[-1].lineno + 1 == 5


def test_reference_names_everything_public_and_nothing_else() -> None:
    text = (ROOT / "docs" / "reference.md").read_text()
    named = set(re.findall(r"(?:`|@)ag\.([A-Za-z_]+)", text))
    assert named == set(ag.__all__)


def test_errors_names_every_exception() -> None:
    text = (ROOT / "docs" / "errors.md").read_text()
    defined = re.findall(r"^class (\w+)", (ROOT / "autograph_jit" / "errors.py").read_text(), re.M)
    assert not [name for name in defined if f"`{name}`" not in text]
