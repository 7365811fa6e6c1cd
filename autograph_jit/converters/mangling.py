"""Private names: `__x` written inside `class C` means `_C__x`, for variables and attributes alike."""

from __future__ import annotations

from typing import Any

import gast


def mangle(node: gast.AST, class_name: str | None) -> None:
    """Replace private names in place; `class_name` is that of the class around `node`, or None."""
    _Mangler(class_name).visit(node)


class _Mangler(gast.NodeVisitor):
    def __init__(self, class_name: str | None) -> None:
        self.prefix = "_" + class_name.lstrip("_") if class_name and class_name.strip("_") else ""

    def name(self, name: str) -> str:
        """One name, mangled where it is private."""
        is_private = name.startswith("__") and not name.endswith("__") and "." not in name
        return self.prefix + name if is_private and self.prefix else name

    def generic_visit(self, node: gast.AST) -> Any:
        for field in ("id", "attr", "rest"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                setattr(node, field, self.name(value))
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.MatchAs, gast.MatchStar)) and node.name:
            node.name = self.name(node.name)
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            node.names = [self.name(n) for n in node.names]
        super().generic_visit(node)

    def visit_ClassDef(self, node: gast.ClassDef) -> Any:
        own = node.name
        for part in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(part)
        node.name = self.name(own)
        for part in node.body:
            _Mangler(own).visit(part)
