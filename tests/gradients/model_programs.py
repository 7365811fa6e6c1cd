"""Programs to differentiate: recurrent cells, attention, convolutions, filters, hidden states, likelihoods, losses that sort."""

from __future__ import annotations

import math

import numpy as np

from tests.gradients.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


def it(*values):
    return np.array(values, dtype=np.int64)


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def log_sum_exp(x, axis=None):
    top = np.max(x, axis=axis, keepdims=True)
    out = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return out.squeeze() if axis is None else np.squeeze(out, axis=axis)


@program(lambda: (rnd(1, 4, 2), rnd(2, 9, 2) * 0.5, rnd(3, 9, 3) * 0.5), 0, 1, 2)
def gated_recurrent_unit(x, w, u):
    h = np.zeros(3)
    states = np.zeros((len(x), 3))
    for t in range(len(x)):
        gx, gh = w @ x[t], u @ h
        z = sigmoid(gx[:3] + gh[:3])
        r = sigmoid(gx[3:6] + gh[3:6])
        h = (1 - z) * h + z * np.tanh(gx[6:] + r * gh[6:])
        states[t] = h
    return states


@program(lambda: (rnd(4, 3, 2), rnd(5, 8, 5) * 0.5, rnd(6, 8)), 0, 1, 2)
def lstm_with_a_dict_of_gates(x, w, b):
    h, c = np.zeros(2), np.zeros(2)
    out = []
    for xt in x:
        z = w[:, :4] @ np.concatenate([xt, h]) + w[:, 4] + b
        gates = {name: z[2 * k : 2 * k + 2] for k, name in enumerate("ifgo")}
        c = sigmoid(gates["f"]) * c + sigmoid(gates["i"]) * np.tanh(gates["g"])
        h = sigmoid(gates["o"]) * np.tanh(c)
        out.append(h)
    return np.stack(out), c


@program(lambda: (rnd(7, 4, 4), rnd(8, 3, 4, 2) * 0.5, rnd(9, 4, 4) * 0.5), 0, 1, 2)
def multi_head_attention(x, w, wo):
    heads = []
    for k in range(2):
        q, key, v = (x @ w[i][:, k : k + 1] for i in range(3))
        scores = q @ key.T
        scores = np.where(np.arange(4)[:, None] >= np.arange(4), scores, -np.inf)
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        heads.append(p / p.sum(axis=1, keepdims=True) @ v)
    y = np.concatenate(heads, axis=1)
    return x + np.tile(y, (1, 2)) @ wo


@program(lambda: (rnd(10, 3, 2), rnd(11, 5, 2), rnd(12, 5)), 0, 1, 2)
def attention_row_by_row_with_a_running_maximum(q, k, v):
    out = np.zeros(len(q))
    for i in range(len(q)):
        top, norm, acc = -1e30, 0.0, 0.0
        for j in range(len(k)):
            s = q[i] @ k[j]
            new = max(top, s)
            scale, p = np.exp(top - new), np.exp(s - new)
            norm = norm * scale + p
            acc = acc * scale + p * v[j]
            top = new
        out[i] = acc / norm
    return out


@program(lambda: (rnd(13, 6, 6), rnd(14, 3, 3), fl(0.1)), 0, 1, 2)
def convolution_relu_pool(image, kernel, bias):
    out = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            out[i, j] = np.sum(image[i : i + 3, j : j + 3] * kernel) + bias[0]
    out = np.where(out > 0, out, 0.1 * out)
    return out.reshape(2, 2, 2, 2).max(axis=(1, 3))


@program(lambda: (rnd(15, 7), rnd(16, 3)), 0, 1)
def dilated_causal_convolutions(x, w):
    for d in (1, 2, 4):
        y = np.zeros_like(x)
        for k in range(3):
            if k * d < len(x):
                y[k * d :] += w[k] * x[: len(x) - k * d]
        x = x + np.tanh(y)
    return x


@program(lambda: (rnd(17, 5, 3), 1 + 0.1 * rnd(18, 3), rnd(19, 3)), 0, 1, 2)
def layer_norm_then_gelu(x, gamma, beta):
    mean = x.mean(axis=-1, keepdims=True)
    y = gamma * (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=-1, keepdims=True) + 1e-3) + beta
    return 0.5 * y * (1 + np.tanh(0.79788 * (y + 0.044715 * y**3)))


@program(lambda: (rnd(20, 6, 2), fl(0.2, -0.4), fl(0.3)), 0, 1, 2)
def kalman_filter_and_smoother(z, q, r):
    f, h = np.array([[1.0, 0.3], [0.0, 1.0]]), np.eye(2)
    n = len(z)
    x, p = np.zeros(2), np.eye(2)
    xs, ps, xp, pp = [], [], [], []
    ll = 0.0
    for k in range(n):
        x, p = f @ x, f @ p @ f.T + np.diag(np.exp(q))
        xp.append(x)
        pp.append(p)
        s = h @ p @ h.T + np.exp(r[0]) * np.eye(2)
        gain = np.linalg.solve(s, h @ p).T
        v = z[k] - h @ x
        ll -= 0.5 * (np.log(np.linalg.det(s)) + v @ np.linalg.solve(s, v))
        x, p = x + gain @ v, (np.eye(2) - gain @ h) @ p
        xs.append(x)
        ps.append(p)
    for k in range(n - 2, -1, -1):
        c = ps[k] @ f.T @ np.linalg.inv(pp[k + 1])
        xs[k] = xs[k] + c @ (xs[k + 1] - xp[k + 1])
    return ll, np.stack(xs)


@program(lambda: (rnd(21, 3, 3), rnd(22, 3, 4), rnd(23, 3), it(0, 2, 3, 1, 1)), 0, 1, 2)
def hidden_markov_in_logarithms(a, b, start, seen):
    la = a - log_sum_exp(a, 1)[:, None]
    lb = b - log_sum_exp(b, 1)[:, None]
    alpha = start - log_sum_exp(start) + lb[:, seen[0]]
    for o in seen[1:]:
        new = np.empty(3)
        for j in range(3):
            new[j] = log_sum_exp(alpha + la[:, j]) + lb[j, o]
        alpha = new
    return log_sum_exp(alpha)


@program(lambda: (rnd(24, 3, 3), rnd(25, 5, 3), it(0, 1, 1, 2, 0)), 0, 1)
def conditional_random_field(transition, emission, tags):
    score = emission[0, tags[0]]
    for t in range(1, len(tags)):
        score += transition[tags[t - 1], tags[t]] + emission[t, tags[t]]
    alpha = emission[0]
    for row in emission[1:]:
        alpha = log_sum_exp(alpha[:, None] + transition, 0) + row
    return log_sum_exp(alpha) - score


@program(lambda: (rnd(26, 6, 4), it(1, 2, 2)))
def connectionist_temporal_loss(logits, labels):
    lp = logits - log_sum_exp(logits, 1)[:, None]
    extended = np.zeros(2 * len(labels) + 1, dtype=np.int64)
    extended[1::2] = labels
    n = len(extended)
    alpha = np.full(n, -1e30)
    alpha[0], alpha[1] = lp[0, 0], lp[0, extended[1]]
    for t in range(1, len(lp)):
        new = np.full(n, -1e30)
        for s in range(n):
            total = alpha[s]
            if s > 0:
                total = np.logaddexp(total, alpha[s - 1])
            if s > 1 and extended[s] != 0 and extended[s] != extended[s - 2]:
                total = np.logaddexp(total, alpha[s - 2])
            new[s] = total + lp[t, extended[s]]
        alpha = new
    return -np.logaddexp(alpha[-1], alpha[-2])


@program(lambda: (rnd(27, 5), rnd(28, 6), 0.3), 0, 1)
def soft_dynamic_time_warping(x, y, gamma):
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), np.inf)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            three = np.array([r[i - 1, j], r[i, j - 1], r[i - 1, j - 1]])
            low = three.min()
            r[i, j] = (x[i - 1] - y[j - 1]) ** 2 + low - gamma * np.log(np.sum(np.exp(-(three - low) / gamma)))
    return r[n, m]


@program(lambda: (rnd(29, 4, 5),))
def needleman_wunsch_with_gaps(score):
    n, m = score.shape
    d = np.zeros((n + 1, m + 1))
    for i in range(n + 1):
        d[i, 0] = -0.4 * i
    d[0] = -0.4 * np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d[i, j] = max(d[i - 1, j - 1] + score[i - 1, j - 1], d[i - 1, j] - 0.4, d[i, j - 1] - 0.4)
    return d[-1, -1]


@program(lambda: (rnd(30, 6), np.array([0.5, 1.0])), 0, 1)
def gaussian_process_likelihood(y, theta):
    t = np.linspace(0, 1, len(y))
    k = theta[1] ** 2 * np.exp(-0.5 * ((t[:, None] - t) / theta[0]) ** 2) + 0.1 * np.eye(len(y))
    low = np.linalg.cholesky(k)
    a = np.linalg.solve(low, y)
    return 0.5 * a @ a + np.sum(np.log(np.diag(low)))


@program(lambda: (rnd(31, 5, 2), rnd(32, 2, 2), rnd(33, 2)), 0, 1, 2)
def expectation_maximisation(x, means, logits):
    for _ in range(3):
        d = np.sum((x[:, None] - means) ** 2, axis=2)
        e = logits - 0.5 * d
        p = np.exp(e - e.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        weight = p.sum(axis=0)
        means = (p.T @ x) / weight[:, None]
        logits = np.log(weight / len(x))
    return means, logits


@program(lambda: (rnd(34, 6), it(1, 0, 1, 1, 0, 0)))
def area_under_the_curve_by_sorting(scores, labels):
    order = np.argsort(-scores)
    total, positives = 0.0, 0
    for k in order:
        if labels[k] == 1:
            positives += 1
            total += scores[k]
        else:
            total -= 0.5 * positives * scores[k]
    return total


@program(lambda: (rnd(35, 6), rnd(36, 6)), 0, 1)
def wasserstein_distance_and_quantiles(x, y):
    a, b = np.sort(x), np.sort(y)
    return np.mean(np.abs(a - b)), np.median(x) * 2, np.quantile(y, 0.3), np.partition(x, 2)[:3].sum()


@program(lambda: (rnd(37, 5), it(0, 3, 1, 2, 4)))
def listwise_ranking(scores, order):
    total = 0.0
    for k in range(len(order)):
        left = scores[order[k:]]
        total += log_sum_exp(left) - left[0]
    return total


@program(lambda: (rnd(38, 6, 3), rnd(39, 3)), 0, 1)
def triplet_loss_with_the_hardest_negative(x, anchor):
    d = np.sqrt(np.sum((x - anchor) ** 2, axis=1))
    positive, negative = d[:3], d[3:]
    hardest = np.argmin(negative)
    return np.maximum(0, positive - negative[hardest] + 1.0).sum()


@program(lambda: (rnd(40, 4, 3), rnd(41, 5, 3), it(0, 2, 1, 4)), 0, 1)
def contrastive_pairs(q, k, labels):
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    k = k / np.linalg.norm(k, axis=1)[:, None]
    logits = q @ k.T / 0.5
    return np.mean([log_sum_exp(row) - row[label] for row, label in zip(logits, labels)])


@program(lambda: (rnd(42, 3, 3), rnd(43, 4, 3)), 0, 1, twice=True)
def graph_convolutions_over_an_edge_list(w, x):
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]])
    for _ in range(2):
        message = np.zeros_like(x)
        degree = np.ones(len(x))
        for a, b in edges:
            message[b] += x[a]
            message[a] += x[b]
            degree[a] += 1
            degree[b] += 1
        x = np.tanh((message / degree[:, None] + x) @ w)
    return x


@program(lambda: (rnd(44, 3), rnd(45, 5)), 0, 1)
def sparse_product_in_coordinates(values, x):
    rows, cols = np.array([0, 2, 1, 0, 2]), np.array([1, 4, 0, 3, 3])
    y = np.zeros(3)
    np.add.at(y, rows, values[np.array([0, 1, 2, 1, 0])] * x[cols])
    return y * values, np.bincount(cols, weights=x[rows] * 2, minlength=5)


@program(lambda: (rnd(46, 4, 2), rnd(47, 2, 3), rnd(48, 3, 2)), 0, 1, 2)
def variational_autoencoder(x, we, wd):
    h = np.tanh(x @ we)
    mean, log_var = h[:, :1], h[:, 1:2] * 0.5
    noise = np.random.default_rng(0).standard_normal(mean.shape)
    z = mean + np.exp(0.5 * log_var) * noise
    y = np.concatenate([z, z**2, h[:, 2:]], axis=1) @ wd
    divergence = -0.5 * np.sum(1 + log_var - mean**2 - np.exp(log_var))
    return np.sum((y - x) ** 2) + divergence


@program(lambda: (rnd(49, 2), rnd(50, 4, 2, 2) * 0.4), 0, 1)
def normalising_flow_with_the_jacobian(z, w):
    total = 0.0
    for k in range(len(w)):
        s = np.tanh(w[k] @ z)
        total += np.linalg.slogdet(np.eye(2) + 0.5 * (1 - s**2)[:, None] * w[k])[1]
        z = z + 0.5 * s
    return z, total - 0.5 * z @ z


@program(lambda: (rnd(51, 4), rnd(52, 4, 3), 0.9), 0, 1, 2)
def temporal_differences_backwards(values, rewards, gamma):
    gains = np.zeros_like(rewards)
    after = np.zeros(3)
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * (values[t + 1] if t + 1 < len(values) else 0.0) - values[t]
        after = delta + gamma * 0.8 * after
        gains[t] = after
    return gains * np.arange(1.0, 4.0)


@program(lambda: (rnd(55, 4), fl(0.4, 0.3)), 0, 1)
def echo_state_with_leaky_units(x, p):
    state = np.zeros(3)
    path = np.zeros((len(x), 3))
    for t, value in enumerate(x):
        drive = np.tanh(p[0] * np.roll(state, 1) + value * np.array([0.3, -0.5, 0.8]))
        state += p[1] * (drive - state)
        path[t] = state
    readout = np.linalg.solve(path.T @ path + 0.1 * np.eye(3), path.T @ x)
    return readout


@program(lambda: (0.6, 1.4, fl(0.2, 0.7, 1.9)), 0, 1, 2)
def mixture_of_beta_and_gamma_densities(a, b, x):
    total = 0.0
    for v in x:
        gamma = a * math.log(b) + (a - 1) * math.log(v) - b * v - math.lgamma(a)
        total += gamma - math.lgamma(a + b) * 0.1
    return total


@program(lambda: (rnd(56, 5),))
def isotonic_regression_by_pooling(y):
    blocks = []
    for v in y:
        blocks.append((v, 1.0))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            right, left = blocks.pop(), blocks.pop()
            weight = left[1] + right[1]
            blocks.append(((left[0] * left[1] + right[0] * right[1]) / weight, weight))
    total = 0.0
    for k, (mean, weight) in enumerate(blocks):
        total += mean * mean * weight * (k + 1)
    return total
