"""Statistics and estimation: filters, mixtures, hidden states, processes, components, regressions, samplers."""

from __future__ import annotations

import numpy as np

from benchmarks.array_programs.program import program


def kalman(observed, transition, measure, noise, error, start):
    """Filter forwards, smooth backwards (Rauch, Tung, Striebel); gaps in the record are NaN and only predicted."""
    steps, n = observed.shape[0], transition.shape[0]
    mean, cov = start.copy(), np.eye(n)
    means, covs = np.zeros((steps, n)), np.zeros((steps, n, n))
    likelihood = 0.0
    for t in range(steps):
        mean = transition @ mean
        cov = transition @ cov @ transition.T + noise
        if not np.isnan(observed[t]).any():
            innovation = observed[t] - measure @ mean
            s = measure @ cov @ measure.T + error
            gain = np.linalg.solve(s, measure @ cov).T
            mean = mean + gain @ innovation
            cov = cov - gain @ s @ gain.T
            likelihood -= 0.5 * (innovation @ np.linalg.solve(s, innovation) + np.log(np.linalg.det(2.0 * np.pi * s)))
        means[t], covs[t] = mean, cov
    smooth = means.copy()
    for t in range(steps - 2, -1, -1):
        ahead = transition @ covs[t] @ transition.T + noise
        gain = np.linalg.solve(ahead, transition @ covs[t]).T
        smooth[t] = means[t] + gain @ (smooth[t + 1] - transition @ means[t])
    return means, smooth, likelihood


def mixture(x, centres, rounds, tolerance):
    """Expectation and maximisation for Gaussians with diagonal variances."""
    n, d = x.shape
    k = centres.shape[0]
    means, variances, weights = centres.copy(), np.ones((k, d)), np.full(k, 1.0 / k)
    previous, path = -np.inf, np.zeros(rounds)
    for count in range(rounds):
        logs = np.empty((n, k))
        for j in range(k):
            off = (x - means[j]) ** 2 / variances[j]
            logs[:, j] = np.log(weights[j]) - 0.5 * (off.sum(axis=1) + np.log(2.0 * np.pi * variances[j]).sum())
        top = logs.max(axis=1, keepdims=True)
        total = top[:, 0] + np.log(np.exp(logs - top).sum(axis=1))
        share = np.exp(logs - total[:, None])
        mass = share.sum(axis=0)
        weights = mass / n
        means = share.T @ x / mass[:, None]
        for j in range(k):
            variances[j] = (share[:, j : j + 1] * (x - means[j]) ** 2).sum(axis=0) / mass[j] + 1e-6
        likelihood = total.sum()
        path[count] = likelihood
        if likelihood - previous < tolerance * abs(likelihood):
            break
        previous = likelihood
    return means, variances, weights, path, share.argmax(axis=1)


def hidden_markov(observed, start, moves, emissions):
    """Forwards and backwards with scaling, the states' probabilities, new moves, and the most likely path."""
    steps, states = observed.size, start.size
    forward, backward, scale = np.zeros((steps, states)), np.ones((steps, states)), np.zeros(steps)
    state = start * emissions[:, observed[0]]
    for t in range(steps):
        if t > 0:
            state = (forward[t - 1] @ moves) * emissions[:, observed[t]]
        scale[t] = state.sum()
        forward[t] = state / scale[t]
    for t in range(steps - 2, -1, -1):
        backward[t] = moves @ (emissions[:, observed[t + 1]] * backward[t + 1]) / scale[t + 1]
    posterior = forward * backward
    counts = np.zeros((states, states))
    for t in range(steps - 1):
        after = emissions[:, observed[t + 1]] * backward[t + 1] / scale[t + 1]
        counts += forward[t][:, None] * moves * after[None, :]
    best = np.log(start) + np.log(emissions[:, observed[0]])
    back = np.zeros((steps, states), dtype=np.int64)
    for t in range(1, steps):
        options = best[:, None] + np.log(moves)
        back[t] = options.argmax(axis=0)
        best = options.max(axis=0) + np.log(emissions[:, observed[t]])
    path = np.zeros(steps, dtype=np.int64)
    path[-1] = best.argmax()
    for t in range(steps - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return posterior, counts / counts.sum(axis=1, keepdims=True), path, np.log(scale).sum()


def gaussian_process(x, y, at, scales, noise):
    """The evidence of several length scales, then mean and deviation of the best one."""

    def kernel(a, b, scale):
        off = (a[:, None] - b[None, :]) / scale
        return np.exp(-0.5 * off * off)

    evidence = np.zeros(len(scales))
    best, chosen = -np.inf, scales[0]
    for k, scale in enumerate(scales):
        covariance = kernel(x, x, scale) + noise * np.eye(x.size)
        lower = np.linalg.cholesky(covariance)
        half = np.linalg.solve(lower, y)
        evidence[k] = -0.5 * half @ half - np.log(np.diag(lower)).sum() - 0.5 * x.size * np.log(2.0 * np.pi)
        if evidence[k] > best:
            best, chosen = evidence[k], scale
    lower = np.linalg.cholesky(kernel(x, x, chosen) + noise * np.eye(x.size))
    weights = np.linalg.solve(lower.T, np.linalg.solve(lower, y))
    cross = kernel(x, at, chosen)
    mean = cross.T @ weights
    half = np.linalg.solve(lower, cross)
    deviation = np.sqrt(np.maximum(1.0 - (half * half).sum(axis=0), 0.0))
    return mean, deviation, evidence, chosen


def principal_components(x, count, tolerance, limit):
    """The leading directions by power iteration with deflation; signs are fixed by the largest entry."""
    centred = x - x.mean(axis=0)
    covariance = centred.T @ centred / (x.shape[0] - 1)
    total = np.trace(covariance)
    vectors, values = np.zeros((count, x.shape[1])), np.zeros(count)
    rounds = np.zeros(count, dtype=np.int64)
    for k in range(count):
        v = np.ones(x.shape[1]) / np.sqrt(x.shape[1])
        change = 1.0
        while change > tolerance and rounds[k] < limit:
            w = covariance @ v
            for j in range(k):
                w -= (w @ vectors[j]) * vectors[j]
            w /= np.sqrt(w @ w)
            change = np.abs(w - v).max()
            v = w
            rounds[k] += 1
        if v[np.abs(v).argmax()] < 0.0:
            v = -v
        vectors[k] = v
        values[k] = v @ covariance @ v
        covariance = covariance - values[k] * np.outer(v, v)
    return vectors, values, values.sum() / total, centred @ vectors.T, rounds


def independent_components(x, start, rounds):
    """FastICA: whitening by the eigenvectors, then fixed points with symmetric decorrelation."""

    def decorrelate(w):
        values, vectors = np.linalg.eigh(w @ w.T)
        return vectors @ np.diag(1.0 / np.sqrt(values)) @ vectors.T @ w

    n = x.shape[1]
    centred = x - x.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(centred @ centred.T / n)
    white = (vectors / np.sqrt(values)).T @ centred
    w = decorrelate(start)
    change = 1.0
    count = 0
    while change > 1e-6 and count < rounds:
        s = np.tanh(w @ white)
        new = s @ white.T / n - (1.0 - s**2).mean(axis=1)[:, None] * w
        new = decorrelate(new)
        change = np.abs(np.abs(np.sum(new * w, axis=1)) - 1.0).max()
        w = new
        count += 1
    sources = w @ white
    kurtosis = (sources**4).mean(axis=1) - 3.0
    order = np.argsort(np.abs(kurtosis))[::-1]
    return np.abs(sources[order]), kurtosis[order], count


def lasso(a, b, penalty, rho, limit):
    """The alternating direction method of multipliers; iterations end by primal and dual residuals."""
    m, n = a.shape
    factor = np.linalg.inv(a.T @ a + rho * np.eye(n))
    atb = a.T @ b
    z, u = np.zeros(n), np.zeros(n)
    primal, dual = np.zeros(limit), np.zeros(limit)
    done = limit
    for k in range(limit):
        x = factor @ (atb + rho * (z - u))
        relaxed = 1.6 * x - 0.6 * z
        old = z
        z = np.sign(relaxed + u) * np.maximum(np.abs(relaxed + u) - penalty / rho, 0.0)
        u = u + relaxed - z
        primal[k] = np.sqrt(np.sum((x - z) ** 2))
        dual[k] = rho * np.sqrt(np.sum((z - old) ** 2))
        if primal[k] < 1e-6 and dual[k] < 1e-6:
            done = k + 1
            break
        if primal[k] > 10.0 * dual[k]:
            u = u * 1.0
    loss = 0.5 * np.sum((a @ z - b) ** 2) + penalty * np.abs(z).sum()
    return z, loss, np.count_nonzero(z), primal[:done], dual[:done]


def logistic_by_newton(x, y, ridge, limit):
    """Reweighted least squares with halved steps, standard errors from the curvature, and a table of hits."""

    def loss_of(w):
        z = x @ w
        return np.sum(np.logaddexp(0.0, z) - y * z) + 0.5 * ridge * w @ w

    w = np.zeros(x.shape[1])
    losses = [loss_of(w)]
    for _ in range(limit):
        p = 1.0 / (1.0 + np.exp(-(x @ w)))
        gradient = x.T @ (p - y) + ridge * w
        curvature = (x * (p * (1.0 - p))[:, None]).T @ x + ridge * np.eye(w.size)
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while loss_of(w - size * step) > losses[-1] and size > 1e-4:
            size *= 0.5
        w = w - size * step
        losses.append(loss_of(w))
        if losses[-2] - losses[-1] < 1e-10 * abs(losses[-1]):
            break
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)))
    guess = p > 0.5
    table = np.array([[np.sum(~guess & (y == 0)), np.sum(guess & (y == 0))], [np.sum(~guess & (y == 1)), np.sum(guess & (y == 1))]])
    return w, errors, np.array(losses), table


def particle_filter(observed, particles, noise, draws, spread):
    """A population that follows a record; it is drawn anew, systematically, where few particles carry the weight."""
    steps, n = noise.shape
    weights = np.full(n, 1.0 / n)
    means, sizes = np.zeros(steps), np.zeros(steps)
    renewed = 0
    for t in range(steps):
        particles = 0.5 * particles + 25.0 * particles / (1.0 + particles**2) + 8.0 * np.cos(1.2 * t) + noise[t]
        off = observed[t] - particles**2 / 20.0
        logs = -0.5 * (off / spread) ** 2
        weights = weights * np.exp(logs - logs.max())
        weights = weights / weights.sum()
        means[t] = np.sum(weights * particles)
        sizes[t] = 1.0 / np.sum(weights**2)
        if sizes[t] < 0.5 * n:
            edges = np.cumsum(weights)
            edges[-1] = 1.0
            places = (np.arange(n) + draws[t]) / n
            chosen = np.searchsorted(edges, places)
            particles = particles[chosen]
            weights = np.full(n, 1.0 / n)
            renewed += 1
    return means, sizes, renewed, np.sort(particles)


def track(n: int) -> tuple:
    rng = np.random.default_rng(41)
    observed = np.cumsum(rng.normal(size=(n, 2)), axis=0)
    observed[n // 3] = np.nan
    move = np.eye(4) + np.eye(4, k=2) * 0.1
    return observed, move, np.eye(2, 4), 0.01 * np.eye(4), 0.5 * np.eye(2), np.zeros(4)


def clusters(n: int) -> tuple:
    rng = np.random.default_rng(42)
    x = np.concatenate([rng.normal(c, 1.0, (n, 3)) for c in (-2.0, 0.5, 3.0)])
    return x, x[:: n - 1][:3].copy(), 20, 1e-5


def chain(n: int) -> tuple:
    rng = np.random.default_rng(43)
    moves, emissions = rng.random((4, 4)) + np.eye(4), rng.random((4, 6))
    start = np.array([0.4, 0.3, 0.2, 0.1])
    return rng.integers(0, 6, n), start, moves / moves.sum(1, keepdims=True), emissions / emissions.sum(1, keepdims=True)


def samples_of_curve(n: int) -> tuple:
    x = np.sort(np.random.default_rng(44).random(n))
    return x, np.sin(6.0 * x), np.linspace(0.0, 1.0, 40), [0.05, 0.1, 0.2, 0.4], 0.01


def table_of(n: int, columns: int = 8) -> np.ndarray:
    rng = np.random.default_rng(45)
    return rng.normal(size=(n, columns)) @ rng.normal(size=(columns, columns))


def mixed(n: int) -> tuple:
    t, rng = np.linspace(0.0, 8.0, n), np.random.default_rng(46)
    sources = np.stack([np.sin(3.0 * t), np.sign(np.sin(2.0 * t)), rng.random(n) - 0.5])
    return rng.random((3, 3)) @ sources, rng.normal(size=(3, 3)), 30


def sparse_signal(n: int) -> tuple:
    rng = np.random.default_rng(47)
    a = rng.normal(size=(n, n // 2))
    return a, a @ np.where(rng.random(n // 2) < 0.2, 1.0, 0.0) + 0.01 * rng.normal(size=n), 1.0, 1.0, 60


def labelled(n: int) -> tuple:
    rng = np.random.default_rng(48)
    x = rng.normal(size=(n, 5))
    return x, (x @ np.array([1.0, -2.0, 0.5, 0.0, 1.0]) + rng.normal(size=n) > 0.0).astype(np.float64), 1e-3, 20


def hunted(n: int) -> tuple:
    rng = np.random.default_rng(49)
    return rng.random(20) * 10.0, rng.normal(size=n), rng.normal(size=(20, n)) * 3.0, rng.random(20), 1.0


BENCHMARKS = (
    program(kalman, track, 30, 6),
    program(mixture, clusters, 60, 10),
    program(hidden_markov, chain, 60, 6),
    program(gaussian_process, samples_of_curve, 30, 6),
    program(principal_components, lambda n: (table_of(n), 3, 1e-9, 300), 80, 20),
    program(independent_components, mixed, 200, 50),
    program(lasso, sparse_signal, 40, 12),
    program(logistic_by_newton, labelled, 120, 30),
    program(particle_filter, hunted, 200, 20),
)
