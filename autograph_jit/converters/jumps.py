"""Lowers `break`, `continue`, early `return` and loop `else` to flags and branches, so that a block is left only at its end.

Before:                         After:
    for v in xs:                    do_break = False
        if v > 2:                   for v in xs while not do_break:
            break                       if v > 2:
        total += v                          do_break = True
                                        else:
                                            total += v

Statements after a branch that always jumps move into its other branch; only where that is impossible a flag guards them.
A flag that nothing reads is dropped. Keeps: the order of evaluation, and that a jump out of `finally` wins over what is pending.
"""

from __future__ import annotations

from dataclasses import field

import gast

from autograph_jit.errors import ConversionError
from autograph_jit.records import dataclass
from autograph_jit.syntax.names import Namer
from autograph_jit.syntax.templates import Attempt, Loop, any_of, assign, branch, const, load, native_call, negation, operator

RETURN, BREAK, CONTINUE = "return", "break", "continue"
JUMPS = {gast.Return: RETURN, gast.Break: BREAK, gast.Continue: CONTINUE}
LOOPS = (gast.For, gast.While)
TRIES = (gast.Try, gast.TryStar)


def blocks_of(node: gast.stmt) -> list[list[gast.stmt]]:
    """The statement lists directly inside a compound statement (not those of definitions)."""
    if isinstance(node, (gast.If, *LOOPS)):
        return [node.body, node.orelse]
    if isinstance(node, gast.With):
        return [node.body]
    if isinstance(node, TRIES):
        return [node.body, *(h.body for h in node.handlers), node.orelse, node.finalbody]
    return []


def jumps_in(stmts: list[gast.stmt]) -> set[str]:
    """The kinds of jumps that leave these statements."""
    kinds: set[str] = set()
    for node in stmts:
        if type(node) in JUMPS:
            kinds.add(JUMPS[type(node)])
        elif isinstance(node, LOOPS):
            kinds |= (jumps_in(node.body) & {RETURN}) | jumps_in(node.orelse)
        else:
            for block in blocks_of(node):
                kinds |= jumps_in(block)
    return kinds


def always_leaves(stmts: list[gast.stmt]) -> bool:
    """Whether the end of a block is certainly never reached."""
    for node in stmts:
        if isinstance(node, (*JUMPS, gast.Raise)):
            return True
        if isinstance(node, gast.If) and always_leaves(node.body) and always_leaves(node.orelse):
            return True
        if isinstance(node, TRIES):
            ends = always_leaves(node.body) or always_leaves(node.orelse)
            if always_leaves(node.finalbody) or (ends and all(always_leaves(h.body) for h in node.handlers)):
                return True
    return False


def returns_only_in_branches(stmts: list[gast.stmt]) -> bool:
    """Whether no `return` stands inside a loop, `try` or `with`."""
    for node in stmts:
        if isinstance(node, gast.If):
            if not (returns_only_in_branches(node.body) and returns_only_in_branches(node.orelse)):
                return False
        elif any(RETURN in jumps_in(block) for block in blocks_of(node)):
            return False
    return True


def _nested(stmts: list[gast.stmt]) -> list[gast.stmt]:
    found = list(stmts)
    for node in found:
        for block in blocks_of(node):
            found += block
    return found


def _runs_code_on_leaving(node: gast.stmt) -> bool:
    return isinstance(node, gast.With) or (isinstance(node, TRIES) and bool(node.finalbody))


@dataclass(slots=True)
class JumpLowering:
    """Lowers one function body; `variables` collects the names that it introduces. `gives_value`: somebody reads what it returns."""

    namer: Namer
    gives_value: bool = True
    variables: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)
    flags: set[str] = field(default_factory=set)
    retval: str = ""

    def function(self, body: list[gast.stmt]) -> list[gast.stmt]:
        """Lower a whole function body."""
        early = RETURN in jumps_in(body[:-1]) or (RETURN in jumps_in(body) and not isinstance(body[-1], gast.Return))
        if not early:
            return self.prune(self.block(body, {}, keep_return=True))
        if not always_leaves(body) and returns_only_in_branches(body):
            body = [*body, gast.Return(const(None))]
        self.retval = self._variable("retval") if self.gives_value else ""
        flag = self._flag("do_return")
        complete = always_leaves(body)
        out = self.block(body, {RETURN: flag})
        if complete and flag not in self.read:
            return self.prune([*out, gast.Return(load(self.retval))] if self.retval else out)
        self.read.add(flag)
        last = [gast.Return(native_call(operator("returned"), load(flag), load(self.retval)))] if self.retval else []
        return self.prune([assign(flag, const(False)), *out, *last])

    def _variable(self, stem: str) -> str:
        name = self.namer.fresh(stem)
        self.variables.add(name)
        return name

    def _flag(self, stem: str) -> str:
        name = self._variable(stem)
        self.flags.add(name)
        return name

    def _guard(self, names: list[str]) -> gast.AST:
        self.read.update(names)
        return negation(any_of(names))

    def block(self, stmts: list[gast.stmt], flags: dict[str, str], keep_return: bool = False) -> list[gast.stmt]:
        """Lower a block; `flags` names the flag of each kind of jump that may leave it."""
        out: list[gast.stmt] = []
        for i, node in enumerate(stmts):
            rest = stmts[i + 1 :]
            if type(node) in JUMPS:
                return out + ([node] if keep_return else self._jump(node, flags))
            if isinstance(node, LOOPS) and node.orelse:
                return out + self._loop_with_else(node, rest, flags, keep_return)
            kinds = jumps_in([node])
            if not kinds:
                out += self._inside(node, flags)
            elif isinstance(node, gast.If) and (not rest or always_leaves(node.body) or always_leaves(node.orelse)):
                body, orelse = node.body, node.orelse
                if always_leaves(body):
                    orelse = orelse + rest
                else:
                    body = body + rest
                return [*out, self._place(branch(node.test, self.block(body, flags), self.block(orelse, flags)), node)]
            else:
                out += self._inside(node, flags)
                if rest:
                    guard = self._guard([flags[k] for k in sorted(kinds)])
                    out.append(self._place(branch(guard, self.block(rest, flags)), rest[0]))
                return out
        return out

    def _place(self, new: gast.stmt, node: gast.stmt) -> gast.stmt:
        return gast.copy_location(new, node)

    def _jump(self, node: gast.stmt, flags: dict[str, str]) -> list[gast.stmt]:
        kind = JUMPS[type(node)]
        out = []
        if kind == RETURN and self.retval:
            out.append(assign(self.retval, node.value if node.value is not None else const(None)))
        elif kind == RETURN and node.value is not None:
            out.append(gast.Expr(node.value))
        out.append(assign(flags[kind], const(True)))
        return [self._place(s, node) for s in out]

    def _loop_with_else(self, node: gast.stmt, rest: list[gast.stmt], flags: dict[str, str], keep_return: bool) -> list[gast.stmt]:
        kinds = jumps_in(node.body) & {BREAK, RETURN}
        orelse, node.orelse = node.orelse, []
        if not kinds:
            return self._inside(node, flags) + self.block(orelse + rest, flags, keep_return)
        own = self._flag("do_break") if BREAK in kinds else ""
        left = [own] if own else []
        left += [flags[RETURN]] if RETURN in kinds else []
        loop = self._loop(node, flags, own)
        last = self._place(branch(self._guard(left), orelse), orelse[0])
        if RETURN in kinds and rest:
            tail = self.block([last], flags)
            blocking = [flags[k] for k in sorted(jumps_in(orelse) | {RETURN})]
            return [*loop, *tail, self._place(branch(self._guard(blocking), self.block(rest, flags)), rest[0])]
        return loop + self.block([last, *rest], flags, keep_return)

    def _inside(self, node: gast.stmt, flags: dict[str, str]) -> list[gast.stmt]:
        if isinstance(node, LOOPS):
            return self._loop(node, flags, self._flag("do_break") if BREAK in jumps_in(node.body) else "")
        if isinstance(node, TRIES):
            return [self._try(node, flags)]
        if isinstance(node, gast.With):
            return self._with(node, flags)
        for name in ("body", "orelse"):
            if isinstance(node, gast.If) and getattr(node, name):
                setattr(node, name, self.block(getattr(node, name), flags) or [gast.Pass()])
        return [node]

    def _with(self, node: gast.With, flags: dict[str, str]) -> list[gast.stmt]:
        """A jump is void if an exception follows it (in leaving an inner `with` or `finally`) that this `with` swallows."""
        pending = [flags[k] for k in sorted(jumps_in(node.body))]
        is_simple = not any(jumps_in([inner]) for inner in _nested(node.body) if _runs_code_on_leaving(inner))
        node.body = self.block(node.body, flags) or [gast.Pass()]
        if not pending or is_simple:
            return [node]
        completed = self._flag("completed")
        node.body.append(assign(completed, const(True)))
        resets: list[gast.stmt] = [assign(name, const(False)) for name in pending]
        check = self._place(branch(self._guard([completed]), resets), node)
        return [self._place(assign(completed, const(False)), node), node, check]

    def _loop(self, node: gast.stmt, flags: dict[str, str], own: str) -> list[gast.stmt]:
        kinds = jumps_in(node.body)
        inner = {k: v for k, v in flags.items() if k == RETURN}
        inner[BREAK] = own
        inner[CONTINUE] = self._flag("do_continue") if CONTINUE in kinds else ""
        body = self.block(node.body, inner)
        if inner[CONTINUE]:
            body = [assign(inner[CONTINUE], const(False)), *body]
        stops = ([own] if own else []) + ([flags[RETURN]] if RETURN in kinds else [])
        test = self._guard(stops) if stops else None
        if isinstance(node, gast.While):
            forever = isinstance(node.test, gast.Constant) and bool(node.test.value)
            both = node.test if test is None else test if forever else gast.BoolOp(gast.And(), [test, node.test])
            new: gast.stmt = gast.While(both, body, [])
        else:
            new = Loop(node.target, node.iter, body, [], None, extra_test=test)
        self._place(new, node)
        return [self._place(assign(own, const(False)), node), new] if own else [new]

    def _try(self, node: gast.stmt, flags: dict[str, str]) -> gast.stmt:
        pending = [flags[k] for k in sorted(jumps_in(node.body))]
        every = sorted(jumps_in([*node.body, *node.orelse, *(s for h in node.handlers for s in h.body)]))
        body = self.block(node.body, flags)
        for handler in node.handlers:
            handler.body = [assign(name, const(False)) for name in pending] + self.block(handler.body, flags)
        orelse = self.block(node.orelse, flags)
        if orelse and pending:
            orelse = [branch(self._guard(pending), orelse)]
        override, final = None, node.finalbody
        if jumps_in(final):
            if isinstance(node, gast.TryStar):
                raise ConversionError("a jump out of the `finally` of `try ... except*`", None, "", "Move it after the statement.")
            override, final = self._finally(final, flags, every)
        else:
            final = self.block(final, flags)
        if isinstance(node, gast.TryStar):
            return self._place(gast.TryStar(body, node.handlers, orelse, final), node)
        return self._place(Attempt(body, node.handlers, orelse, final, override=override), node)

    def _finally(self, final: list[gast.stmt], flags: dict[str, str], pending: list[str]) -> tuple[str, list[gast.stmt]]:
        """A jump out of `finally` cancels the pending one (or the exception), so it gets flags of its own."""
        own = {kind: self._flag(f"finally_{kind}") for kind in sorted(jumps_in(final))}
        override = self._variable("override")
        out: list[gast.stmt] = [assign(name, const(False)) for name in own.values()]
        out += self.block(final, {**flags, **own})
        out.append(assign(override, any_of(list(own.values()))))
        self.read.update(own.values())
        for kind, name in own.items():
            resets: list[gast.stmt] = [assign(flags[k], const(False)) for k in pending if k != kind]
            out.append(branch(load(name), [*resets, assign(flags[kind], const(True))]))
        return override, out

    def prune(self, stmts: list[gast.stmt]) -> list[gast.stmt]:
        """Drop assignments to flags that nothing reads."""
        unread = self.flags - self.read
        self.variables -= unread
        out = []
        for node in stmts:
            if isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Name) and node.targets[0].id in unread:
                continue
            for holder in [node, *getattr(node, "handlers", [])] if blocks_of(node) else []:
                for name in ("body", "orelse", "finalbody"):
                    block = getattr(holder, name, None)
                    if block:
                        setattr(holder, name, self.prune(block) or ([gast.Pass()] if name == "body" else []))
            out.append(node)
        return out
