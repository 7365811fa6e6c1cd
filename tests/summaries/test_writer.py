"""What is written is found in the event file: scalars, histograms, images, text, and the graph of a compiled function."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tensorboardX.proto.event_pb2 import Event
from tensorboardX.proto.graph_pb2 import GraphDef

import autograph_jit as ag
from autograph_jit import summaries


def events(folder: Path) -> list[Any]:
    """The records of the one file: length (8 bytes), checksum (4), content, checksum (4)."""
    [file] = folder.iterdir()
    content, found = file.read_bytes(), []
    while content:
        (size,) = struct.unpack("<Q", content[:8])
        found.append(Event.FromString(content[12 : 12 + size]))
        content = content[16 + size :]
    return found


def values(folder: Path) -> list[tuple[int, Any]]:
    return [(event.step, value) for event in events(folder) for value in event.summary.value]


def test_scalars_are_written_with_names_and_steps(tmp_path: Path) -> None:
    with summaries.SummaryWriter(tmp_path) as writer:
        writer.scalar("loss", np.float64(0.5), 1)
        writer.scalar("loss", ag.Variable([0.25]), np.int64(2))
    assert [(step, value.tag, value.simple_value) for step, value in values(tmp_path)] == [(1, "loss", 0.5), (2, "loss", 0.25)]


def test_histograms_count_all_elements(tmp_path: Path) -> None:
    with summaries.SummaryWriter(tmp_path) as writer:
        writer.histogram("weights", ag.Variable(np.arange(12.0).reshape(3, 4)), 3, buckets=4)
    [(step, value)] = values(tmp_path)
    assert (step, value.tag, value.histo.num, value.histo.max, sum(value.histo.bucket)) == (3, "weights", 12.0, 11.0, 12.0)


def test_images_come_back_as_they_were(tmp_path: Path) -> None:
    images = np.random.default_rng(0).integers(0, 256, (2, 5, 7, 3), np.uint8)
    with summaries.SummaryWriter(tmp_path) as writer:
        writer.image("digits", images, 0)
    found = values(tmp_path)
    assert [value.tag for _, value in found] == ["digits/0", "digits/1"]
    for (_, value), image in zip(found, images):
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(value.image.encoded_image_string))), image)


def test_text_is_written(tmp_path: Path) -> None:
    with summaries.SummaryWriter(tmp_path) as writer:
        writer.text("note", "learning rate **0.1**", 0)
    [(_, value)] = values(tmp_path)
    assert value.tag.startswith("note") and value.tensor.string_val == [b"learning rate **0.1**"]


def test_the_graph_of_a_compiled_function_has_its_operations_with_their_inputs(tmp_path: Path) -> None:
    @ag.compile
    def f(x: Any, n: int) -> Any:
        total = 0.0
        for i in range(n):
            total += np.sin(x[i]) if x[i] > 0 else -1.0
        return total

    with summaries.SummaryWriter(tmp_path) as writer:
        writer.graph(f, np.ones(4), 3)
    [graph] = [GraphDef.FromString(event.graph_def) for event in events(tmp_path) if event.graph_def]
    names = [node.name for node in graph.node]
    assert len(set(names)) == len(names)
    for node in graph.node:
        assert all(source.partition(":")[0] in names for source in node.input), node
    [sine] = [node for node in graph.node if node.op == "sin"]
    assert "for_loop" in sine.name and "cond" in sine.name and "/load_" in sine.input[0]
    assert str(f.graph(np.ones(4), 3)).count(" = ") >= len([node for node in graph.node if node.op not in ("parameter", "yield")])


def test_a_missing_library_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries.writer, "tensorboardX", None)
    with pytest.raises(ag.MissingExtraError, match=r"autograph-jit\[summaries\]"):
        summaries.SummaryWriter(tmp_path)
