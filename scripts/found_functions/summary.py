"""What became of the functions, counted: by outcome, and by the cause for which they run in Python."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable
from typing import Any

Record = dict[str, Any]

SLOWER, SLOWER_SECONDS = 1.1, 5e-7
LONG_FIRST_CALL_SECONDS = 2.0


def is_slower(record: Record) -> bool:
    """Whether warm calls take longer than Python's by more than a tenth and half a microsecond."""
    plain_s, compiled_s = record.get("plain_s", 0.0), record.get("compiled_s", 0.0)
    return compiled_s > SLOWER * plain_s and compiled_s - plain_s > SLOWER_SECONDS


def is_long(record: Record) -> bool:
    return record.get("first_s", 0.0) > LONG_FIRST_CALL_SECONDS


def cause(reason: str) -> str:
    """The kind of a reason: the warning's second line without names, numbers and places."""
    lines = reason.splitlines()
    text = re.sub(r"^\S+\.py:\d+: ", "", lines[1] if len(lines) > 1 else reason)
    text = re.sub(r"`[^`]*`", "`_`", text)
    return re.sub(r"\d[\d.,]*", "N", text)[:110]


def kinds(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The functions by what became of them; one may stand under several."""
    tried = [record for record in records if record.get("made") or "broken" in record or "internal" in record]
    sound = [record for record in tried if not {"different", "broken"} & set(record)]
    return {
        "tried": tried,
        "equal": sound,
        "rounding": [record for record in sound if "rounding" in record],
        "different": [record for record in tried if "different" in record],
        "hang": [record for record in tried if record.get("broken") == "hang"],
        "crash": [record for record in tried if str(record.get("broken")).startswith("crash")],
        "internal fault": [record for record in tried if "internal" in record],
        "compiled": [record for record in sound if not record.get("said")],
        "in Python, in part or altogether": [record for record in sound if record.get("said")],
        "more than one warning": [record for record in sound if len(record.get("said", ())) > 1],
        "slower than Python": [record for record in sound if is_slower(record)],
        f"first call over {LONG_FIRST_CALL_SECONDS:g} s": [record for record in tried if is_long(record)],
    }


def summary(records: list[Record]) -> str:
    """The counts, the causes, and the functions that deserve a look."""
    found = kinds(records)
    left_out = len(records) - len(found["tried"])
    lines = [f"{len(records)} functions recorded, {left_out} left out: not the same twice in Python, or not to be copied"]
    lines += [f"{what}: {len(those)}" for what, those in found.items()]
    ratios = [record["compiled_s"] / record["plain_s"] for record in found["compiled"] if record.get("plain_s", 0) > 0]
    if ratios:
        lines.append(f"compiled against plain, warm: {statistics.geometric_mean(ratios):.3g} (geometric mean of {len(ratios)})")
    causes = Counter(cause(text) for record in found["equal"] for text in record.get("said", ())[:1])
    lines += ["causes:", *(f"  {count:5} {text}" for text, count in causes.most_common())]
    for what in ("different", "hang", "crash", "internal fault", "slower than Python", f"first call over {LONG_FIRST_CALL_SECONDS:g} s"):
        lines += [f"{what}:", *(f"  {record['key']}: {detail(record, what)}" for record in found[what])]
    return "\n".join(lines)


def detail(record: Record, what: str) -> str:
    """What is to be said of one function."""
    if what == "slower than Python":
        how = "in Python" if record.get("said") else "compiled"
        return f"{1e6 * record['compiled_s']:.2f} us for {1e6 * record['plain_s']:.2f} us, {how}"
    if what.startswith("first call"):
        return f"{record['first_s']:.2f} s"
    text = record.get({"different": "different", "internal fault": "internal"}.get(what, "broken"), "")
    return " ".join(str(text).split())[:300]
