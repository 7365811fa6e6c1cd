"""Larger programs that read and run: a small language with lexer, parser and interpreter, and a decompressor of deflate."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from benchmarks.everyday_python.program import Program


@dataclass
class Number:
    value: float


@dataclass
class Name:
    name: str


@dataclass
class Binary:
    operator: str
    left: object
    right: object


@dataclass
class Call:
    function: str
    arguments: list


@dataclass
class Assign:
    name: str
    value: object


@dataclass
class If:
    condition: object
    then: list
    otherwise: list


@dataclass
class While:
    condition: object
    body: list


@dataclass
class Define:
    name: str
    parameters: list
    body: list


@dataclass
class Return:
    value: object


class SyntaxProblem(Exception):
    pass


class Returned(Exception):
    def __init__(self, value):
        super().__init__("return outside of a function")
        self.value = value


class Lexer:
    PATTERN = re.compile(r"\s*(?:(\d+\.?\d*)|([A-Za-z_]\w*)|(==|!=|<=|>=|.))")

    def __init__(self, text):
        self.tokens = []
        for number, name, symbol in self.PATTERN.findall(text):
            if number:
                self.tokens.append(("number", number))
            elif name:
                self.tokens.append(("name", name))
            elif symbol.strip():
                self.tokens.append(("symbol", symbol))
        self.tokens.append(("end", ""))


class Parser:
    PRECEDENCE = {"==": 1, "!=": 1, "<": 2, ">": 2, "<=": 2, ">=": 2, "+": 3, "-": 3, "*": 4, "/": 4, "%": 4}

    def __init__(self, text):
        self.tokens = Lexer(text).tokens
        self.place = 0

    @property
    def current(self):
        return self.tokens[self.place]

    def advance(self):
        token = self.current
        self.place += 1
        return token[1]

    def accept(self, text):
        if self.current[1] == text:
            self.place += 1
            return True
        return False

    def expect(self, text):
        if not self.accept(text):
            raise SyntaxProblem(f"{text!r} expected, {self.current[1]!r} found")

    def program(self):
        statements = []
        while self.current[0] != "end":
            statements.append(self.statement())
        return statements

    def block(self):
        self.expect("{")
        statements = []
        while not self.accept("}"):
            statements.append(self.statement())
        return statements

    def statement(self):
        if self.accept("if"):
            condition, then = self.expression(), self.block()
            return If(condition, then, self.block() if self.accept("else") else [])
        if self.accept("while"):
            return While(self.expression(), self.block())
        if self.accept("def"):
            return self.definition()
        if self.accept("return"):
            value = self.expression()
            self.expect(";")
            return Return(value)
        if self.current[0] == "name" and self.tokens[self.place + 1][1] == "=":
            name = self.advance()
            self.expect("=")
            value = self.expression()
            self.expect(";")
            return Assign(name, value)
        value = self.expression()
        self.expect(";")
        return value

    def definition(self):
        name, parameters = self.advance(), []
        self.expect("(")
        while not self.accept(")"):
            parameters.append(self.advance())
            self.accept(",")
        return Define(name, parameters, self.block())

    def expression(self, least=1):
        left = self.atom()
        while (level := self.PRECEDENCE.get(self.current[1], 0)) >= least:
            operator = self.advance()
            left = Binary(operator, left, self.expression(level + 1))
        return left

    def atom(self):
        kind, text = self.current
        self.place += 1
        if kind == "number":
            return Number(float(text) if "." in text else int(text))
        if text == "(":
            value = self.expression()
            self.expect(")")
            return value
        if kind != "name":
            raise SyntaxProblem(f"{text!r} begins nothing")
        if not self.accept("("):
            return Name(text)
        arguments = []
        while not self.accept(")"):
            arguments.append(self.expression())
            self.accept(",")
        return Call(text, arguments)


class Scope:
    def __init__(self, outer=None):
        self.names = {}
        self.outer = outer

    def get(self, name):
        if name in self.names:
            return self.names[name]
        if self.outer is None:
            raise NameError(name)
        return self.outer.get(name)


class Interpreter:
    OPERATORS = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
        "%": lambda a, b: a % b,
        "<": lambda a, b: a < b,
        ">": lambda a, b: a > b,
        "<=": lambda a, b: a <= b,
        ">=": lambda a, b: a >= b,
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
    }

    def __init__(self):
        self.globals = Scope()
        self.printed = []
        self.steps = 0

    def run(self, statements, scope):
        for statement in statements:
            self.visit(statement, scope)

    def visit(self, node, scope):
        self.steps += 1
        return getattr(self, "visit_" + type(node).__name__.lower())(node, scope)

    def visit_number(self, node, scope):
        return node.value

    def visit_name(self, node, scope):
        return scope.get(node.name)

    def visit_binary(self, node, scope):
        return self.OPERATORS[node.operator](self.visit(node.left, scope), self.visit(node.right, scope))

    def visit_assign(self, node, scope):
        scope.names[node.name] = self.visit(node.value, scope)

    def visit_if(self, node, scope):
        self.run(node.then if self.visit(node.condition, scope) else node.otherwise, scope)

    def visit_while(self, node, scope):
        while self.visit(node.condition, scope):
            self.run(node.body, scope)

    def visit_define(self, node, scope):
        scope.names[node.name] = node

    def visit_return(self, node, scope):
        raise Returned(self.visit(node.value, scope))

    def visit_call(self, node, scope):
        values = [self.visit(argument, scope) for argument in node.arguments]
        if node.function == "print":
            self.printed.append(" ".join(map(str, values)))
            return None
        function = scope.get(node.function)
        inner = Scope(self.globals)
        inner.names.update(zip(function.parameters, values))
        try:
            self.run(function.body, inner)
        except Returned as returned:
            return returned.value
        return None


SCRIPT = """
def gcd(a, b) { while b != 0 { t = a % b; a = b; b = t; } return a; }
def fact(n) { if n < 2 { return 1; } else { return n * fact(n - 1); } }
i = 1; total = 0;
while i <= LIMIT { total = total + gcd(i, 36); if i % 10 == 0 { print(i, total); } i = i + 1; }
print(fact(15) / fact(13), total % 7);
"""


def run_script(text):
    interpreter = Interpreter()
    try:
        interpreter.run(Parser(text).program(), interpreter.globals)
    except SyntaxProblem as problem:
        return str(problem)
    return interpreter.printed, interpreter.steps


class BitReader:
    def __init__(self, data):
        self.data = data
        self.place = 0
        self.bit = 0

    def read(self, count):
        value = 0
        for k in range(count):
            value |= ((self.data[self.place] >> self.bit) & 1) << k
            self.bit += 1
            if self.bit == 8:
                self.bit = 0
                self.place += 1
        return value

    def align(self):
        if self.bit:
            self.bit = 0
            self.place += 1


class HuffmanTable:
    """Canonical codes from their lengths."""

    def __init__(self, lengths):
        self.codes = {}
        code = 0
        for length in range(1, max(lengths) + 1):
            for symbol, mine in enumerate(lengths):
                if mine == length:
                    self.codes[length, code] = symbol
                    code += 1
            code <<= 1

    def read(self, reader):
        code = length = 0
        while True:
            code = code << 1 | reader.read(1)
            length += 1
            symbol = self.codes.get((length, code))
            if symbol is not None:
                return symbol


class Inflater:
    """Deflate of RFC 1951: stored, fixed and dynamic blocks."""

    LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258]
    LENGTH_BITS = [0] * 8 + [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4 + [5] * 4 + [0]
    DISTANCES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769]
    DISTANCES += [1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577]
    ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    def __init__(self, data):
        self.reader = BitReader(data)
        self.out = bytearray()
        self.blocks = []

    def run(self):
        last = False
        while not last:
            last = bool(self.reader.read(1))
            kind = self.reader.read(2)
            self.blocks.append(kind)
            if kind == 0:
                self.stored()
            elif kind == 1:
                self.compressed(HuffmanTable([8] * 144 + [9] * 112 + [7] * 24 + [8] * 8), HuffmanTable([5] * 30))
            elif kind == 2:
                self.compressed(*self.tables())
            else:
                raise ValueError("a block of an unknown kind")
        return bytes(self.out)

    def stored(self):
        self.reader.align()
        size = self.reader.read(16)
        self.reader.read(16)
        for _ in range(size):
            self.out.append(self.reader.read(8))

    def tables(self):
        literals, distances, codes = self.reader.read(5) + 257, self.reader.read(5) + 1, self.reader.read(4) + 4
        lengths = [0] * 19
        for place in self.ORDER[:codes]:
            lengths[place] = self.reader.read(3)
        table, found = HuffmanTable(lengths), []
        while len(found) < literals + distances:
            symbol = table.read(self.reader)
            if symbol < 16:
                found.append(symbol)
            elif symbol == 16:
                found += [found[-1]] * (self.reader.read(2) + 3)
            elif symbol == 17:
                found += [0] * (self.reader.read(3) + 3)
            else:
                found += [0] * (self.reader.read(7) + 11)
        return HuffmanTable(found[:literals]), HuffmanTable(found[literals:])

    def compressed(self, literals, distances):
        while True:
            symbol = literals.read(self.reader)
            if symbol < 256:
                self.out.append(symbol)
            elif symbol == 256:
                return
            else:
                length = self.LENGTHS[symbol - 257] + self.reader.read(self.LENGTH_BITS[symbol - 257])
                code = distances.read(self.reader)
                distance = self.DISTANCES[code] + self.reader.read(max(0, code // 2 - 1))
                for _ in range(length):
                    self.out.append(self.out[-distance])


def decompress(data):
    inflater = Inflater(data)
    text = inflater.run()
    return len(text), text[:30], inflater.blocks


def compressed_text(n):
    text = " ".join(f"{k} bottles of {'red blue green'.split()[k * k % 3]} beer on wall {k * 37 % 101}" for k in range(n)).encode()
    return (zlib.compress(text, 9)[2:-4],)


PROGRAMS = (
    Program(run_script, lambda n: (SCRIPT.replace("LIMIT", str(n)),), 100, 5),
    Program(decompress, compressed_text, 60, 2),
)
