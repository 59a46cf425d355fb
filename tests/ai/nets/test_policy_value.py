"""The policy-value network: its tables, numpy beside Keras, and the file of a pair."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from ai.game import BLACK, WHITE
from ai.nets import policy_value
from ai.nets.architecture import WeightsError
from ai.nets.policy_value import (
    NetworkPair,
    PolicyValueArchitecture,
    architecture_of,
    arrays_of,
    initial_arrays,
    load_pair,
    pair_bytes,
    policy_value_model,
    save_pair,
    set_arrays,
)
from ai.nets.policy_value_inference import PolicyValueNetwork
from base.storage.card_file import CardFileError

SMALL = PolicyValueArchitecture(5, 4, 1)


def trained(architecture, seed=0):
    """Arrays as after a training: no gamma is 1, no mean 0, no two answers alike."""
    rng = np.random.default_rng(seed)
    arrays = initial_arrays(architecture, seed)
    for name, array in arrays.items():
        if name.endswith("_out.kernel"):
            arrays[name] = array * np.float32(3.0)
        elif not name.endswith("kernel"):
            noise = rng.uniform(-0.3, 0.3, array.shape)
            arrays[name] = (array + noise).astype(np.float32)
    return arrays


def positions(count, size, seed=0):
    rng = np.random.default_rng(seed)
    stones = rng.integers(0, 3, (count, size, size))
    planes = np.stack([stones == 1, stones == 2, np.zeros_like(stones)], -1).astype(np.float32)
    planes[:, 1, 2, 2] = 1.0
    return planes


def test_the_tables_of_the_document():
    shapes = PolicyValueArchitecture(15).shapes
    kernels = {name.split(".")[0]: shape for name, shape in shapes.items() if "kernel" in name}
    assert kernels == {
        "stem": (3, 3, 3, 32),
        "block_1_a": (3, 3, 32, 32),
        "block_1_b": (3, 3, 32, 32),
        "block_2_a": (3, 3, 32, 32),
        "block_2_b": (3, 3, 32, 32),
        "policy_conv": (1, 1, 32, 2),
        "policy_out": (450, 225),
        "value_conv": (1, 1, 32, 1),
        "value_hidden": (225, 64),
        "value_out": (64, 1),
    }


@pytest.mark.parametrize("pooled", [False, True], ids=["dense", "pooled"])
def test_numpy_answers_as_keras_does(pooled):
    architecture = PolicyValueArchitecture(5, 4, 1, pooled)
    arrays = trained(architecture)
    model = policy_value_model(5, 4, 1, pooled=pooled)
    set_arrays(model, arrays)
    again = arrays_of(model)
    assert again.keys() == arrays.keys() == architecture.shapes.keys()
    assert all((again[name] == arrays[name]).all() for name in arrays)
    for size in (5, 7) if pooled else (5,):
        planes = positions(6, size)
        logits, values = PolicyValueNetwork(arrays, size).evaluate(planes)
        theirs, their_values = model(planes)
        np.testing.assert_allclose(logits, theirs, atol=1e-5)
        np.testing.assert_allclose(values, their_values, atol=1e-5)
        assert np.ptp(logits) > 0.1
        assert np.ptp(values) > 1e-3


@pytest.mark.nightly
@pytest.mark.parametrize("pooled", [False, True], ids=["dense", "pooled"])
def test_numpy_answers_as_keras_does_on_the_large_board(pooled):
    arrays = trained(PolicyValueArchitecture(15, is_pooled=pooled))
    model = policy_value_model(15, pooled=pooled)
    set_arrays(model, arrays)
    planes = positions(16, 15)
    logits, values = PolicyValueNetwork(arrays, 15).evaluate(planes)
    theirs, their_values = model(planes)
    np.testing.assert_allclose(logits, theirs, atol=1e-5)
    np.testing.assert_allclose(values, their_values, atol=1e-5)


def test_arrays_say_which_network_they_are_of():
    assert architecture_of(trained(SMALL)) == SMALL
    pooled = PolicyValueArchitecture(9, 6, 2, is_pooled=True)
    assert architecture_of(trained(pooled), 9) == pooled
    with pytest.raises(WeightsError, match="boards of 7x7, found 5x5"):
        architecture_of(trained(SMALL), 7)


@pytest.mark.parametrize(
    ("name", "array", "said"),
    [
        ("block_1_b.beta", None, r"block_1_b\.beta: expected an array of shape \(4,\), found none"),
        ("stem.mean", np.zeros(3, np.float32), r"stem\.mean: expected the shape \(4,\)"),
        ("stem.mean", np.full(4, np.nan, np.float32), "finite"),
        ("stem.variance", np.full(4, -1.0, np.float32), "at least 0"),
        ("other.kernel", np.zeros(1, np.float32), "no such array"),
        ("policy_out.kernel", None, "expected the array of a policy-value network"),
    ],
)
def test_arrays_of_no_network_are_refused(name, array, said):
    arrays = trained(SMALL)
    arrays.pop(name, None)
    if array is not None:
        arrays[name] = array
    with pytest.raises(WeightsError, match=said):
        PolicyValueNetwork(arrays, 5)


def test_a_pair_comes_back_with_its_card(tmp_path):
    pair = NetworkPair(trained(SMALL, 1), trained(SMALL, 2), {"elo": 3.5, "games": [1, 2]})
    save_pair(tmp_path / "a.npz", pair)
    again = load_pair(tmp_path / "a.npz")
    assert again.card == pair.card
    assert again.architecture == SMALL
    for color in (BLACK, WHITE):
        assert all((again.of(color)[name] == pair.of(color)[name]).all() for name in pair.black)
    assert pair_bytes(again) == (tmp_path / "a.npz").read_bytes()


def test_one_network_for_both_sides_is_stored_once(tmp_path):
    arrays = trained(SMALL)
    save_pair(tmp_path / "a.npz", NetworkPair(arrays, arrays))
    again = load_pair(tmp_path / "a.npz")
    assert again.white is again.black
    other = {name: array.copy() for name, array in arrays.items()}
    assert len(pair_bytes(NetworkPair(arrays, other))) > 1.5 * len(pair_bytes(again))


def test_a_pair_is_of_one_architecture():
    with pytest.raises(WeightsError, match="one architecture"):
        pair_bytes(NetworkPair(trained(SMALL), trained(PolicyValueArchitecture(5, 3, 1))))


def test_each_damage_is_told_in_one_line(tmp_path):
    path = tmp_path / "a.npz"
    whole = pair_bytes(NetworkPair(trained(SMALL, 1), trained(SMALL, 2)))
    rng = np.random.default_rng(0)
    damaged = [b"", b"no network", whole[: len(whole) // 2], whole[:-30]]
    for _ in range(20):
        place = int(rng.integers(len(whole)))
        damaged.append(whole[:place] + rng.bytes(64) + whole[place + 64 :])
    for given in damaged:
        path.write_bytes(given)
        with pytest.raises(CardFileError) as told:
            load_pair(path)
        assert str(told.value).startswith(f"{path}: expected a pair of policy-value networks")
        assert "\n" not in str(told.value)


def archive(**members):
    memory = io.BytesIO()
    np.savez_compressed(memory, **members)
    return memory.getvalue()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (archive(card=np.frombuffer(b'{"format": "x/2"}', np.uint8)), "the format 'x/2'"),
        (archive(x=np.zeros(3)), "'card'"),
        (archive(card=np.array([object()])), "an array of object"),
        (archive(card=np.frombuffer(json.dumps([]).encode(), np.uint8)), "found"),
    ],
)
def test_other_archives_are_refused(tmp_path, given, said):
    (tmp_path / "a.npz").write_bytes(given)
    with pytest.raises(CardFileError, match=said):
        load_pair(tmp_path / "a.npz")


def test_a_small_file_that_unpacks_to_a_huge_one_is_not_unpacked(tmp_path, monkeypatch):
    small = replace(policy_value.FILE, most_bytes=1 << 20)
    monkeypatch.setattr(policy_value, "FILE", small)
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("card.npy", bytes(2 << 20))
    with pytest.raises(CardFileError, match="more than"):
        load_pair(tmp_path / "a.npz")
