"""MultiHeadAttention (Vaswani et al. 2017). Names, order of arguments and defaults are Keras'."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph_jit.nn.activations import softmax
from autograph_jit.nn.core import Dense, Dropout
from autograph_jit.nn.layer import Layer


class MultiHeadAttention(Layer):
    """Weighted sums of values, the weights by scaled products of queries and keys, in several heads.

    num_heads, key_dim   the heads, and the size of queries and keys in each
    value_dim            the size of values in a head; that of keys where it is not given
    dropout              the rate at which weights are dropped in training
    output_shape         the size of the result's last axis; that of the query where it is not given

    >>> layer = MultiHeadAttention(num_heads=2, key_dim=4)
    >>> x = np.zeros((3, 5, 8))
    >>> layer(x, x).shape
    (3, 5, 8)
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: int | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.num_heads, self.key_dim, self.value_dim = num_heads, key_dim, key_dim if value_dim is None else value_dim
        self.output_size = output_shape
        self.dense_options = {
            "use_bias": use_bias, "kernel_initializer": kernel_initializer, "bias_initializer": bias_initializer, "dtype": self.dtype,
        }  # fmt: skip
        self.query_dense = Dense(num_heads * key_dim, **self.dense_options)
        self.key_dense = Dense(num_heads * key_dim, **self.dense_options)
        self.value_dense = Dense(num_heads * self.value_dim, **self.dense_options)
        self.dropout = Dropout(dropout, dtype=self.dtype)

    def build(self, input_shape: Any) -> None:
        size = input_shape[-1] if self.output_size is None else self.output_size
        self.output_dense = Dense(size, **self.dense_options)

    def heads(self, x: Any) -> Any:
        """From (batch, steps, heads * size) to (batch, heads, steps, size)."""
        return np.swapaxes(np.reshape(x, (x.shape[0], x.shape[1], self.num_heads, -1)), 1, 2)

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        """query (batch, targets, ...), value and key (batch, sources, ...); `attention_mask`, of (targets, sources), one an example or
        one an example and head, is true where a target may look."""
        key = value if key is None else key
        q, k, v = self.heads(self.query_dense(query)), self.heads(self.key_dense(key)), self.heads(self.value_dense(value))
        scores = (q * (1 / math.sqrt(self.key_dim))) @ np.swapaxes(k, -1, -2)
        if attention_mask is not None:
            scores = np.where(attention_mask if np.ndim(attention_mask) == 4 else attention_mask[..., None, :, :], scores, -np.inf)
        if use_causal_mask:
            scores = np.where(np.arange(q.shape[2])[:, None] >= np.arange(k.shape[2]), scores, -np.inf)
        weights = softmax(scores)
        mixed = np.swapaxes(self.dropout(weights, training=training) @ v, 1, 2).copy()
        result = self.output_dense(np.reshape(mixed, (query.shape[0], query.shape[1], -1)))
        return (result, weights) if return_attention_scores else result
