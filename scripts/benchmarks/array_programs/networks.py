"""Networks by hand: convolutions, attention, recurrent cells, normalising flows, embeddings, backpropagation, Hopfield memories."""

from __future__ import annotations

import numpy as np

from benchmarks.array_programs.program import program


def convolutional_layers(images, kernels, biases, dense, offset):
    """Two layers of convolution and pooling, then a dense one and a softmax; images are channels first."""

    def convolve(x, kernel, bias):
        count, size = kernel.shape[0], kernel.shape[2]
        rows, columns = x.shape[2] - size + 1, x.shape[3] - size + 1
        out = np.zeros((x.shape[0], count, rows, columns))
        for i in range(size):
            for j in range(size):
                patch = x[:, :, i : i + rows, j : j + columns]
                out += np.einsum("bcij,oc->boij", patch, kernel[:, :, i, j])
        return out + bias[None, :, None, None]

    def pool(x):
        b, c, rows, columns = x.shape
        rows, columns = rows // 2, columns // 2
        tiles = x[:, :, : 2 * rows, : 2 * columns].reshape(b, c, rows, 2, columns, 2)
        return tiles.max(axis=5).max(axis=3)

    active = []
    x = images
    for kernel, bias in zip(kernels, biases):
        x = np.maximum(convolve(x, kernel, bias), 0.0)
        x = pool(x)
        active.append((x > 0.0).mean())
    flat = x.reshape(x.shape[0], -1)
    scores = flat @ dense + offset
    scores = scores - scores.max(axis=1, keepdims=True)
    shares = np.exp(scores)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares, shares.argmax(axis=1), np.array(active)


def attention_block(x, wq, wk, wv, wo, w1, w2, heads):
    """A block of a transformer: layer norm, causal attention with several heads, a feed-forward part, residuals."""

    def normalise(x):
        mean = x.mean(axis=-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
        return (x - mean) / np.sqrt(variance + 1e-5)

    steps, width = x.shape
    size = width // heads
    h = normalise(x)
    q, k, v = h @ wq, h @ wk, h @ wv
    mixed = np.zeros_like(x)
    entropy = np.zeros(heads)
    mask = np.triu(np.ones((steps, steps)), 1) * -1e9
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        scores = q[:, part] @ k[:, part].T / np.sqrt(size) + mask
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = scores / scores.sum(axis=1, keepdims=True)
        mixed[:, part] = weights @ v[:, part]
        entropy[head] = -(weights * np.log(weights + 1e-12)).sum(axis=1).mean()
    x = x + mixed @ wo
    h = normalise(x) @ w1
    h = 0.5 * h * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (h + 0.044715 * h**3)))
    return x + h @ w2, entropy


def lstm(inputs, w, u, b, lengths):
    """A recurrent cell over a batch of sequences of several lengths; states of those that have ended stay."""

    def sigmoid(x):
        return 1.0 / (1.0 + np.exp(-x))

    steps, batch, _ = inputs.shape
    size = u.shape[0]
    hidden, cell = np.zeros((batch, size)), np.zeros((batch, size))
    outputs = np.zeros((steps, batch, size))
    for t in range(steps):
        gates = inputs[t] @ w + hidden @ u + b
        enter = sigmoid(gates[:, :size])
        forget = sigmoid(gates[:, size : 2 * size] + 1.0)
        offered = np.tanh(gates[:, 2 * size : 3 * size])
        leave = sigmoid(gates[:, 3 * size :])
        new_cell = forget * cell + enter * offered
        new_hidden = leave * np.tanh(new_cell)
        running = (t < lengths)[:, None]
        cell = np.where(running, new_cell, cell)
        hidden = np.where(running, new_hidden, hidden)
        outputs[t] = hidden * running
        if not running.any():
            break
    return outputs, hidden, np.abs(cell).max()


def real_nvp(x, scales, shifts, rounds):
    """Coupling layers there and back: the log density of points, and how exactly the inverse finds them again."""
    n, d = x.shape
    half = d // 2
    z = x.copy()
    log_det = np.zeros(n)
    for k in range(len(scales)):
        if k % 2 == 0:
            fixed, moved = z[:, :half], z[:, half:]
        else:
            moved, fixed = z[:, :half], z[:, half:]
        s = np.tanh(fixed @ scales[k])
        moved = moved * np.exp(s) + fixed @ shifts[k]
        log_det += s.sum(axis=1)
        z = np.concatenate([fixed, moved], axis=1) if k % 2 == 0 else np.concatenate([moved, fixed], axis=1)
    density = log_det - 0.5 * (z * z).sum(axis=1) - 0.5 * d * np.log(2.0 * np.pi)
    y = z.copy()
    for k in range(len(scales) - 1, -1, -1):
        if k % 2 == 0:
            s = np.tanh(y[:, :half] @ scales[k])
            y[:, half:] = (y[:, half:] - y[:, :half] @ shifts[k]) * np.exp(-s)
        else:
            s = np.tanh(y[:, half:] @ scales[k])
            y[:, :half] = (y[:, :half] - y[:, half:] @ shifts[k]) * np.exp(-s)
    return density, np.abs(y - x).max() < 1e-9


def embed_neighbours(x, start, perplexity, rounds, rate):
    """t-SNE: bandwidths by bisection, then gradient steps with momentum and gains."""
    n = x.shape[0]
    squares = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)
    p = np.zeros((n, n))
    for i in range(n):
        low, high, beta = 0.0, np.inf, 1.0
        for _ in range(30):
            row = np.exp(-squares[i] * beta)
            row[i] = 0.0
            total = row.sum()
            entropy = np.log(total) + beta * (squares[i] * row).sum() / total
            if abs(entropy - np.log(perplexity)) < 1e-5:
                break
            if entropy > np.log(perplexity):
                low = beta
                beta = beta * 2.0 if high == np.inf else 0.5 * (beta + high)
            else:
                high = beta
                beta = 0.5 * (beta + low)
        p[i] = row / total
    p = np.maximum((p + p.T) / (2.0 * n), 1e-12)
    y, velocity, gains = start.copy(), np.zeros_like(start), np.ones_like(start)
    for k in range(rounds):
        near = 1.0 / (1.0 + ((y[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))
        np.fill_diagonal(near, 0.0)
        q = np.maximum(near / near.sum(), 1e-12)
        pull = (p * (4.0 if k < rounds // 2 else 1.0) - q) * near
        gradient = 4.0 * (pull.sum(axis=1)[:, None] * y - pull @ y)
        gains = np.where(gradient * velocity < 0.0, gains + 0.2, gains * 0.8).clip(0.01)
        velocity = (0.5 if k < 5 else 0.8) * velocity - rate * gains * gradient
        y = y + velocity
        y = y - y.mean(axis=0)
    return y, (p * np.log(p / q)).sum()


def train_perceptron(x, y, w1, w2, epochs, batch, rate):
    """Two layers, backpropagation by hand, Adam, minibatches in order; stops where the loss no longer falls."""
    b1, b2 = np.zeros(w1.shape[1]), np.zeros(w2.shape[1])
    weights = [w1.copy(), b1, w2.copy(), b2]
    first = [np.zeros_like(w) for w in weights]
    second = [np.zeros_like(w) for w in weights]
    losses = []
    step = 0
    for _ in range(epochs):
        total = 0.0
        for begin in range(0, x.shape[0], batch):
            xb, yb = x[begin : begin + batch], y[begin : begin + batch]
            hidden = np.tanh(xb @ weights[0] + weights[1])
            off = hidden @ weights[2] + weights[3] - yb
            total += (off * off).sum()
            out = 2.0 * off / off.size
            inner = (out @ weights[2].T) * (1.0 - hidden**2)
            gradients = [xb.T @ inner, inner.sum(axis=0), hidden.T @ out, out.sum(axis=0)]
            step += 1
            for k in range(4):
                first[k] = 0.9 * first[k] + 0.1 * gradients[k]
                second[k] = 0.999 * second[k] + 0.001 * gradients[k] ** 2
                mean, square = first[k] / (1.0 - 0.9**step), second[k] / (1.0 - 0.999**step)
                weights[k] -= rate * mean / (np.sqrt(square) + 1e-8)
        losses.append(total / y.size)
        if len(losses) > 3 and losses[-1] > losses[-2]:
            break
    return weights[0], weights[2], np.array(losses)


def recall_patterns(patterns, spoiled, rounds):
    """A Hopfield network: weights from patterns, then asynchronous updates in an order of its own until nothing changes."""
    count, n = patterns.shape
    weights = np.zeros((n, n))
    for k in range(count):
        weights += np.outer(patterns[k], patterns[k])
    weights /= n
    np.fill_diagonal(weights, 0.0)
    found = np.zeros_like(spoiled)
    energies = np.zeros((spoiled.shape[0], rounds))
    for s in range(spoiled.shape[0]):
        state = spoiled[s].copy()
        for r in range(rounds):
            old = state.copy()
            for k in range(n):
                i = (k * 7 + r) % n
                field = weights[i] @ state
                if field > 0.0:
                    state[i] = 1.0
                elif field < 0.0:
                    state[i] = -1.0
            energies[s, r] = -0.5 * state @ weights @ state
            if np.array_equal(state, old):
                energies[s, r:] = energies[s, r]
                break
        found[s] = state
    overlap = found @ patterns.T / n
    return found, energies, overlap


def digits(n: int) -> tuple:
    rng = np.random.default_rng(51)
    kernels = [rng.normal(size=(4, 1, 3, 3)) * 0.4, rng.normal(size=(6, 4, 3, 3)) * 0.2]
    side = ((n - 2) // 2 - 2) // 2
    return rng.random((3, 1, n, n)), kernels, [np.zeros(4), np.full(6, 0.1)], rng.normal(size=(6 * side * side, 5)) * 0.1, np.zeros(5)


def sentence(n: int) -> tuple:
    rng = np.random.default_rng(52)
    w = [rng.normal(size=(32, 32)) * 0.2 for _ in range(4)]
    return rng.normal(size=(n, 32)), *w, rng.normal(size=(32, 64)) * 0.2, rng.normal(size=(64, 32)) * 0.2, 4


def sequences(n: int) -> tuple:
    rng = np.random.default_rng(53)
    w, u = rng.normal(size=(6, 32)) * 0.3, rng.normal(size=(8, 32)) * 0.3
    return rng.normal(size=(n, 5, 6)), w, u, np.zeros(32), np.array([n, n - 1, n // 2, n // 3, 1])


def flows(n: int) -> tuple:
    rng = np.random.default_rng(54)
    return rng.normal(size=(n, 4)), [rng.normal(size=(2, 2)) for _ in range(4)], [rng.normal(size=(2, 2)) for _ in range(4)], 4


def to_embed(n: int) -> tuple:
    rng = np.random.default_rng(55)
    return np.concatenate([rng.normal(c, 1.0, (n, 4)) for c in (0.0, 5.0)]), 0.01 * rng.normal(size=(2 * n, 2)), 5.0, 12, 10.0


def regression(n: int) -> tuple:
    rng = np.random.default_rng(56)
    x = rng.normal(size=(n, 3))
    y = np.sin(x[:, :1]) * x[:, 1:2]
    return x, y, rng.normal(size=(3, 12)) * 0.5, rng.normal(size=(12, 1)) * 0.3, 6, 16, 0.01


def memories(n: int) -> tuple:
    rng = np.random.default_rng(57)
    patterns = np.sign(rng.normal(size=(3, n)))
    return patterns, np.where(rng.random((3, n)) < 0.15, -patterns, patterns), 5


BENCHMARKS = (
    program(convolutional_layers, digits, 14, 12),
    program(attention_block, sentence, 16, 5),
    program(lstm, sequences, 12, 4),
    program(real_nvp, flows, 64, 5),
    program(embed_neighbours, to_embed, 12, 5),
    program(train_perceptron, regression, 96, 20),
    program(recall_patterns, memories, 48, 12),
)
