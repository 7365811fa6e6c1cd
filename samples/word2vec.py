"""word2vec: vectors of words that tell their neighbours from words drawn at random (skip-gram, Mikolov et al. 2013), on Python's help."""

from __future__ import annotations

import collections
import re
import sys
from pydoc_data.topics import topics

import numpy as np

import autograph_jit as ag
from autograph_jit import nn, optim


def load(vocabulary=2000):
    """The most frequent words, the commonest first, and the text as their numbers; other words are left out."""
    text = re.findall(r"[a-z]{2,}", "\n".join(topics[name] for name in sorted(topics)).lower())
    words = [word for word, _ in collections.Counter(text).most_common(vocabulary)]
    numbers = {word: number for number, word in enumerate(words)}
    return words, np.array([numbers[word] for word in text if word in numbers])


def pairs(text, window=3):
    """Each word with each of its neighbours on both sides."""
    near = [(text[:-distance], text[distance:]) for distance in range(1, window + 1)]
    centres = np.concatenate([side for left, right in near for side in (left, right)])
    return centres, np.concatenate([side for left, right in near for side in (right, left)])


class SkipGram(nn.Model):
    """The vectors of words, and the weights by which neighbours are told."""

    def __init__(self, vocabulary, size=64, sampled=32):
        super().__init__()
        self.vocabulary, self.sampled = vocabulary, sampled
        self.embedding = nn.Embedding(vocabulary, size)
        self.kernel = self.add_weight((vocabulary, size), "zeros")
        self.bias = self.add_weight((vocabulary,), "zeros")

    def call(self, centres, neighbours):
        """The mean loss of pairs of words."""
        vectors = self.embedding(centres)
        return np.mean(nn.losses.nce(self.kernel, self.bias, neighbours[:, None], vectors, self.sampled, self.vocabulary))


def train(centres, neighbours, vocabulary, steps, compiled=True, batch=256):
    """A model after so many steps, and the loss of each."""
    nn.set_seed(0)
    model, optimizer = SkipGram(vocabulary), optim.Adam(0.005)

    def step(centres, neighbours):
        with ag.GradientTape() as tape:
            loss = model(centres, neighbours)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    step = ag.compile(step) if compiled else step
    losses, data = [], nn.batches((centres, neighbours), batch, seed=0)
    while len(losses) < steps:
        losses += [float(step(*rows)) for rows, _ in zip(data, range(steps - len(losses)))]
    return model, losses


def nearest(model, words, word, count=5):
    """The words whose vectors have the smallest angle to that of a word."""
    vectors = model.embedding.embeddings.numpy()
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    order = np.argsort(-(vectors @ vectors[words.index(word)]))
    return [words[number] for number in order[1 : count + 1]]


def main(steps=20_000) -> None:
    """The number of steps may be given on the command line."""
    words, text = load()
    model, losses = train(*pairs(text), len(words), steps)
    print(f"{len(text)} words, {len(words)} different; loss {np.mean(losses[:100]):.3f} at first, {np.mean(losses[-100:]):.3f} at last")
    for word in ("class", "int", "raise", "list", "for", "true"):
        print(f"{word:6}: {' '.join(nearest(model, words, word))}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
