"""`nn`: layers, models, losses, initializers, by Keras' names, in ordinary NumPy on the public API."""

from autograph_jit.nn import activations, initializers, losses, regularizers
from autograph_jit.nn.attention import MultiHeadAttention
from autograph_jit.nn.cells import Cell, GRUCell, LSTMCell, SimpleRNNCell
from autograph_jit.nn.core import Activation, Dense, Dropout, Embedding, Flatten
from autograph_jit.nn.layer import Layer
from autograph_jit.nn.model import Model, Sequential
from autograph_jit.nn.normalization import BatchNormalization, LayerNormalization
from autograph_jit.nn.recurrent import GRU, LSTM, RNN, SimpleRNN
from autograph_jit.nn.seeds import set_seed
from autograph_jit.nn.training import EarlyStopping, batches, fit

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "Activation",
    "BatchNormalization",
    "Cell",
    "Dense",
    "Dropout",
    "EarlyStopping",
    "Embedding",
    "Flatten",
    "GRUCell",
    "LSTMCell",
    "Layer",
    "LayerNormalization",
    "Model",
    "MultiHeadAttention",
    "Sequential",
    "SimpleRNN",
    "SimpleRNNCell",
    "activations",
    "batches",
    "fit",
    "initializers",
    "losses",
    "regularizers",
    "set_seed",
]
