"""What is saved comes back: by paths, once, between two steps; what does not fit is told by name."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import checkpoints
from tests.checkpoints.models import Model, Training

Checkpoint = checkpoints.Checkpoint


def test_training_goes_on_from_a_checkpoint_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    first, second = Training(0), Training(1)
    for _ in range(3):
        first.step()
    first.checkpoint.save(tmp_path / "saved")
    second.checkpoint.restore(tmp_path / "saved").assert_complete()
    assert second.values() == first.values()
    for training in (first, second):
        training.step()
    assert second.values() == first.values() and second.checkpoint.step == 4


def test_what_was_saved_eagerly_is_read_by_compiled_code_and_back(tmp_path: Path) -> None:
    x = ag.Variable(np.array([1.0, 2.0]))

    @ag.compile(fallback="error")
    def double() -> None:
        x.assign(x * 2)

    checkpoint = Checkpoint(x=x)
    double()
    assert checkpoint.save(tmp_path / "a") == str(tmp_path / "a")
    double()
    checkpoint.restore(tmp_path / "a")
    double()
    assert x.numpy().tolist() == [4.0, 8.0]


ARRAYS = [
    np.array(2.5),
    np.zeros((0, 3), np.float32),
    np.array([True, False]),
    np.arange(6, dtype=np.int8).reshape(2, 3).T,
    np.array([1, 2**63], np.uint64),
    np.array([1 + 2j, -3j], np.complex64),
    np.array(1 + 2j),
    np.array([np.nan, np.inf, -0.0]),
]


def test_arrays_of_every_kind_come_back_bit_for_bit(tmp_path: Path) -> None:
    Checkpoint(all=[ag.Variable(array) for array in ARRAYS]).save(tmp_path / "a")
    fresh = [ag.Variable(np.zeros_like(array)) for array in ARRAYS]
    Checkpoint(all=fresh).restore(tmp_path / "a").assert_complete()
    for variable, array in zip(fresh, ARRAYS):
        assert variable.dtype == array.dtype and variable.numpy().tobytes() == array.tobytes() and variable.shape == array.shape


def test_generators_of_every_kind_go_on_where_they_were(tmp_path: Path) -> None:
    kinds = [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]
    saved, fresh = ([np.random.Generator(kind(seed)) for kind in kinds] for seed in (0, 1))
    for generator in saved:
        generator.random(dtype=np.float32)
    Checkpoint(all=saved).save(tmp_path / "a")
    Checkpoint(all=fresh).restore(tmp_path / "a").assert_complete()
    assert [g.random(3).tolist() for g in fresh] == [g.random(3).tolist() for g in saved]


def test_a_generator_of_another_kind_is_named_and_nothing_is_restored(tmp_path: Path) -> None:
    Checkpoint(x=ag.Variable(1.0), random=np.random.default_rng(0)).save(tmp_path / "a")
    x = ag.Variable(0.0)
    with pytest.raises(ag.CheckpointError, match="random: state must be for a MT19937"):
        Checkpoint(x=x, random=np.random.Generator(np.random.MT19937(0))).restore(tmp_path / "a")
    assert float(x) == 0.0


def test_numbers_keep_their_types(tmp_path: Path) -> None:
    Checkpoint(step=3, rate=0.1, done=True, best=np.float32(0.25), huge=2**70, limit=float("inf")).save(tmp_path / "a")
    fresh = Checkpoint(step=0, rate=0.0, done=False, best=np.float32(0), huge=0, limit=0.0)
    fresh.restore(tmp_path / "a").assert_complete()
    found = [fresh.step, fresh.rate, fresh.done, fresh.best, fresh.huge, fresh.limit]
    assert found == [3, 0.1, True, 0.25, 2**70, float("inf")]
    assert [type(value) for value in found] == [int, float, bool, np.float32, int, float]


def test_a_shared_object_is_saved_once_and_found_by_each_of_its_paths(tmp_path: Path) -> None:
    shared = ag.Variable([1.0, 2.0])
    Checkpoint(encoder={"table": shared}, decoder=[shared]).save(tmp_path / "a")
    arrays = json.loads((tmp_path / "a" / "manifest.json").read_text())["checkpoint"]["arrays"]
    assert [entry["paths"] for entry in arrays] == [["encoder['table']", "decoder[0]"]]
    other = ag.Variable([0.0, 0.0])
    Checkpoint(decoder=[other]).restore(tmp_path / "a").assert_complete()
    apart = {"table": ag.Variable([0.0, 0.0])}, [ag.Variable([0.0, 0.0])]
    Checkpoint(decoder=apart[1], encoder=apart[0]).restore(tmp_path / "a").assert_complete()
    assert [v.numpy().tolist() for v in (other, apart[0]["table"], apart[1][0])] == [[1.0, 2.0]] * 3


def test_cycles_and_long_chains_of_objects_end(tmp_path: Path) -> None:
    class Node:
        def __init__(self) -> None:
            self.value, self.next, self.home = ag.Variable(1.0), None, None

    first = node = Node()
    for _ in range(3000):
        node.next = Node()
        node.next.home, node = first, node.next
    Checkpoint(chain=first).save(tmp_path / "a")
    node.value.assign(0.0)
    Checkpoint(chain=first).restore(tmp_path / "a").assert_complete()
    assert float(node.value) == 1.0


def test_an_optimizer_alone_does_not_save_the_models_variables(tmp_path: Path) -> None:
    training = Training(0)
    Checkpoint(optimizer=training.optimizer).save(tmp_path / "a")
    weights = training.model.layers[0].kernel
    weights.assign(np.zeros_like(weights.numpy()))
    Checkpoint(optimizer=training.optimizer).restore(tmp_path / "a").assert_complete()
    assert not weights.numpy().any()


def test_partial_restores_are_told_by_name(tmp_path: Path) -> None:
    Checkpoint(model=Model(0), epochs=[1, 2]).save(tmp_path / "a")
    model = Model(1)
    model.extra = ag.Variable(5.0)  # type: ignore[attr-defined]
    del model.layers[1]
    with pytest.warns(UserWarning, match="no Variable for model.layers.1..kernel, model.layers.1..bias"):
        status = Checkpoint(model=model, step=7).restore(tmp_path / "a")
    assert status.missing == ("model.extra", "step")
    assert status.unexpected == ("model.layers[1].kernel", "model.layers[1].bias", "epochs[0]", "epochs[1]")
    assert np.array_equal(model.layers[0].kernel.numpy(), Model(0).layers[0].kernel.numpy())
    with pytest.raises(ag.CheckpointError, match=r"lacks: model.extra, step; the objects lack: model.layers\[1\].kernel"):
        status.assert_complete()


def test_other_shapes_and_dtypes_are_told_by_name_and_nothing_is_restored(tmp_path: Path) -> None:
    Checkpoint(a=ag.Variable([1.0]), b=ag.Variable([1.0]), c=ag.Variable([1.0])).save(tmp_path / "a")
    a = ag.Variable([0.0])
    with pytest.raises(ag.CheckpointError, match=r"b: saved float64\(1,\), here float64\(2,\); c: saved float64\(1,\), here float32\(1,\)"):
        Checkpoint(a=a, b=ag.Variable([0.0, 0.0]), c=ag.Variable(np.float32([0.0]))).restore(tmp_path / "a")
    assert a.numpy() == 0.0


def test_a_save_while_another_thread_trains_is_a_state_between_two_steps(tmp_path: Path) -> None:
    variables = [ag.Variable(np.zeros(1000)) for _ in range(20)]
    checkpoint, is_over = Checkpoint(variables=variables), threading.Event()

    def train() -> None:
        while not is_over.is_set():
            with checkpoint.lock:
                for variable in variables:
                    variable.assign_add(1.0)

    thread = threading.Thread(target=train)
    thread.start()
    try:
        for number in range(10):
            checkpoint.save(tmp_path / str(number))
    finally:
        is_over.set()
        thread.join()
    fresh = [ag.Variable(np.zeros(1000)) for _ in range(20)]
    seen = []
    for number in range(10):
        Checkpoint(variables=fresh).restore(tmp_path / str(number))
        assert len({float(value) for variable in fresh for value in np.unique(variable.numpy())}) == 1
        seen.append(float(fresh[0].numpy()[0]))
    assert seen == sorted(seen)


def test_a_save_within_a_step_of_the_same_thread_does_not_wait_for_itself(tmp_path: Path) -> None:
    checkpoint = Checkpoint(x=ag.Variable(1.0))
    waiting = threading.Thread(target=checkpoint.save, args=(tmp_path / "other",))
    with checkpoint.lock:
        waiting.start()
        checkpoint.save(tmp_path / "own")
    waiting.join()
    assert {path.name for path in tmp_path.iterdir()} == {"own", "other"}


def test_names_that_a_checkpoint_has_itself_are_refused() -> None:
    for name in ("lock", "save"):
        with pytest.raises(ag.SettingError, match=f"`{name}` is a name of its own"):
            Checkpoint(**{name: ag.Variable(1.0)})


def test_nothing_saved_is_an_error_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Checkpoint(x=ag.Variable(1.0)).restore(tmp_path / "nowhere")


def test_a_manager_keeps_the_newest_and_restores_the_last(tmp_path: Path) -> None:
    x = ag.Variable(0.0)
    manager = checkpoints.CheckpointManager(Checkpoint(x=x), tmp_path / "all", max_to_keep=3)
    assert manager.latest is None and manager.restore_latest() is None
    for value in range(1, 13):
        x.assign(float(value))
        assert manager.save() == str(tmp_path / "all" / f"ckpt-{value}")
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["ckpt-10", "ckpt-11", "ckpt-12"]
    x.assign(0.0)
    status: Any = checkpoints.CheckpointManager(Checkpoint(x=x), tmp_path / "all", max_to_keep=1).restore_latest()
    assert float(x) == 12.0 and status.assert_complete()


def test_a_manager_passes_over_saves_that_were_cut_off_and_removes_them(tmp_path: Path) -> None:
    x = ag.Variable(1.0)
    manager = checkpoints.CheckpointManager(Checkpoint(x=x), tmp_path, max_to_keep=2)
    manager.save()
    (tmp_path / "ckpt-2").mkdir()
    (tmp_path / "ckpt-2" / f"arrays-{'0' * 64}.safetensors.writing-0a").write_bytes(b"half")
    (tmp_path / "ckpt-x").mkdir()
    assert manager.latest == str(tmp_path / "ckpt-1")
    manager.save()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ckpt-1", "ckpt-3", "ckpt-x"]


def test_a_manager_that_keeps_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ag.SettingError, match="max_to_keep is 0"):
        checkpoints.CheckpointManager(Checkpoint(), tmp_path, 0)


def test_a_missing_library_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints.store, "safetensors", None)
    with pytest.raises(ag.MissingExtraError, match=r"autograph-jit\[checkpoints\]"):
        Checkpoint(x=ag.Variable(1.0)).save(tmp_path / "a")
