"""A language model of characters: an LSTM over sentences of any length, one program for all of them, on Python's help."""

from __future__ import annotations

import re
import sys
from pydoc_data.topics import topics

import numpy as np

import autograph_jit as ag
from autograph_jit import nn, optim

CHARACTERS = "\n abcdefghijklmnopqrstuvwxyz.,'-"  # the first ends a sentence


def load(longest=80):
    """Sentences as arrays of numbers of characters; others are left out."""
    text = re.sub(r"[^a-z.,'-]+", " ", "\n".join(topics[name] for name in sorted(topics)).lower())
    numbers = {character: number for number, character in enumerate(CHARACTERS)}
    sentences = [sentence.strip() + ".\n" for sentence in text.split(". ")]
    return [np.array([numbers[c] for c in sentence]) for sentence in sentences if 20 <= len(sentence) <= longest]


def batches(sentences, size, seed):
    """Some sentences at a time, in a new order each epoch, as long as the longest of them: characters, and the next ones, -1 at the end."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(len(sentences))
        for start in range(0, len(order) - size + 1, size):
            chosen = [sentences[i] for i in order[start : start + size]]
            padded = np.full((size, max(len(s) for s in chosen)), -1)
            for row, sentence in zip(padded, chosen):
                row[: len(sentence)] = sentence
            yield np.maximum(padded[:, :-1], 0), padded[:, 1:]


class CharacterModel(nn.Model):
    """From characters, and the states before them, to the logits of the next ones and the states after."""

    def __init__(self, units):
        super().__init__()
        self.embedding = nn.Embedding(len(CHARACTERS), 32)
        self.lstm = nn.LSTM(units, return_sequences=True, return_state=True)
        self.dense = nn.Dense(len(CHARACTERS))

    def call(self, characters, states=None):
        outputs, *states = self.lstm(self.embedding(characters), initial_state=states)
        return self.dense(outputs), states


def make_step(model, optimizer):
    """A training step: returns the mean loss of the characters that count."""

    def step(characters, following):
        with ag.GradientTape() as tape:
            logits, _ = model(characters)
            losses = nn.losses.sparse_categorical_crossentropy(following, logits, from_logits=True, ignore_class=-1)
            loss = np.sum(losses) / np.sum(following >= 0)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return step


def train(sentences, steps, units=128, size=32, compiled=True):
    """A model after so many steps, the loss of each, the step itself."""
    nn.set_seed(0)
    model = CharacterModel(units)
    step = make_step(model, optim.Adam(0.003, global_clipnorm=5.0))
    step = ag.compile(step) if compiled else step
    return model, [float(step(*batch)) for batch, _ in zip(batches(sentences, size, seed=0), range(steps))], step


def write(forward, seed, longest=120):
    """A sentence drawn from a model's call, character by character."""
    rng = np.random.default_rng(seed)
    found, states, number = "", None, rng.integers(2, 28)
    while CHARACTERS[number] != "\n" and len(found) < longest:
        found += CHARACTERS[number]
        logits, states = forward(np.array([[number]]), states)
        number = rng.choice(len(CHARACTERS), p=nn.activations.softmax(1.5 * np.asarray(logits[0, 0], float)))
    return found


def main(steps=600) -> None:
    """The number of steps may be given on the command line."""
    sentences = load()
    model, losses, _ = train(sentences, steps)
    print(f"{len(sentences)} sentences; nats a character {np.mean(losses[:10]):.3f} at first, {np.mean(losses[-10:]):.3f} at last")
    forward = ag.compile(model.call)
    for seed in range(3):
        print(write(forward, seed))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
