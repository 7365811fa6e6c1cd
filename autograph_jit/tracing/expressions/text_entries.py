"""What is put into a dict under a key of which the run decides whether it is a text: its keys are texts, or the call goes to Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.control.regions import Unreachable
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.sequences.dynamic import Dynamic, kind_of, type_of_text
from autograph_jit.tracing.structures.choices import is_mixed
from autograph_jit.tracing.values.abstract import may_be_none
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.key_kinds import is_key_kind
from autograph_jit.tracing.values.trace import emit
from autograph_jit.tracing.values.types import STORED_TEXT, Optional


def is_by_text(entries: Any, key: Any) -> bool:
    """Whether a key is a text or something else, as the run decides, that no table of compiled code has as keys: of a dict that is data the
    keys are texts then."""
    if not isinstance(entries, TracedDict) or not (is_mixed(key) or may_be_none(key) and is_mixed(key.content)):
        return False
    kind = kind_of(key)
    of_one = kind.content if isinstance(kind, Optional) else kind
    return STORED_TEXT in of_one.inner and not is_key_kind(kind)


def with_text(key: Any, use: Callable[[Any], Any]) -> Any:
    """`use` of such a key where it is a text."""
    return distribute(key, lambda case: with_text(case, use) if is_mixed(case) else use(expect_text(case)))


def expect_text(key: Any) -> Any:
    """One of the cases of such a key, a text: a list or dict is Python's error, and with a number or None the call goes on in Python."""
    if type_of_text(key) is str:
        return key
    if isinstance(key, Dynamic):
        hash(key)

    def refusal() -> ConversionError:
        return ConversionError("a key of a dict is no text", None, "other keys were texts", "make a dict of keys of one type")

    emit("raise_", host_object(refusal, label="raise ConversionError", pure=True, fails=False).value, error=None)
    raise Unreachable
