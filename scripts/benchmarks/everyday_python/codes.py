"""Programs on bytes and bits: checksums, base64, Huffman, Lempel and Ziv, ciphers, digests, hex dumps, virtual machines, UTF-8."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter

from benchmarks.everyday_python.program import Program


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ 0xEDB88320 if byte & 1 else byte >> 1
        table.append(byte)
    return table


def checksums(data):
    """CRC-32 by a table, and Adler-32."""
    table = crc_table()
    crc = 0xFFFFFFFF
    a, b = 1, 0
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return crc ^ 0xFFFFFFFF, (b << 16) | a


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def encode_base64(data):
    text = []
    for k in range(0, len(data), 3):
        part = data[k : k + 3]
        number = int.from_bytes(part + bytes(3 - len(part)), "big")
        letters = [ALPHABET[(number >> shift) & 63] for shift in (18, 12, 6, 0)]
        text.append("".join(letters[: len(part) + 1]).ljust(4, "="))
    return "".join(text)


def decode_base64(text):
    places = {letter: place for place, letter in enumerate(ALPHABET)}
    data = bytearray()
    for k in range(0, len(text), 4):
        part = text[k : k + 4]
        number = 0
        for letter in part:
            number = number << 6 | places.get(letter, 0)
        data += number.to_bytes(3, "big")[: 3 - part.count("=")]
    return bytes(data)


def base64_there_and_back(data):
    text = encode_base64(data)
    return text[:40], decode_base64(text) == data


def huffman_codes(data):
    heap = [(count, symbol, None) for symbol, count in Counter(data).items()]
    heapq.heapify(heap)
    number = 256
    while len(heap) > 1:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, (a[0] + b[0], number, (a, b)))
        number += 1
    codes = {}

    def walk(node, bits):
        _, symbol, children = node
        if children is None:
            codes[symbol] = bits or "0"
        else:
            walk(children[0], bits + "0")
            walk(children[1], bits + "1")

    walk(heap[0], "")
    return codes


def huffman_there_and_back(data):
    codes = huffman_codes(data)
    bits = "".join(codes[byte] for byte in data)
    back = {code: symbol for symbol, code in codes.items()}
    read, code = bytearray(), ""
    for bit in bits:
        code += bit
        if code in back:
            read.append(back[code])
            code = ""
    return len(bits), bytes(read) == data, sorted(codes.items())[:3]


def lzw_pack(data):
    known = {bytes([byte]): byte for byte in range(256)}
    current, out = b"", []
    for byte in data:
        longer = current + bytes([byte])
        if longer in known:
            current = longer
        else:
            out.append(known[current])
            known[longer] = len(known)
            current = bytes([byte])
    if current:
        out.append(known[current])
    return out


def lzw_unpack(codes):
    known = {byte: bytes([byte]) for byte in range(256)}
    previous = known[codes[0]]
    out = [previous]
    for code in codes[1:]:
        entry = known[code] if code in known else previous + previous[:1]
        out.append(entry)
        known[len(known)] = previous + entry[:1]
        previous = entry
    return b"".join(out)


def lzw_there_and_back(data):
    codes = lzw_pack(data)
    return len(codes), max(codes), lzw_unpack(codes) == data


def lz77_pack(data, window):
    """Triples of a distance, a length and the byte that follows."""
    out, place = [], 0
    while place < len(data):
        best_distance, best_length = 0, 0
        for distance in range(1, min(place, window) + 1):
            length = 0
            while place + length < len(data) - 1 and length < 15 and data[place + length - distance] == data[place + length]:
                length += 1
            if length > best_length:
                best_distance, best_length = distance, length
        out.append((best_distance, best_length, data[place + best_length]))
        place += best_length + 1
    return out


def lz77_there_and_back(data, window):
    packed = lz77_pack(data, window)
    out = bytearray()
    for distance, length, byte in packed:
        for _ in range(length):
            out.append(out[-distance])
        out.append(byte)
    return len(packed), bytes(out) == data


def xtea(block, key, rounds=32):
    """Needham and Wheeler's cipher of 1997: 64 bits under four words."""
    a, b = block
    total, delta, mask = 0, 0x9E3779B9, 0xFFFFFFFF
    for _ in range(rounds):
        a = (a + (((b << 4 ^ b >> 5) + b) ^ (total + key[total & 3]))) & mask
        total = (total + delta) & mask
        b = (b + (((a << 4 ^ a >> 5) + a) ^ (total + key[total >> 11 & 3]))) & mask
    return a, b


def encrypt_blocks(data, key):
    out = bytearray()
    before = (0x01234567, 0x89ABCDEF)
    for k in range(0, len(data) - len(data) % 8, 8):
        words = int.from_bytes(data[k : k + 4], "big"), int.from_bytes(data[k + 4 : k + 8], "big")
        before = xtea((words[0] ^ before[0], words[1] ^ before[1]), key)
        for word in before:
            out += word.to_bytes(4, "big")
    return out.hex()[-32:]


def fnv_and_djb(texts):
    """Two digests of every text, and how many texts share a bucket."""
    buckets = [0] * 64
    last = (0, 0)
    for text in texts:
        fnv, djb = 0x811C9DC5, 5381
        for letter in text:
            fnv = ((fnv ^ ord(letter)) * 0x01000193) & 0xFFFFFFFF
            djb = (djb * 33 + ord(letter)) & 0xFFFFFFFF
        buckets[(fnv ^ djb) % 64] += 1
        last = (fnv, djb)
    return max(buckets), buckets.count(0), last


def hex_dump(data):
    lines = []
    for k in range(0, len(data), 16):
        part = data[k : k + 16]
        numbers = " ".join(f"{byte:02x}" for byte in part)
        letters = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"{k:08x}  {numbers:<47}  |{letters}|")
    return lines


def decode_utf8(data):
    points, k = [], 0
    while k < len(data):
        first = data[k]
        if first < 0x80:
            size, value = 1, first
        elif first < 0xE0:
            size, value = 2, first & 0x1F
        elif first < 0xF0:
            size, value = 3, first & 0x0F
        else:
            size, value = 4, first & 0x07
        for byte in data[k + 1 : k + size]:
            value = value << 6 | byte & 0x3F
        points.append(value)
        k += size
    return len(points), max(points), "".join(map(chr, points))[-10:]


def run_brainfuck(program, given):
    """Eight instructions over a tape of bytes."""
    jumps, stack = {}, []
    for place, letter in enumerate(program):
        if letter == "[":
            stack.append(place)
        elif letter == "]":
            jumps[place] = stack.pop()
            jumps[jumps[place]] = place
    tape, head, place, out, steps = [0] * 64, 0, 0, [], 0
    given = list(given)
    while place < len(program):
        letter = program[place]
        if letter == ">":
            head += 1
        elif letter == "<":
            head -= 1
        elif letter == "+":
            tape[head] = (tape[head] + 1) % 256
        elif letter == "-":
            tape[head] = (tape[head] - 1) % 256
        elif letter == ".":
            out.append(tape[head])
        elif letter == ",":
            tape[head] = given.pop(0) if given else 0
        elif letter == "[" and not tape[head] or letter == "]" and tape[head]:
            place = jumps[place]
        place += 1
        steps += 1
    return bytes(out), steps


class StackMachine:
    """A machine with a stack, names and jumps, as a teacher of compilers would draw it."""

    def __init__(self, code):
        self.code = code
        self.stack = []
        self.names = {}
        self.place = 0
        self.steps = 0

    def push(self, value):
        self.stack.append(value)

    def load(self, name):
        self.stack.append(self.names.get(name, 0))

    def store(self, name):
        self.names[name] = self.stack.pop()

    def add(self, _):
        b, a = self.stack.pop(), self.stack.pop()
        self.stack.append(a + b)

    def multiply(self, _):
        b, a = self.stack.pop(), self.stack.pop()
        self.stack.append(a * b % 1000003)

    def less(self, _):
        b, a = self.stack.pop(), self.stack.pop()
        self.stack.append(a < b)

    def jump_if(self, target):
        if self.stack.pop():
            self.place = target

    def run(self):
        while self.place < len(self.code):
            name, operand = self.code[self.place]
            self.place += 1
            self.steps += 1
            getattr(self, name)(operand)
        return self.names


def run_stack_machine(count):
    code = [
        ("push", 1), ("store", "product"), ("push", 1), ("store", "i"),
        ("load", "product"), ("load", "i"), ("multiply", None), ("store", "product"),
        ("load", "i"), ("push", 1), ("add", None), ("store", "i"),
        ("load", "i"), ("push", count), ("less", None), ("jump_if", 4),
    ]  # fmt: skip
    machine = StackMachine(code)
    return machine.run(), machine.steps


def count_primes(limit):
    """A sieve on an array of the module array."""
    marks = array("b", [1]) * (limit + 1)
    marks[0] = marks[1] = 0
    k = 2
    while k * k <= limit:
        if marks[k]:
            for multiple in range(k * k, limit + 1, k):
                marks[multiple] = 0
        k += 1
    return sum(marks), [k for k in range(limit - 60, limit + 1) if marks[k]]


def some_bytes(n):
    return (bytes((k * k // 7 + k % 5) % 31 + 65 for k in range(n)),)


PROGRAMS = (
    Program(checksums, some_bytes, 6000, 20),
    Program(base64_there_and_back, some_bytes, 1500, 10),
    Program(huffman_there_and_back, some_bytes, 3000, 20),
    Program(lzw_there_and_back, some_bytes, 3000, 20),
    Program(lz77_there_and_back, lambda n: (*some_bytes(n), 60), 600, 20),
    Program(encrypt_blocks, lambda n: (*some_bytes(n), (1, 20, 300, 4000)), 600, 16),
    Program(fnv_and_djb, lambda n: ([f"text number {k}" for k in range(n)],), 500, 4),
    Program(hex_dump, lambda n: (bytes(k * 7 % 256 for k in range(n)),), 4000, 20),
    Program(decode_utf8, lambda n: (("naïve café, 東京 🙂 " * n).encode(),), 200, 1),
    Program(run_brainfuck, lambda n: ("+" * n + "[>++++++++[>+++++++>+<<-]>>.[-]<<<-]", b""), 20, 2),
    Program(run_stack_machine, lambda n: (n,), 800, 5),
    Program(count_primes, lambda n: (n,), 40000, 100),
)
