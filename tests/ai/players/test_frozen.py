"""A frozen network: the same moves as the player it was taken from, and a file one can trust."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ai.game import BLACK, WHITE, Board, IllegalMoveError, Rules, to_text
from ai.nets.architecture import Architecture, initial_weights
from ai.nets.features import build_architecture, build_encoder
from ai.nets.weights_file import weights_bytes
from ai.players.base import Limit, PlayerError
from ai.players.frozen import FrozenPlayer
from ai.registry import freezing
from ai.registry.players import create_player, get_player_info, resolve_settings
from base.storage.card_file import CardFileError

RULES = Rules(7, 5)
SHIPPED = Path(__file__).resolve().parents[3] / "scripts" / "export" / "gomoku_player.npz"


def settings_of(name: str) -> dict:
    return resolve_settings(get_player_info(name), {})


def architecture_of(name: str) -> Architecture:
    settings = settings_of(name)
    return build_architecture(RULES, settings, channels=build_encoder(RULES, settings).channels)


@pytest.mark.parametrize("name", ["cnn-ann", "cnn-ann-plus"])
def test_it_plays_as_the_player_it_was_taken_from(name: str, tmp_path: Path) -> None:
    weights = initial_weights(architecture_of(name), seed=5)
    player = create_player(name, RULES)
    player.load_weights(1, weights)  # type: ignore[attr-defined]
    FrozenPlayer(RULES, settings_of(name), weights).save(tmp_path / "net.npz")
    frozen = FrozenPlayer.load(tmp_path / "net.npz")
    rng = np.random.default_rng(3)
    for _ in range(20):
        board = Board(RULES)
        for _ in range(int(rng.integers(0, 12))):
            board.push(int(rng.choice(list(board.legal_moves))))
        if board.outcome() is not None:
            continue
        expected = player.choose(board, Limit(), rng)
        stones = np.array(board.stones, np.int8)
        assert frozen.choose(stones, board.to_move) == expected.move
        np.testing.assert_array_equal(frozen.estimate(stones, board.to_move), expected.policy)


def test_the_shipped_one_stops_fours() -> None:
    frozen = FrozenPlayer.load(SHIPPED)
    for moves, stops in (("d3 a1 d4 b1 d5 c1 d6", "d2 d7"), ("a1 d3 b1 d4 c1 e5 d1", "e1")):
        board = Board.from_moves(moves, RULES)
        move = frozen.choose(np.array(board.stones, np.int8), WHITE)
        assert to_text(move, 7) in stops.split()
    assert frozen.estimate(np.zeros(49, np.int8), BLACK).sum() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("stones", "to_move", "expected"),
    [
        (np.zeros(48, np.int8), WHITE, "stones: expected 49 of 1"),
        (np.full(49, 2, np.int8), WHITE, "stones: expected 49 of 1"),
        (np.zeros(49, np.int8), 0, "to_move: expected 1 or -1, found 0"),
        (np.ones(49, np.int8), WHITE, "expected a board with an empty point"),
    ],
)
def test_what_is_no_position_is_refused(stones: np.ndarray, to_move: int, expected: str) -> None:
    with pytest.raises(IllegalMoveError, match=expected):
        FrozenPlayer.load(SHIPPED).choose(stones, to_move)


def test_a_file_that_is_no_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    for content in (b"", b"text", SHIPPED.read_bytes()[:1000]):
        path.write_bytes(content)
        with pytest.raises(CardFileError, match=r"x\.npz: expected a frozen network"):
            FrozenPlayer.load(path)
    np.savez(path, description=np.frombuffer(b'{"format": "other/1"}', np.uint8))
    with pytest.raises(CardFileError, match=r"format 'other/1', not 'goishi\.network/1'"):
        FrozenPlayer.load(path)


def test_a_runs_newest_checkpoint_is_frozen(tmp_path: Path) -> None:
    name = "cnn-ann-plus"
    with pytest.raises(PlayerError, match="expected the folder of an experiment"):
        freezing.freeze(tmp_path)
    configuration = {"player": name, "size": 7, "win_length": 5, "settings": settings_of(name)}
    (tmp_path / "run.json").write_text(json.dumps({"config": configuration}), encoding="utf-8")
    with pytest.raises(PlayerError, match="expected a checkpoint, found none"):
        freezing.freeze(tmp_path)
    for number in (1, 2):
        folder = tmp_path / "checkpoints" / "net" / f"{number:08d}"
        folder.mkdir(parents=True)
        weights = initial_weights(architecture_of(name), seed=number)
        (folder / "network.weights.h5").write_bytes(weights_bytes(architecture_of(name), weights))
    expected = FrozenPlayer(RULES, settings_of(name), weights)
    stones = np.zeros(49, np.int8)
    found = freezing.freeze(tmp_path)
    np.testing.assert_array_equal(found.estimate(stones, 1), expected.estimate(stones, 1))
