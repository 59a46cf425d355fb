"""Policies in files: what was written is read, and anything else is one error."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from base.policies.policy import (
    Policy,
    actions_of,
    convolved,
    load_policy,
    policy_bytes,
    save_policy,
)
from base.storage.card_file import CardFileError

SEES = ("box", np.array([-1, -np.inf], np.float32), np.array([1, np.inf], np.float32), "float32")
WHOLE = ("discrete", 3, 4)
ARRAY = ("box", np.full(3, -2.0, np.float32), np.full(3, 2.0, np.float32), "float32")


def policy(acts=WHOLE, sees=SEES, seed=1, **card) -> Policy:
    rng = np.random.default_rng(seed)
    sizes = (2, 5, 3)
    layers = tuple(
        (rng.normal(size=(a, b)).astype(np.float32), 0.1 * rng.normal(size=b).astype(np.float32))
        for a, b in pairwise(sizes)
    )
    spread = np.zeros(3, np.float32) if acts[0] == "box" else None
    mean, deviation = np.array([0.5, 2], np.float32), np.array([1, 3], np.float32)
    return Policy(sees, acts, mean, deviation, layers, spread, card)


@pytest.mark.parametrize("acts", [WHOLE, ARRAY])
def test_a_policy_that_was_saved_plays_the_same(acts, tmp_path) -> None:
    one = policy(acts, seed_of="run")
    save_policy(tmp_path / "p.npz", one)
    other = load_policy(tmp_path / "p.npz")
    other.check(SEES, acts, "Agent")
    rows = np.random.default_rng(3).normal(size=(40, 2)).astype(np.float32)
    assert (one.best(rows) == other.best(rows)).all()
    assert other.card == {"seed_of": "run"}
    assert policy_bytes(one) == policy_bytes(other)
    action = other.act(rows[0])
    if acts is WHOLE:
        assert action in (4, 5, 6)
        assert len(set(one.best(rows).tolist())) > 1
    else:
        assert action.shape == (3,)
        assert (abs(action) <= 2).all()


def test_observations_are_normalised_and_outliers_held() -> None:
    one = policy()
    first, second = one.layers
    row = np.array([[1.0, 1e9]], np.float32)
    normal = np.array([[0.5, 10.0]])
    wanted = np.tanh(normal @ first[0] + first[1]) @ second[0] + second[1]
    assert np.allclose(one.scores(row), wanted, atol=1e-5)
    assert one.best(row) == actions_of(WHOLE, wanted.argmax(1))


def test_other_spaces_are_told() -> None:
    wider = ("box", SEES[1] * 2, SEES[2], "float32")
    with pytest.raises(
        CardFileError, match=r"Cart: expected a policy for the observation space Box"
    ):
        policy().check(wider, WHOLE, "Cart")
    with pytest.raises(
        CardFileError, match=r"action space Discrete 2 .* found one for Discrete 3 f"
    ):
        policy().check(SEES, ("discrete", 2, 0), "Cart")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda data: b"", "found an empty file"),
        (lambda data: data[: len(data) // 2], "found BadZipFile"),
        (lambda data: policy_bytes(policy(sees=("box", *SEES[1:3], "uint8")))[:-4], "BadZipFile"),
        (None, "found No such file or directory"),
    ],
)
def test_a_file_that_is_no_policy_is_one_error(change, text, tmp_path) -> None:
    path = tmp_path / "p.npz"
    if change is not None:
        path.write_bytes(change(policy_bytes(policy())))
    with pytest.raises(CardFileError, match=text) as caught:
        load_policy(path)
    assert str(caught.value).startswith(
        f"{path}: expected a policy that `train ppo` or `train sac` has written"
    )


def test_arrays_that_do_not_fit_are_told(tmp_path) -> None:
    path = tmp_path / "p.npz"
    for wrong, text in (
        (policy(("discrete", 7, 0)), "3 outputs for the actions Discrete 7 from 0"),
        (policy(sees=("box", np.zeros(4), np.ones(4), "float32")), r"a layer \(2, 5\) after 4"),
    ):
        path.write_bytes(policy_bytes(wrong))
        with pytest.raises(CardFileError, match=text):
            load_policy(path)
    np.savez(path, card=np.array([1, 2, 3]))
    with pytest.raises(CardFileError, match="expected a policy"):
        load_policy(path)
    np.savez(path, card=np.frombuffer(b'{"format": "goishi.policy/9"}', np.uint8))
    with pytest.raises(CardFileError, match=r"the format .goishi.policy/9., not"):
        load_policy(path)


def eye(side: int = 16, seed: int = 1) -> Policy:
    """Return a policy that sees images: two convolutions, then a hidden layer."""
    rng = np.random.default_rng(seed)
    sees = ("box", np.zeros((side, side, 3), np.uint8), np.full((side, side, 3), 255, np.uint8),
            "uint8")  # fmt: skip
    small = ((side - 5) // 2 + 1 - 3) // 2 + 1
    shapes = ((5, 5, 3, 4), (3, 3, 4, 6), (small * small * 6, 8), (8, 3))
    layers = tuple(
        (0.2 * rng.normal(size=shape).astype(np.float32),
         0.1 * rng.normal(size=shape[-1]).astype(np.float32))
        for shape in shapes
    )  # fmt: skip
    middle = np.full(3, 127.5, np.float32)
    return Policy(sees, ARRAY, middle, middle, layers, np.zeros(3, np.float32))


def test_a_convolution_is_its_sum_of_products() -> None:
    rng = np.random.default_rng(4)
    rows, filters = rng.normal(size=(2, 9, 8, 3)), rng.normal(size=(3, 2, 3, 5))
    rows, filters = rows.astype(np.float32), filters.astype(np.float32)
    found = convolved(rows, filters)
    assert found.shape == (2, 4, 4, 5)
    for b, y, x, k in np.ndindex(found.shape):
        seen = rows[b, 2 * y : 2 * y + 3, 2 * x : 2 * x + 2]
        assert found[b, y, x, k] == pytest.approx((seen * filters[..., k]).sum(), abs=1e-4)


def test_a_policy_that_sees_images_is_kept_and_is_for_that_size_alone(tmp_path) -> None:
    one = eye()
    save_policy(tmp_path / "p.npz", one)
    other = load_policy(tmp_path / "p.npz")
    images = np.random.default_rng(3).integers(0, 256, (5, 16, 16, 3)).astype(np.uint8)
    assert (one.best(images) == other.best(images)).all()
    assert len({tuple(row) for row in one.best(images).tolist()}) == 5
    assert other.act(images[0]).shape == (3,)
    with pytest.raises(CardFileError, match=r"Eye: .* Box \[32, 32, 3\] .* found one for Box \[16"):
        other.check(eye(32).observation_space, ARRAY, "Eye")
    broken = replace(eye(32), layers=one.layers)
    (tmp_path / "p.npz").write_bytes(policy_bytes(broken))
    with pytest.raises(CardFileError, match=r"a layer \(24, 8\) after 6 x 6 x 6 numbers"):
        load_policy(tmp_path / "p.npz")
    flat = replace(one, observation_space=SEES)
    (tmp_path / "p.npz").write_bytes(policy_bytes(flat))
    with pytest.raises(CardFileError, match=r"a layer \(5, 5, 3, 4\) after 2 numbers"):
        load_policy(tmp_path / "p.npz")
