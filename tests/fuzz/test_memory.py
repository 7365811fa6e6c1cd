"""Random indices on guarded memory: what NumPy gives or raises, and nothing outside changes; `scripts/fuzz --indices` runs longer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz.indices import CANARY, IndexCampaign, cases, guarded_pages, place

CALLS = 300 if os.environ.get("CI") else 200  # where one waits for the tests, fewer
TOO_FAR = """
import numpy as np
from tests.fuzz.indices import guarded_pages, place
guarded = place(np.zeros(8), {layout!r}, guarded_pages())
print("ready", flush=True)
np.lib.stride_tricks.as_strided(guarded.array, (9,), ({stride},))[8]
"""


def test_indices_never_leave_the_buffer() -> None:
    campaign = IndexCampaign()
    campaign.run(CALLS)
    assert not campaign.faults, campaign.report()
    assert campaign.counts["a result"] > CALLS // 4 and campaign.counts["IndexError"] > CALLS // 4


def test_the_same_seed_gives_the_same_calls() -> None:
    assert [case.indices for case in cases(50, 3)] == [case.indices for case in cases(50, 3)]


@pytest.mark.parametrize("layout", ("inside", "strided", "reversed"))
def test_canaries_lie_on_both_sides(layout: str) -> None:
    guarded = place(np.zeros((3, 2)), layout, None)
    assert guarded.array.shape == (3, 2) and (guarded.region[:64] == CANARY).all() and (guarded.region[-64:] == CANARY).all()


@pytest.mark.skipif(guarded_pages() is None, reason="pages are protected by mprotect of Linux")
@pytest.mark.parametrize("layout, stride", (("end", 8), ("start", -8)))
def test_one_element_too_far_ends_the_process(layout: str, stride: int) -> None:
    program = TOO_FAR.format(layout=layout, stride=stride)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.stdout == "ready\n" and done.returncode == -signal.SIGSEGV
