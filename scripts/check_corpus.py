"""Run corpus files and fail where fewer cases pass than tests/corpus_floor.txt demands: `check_corpus.py CORPUS FLOOR`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TIMEOUT_SECONDS = 1500  # for one file; two run side by side


def read_floor(path: Path) -> dict[str, int]:
    """The least number of cases that must pass, by file name."""
    rows = (line.split("#")[0].split() for line in path.read_text().splitlines())
    return {name: int(count) for name, count in filter(None, rows)}


def run_file(corpus: Path, name: str) -> tuple[int, str]:
    """Cases that passed in one corpus file, and the runner's output."""
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    options = ["--grad"] if name == "gradients.py" else []
    command = [sys.executable, str(corpus / "run.py"), *options, "--timeout", "60", str(corpus / name)]
    try:
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return -1, f"no answer in {TIMEOUT_SECONDS} s\n"
    output = ran.stdout + ran.stderr
    summary = re.search(r"^(\d+) passed, \d+ failed$", ran.stdout, re.MULTILINE)
    return (int(summary.group(1)) if summary else -1), output


def main() -> int:
    corpus, floor = Path(sys.argv[1]).resolve(), read_floor(Path(sys.argv[2]))
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(lambda name: run_file(corpus, name), floor))
    status = 0
    for (name, least), (passed, output) in zip(floor.items(), results):
        print(f"corpus {name}: {passed} passed, at least {least} must")
        failures = [line for line in output.splitlines() if line.startswith("FAILED")]
        print("".join(f"  {line[:200]}\n" for line in failures), end="")
        if passed < least:
            status = 1
            print(f"corpus {name}: UNDER THE FLOOR\n{output[-1500:]}")
    return status


if __name__ == "__main__":
    sys.exit(main())
