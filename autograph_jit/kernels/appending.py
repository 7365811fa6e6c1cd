"""Operations appended to a block, for classes that rewrite a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ops.registry import get
from autograph_jit.source import SourceSpan


class Appending:
    """What appends to `block`, with the user's place of what is rewritten."""

    block: Block
    user_span: SourceSpan | None

    def append(self, name: str, *operands: Value, **attributes: Any) -> Operation:
        return append(self.block, get(name), list(operands), attributes, span=self.user_span)

    def op(self, name: str, *operands: Value, **attributes: Any) -> Value:
        return self.append(name, *operands, **attributes).result

    def integer(self, number: int) -> Value:
        return self.op("constant", value=np.int64(number))
