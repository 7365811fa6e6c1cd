"""Colours for source text on a terminal: keywords, strings, numbers, comments, operators of converted code, changed lines."""

from __future__ import annotations

import io
import keyword
import re
import tokenize

RESET = "\x1b[0m"
COLORS = {"keyword": "\x1b[1;34m", "string": "\x1b[32m", "number": "\x1b[36m", "comment": "\x1b[2m", "operator": "\x1b[33m"}
REMOVED, ADDED, PLACE = "\x1b[31m", "\x1b[32m", "\x1b[36m"
OPERATOR = re.compile(r"\bag__(\.\w+)?")


def paint(text: str, kind: str) -> str:
    """The text in the colour of its kind."""
    return f"{COLORS[kind]}{text}{RESET}"


def highlight_python(source: str) -> str:
    """Python source with colours; text that is not Python (a graph) only gets its keywords and numbers coloured."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return source
    lines = source.splitlines(True)
    for token in reversed(tokens):
        kind = token_kind(token)
        if kind is None or token.start[0] != token.end[0]:
            continue
        row, (start, end) = token.start[0] - 1, (token.start[1], token.end[1])
        lines[row] = lines[row][:start] + paint(token.string, kind) + lines[row][end:]
    return "".join(lines)


def token_kind(token: tokenize.TokenInfo) -> str | None:
    """The colour of a token, or None."""
    if token.type == tokenize.NAME:
        return "keyword" if keyword.iskeyword(token.string) else "operator" if token.string == "ag__" else None
    return {tokenize.STRING: "string", tokenize.NUMBER: "number", tokenize.COMMENT: "comment"}.get(token.type)


def highlight_diff(text: str) -> str:
    """A unified diff with colours."""
    return "".join(paint_line(line) for line in text.splitlines(True))


def paint_line(line: str) -> str:
    """One line of a diff."""
    color = PLACE if line.startswith(("---", "+++", "@@")) else {"-": REMOVED, "+": ADDED}.get(line[:1])
    return f"{color}{line.rstrip()}{RESET}\n" if color else line
