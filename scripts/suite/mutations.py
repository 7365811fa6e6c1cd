"""Mutations of the package: one small fault each, drawn by seed, made in a copy of the tree, and tried against the tests that cover it."""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import copy
import dataclasses
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from suite.measurements import PACKAGE, ROOT, Measurements, read

SWAPPED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult, ast.And: ast.Or, ast.Or: ast.And, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
TRIED_SECONDS = 60.0  # tests of one mutation, by their measured time; those that take least come first
LIMIT_SECONDS = 240.0


@dataclasses.dataclass(frozen=True, slots=True)
class Mutation:
    """A node of a file and what stands in its place."""

    file: str
    line: int
    before: str
    after: str
    text: str  # of the whole mutated file


def mutated(node: ast.AST) -> ast.AST | None:
    """The node with one fault, None where it has no place for one."""
    changed = copy.deepcopy(node)
    if isinstance(changed, ast.Compare) and type(changed.ops[0]) in SWAPPED:
        changed.ops[0] = SWAPPED[type(changed.ops[0])]()
    elif isinstance(changed, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(changed.op) in SWAPPED:
        changed.op = SWAPPED[type(changed.op)]()
    elif isinstance(changed, ast.UnaryOp) and isinstance(changed.op, ast.Not):
        return changed.operand
    elif isinstance(changed, ast.Constant) and isinstance(changed.value, bool):
        changed.value = not changed.value
    elif isinstance(changed, ast.Constant) and isinstance(changed.value, int):
        changed.value += 1
    elif isinstance(changed, ast.IfExp):
        changed.body, changed.orelse = changed.orelse, changed.body
    elif isinstance(changed, ast.Expr) and isinstance(changed.value, ast.Call):
        return ast.Pass()
    elif isinstance(changed, ast.Return) and changed.value is not None and not is_none(changed.value):
        changed.value = ast.Constant(None)
    else:
        return None
    return changed


def is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def mutations_of(file: str) -> Iterator[tuple[int, Callable[[], Mutation]]]:
    """The lines of a file that can be mutated, each with what makes the mutation."""
    source = (PACKAGE / file).read_text()
    bodies = [node.body for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    nodes = dict.fromkeys(node for body in bodies for statement in body for node in ast.walk(statement))
    for node in nodes:
        if isinstance(node, ast.expr | ast.stmt) and mutated(node) is not None:
            yield node.lineno, lambda node=node: replaced(file, source, node)


def replaced(file: str, source: str, node: ast.expr | ast.stmt) -> Mutation:
    """The mutation that puts the faulty node in the node's place."""
    faulty = mutated(node)
    assert faulty is not None and node.end_lineno is not None
    text = ast.unparse(ast.fix_missing_locations(faulty))
    if isinstance(node, ast.expr):
        text = f"({text})"
    lines = source.encode().splitlines(keepends=True)
    start, end = offset(lines, node.lineno, node.col_offset), offset(lines, node.end_lineno, node.end_col_offset or 0)
    content = b"".join(lines)
    changed = (content[:start] + text.encode() + content[end:]).decode()
    return Mutation(file, node.lineno, content[start:end].decode(), text, changed)


def offset(lines: list[bytes], line: int, column: int) -> int:
    return sum(map(len, lines[: line - 1])) + column


def draw(measured: Measurements, count: int, seed: int) -> list[Mutation]:
    """Mutations of covered lines, as many from every package as it has such lines."""
    covered = set().union(*measured.lines.values())
    files = sorted({file for file, _ in covered})
    places = [make for file in files for line, make in mutations_of(file) if (file, line) in covered]
    return [make() for make in random.Random(seed).sample(places, min(count, len(places)))]


def tests_of(measured: Measurements, mutation: Mutation) -> list[str]:
    """The test functions that cover the line, the quickest first, as far as the time for them goes."""
    place = (mutation.file, mutation.line)
    covering = sorted((name for name, lines in measured.lines.items() if place in lines), key=lambda name: measured.seconds[name])
    chosen, spent = [], 0.0
    for name in covering:
        spent += measured.seconds[name]
        if chosen and spent > TRIED_SECONDS:
            break
        chosen.append(name)
    return chosen


def attempt(mutation: Mutation, tests: list[str], suite: Path) -> dict[str, object]:
    """Whether the tests find the fault: what is recorded of it."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as directory:
        tree = Path(directory)
        for name in ("autograph_jit", "scripts", "samples", "docs"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(suite / "tests", tree / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md"):
            shutil.copy(ROOT / name, tree / name)
        (tree / "autograph_jit" / mutation.file).write_text(mutation.text)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "--timeout", "60", "-p", "no:cacheprovider", *tests]
        try:
            environment = os.environ | {"PYTHONPATH": str(tree)}
            run = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS)
            outcome = "survived" if run.returncode == 0 else "died"
            said = run.stdout.strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            outcome, said = "died", [f"no end within {LIMIT_SECONDS:.0f} s"]
    facts = {name: getattr(mutation, name) for name in ("file", "line", "before", "after")}
    return {**facts, "outcome": outcome, "tests": len(tests), "said": said}


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/mutate", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--directory", type=Path, default=ROOT / ".suite", help="where scripts/measure-suite left its measurements")
    parser.add_argument("--suite", type=Path, default=ROOT, help="the tree whose tests are run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True, help="a line of JSON for each mutation, tried once")
    parser.add_argument("--survivors", type=Path, help="try only those that survived in this file")
    options = parser.parse_args()
    measured = read(options.directory)
    drawn = draw(measured, options.count, options.seed)
    done = recorded(options.out)
    if options.survivors:
        wanted = {key for key, record in recorded(options.survivors).items() if record["outcome"] == "survived"}
        drawn = [mutation for mutation in drawn if (mutation.file, mutation.line, mutation.after) in wanted]
    pending = [mutation for mutation in drawn if (mutation.file, mutation.line, mutation.after) not in done]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, options.out.open("a") as file:
        for record in pool.map(lambda mutation: attempt(mutation, tests_of(measured, mutation), options.suite), pending):
            file.write(json.dumps(record) + "\n")
            file.flush()
    records = list(recorded(options.out).values())
    survived = [record for record in records if record["outcome"] == "survived"]
    print(f"{len(records)} mutations, {len(records) - len(survived)} died, {len(survived)} survived")
    for record in survived:
        print(f"  {record['file']}:{record['line']}: {record['before']!r} -> {record['after']!r}")


def recorded(path: Path) -> dict[tuple[str, int, str], dict]:
    """The records of a file by mutation."""
    if not path.exists():
        return {}
    records = map(json.loads, path.read_text().splitlines())
    return {(record["file"], record["line"], record["after"]): record for record in records}


if __name__ == "__main__":
    main()
