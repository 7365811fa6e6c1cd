"""`match` becomes branches over a subject that is evaluated once.

Before: `match s: case [x, 0]: A case int(n) if n > 1: B`
After:  subject = s; matched = False
        parts = ag__.match_sequence(subject, 2, None)
        if parts is not None: first, second = parts; if second == 0: x = first; matched = True
        if matched: A else: ...
Captures are bound only when the whole pattern has matched, before the guard.
"""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Unit
from autograph_jit.syntax.origin import place
from autograph_jit.syntax.templates import assign, branch, const, load, negation, op, store, tuple_of

Captures = list[tuple[str, gast.AST]]


def expand_match(node: gast.Match, unit: Unit, temporaries: set[str]) -> list[gast.stmt]:
    """The statements that a `match` stands for; the variables they need are added to `temporaries`."""
    expansion = _Expansion(unit, temporaries)
    subject = expansion.variable("subject")
    body = expansion.cases(node.cases, subject)
    return [place(s, node) for s in [assign(subject, node.subject), *_resolve(body)]]


def _resolve(stmts: list[gast.stmt]) -> list[gast.stmt]:
    out: list[gast.stmt] = []
    for node in stmts:
        if isinstance(node, Pending):
            out += _resolve(node.stmts)
            continue
        if isinstance(node, gast.If):
            node.body, node.orelse = _resolve(node.body), _resolve(node.orelse)
        out.append(node)
    return out


class _Expansion:
    def __init__(self, unit: Unit, temporaries: set[str]) -> None:
        self.unit, self.temporaries = unit, temporaries

    def variable(self, stem: str) -> str:
        name = self.unit.namer.fresh(stem)
        self.temporaries.add(name)
        return name

    def cases(self, cases: list[gast.match_case], subject: str) -> list[gast.stmt]:
        if not cases:
            return []
        case, rest = cases[0], cases[1:]
        test = self.simple_test(case.pattern, subject) if case.guard is None else None
        if test is not None:
            return [place(branch(test, case.body, self.cases(rest, subject)), case.pattern)]
        if case.guard is None and is_irrefutable(case.pattern):
            captures: Captures = []
            self.pattern(case.pattern, load(subject), captures, [])
            return [*(assign(n, v) for n, v in captures), *case.body]
        matched = self.variable("matched")
        captures = []
        success: list[gast.stmt] = []
        tests = self.pattern(case.pattern, load(subject), captures, success)
        success += [*(assign(n, v) for n, v in captures), assign(matched, case.guard if case.guard is not None else const(True))]
        out: list[gast.stmt] = [assign(matched, const(False)), *tests, branch(load(matched), case.body, self.cases(rest, subject))]
        return [place(s, case.pattern) for s in out]

    def simple_test(self, pattern: gast.AST, subject: str) -> gast.AST | None:
        """The condition of a pattern that captures nothing and looks at nothing but the subject itself."""
        if isinstance(pattern, gast.MatchValue):
            return gast.Compare(load(subject), [gast.Eq()], [pattern.value])
        if isinstance(pattern, gast.MatchSingleton):
            return gast.Compare(load(subject), [gast.Is()], [const(pattern.value)])
        if isinstance(pattern, gast.MatchOr):
            tests = [self.simple_test(p, subject) for p in pattern.patterns]
            return gast.BoolOp(gast.Or(), tests) if all(t is not None for t in tests) else None
        return None

    def pattern(self, pattern: gast.AST, value: gast.AST, captures: Captures, success: list[gast.stmt]) -> list[gast.stmt]:
        """Statements that run `success`, a list to be filled later, where `value` matches; captured values are added to `captures`."""
        if isinstance(pattern, gast.MatchAs):
            if pattern.name is not None:
                captures.append((pattern.name, value))
            return self.pattern(pattern.pattern, value, captures, success) if pattern.pattern is not None else [Pending(success)]
        if isinstance(pattern, gast.MatchValue):
            return [branch(gast.Compare(value, [gast.Eq()], [pattern.value]), [Pending(success)])]
        if isinstance(pattern, gast.MatchSingleton):
            return [branch(gast.Compare(value, [gast.Is()], [const(pattern.value)]), [Pending(success)])]
        if isinstance(pattern, gast.MatchOr):
            return self.alternatives(pattern, value, captures, success)
        return self.structure(pattern, value, captures, success)

    def alternatives(self, pattern: gast.AST, value: gast.AST, captures: Captures, success: list[gast.stmt]) -> list:
        found = self.variable("matched")
        names: dict[str, str] = {}
        out: list[gast.stmt] = [assign(found, const(False))]
        for i, part in enumerate(pattern.patterns):
            inner: Captures = []
            done: list[gast.stmt] = []
            tests = self.pattern(part, value, inner, done)
            for name, captured in inner:
                if name not in names:
                    names[name] = self.variable("captured")
                done.append(assign(names[name], captured))
            done.append(assign(found, const(True)))
            out += tests if i == 0 else [branch(negation(load(found)), tests)]
        captures += [(name, load(temporary)) for name, temporary in names.items()]
        return [*out, branch(load(found), [Pending(success)])]

    def structure(self, pattern: gast.AST, value: gast.AST, captures: Captures, success: list[gast.stmt]) -> list:
        """A sequence, mapping or class pattern: an operator takes the value apart, then the parts are matched in turn."""
        parts = self.variable("parts")
        if isinstance(pattern, gast.MatchSequence):
            stars = [i for i, p in enumerate(pattern.patterns) if isinstance(p, gast.MatchStar)]
            before = stars[0] if stars else len(pattern.patterns)
            after = const(len(pattern.patterns) - before - 1) if stars else const(None)
            inner = [gast.MatchAs(None, p.name) if isinstance(p, gast.MatchStar) else p for p in pattern.patterns]
            wanted = "all"
            if all(is_wildcard(p) for p in inner):
                wanted, inner = "none", []
            elif stars and is_wildcard(inner[before]):
                wanted, inner = "ends", inner[:before] + inner[before + 1 :]
            taken = op("match_sequence", value, const(before), after, *([const(wanted)] if wanted != "all" else []))
        elif isinstance(pattern, gast.MatchMapping):
            taken = op("match_mapping", value, tuple_of(pattern.keys), const(pattern.rest is not None))
            inner = [*pattern.patterns, *([gast.MatchAs(None, pattern.rest)] if pattern.rest is not None else [])]
        else:
            names = tuple_of(const(n) for n in pattern.kwd_attrs)
            taken = op("match_class", value, pattern.cls, const(len(pattern.patterns)), names)
            inner = [*pattern.patterns, *pattern.kwd_patterns]
        fields = [self.variable("part") for _ in inner]
        body: list[gast.stmt] = [Pending(success)]
        levels: list[list[gast.stmt]] = []
        for field, part in zip(fields, inner):
            done: list[gast.stmt] = []
            levels.append(done)
            body_of_part = self.pattern(part, load(field), captures, done)
            levels.append(body_of_part)
        for done, tests in reversed(list(zip(levels[::2], levels[1::2]))):
            done += body
            body = tests
        unpacked = gast.Assign([gast.Tuple([store(f) for f in fields], gast.Store())], load(parts), None)
        some = gast.Compare(load(parts), [gast.IsNot()], [const(None)])
        return [assign(parts, taken), branch(some, [*([unpacked] if fields else []), *body])]


class Pending(gast.Pass):
    """Stands for statements that are known later."""

    def __init__(self, stmts: list[gast.stmt]) -> None:
        self.stmts = stmts


def is_wildcard(pattern: gast.AST) -> bool:
    """Whether a pattern is `_`."""
    return isinstance(pattern, gast.MatchAs) and pattern.pattern is None and pattern.name is None


def is_irrefutable(pattern: gast.AST) -> bool:
    """Whether a pattern always matches."""
    return isinstance(pattern, gast.MatchAs) and (pattern.pattern is None or is_irrefutable(pattern.pattern))
