"""Programs of fifty lines and more, as people write them: a decision tree, particles, a parser, a graph, finite elements, accounts."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sl

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def cases(n):
    X = np.random.default_rng(n).random((n, 3))
    return X, (X[:, 0] * 3).astype(int)


def edges(n, nodes):
    rng = np.random.default_rng(n)
    return [(int(u), int(v), float(w)) for u, v, w in zip(rng.integers(0, nodes, n), rng.integers(0, nodes, n), rng.random(n))]


def gini(y, k):
    c = np.bincount(y, minlength=k)
    p = c / max(len(y), 1)
    return 1.0 - np.sum(p * p)


def build_tree(X, y, depth, k, nodes):
    me = len(nodes)
    nodes.append(None)
    if depth == 0 or gini(y, k) == 0.0 or len(y) < 4:
        nodes[me] = (-1, float(np.argmax(np.bincount(y, minlength=k))), -1, -1)
        return me
    best = (np.inf, -1, 0.0)
    for j in range(X.shape[1]):
        order = np.argsort(X[:, j], kind="stable")
        xs, ys = X[order, j], y[order]
        left = np.zeros(k)
        right = np.bincount(ys, minlength=k).astype(float)
        for i in range(len(ys) - 1):
            left[ys[i]] += 1
            right[ys[i]] -= 1
            if xs[i] == xs[i + 1]:
                continue
            nl, nr = i + 1, len(ys) - i - 1
            score = nl * (1 - np.sum((left / nl) ** 2)) + nr * (1 - np.sum((right / nr) ** 2))
            if score < best[0]:
                best = (score, j, 0.5 * (xs[i] + xs[i + 1]))
    _, j, t = best
    if j < 0:
        nodes[me] = (-1, float(np.argmax(np.bincount(y, minlength=k))), -1, -1)
        return me
    mask = X[:, j] <= t
    l = build_tree(X[mask], y[mask], depth - 1, k, nodes)
    r = build_tree(X[~mask], y[~mask], depth - 1, k, nodes)
    nodes[me] = (j, t, l, r)
    return me


@program(lambda: cases(24), lambda: cases(30))
def tree(X, y):
    nodes = []
    build_tree(X, y, 1, 3, nodes)
    correct = 0
    for i in range(len(y)):
        n = 0
        while nodes[n][0] >= 0:
            j, t, l, r = nodes[n]
            n = l if X[i, j] <= t else r
        if int(nodes[n][1]) == y[i]:
            correct += 1
    return correct, len(nodes)


class Particles:
    def __init__(self, n, rng):
        self.x = rng.random((n, 2))
        self.v = np.zeros((n, 2))
        self.rho = np.zeros(n)
        self.h = 0.2
        self.energy = []

    def density(self):
        for i in range(len(self.x)):
            d = np.sqrt(((self.x - self.x[i]) ** 2).sum(axis=1))
            q = d / self.h
            w = np.where(q < 1, (1 - q) ** 3, 0.0)
            self.rho[i] = w.sum()

    def step(self, dt):
        self.density()
        p = 3.0 * (self.rho - 1.0)
        a = np.zeros_like(self.x)
        for i in range(len(self.x)):
            for j in range(len(self.x)):
                if i == j:
                    continue
                r = self.x[i] - self.x[j]
                d = np.hypot(r[0], r[1])
                if d < self.h and d > 1e-9:
                    a[i] += (p[i] / self.rho[i] ** 2 + p[j] / self.rho[j] ** 2) * (1 - d / self.h) ** 2 * r / d
        a[:, 1] -= 9.81
        self.v += dt * a
        self.x += dt * self.v
        for k in range(2):
            low = self.x[:, k] < 0
            self.x[low, k] = 0
            self.v[low, k] *= -0.5
            high = self.x[:, k] > 1
            self.x[high, k] = 1
            self.v[high, k] *= -0.5
        self.energy.append(0.5 * float((self.v**2).sum()) + 9.81 * float(self.x[:, 1].sum()))


@program(lambda: (12, 3, 1), lambda: (9, 2, 5))
def sph(n, steps, seed):
    s = Particles(n, np.random.default_rng(seed))
    for _ in range(steps):
        s.step(0.002)
    return s.x, s.energy


@program(lambda: (banana, np.zeros(2), 120, 3))
def mcmc(logp, x0, n, seed):
    rng = np.random.default_rng(seed)
    x = x0.copy()
    lp = logp(x)
    step = 0.5
    acc = 0
    out = np.empty((n, len(x0)))
    for i in range(n):
        prop = x + step * rng.standard_normal(len(x0))
        l2 = logp(prop)
        if np.log(rng.random()) < l2 - lp:
            x, lp = prop, l2
            acc += 1
        out[i] = x
        if (i + 1) % 50 == 0:
            rate = acc / 50
            acc = 0
            step *= 1.1 if rate > 0.3 else 0.9
    return out.mean(axis=0), out.std(axis=0), step


def banana(x):
    return -0.5 * (x[0] ** 2 / 4 + (x[1] - 0.5 * x[0] ** 2) ** 2)


@program(lambda: ("2*(x+3.5)-y/(1-x)*-2", {"x": 2.0, "y": 5.0}), lambda: ("2*(x+3.5", {"x": 2.0}), lambda: ("2/0", {}))
def evaluate(text, env):
    pos = 0

    def peek():
        nonlocal pos
        while pos < len(text) and text[pos] == " ":
            pos += 1
        return text[pos] if pos < len(text) else ""

    def number():
        nonlocal pos
        start = pos
        while pos < len(text) and (text[pos].isdigit() or text[pos] == "."):
            pos += 1
        return float(text[start:pos])

    def atom():
        nonlocal pos
        c = peek()
        if c == "(":
            pos += 1
            v = expr()
            if peek() != ")":
                raise SyntaxError(f"expected ) at {pos}")
            pos += 1
            return v
        if c.isalpha():
            start = pos
            while pos < len(text) and text[pos].isalpha():
                pos += 1
            return env[text[start:pos]]
        if c == "-":
            pos += 1
            return -atom()
        return number()

    def term():
        nonlocal pos
        v = atom()
        while peek() in ("*", "/"):
            op = text[pos]
            pos += 1
            w = atom()
            v = v * w if op == "*" else v / w
        return v

    def expr():
        nonlocal pos
        v = term()
        while peek() in ("+", "-"):
            op = text[pos]
            pos += 1
            w = term()
            v = v + w if op == "+" else v - w
        return v

    return expr()


@program(lambda: (edges(20, 8), 8, 0), lambda: (edges(20, 8)[::-1], 8, 3))
def dijkstra(edges, n, s):
    adj = {i: [] for i in range(n)}
    for u, v, w in edges:
        adj[u].append((v, w))
        adj[v].append((u, w))
    dist = {s: 0.0}
    done = set()
    heap = [(0.0, s)]
    order = []
    while heap:
        d, u = heapq.heappop(heap)
        if u in done:
            continue
        done.add(u)
        order.append(u)
        for v, w in adj[u]:
            nd = d + w
            if v not in dist or nd < dist[v]:
                dist[v] = nd
                heapq.heappush(heap, (nd, v))
    return dist, order


@program(lambda: (12, lambda x: np.sin(3 * x)), lambda: (5, lambda x: x * x))
def fem(n, f):
    h = 1.0 / n
    rows, cols, vals = [], [], []
    b = np.zeros(n + 1)
    for e in range(n):
        k = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h
        xm = (e + 0.5) * h
        for a in range(2):
            b[e + a] += f(xm) * h / 2
            for c in range(2):
                rows.append(e + a)
                cols.append(e + c)
                vals.append(k[a, c])
    K = sp.coo_matrix((vals, (rows, cols)), shape=(n + 1, n + 1)).tocsr()
    u = np.zeros(n + 1)
    u[1:-1] = sl.spsolve(K[1:-1, 1:-1].tocsc(), b[1:-1])
    return u


@dataclass
class Account:
    owner: str
    balance: float = 0.0
    log: list = field(default_factory=list)

    def deposit(self, x):
        if x <= 0:
            raise ValueError(f"bad amount {x!r} for {self.owner}")
        self.balance += x
        self.log.append(("in", x))

    def withdraw(self, x):
        if x > self.balance:
            raise RuntimeError(f"{self.owner} has only {self.balance:.2f}")
        self.balance -= x
        self.log.append(("out", x))


@program(lambda: ([("a", 5.0), ("b", 0.0), ("a", -7.5), ("b", 3.0), ("b", -1.0)],), lambda: ([],))
def bank(ops):
    a = {}
    failures = []
    for name, x in ops:
        acc = a.setdefault(name, Account(name))
        try:
            acc.deposit(x) if x > 0 else acc.withdraw(-x)
        except (ValueError, RuntimeError) as e:
            failures.append(str(e))
        finally:
            acc.log.append("done")
    return a, failures
