"""`scripts/bench --against`: this checkout beside another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import earlier


def test_a_kernel_and_a_gradient_are_measured_on_both_sides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "autograph_jit").symlink_to(earlier.HERE / "autograph_jit")  # an error where another side than this is measured
    found = earlier.run(tmp_path, "diffuse", quick=True)
    assert set(found) == {"diffuse_slices", "gradient of diffuse"}
    assert all(row["now_s"] > 0 and row["ratio"] == row["now_s"] / row["before_s"] for row in found.values())
    assert "2 programs" in capsys.readouterr().out


def test_the_summary_names_what_became_slower() -> None:
    rows = {"same": 1.0, "slower": 1.25}
    found = {name: {"ratio": ratio, "first_now_s": 1.0, "first_before_s": 2.0} for name, ratio in rows.items()}
    assert earlier.summary(found) == (
        "2 programs: 1.1180 x the time before, first calls 0.50 x (geometric means)\nover 1.1 in 3 tries: slower 1.25"
    )
