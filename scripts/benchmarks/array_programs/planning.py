"""Money, control and graphs: options on grids, early exercise, predictive control, PageRank, Newton and Krylov, transport, trusses."""

from __future__ import annotations

import numpy as np

from benchmarks.array_programs.program import program


def american_put(strike, rate, volatility, expiry, n, steps):
    """Crank and Nicolson on a grid of logarithms, early exercise by projection in successive over-relaxation."""
    x = np.linspace(np.log(strike) - 2.0, np.log(strike) + 2.0, n)
    dx, dt = x[1] - x[0], expiry / steps
    payoff = np.maximum(strike - np.exp(x), 0.0)
    value = payoff.copy()
    drift, diffusion = rate - 0.5 * volatility**2, 0.5 * volatility**2
    low = 0.5 * dt * (diffusion / dx**2 - 0.5 * drift / dx)
    high = 0.5 * dt * (diffusion / dx**2 + 0.5 * drift / dx)
    middle = -0.5 * dt * (2.0 * diffusion / dx**2 + rate)
    sweeps = 0
    boundary = np.zeros(steps)
    for k in range(steps):
        right = value.copy()
        right[1:-1] = low * value[:-2] + (1.0 + middle) * value[1:-1] + high * value[2:]
        error = 1.0
        while error > 1e-6:
            error = 0.0
            for i in range(1, n - 1):
                new = (right[i] + low * value[i - 1] + high * value[i + 1]) / (1.0 - middle)
                new = max(value[i] + 1.2 * (new - value[i]), payoff[i])
                error = max(error, abs(new - value[i]))
                value[i] = new
            sweeps += 1
        exercised = np.flatnonzero((value <= payoff + 1e-9) & (payoff > 0.0))
        boundary[k] = np.exp(x[exercised[-1]]) if exercised.size > 0 else 0.0
    delta = np.gradient(value, dx) / np.exp(x)
    return value, delta, boundary, sweeps


def bermudan_by_regression(draws, spot, strike, rate, volatility, dt):
    """Longstaff and Schwartz: paths, then from the end regressions on powers of the price of the paths in the money."""
    steps, paths = draws.shape
    growth = (rate - 0.5 * volatility**2) * dt + volatility * np.sqrt(dt) * draws
    prices = spot * np.exp(np.cumsum(growth, axis=0))
    discount = np.exp(-rate * dt)
    cash = np.maximum(strike - prices[-1], 0.0)
    exercised = np.zeros(steps)
    exercised[-1] = np.mean(cash > 0.0)
    for t in range(steps - 2, -1, -1):
        cash = cash * discount
        now = np.maximum(strike - prices[t], 0.0)
        inside = now > 0.0
        if inside.sum() < 4:
            continue
        s = prices[t, inside] / strike
        basis = np.stack([np.ones_like(s), s, s * s], axis=1)
        weights = np.linalg.solve(basis.T @ basis + 1e-9 * np.eye(3), basis.T @ cash[inside])
        go_on = basis @ weights
        early = np.zeros(paths, dtype=np.bool_)
        early[inside] = now[inside] > go_on
        cash = np.where(early, now, cash)
        exercised[t] = early.mean()
    value = discount * cash.mean()
    error = discount * cash.std() / np.sqrt(paths)
    return max(value, max(strike - spot, 0.0)), error, exercised


def heston_paths(normals, spot, variance, speed, level, swing, correlation, rate, dt, strikes):
    """Prices with a variance of their own (full truncation), a barrier, options for several strikes."""
    steps, _, paths = normals.shape
    logs = np.full(paths, np.log(spot))
    v = np.full(paths, variance)
    alive = np.ones(paths, dtype=np.bool_)
    root = np.sqrt(1.0 - correlation**2)
    average = np.zeros(paths)
    for t in range(steps):
        z1 = normals[t, 0]
        z2 = correlation * z1 + root * normals[t, 1]
        positive = np.maximum(v, 0.0)
        logs = logs + (rate - 0.5 * positive) * dt + np.sqrt(positive * dt) * z1
        v = v + speed * (level - positive) * dt + swing * np.sqrt(positive * dt) * z2
        alive &= logs > np.log(0.7 * spot)
        average += np.exp(logs) / steps
        if not alive.any():
            break
    last = np.exp(logs)
    discount = np.exp(-rate * dt * steps)
    values = np.zeros((3, strikes.size))
    for k in range(strikes.size):
        values[0, k] = discount * np.maximum(last - strikes[k], 0.0).mean()
        values[1, k] = discount * np.where(alive, np.maximum(last - strikes[k], 0.0), 0.0).mean()
        values[2, k] = discount * np.maximum(average - strikes[k], 0.0).mean()
    skew = ((logs - logs.mean()) ** 3).mean() / logs.std() ** 3
    return values, alive.mean(), skew


def predictive_control(a, b, state, goal, bound, horizon, steps, rounds):
    """A plan by projected gradient steps at every moment, of which the first action is taken."""
    plan = np.zeros((horizon, b.shape[1]))
    path, actions = np.zeros((steps, state.size)), np.zeros((steps, b.shape[1]))
    size = 0.05
    for t in range(steps):
        last = np.inf
        for _ in range(rounds):
            states = np.zeros((horizon + 1, state.size))
            states[0] = state
            for k in range(horizon):
                states[k + 1] = a @ states[k] + b @ plan[k]
            off = states[1:] - goal
            cost = (off * off).sum() + 0.1 * (plan * plan).sum()
            if last - cost < 1e-6:
                break
            last = cost
            adjoint = np.zeros(state.size)
            gradient = np.zeros_like(plan)
            for k in range(horizon - 1, -1, -1):
                adjoint = a.T @ adjoint + 2.0 * off[k]
                gradient[k] = b.T @ adjoint + 0.2 * plan[k]
            plan = np.clip(plan - size * gradient, -bound, bound)
        actions[t] = plan[0]
        state = a @ state + b @ plan[0]
        path[t] = state
        plan = np.concatenate([plan[1:], plan[-1:]])
    return path, actions, np.abs(path[-1] - goal).max()


def page_rank(sources, targets, n, damping, tolerance):
    """Ranks and, by the same walks, hubs and authorities; pages without links share theirs with all."""
    degree = np.bincount(sources, minlength=n)
    dangling = degree == 0
    share = 1.0 / np.maximum(degree, 1)
    rank = np.full(n, 1.0 / n)
    change, rounds = 1.0, 0
    while change > tolerance:
        given = rank * share
        new = np.bincount(targets, weights=given[sources], minlength=n)
        new = damping * (new + rank[dangling].sum() / n) + (1.0 - damping) / n
        change = np.abs(new - rank).sum()
        rank = new
        rounds += 1
        if rounds > 200:
            raise ArithmeticError("the ranks do not settle")
    hubs, authorities = np.ones(n), np.ones(n)
    for _ in range(20):
        authorities = np.zeros(n)
        np.add.at(authorities, targets, hubs[sources])
        authorities /= np.sqrt((authorities**2).sum())
        hubs = np.zeros(n)
        np.add.at(hubs, sources, authorities[targets])
        hubs /= np.sqrt((hubs**2).sum())
    order = np.argsort(-rank, kind="stable")
    return rank, order[:10], hubs, authorities, rounds


def newton_krylov(u, strength, tolerance, inner):
    """Bratu's equation: Newton's steps from GMRES, which sees the Jacobian only through differences."""
    h = 1.0 / (u.shape[0] + 1)

    def residual(u):
        out = -4.0 * u
        out[1:] += u[:-1]
        out[:-1] += u[1:]
        out[:, 1:] += u[:, :-1]
        out[:, :-1] += u[:, 1:]
        return out / h**2 + strength * np.exp(u)

    norms = []
    for _ in range(10):
        r = residual(u)
        size = np.sqrt((r * r).sum())
        norms.append(size)
        if size < tolerance:
            break
        basis = np.zeros((inner + 1, u.size))
        hessenberg = np.zeros((inner + 1, inner))
        basis[0] = -r.ravel() / size
        for k in range(inner):
            direction = basis[k].reshape(u.shape)
            w = ((residual(u + 1e-7 * direction) - r) / 1e-7).ravel()
            for j in range(k + 1):
                hessenberg[j, k] = w @ basis[j]
                w = w - hessenberg[j, k] * basis[j]
            hessenberg[k + 1, k] = np.sqrt(w @ w)
            basis[k + 1] = w / (hessenberg[k + 1, k] + 1e-300)
        right = np.zeros(inner + 1)
        right[0] = size
        weights = np.linalg.solve(hessenberg.T @ hessenberg, hessenberg.T @ right)
        u = u + (weights @ basis[:inner]).reshape(u.shape)
    return u, np.array(norms[:2]), u.max()


def optimal_transport(a, b, places, epsilon, rounds):
    """Sinkhorn's iteration in logarithms, with a regularisation that shrinks, and the plan's cost and moves."""
    cost = (places[:, None] - places[None, :]) ** 2

    def soft_min(z, axis):
        low = z.min(axis=axis, keepdims=True)
        return (low - np.log(np.exp(low - z).sum(axis=axis, keepdims=True))).ravel()

    f, g = np.zeros(a.size), np.zeros(b.size)
    errors = []
    current = 1.0
    while current >= epsilon:
        for r in range(rounds):
            f = current * (np.log(a) + soft_min((cost - g[None, :]) / current, 1))
            g = current * (np.log(b) + soft_min((cost - f[:, None]) / current, 0))
            if r % 5 == 4:
                plan = np.exp((f[:, None] + g[None, :] - cost) / current)
                off = np.abs(plan.sum(axis=1) - a).sum()
                errors.append(off)
                if off < 1e-6:
                    break
        current *= 0.5
    plan = np.exp((f[:, None] + g[None, :] - cost) / (2.0 * current))
    moves = (plan * np.abs(places[:, None] - places[None, :])).sum(axis=1) / a
    return (plan * cost).sum(), moves, np.array(errors)


def truss(nodes, bars, stiffness, loads, held, limit):
    """A frame of bars: the stiffness matrix by assembly, displacements, forces; bars under too much load give way."""
    n = nodes.shape[0]
    intact = np.ones(bars.shape[0], dtype=np.bool_)
    free = np.flatnonzero(~held)
    first, second = nodes[bars[:, 0]], nodes[bars[:, 1]]
    length = np.sqrt(((second - first) ** 2).sum(axis=1))
    direction = (second - first) / length[:, None]
    moved, force = np.zeros(2 * n), np.zeros(bars.shape[0])
    rounds = 0
    while rounds < 5:
        k = np.zeros((2 * n, 2 * n))
        for e in range(bars.shape[0]):
            strength = stiffness / length[e] if intact[e] else 1e-6 * stiffness
            block = strength * np.outer(direction[e], direction[e])
            i, j = 2 * bars[e, 0], 2 * bars[e, 1]
            k[i : i + 2, i : i + 2] += block
            k[j : j + 2, j : j + 2] += block
            k[i : i + 2, j : j + 2] -= block
            k[j : j + 2, i : i + 2] -= block
        moved[free] = np.linalg.solve(k[free][:, free], loads[free])
        shift = moved.reshape(n, 2)
        stretch = ((shift[bars[:, 1]] - shift[bars[:, 0]]) * direction).sum(axis=1)
        force = np.where(intact, stiffness / length * stretch, 0.0)
        broken = np.abs(force) > limit
        rounds += 1
        if not broken.any():
            break
        intact &= ~broken
    return moved, force, intact, rounds


def vehicle(horizon: int) -> tuple:
    a = np.eye(4) + 0.1 * np.eye(4, k=2)
    return a, 0.1 * np.eye(4, 2, k=-2), np.array([2.0, -1.0, 0.0, 0.5]), np.zeros(4), 1.0, horizon, 6, 15


def links(n: int) -> tuple:
    rng = np.random.default_rng(81)
    return rng.integers(0, n // 2, 6 * n), rng.integers(0, n, 6 * n), n, 0.85, 1e-9


def heaps(n: int) -> tuple:
    x = np.linspace(0.0, 1.0, n)
    a, b = np.exp(-30.0 * (x - 0.3) ** 2) + 1e-3, np.exp(-50.0 * (x - 0.6) ** 2) + 1e-3
    return a / a.sum(), b / b.sum(), x, 0.05, 20


def bridge(n: int) -> tuple:
    lower = np.stack([np.arange(n + 1.0), np.zeros(n + 1)], axis=1)
    nodes = np.concatenate([lower, np.stack([np.arange(n) + 0.5, np.ones(n)], axis=1)])
    k = np.arange(n)
    bars = np.concatenate([np.stack(pair, axis=1) for pair in ((k, k + 1), (k, n + 1 + k), (k + 1, n + 1 + k), (n + k[1:], n + 1 + k[1:]))])
    loads, held = np.zeros(2 * len(nodes)), np.zeros(2 * len(nodes), dtype=np.bool_)
    loads[3 : 2 * n + 1 : 2] = -1.0
    held[[0, 1, 2 * n + 1]] = True
    return nodes, bars, 100.0, loads, held, 6.0


def normals(*shape: int) -> np.ndarray:
    return np.random.default_rng(82).normal(size=shape)


BENCHMARKS = (
    program(american_put, lambda n: (100.0, 0.05, 0.3, 1.0, n, 8), 50, 12),
    program(bermudan_by_regression, lambda n: (normals(8, n), 100.0, 105.0, 0.05, 0.3, 0.1), 400, 40),
    program(heston_paths, lambda n: (normals(12, 2, n), 100.0, 0.05, 2.0, 0.05, 0.4, -0.6, 0.03, 0.05, np.linspace(90, 110, 5)), 300, 30),
    program(predictive_control, vehicle, 10, 4),
    program(page_rank, links, 100, 12),
    program(newton_krylov, lambda n: (np.zeros((n, n)), 4.0, 1e-6, 16), 10, 5),
    program(optimal_transport, heaps, 30, 8),
    program(truss, bridge, 5, 3),
)
