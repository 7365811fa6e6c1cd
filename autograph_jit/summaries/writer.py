"""`SummaryWriter`: figures of a training, and compiled graphs, in files that TensorBoard shows; a thin layer over tensorboardX."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.summaries.graph import nodes_of

try:
    import tensorboardX
    from tensorboardX.proto import attr_value_pb2, event_pb2, graph_pb2, node_def_pb2, versions_pb2
except ImportError:  # told when a writer is made
    tensorboardX = None


class SummaryWriter:
    """Writes to a directory; use it in a `with` statement, or call `close`. Names and steps are those of `tf.summary`.

    with SummaryWriter("logs/first") as summaries:
        summaries.scalar("loss", loss, step)
    """

    def __init__(self, logdir: str | os.PathLike[str]) -> None:
        if tensorboardX is None:
            raise ag.MissingExtraError("summaries are written by tensorboardX: pip install 'autograph-jit[summaries]'")
        self.writer = tensorboardX.SummaryWriter(os.fspath(logdir))

    def scalar(self, name: str, data: Any, step: int) -> None:
        """A number, or an array or Tensor of one element."""
        self.writer.add_scalar(name, np.asarray(data).item(), int(step))

    def histogram(self, name: str, data: Any, step: int, buckets: int = 30) -> None:
        """How the elements of an array are distributed."""
        self.writer.add_histogram(name, np.asarray(data).ravel(), int(step), bins=buckets)

    def image(self, name: str, data: Any, step: int) -> None:
        """Images of shape (count, height, width, channels): floats between 0 and 1, or uint8; 1, 3 or 4 channels."""
        for index, image in enumerate(np.asarray(data)):
            self.writer.add_image(f"{name}/{index}", image, int(step), dataformats="HWC")

    def text(self, name: str, data: str, step: int) -> None:
        """Text, shown as Markdown."""
        self.writer.add_text(name, data, int(step))

    def graph(self, function: Any, *args: Any, **kwargs: Any) -> None:
        """The graph of a compiled function for these arguments; branches and bodies of loops are groups of nodes."""
        nodes = [
            node_def_pb2.NodeDef(
                name=node.name, op=node.op, input=node.inputs, attr={"type": attr_value_pb2.AttrValue(s=node.type.encode())}
            )
            for node in nodes_of(str(function.graph(*args, **kwargs)))
        ]
        graph = graph_pb2.GraphDef(node=nodes, versions=versions_pb2.VersionDef(producer=22))
        self.writer.file_writer.add_event(event_pb2.Event(graph_def=graph.SerializeToString()))

    def flush(self) -> None:
        """Write what is waiting."""
        self.writer.flush()

    def close(self) -> None:
        """Write what is waiting, and end."""
        self.writer.close()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
