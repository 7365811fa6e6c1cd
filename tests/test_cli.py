"""The command line: what each command prints, and one line on standard error with status 2 for what cannot be used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograph_jit.backends.disk_cache import DiskCache
from autograph_jit.cli import main

PROGRAM = """
import numpy as np
import autograph_jit as ag

SIZE = 4

def double(x, n):
    for i in range(n):
        if x[i] > 0:  # only these
            x[i] = 2.0 * x[i]
    return x

@ag.compile
def compiled(x):
    return x + 1.0

class Model:
    def __init__(self):
        self.scale = 2.0
        self.w = np.ones(3)

    @ag.compile
    def apply(self, x):
        return self.w * x

number = 3

def source_less():
    raise SystemExit(3)

lonely = eval("lambda x: x")

if number:
    def twice(x): return x + x
else:
    def twice(x): return 2 * x

def circle(x):
    return x

circle.__wrapped__ = circle

@np.vectorize
def each(x):
    print("called")
    return x
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(list(argv))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_convert_prints_the_transformed_source(capsys: pytest.CaptureFixture[str], program: Path) -> None:
    status, out, err = run(capsys, "convert", f"{program}::double")
    assert (status, err) == (0, "")
    assert out.startswith("def double(x, n):\n") and "ag__.for_stmt(" in out and "ag__.if_stmt(" in out
    assert "\x1b" not in out


def test_convert_takes_methods_and_compiled_functions(capsys: pytest.CaptureFixture[str], program: Path) -> None:
    assert run(capsys, "convert", f"{program}::Model.apply")[1].startswith("def apply(self, x):\n")
    assert run(capsys, "convert", f"{program}::compiled")[1].startswith("def compiled(x):\n")


def test_convert_takes_an_importable_module(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "convert", "textwrap:dedent")
    assert status == 0 and out.startswith("def dedent(text):\n")


def test_convert_ast_prints_the_syntax_tree(capsys: pytest.CaptureFixture[str], program: Path) -> None:
    status, out, _ = run(capsys, "convert", f"{program}::compiled", "--ast")
    assert status == 0 and out.startswith("FunctionDef(") and "name='compiled'" in out


def test_convert_diff_keeps_unchanged_lines_and_marks_the_others(capsys: pytest.CaptureFixture[str], program: Path) -> None:
    status, out, _ = run(capsys, "convert", f"{program}::double", "--diff")
    lines = out.splitlines()
    assert status == 0 and lines[0].startswith("--- ") and lines[1].startswith("+++ ")
    assert " def double(x, n):" in lines and "-    for i in range(n):" in lines
    assert any(line.startswith("+") and "ag__.for_stmt(" in line for line in lines)


def test_convert_reads_a_file_and_runs_it_only_where_that_is_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What is read is converted as what is run; names of the module hide builtins in both."""
    path = tmp_path / "loud.py"
    method = "class C:\n  def f(self, x):\n    return __class__, len(x), sum(x)\n"
    text = f"from somewhere import anything\nprint('loud')\n{method}def len(x): pass\n"
    path.write_text(text)
    status, read, err = run(capsys, "convert", f"{path}::C.f")
    assert (status, err) == (0, "")
    path.write_text(text.replace("from", "#"))
    assert run(capsys, "convert", "--run", f"{path}::C.f") == (0, read, "loud\n")
    assert run(capsys, "convert", f"{path}::C.f", "--diff")[1].startswith(f"--- {path}::C.f\n")


def test_convert_says_which_decorators_it_left_out(capsys: pytest.CaptureFixture[str], program: Path) -> None:
    status, out, err = run(capsys, "convert", f"{program}::each")
    assert status == 0 and out.startswith("def each(x):\n") and err.startswith("autograph-jit: each is shown without @np.vectorize: --run ")
    assert run(capsys, "convert", f"{program}::compiled")[2] == ""


def test_what_the_program_prints_goes_to_standard_error(capsys: pytest.CaptureFixture[str], program: Path) -> None:
    _, out, err = run(capsys, "graph", f"{program}::compiled", "--args", "each(np.ones(1))")
    assert out.startswith("graph compiled(") and "called" not in out and err == "called\n" * 2


def test_an_interrupt_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "interrupted.py"
    path.write_text("raise KeyboardInterrupt\n")
    assert run(capsys, "graph", f"{path}::f") == (130, "", "autograph-jit: interrupted\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full is Linux's")
def test_an_output_that_cannot_be_written_is_one_line(program: Path) -> None:
    command = [sys.executable, "-m", "autograph_jit", "convert", f"{program}::double"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "autograph-jit: the output cannot be written: No space left on device\n")


def test_colors_are_written_where_they_are_asked_for(capsys: pytest.CaptureFixture[str], program: Path) -> None:
    plain = run(capsys, "convert", f"{program}::double")[1]
    colored = run(capsys, "convert", f"{program}::double", "--color", "always")[1]
    assert "\x1b[1;34mdef\x1b[0m double" in colored
    assert strip_colors(colored) == plain


def strip_colors(text: str) -> str:
    for code in ("1;34", "32", "36", "2", "33", "31", "0"):
        text = text.replace(f"\x1b[{code}m", "")
    return text


def test_graph_prints_operations_with_the_users_lines(capsys: pytest.CaptureFixture[str], program: Path) -> None:
    status, out, _ = run(capsys, "graph", f"{program}::double", "--args", "np.ones(SIZE * 10), 5")
    assert status == 0 and out.startswith("graph double(") and "for_loop(" in out and "@program.py:" in out


def test_kernels_prints_loop_nests(capsys: pytest.CaptureFixture[str], program: Path) -> None:
    status, out, _ = run(capsys, "kernels", f"{program}::compiled", "--args", "x=np.ones((3, 40))")
    assert status == 0 and out.startswith("kernel add\n") and "for i0" in out


def test_explain_of_a_method_takes_the_instance(capsys: pytest.CaptureFixture[str], program: Path) -> None:
    status, out, _ = run(capsys, "explain", f"{program}::Model.apply", "--args", "Model(), np.ones(3)")
    assert status == 0 and out.startswith("Model.apply, program.py:") and "self.w is an array float64 of rank 1" in out


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["convert", "nowhere.py::f"], "there is no file nowhere.py"),
        (["convert", "no_such_module:f"], "no_such_module cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        (["convert", "PROGRAM::dubble"], "has no function 'dubble': is it double?"),
        (["convert", "PROGRAM::Model.nothing"], "has no function 'Model.nothing'"),
        (["convert", "PROGRAM::number"], "has no function 'number' (--run executes the file"),
        (["convert", "PROGRAM::twice"], "defines twice in lines 34, 36: --run executes the file"),
        (["convert", "PROGRAM::Model.apply.x", "--run"], "has no function 'Model.apply.x'"),
        (["convert", "PROGRAM::number.x", "--run"], "has no function 'number.x'"),
        (["convert", "PROGRAM::number", "--run"], "3 is no Python function"),
        (["convert", "PROGRAM::lonely", "--run"], "has no source"),
        (["convert", "PROGRAM"], "NAME for a function of a file"),
        (["convert", "nothing"], "names no function"),
        (["convert", "PROGRAM::circle", "--run"], "ValueError: wrapper loop when unwrapping"),
        (["graph", "PROGRAM::circle", "--args", "1.0"], "ValueError: wrapper loop when unwrapping"),
        (["graph", "PROGRAM::double", "--args", "source_less()"], "SystemExit: 3"),
        (["graph", "PROGRAM::double", "--args", "np.ones(3"], "SyntaxError"),
        (["graph", "PROGRAM::double", "--args", "np.ones(3), unknown"], "NameError: name 'unknown' is not defined"),
        (["graph", "PROGRAM::double", "--args", "1) + (2"], "SyntaxError"),
        (["graph", "PROGRAM::double", "--args", "np.ones(3)"], "missing a required argument: 'n'"),
        (["kernels", "PROGRAM::number"], "takes a function"),
        (["run", "nowhere.py"], "there is no file nowhere.py"),
    ],
)
def test_what_cannot_be_used_gives_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], program: Path, argv: list[str], text: str
) -> None:
    status, out, err = run(capsys, *(arg.replace("PROGRAM", str(program)) for arg in argv))
    assert (status, out) == (2, "")
    assert text in err and err.startswith("autograph-jit: ") and err.count("\n") == 1


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("def f(:\n", "broken.py:1: "),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(4)\n", "SystemExit: 4"),
        ("raise type('Own', (BaseException,), {})('text')\n", "Own: text"),
    ],
)
def test_a_file_that_cannot_be_loaded_gives_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, source: str, text: str
) -> None:
    path = tmp_path / "broken.py"
    path.write_text(source)
    status, out, err = run(capsys, "convert", "--run", f"{path}::f")
    assert (status, out, err.count("\n")) == (2, "", 1) and text in err


def test_unknown_command_ends_with_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(["frobnicate"])
    assert error.value.code == 2 and "frobnicate" in capsys.readouterr().err


def test_run_gives_the_script_its_arguments_and_runs_it_eagerly(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\nimport autograph_jit as ag\nprint(sys.argv[1:], ag.compile(ag.executing_eagerly)(), __name__)\n")
    command = [sys.executable, "-m", "autograph_jit", "run"]
    eager = subprocess.run([*command, "--eager", str(script), "a", "--b"], capture_output=True, text=True, check=True, timeout=60)
    assert eager.stdout == "['a', '--b'] True __main__\n"
    compiled = subprocess.run([*command, str(script)], capture_output=True, text=True, check=True, timeout=60)
    assert compiled.stdout == "[] False __main__\n"


def test_doctor_names_versions_processor_threads_and_cuda(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "doctor")
    labels = [line.split()[0] for line in out.splitlines()]
    assert status == 0
    assert {"python", "numpy", "numba", "llvmlite", "processor", "threads", "cuda"} <= set(labels)


def test_cache_shows_and_clears_what_is_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRAPH_JIT_CACHE_DIR", str(tmp_path / "cache"))
    DiskCache(tmp_path / "cache").write("0" * 64, bytes(100))
    assert run(capsys, "cache", "info")[:2] == (0, f"{tmp_path / 'cache'}: 1 entry, 0.0 MB\n")
    assert run(capsys, "cache", "clear")[:2] == (0, f"removed from {tmp_path / 'cache'}: 1 entry, 0.0 MB\n")
    assert run(capsys, "cache", "info")[1] == f"{tmp_path / 'cache'}: 0 entries, 0.0 MB\n"
    (tmp_path / "cache").chmod(0o777)
    assert run(capsys, "cache", "info")[1].splitlines()[1] == f"not used: {tmp_path / 'cache'} can be written by other users"


def test_cache_says_in_one_line_what_is_wrong_with_its_directory(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "cache" / ("0" * 64 + ".object") / "inside").mkdir(parents=True)
    cases = {"file": "Not a directory", "pipe": "Not a directory", "file/inner": "Not a directory", "cache": "is cleared but for 1"}
    for name, text in cases.items():
        monkeypatch.setenv("AUTOGRAPH_JIT_CACHE_DIR", str(tmp_path / name))
        status, out, err = run(capsys, "cache", "clear")
        assert (status, out, err.count("\n")) == (2, "", 1) and text in err and str(tmp_path / name) in err
        if name != "cache":
            assert run(capsys, "cache", "info") == (status, out, err)
            assert f"cannot be used: {tmp_path / name}" in run(capsys, "doctor")[1]
    monkeypatch.setenv("AUTOGRAPH_JIT_CACHE_DIR", "cache")
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "cache", "clear") == (2, "", "autograph-jit: cache is not an absolute path\n")
