"""White space and ends of lines: every code that is either, in texts and bytes of the run, at both ends and inside."""

from __future__ import annotations

from typing import Any

import pytest

import autograph_jit as ag

CODES = [*range(0x100), *range(0x1670, 0x1690), *range(0x2000, 0x2070), *range(0x2FFE, 0x3004), 0xFEFF, 0x1F600]


def taken_apart(texts: Any) -> Any:
    lines = [line.strip() for text in texts for line in text.splitlines()]
    kept = [line for text in texts for line in text.splitlines(True)]
    words = [word for text in texts for word in text.split()]
    return lines, kept, words, [text.lstrip() for text in texts], [text.rstrip() for text in texts]


@pytest.mark.native
def test_every_code_is_white_space_or_ends_a_line_as_in_python() -> None:
    compiled = ag.compile(taken_apart, fallback="error")
    for texts in ([f"{chr(k)}a{chr(k)}b\r\n c{chr(k)}" for k in CODES], [bytes((k, 97, k, 98, 13, 10, 32, k)) for k in range(256)]):
        found, expected = compiled(texts), taken_apart(texts)
        wrong = [k for k, (x, y) in enumerate(zip(found, expected)) if x != y]
        assert not wrong
