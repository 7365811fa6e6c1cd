"""`nn`: layers, models, losses, initializers, by Keras' names, in ordinary NumPy on the public API."""

from autograph_jit.nn import activations, initializers, losses, regularizers
from autograph_jit.nn.attention import MultiHeadAttention
from autograph_jit.nn.callbacks import EarlyStopping, ModelCheckpoint, TensorBoard
from autograph_jit.nn.cells import Cell, GRUCell, LSTMCell, SimpleRNNCell
from autograph_jit.nn.convolution import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, DepthwiseConv2D
from autograph_jit.nn.core import Activation, Dense, Dropout, Embedding, Flatten
from autograph_jit.nn.layer import Layer
from autograph_jit.nn.model import Model, Sequential
from autograph_jit.nn.normalization import BatchNormalization, LayerNormalization
from autograph_jit.nn.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    MaxPooling1D,
    MaxPooling2D,
)
from autograph_jit.nn.recurrent import GRU, LSTM, RNN, SimpleRNN
from autograph_jit.nn.reversible import ReversibleBlock, ReversibleSequential
from autograph_jit.nn.seeds import set_seed
from autograph_jit.nn.training import batches, fit

__all__ = [
    "GRU", "LSTM", "RNN", "Activation", "AveragePooling1D", "AveragePooling2D", "BatchNormalization", "Cell", "Conv1D", "Conv1DTranspose",
    "Conv2D", "Conv2DTranspose", "Dense", "DepthwiseConv2D", "Dropout", "EarlyStopping", "Embedding", "Flatten", "GRUCell",
    "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalMaxPooling1D", "GlobalMaxPooling2D", "LSTMCell", "Layer",
    "LayerNormalization", "MaxPooling1D", "MaxPooling2D", "Model", "ModelCheckpoint", "MultiHeadAttention", "ReversibleBlock",
    "ReversibleSequential", "Sequential", "SimpleRNN", "SimpleRNNCell", "TensorBoard", "activations", "batches", "fit", "initializers",
    "losses", "regularizers", "set_seed",
]  # fmt: skip
