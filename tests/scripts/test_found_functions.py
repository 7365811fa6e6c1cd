"""Recorded calls: which are recorded, what a replay tells of right and wrong functions, what becomes of a process that does not end."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from found_functions import campaign, copies, replay, sources
from found_functions.recording import Found, Recorder, find
from found_functions.rounding import is_rounding
from found_functions.summary import cause, kinds, summary


class Kept:
    def __init__(self, x: float) -> None:
        self.x = x

    def scaled(self, by: float, *more: float, offset: float = 0.0) -> float:
        return self.x * by + sum(more) + offset


def lazy(n: int) -> object:
    yield n


def test_calls_are_recorded_with_their_arguments_a_few_of_each_function() -> None:
    with Recorder((f"{__name__}.",)) as recorder:
        for k in range(20):
            Kept(1.5).scaled(k, 2.0, offset=1.0)
        list(lazy(3))
    (found,) = recorder.functions()
    function = find(found.module, found.name, found.line)
    assert found.name == "Kept.scaled" and function is not None and len(found.calls) == 3
    args, kwargs = pickle.loads(found.calls[1])
    assert (args[0].x, *args[1:], kwargs) == (1.5, 1, 2.0, {"offset": 1.0})
    assert function(*args, **kwargs) == Kept(1.5).scaled(1, 2.0, offset=1.0)


def test_a_replay_tells_what_is_equal_and_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(function: object) -> dict:
        record: dict = {}
        replay.replay(function, [pickle.dumps(((x,), {})) for x in (1.5, 2.5)], record.update)
        return record

    def twice(x: float) -> float:
        return x * 2.0

    def drifting(x: float) -> float:
        calls.append(x)
        return x + (len(calls) > 2)

    calls: list[float] = []
    assert "differs from itself, made once more" in told(drifting)["left_out"]
    right = told(twice)
    assert right["made"] == 6 and "different" not in right and right["plain_s"] > 0
    compile_ = ag.compile
    monkeypatch.setattr(ag, "compile", lambda function: compile_(lambda x: function(x) + 1.0))
    assert "4.0 instead of 3.0" in told(twice)["different"]


def test_a_copy_imports_its_own_package() -> None:
    text = "from email.utils import quote\nimport email.charset\nfrom emails import x\n"
    first, second, third = copies.renamed(text, "email").splitlines()
    assert first == "from found_copies.email.utils import quote" and third == "from emails import x"
    assert second == "import found_copies.email.charset; from found_copies import email"


def test_a_process_that_ends_or_hangs_costs_one_function(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text(
        "import json, os, sys, time\n"
        "for key in sys.argv[1:]:\n"
        "    print(json.dumps({'key': key, 'made': 3}), flush=True)\n"
        "    if key == 'crash': os._exit(7)\n"
        "    if key == 'hang': time.sleep(60)\n"
        "    print(json.dumps({'key': key, 'ended': True}), flush=True)\n"
    )
    monkeypatch.setattr(campaign, "LIMIT_SECONDS", 0.5)
    monkeypatch.setattr(campaign, "WAITING", 1.0)
    follow = campaign.follow
    monkeypatch.setattr(campaign, "follow", lambda command, found: follow([sys.executable, str(child), *command[5:]], found))
    records = {record["key"]: record for record in campaign.replayed("source", ["a", "crash", "b", "hang", "c"])}
    assert [records[key].get("broken", "").partition(":")[0] for key in ("a", "crash", "b", "hang", "c")] == ["", "crash", "", "hang", ""]


def test_the_summary_counts_kinds_and_causes() -> None:
    said = ["f runs in Python, uncompiled:\nx.py:3: `f` needs 12 trips"]
    slow = {"key": "a", "made": 3, "said": said, "plain_s": 1e-6, "compiled_s": 2e-6}
    records = [slow, {"key": "b", "made": 1, "different": "1 instead of 2"}, {"key": "c", "broken": "hang"}, {"key": "d", "left_out": "?"}]
    found = {what: len(those) for what, those in kinds(records).items()}
    assert (found["tried"], found["equal"], found["different"], found["hang"], found["slower than Python"]) == (3, 1, 1, 1, 1)
    assert cause(said[0]) == "`_` needs N trips" and "1 left out" in summary(records)


def test_every_source_has_one_name() -> None:
    names = [source.name for source in sources.sources()]
    assert len(set(names)) == len(names)
    assert Found("m", "f", 3).key == "m:f:3" and json.dumps(names)


def test_rounding_is_told_from_a_fault() -> None:
    def judged(plain: object, other: object, *args: object) -> str:
        record: dict = {}
        compile_ = ag.compile
        ag.compile = lambda function: compile_(other)  # type: ignore[assignment]
        try:
            replay.replay(plain, [pickle.dumps((args, {}))], record.update)
        finally:
            ag.compile = compile_
        return next((what for what in ("different", "rounding", "left_out") if what in record), "equal")

    def cancelled(x: float) -> float:
        return (x * 0.1) * 3.0 - x * 0.3

    def otherwise(x: float) -> float:
        return (x * 3.0) * 0.1 - x * 0.3

    assert judged(cancelled, cancelled, 11 / 7) == "equal"
    assert judged(cancelled, otherwise, 11 / 7) == "rounding"
    assert judged(cancelled, lambda x: x * 1e-9, 3 / 7) == "different"
    assert judged(lambda x: [x, 1], lambda x: [x * (1 + 1e-9), 1], 2.0) == "different"
    assert judged(lambda x: (x, int), lambda x: (x, float), 2.0) == "different"
    assert judged(lambda n: np.empty(n), lambda n: np.zeros(n), 3) == "left_out"


def test_a_last_place_of_a_cosine_is_rounding_and_more_is_not() -> None:
    def run(change: Any) -> Any:
        (x,) = change((1e-3,))
        return {"value": (1.0 - np.cos(x)) / x**2}

    want = run(lambda x: x)
    assert is_rounding(run, {"value": want["value"] + 1e-10}, want)
    assert not is_rounding(run, {"value": want["value"] + 1e-7}, want)
