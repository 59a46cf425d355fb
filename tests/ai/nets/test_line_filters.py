"""The network of lines: Keras and numpy agree, and its symmetries hold exactly."""

from __future__ import annotations

import numpy as np
import pytest

from ai.game import Rules
from ai.memory.lines import LineReader, line_distances, line_responses
from ai.nets.architecture import InferenceNetwork, draw_weights
from ai.nets.features import build_architecture, build_encoder
from ai.nets.weights_file import read_weights, weights_bytes
from ai.registry.players import get_player_info, resolve_settings

trainer_module = pytest.importorskip("ai.nets.trainer")

SETTINGS = resolve_settings(get_player_info("cnn-lines"), {})
GAMES = [Rules(7, 5), Rules(5, 4, height=4, gravity=True)]


def drawn(rules: Rules, seed: int = 0):
    encoder = build_encoder(rules, SETTINGS)
    architecture = build_architecture(rules, SETTINGS, channels=encoder.channels)
    weights = draw_weights(architecture, np.random.default_rng(seed))
    return encoder, architecture, weights


def boards(rules: Rules, count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(-1, 2, (count, rules.points)).astype(np.int8)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_numpy_answers_as_keras_does(rules):
    encoder, architecture, weights = drawn(rules)
    model = trainer_module.build_model(architecture)
    trainer_module.set_weights(model, architecture, weights)
    features = encoder.features(boards(rules, 6))
    theirs = model(features.reshape(6, rules.rows, rules.size, -1)).numpy()
    mine = InferenceNetwork(architecture, weights).logits(features)
    np.testing.assert_allclose(mine, theirs, atol=1e-5)


def test_keras_loads_the_weights_file(tmp_path):
    _, architecture, weights = drawn(GAMES[0])
    path = tmp_path / "network.weights.h5"
    path.write_bytes(weights_bytes(architecture, weights))
    model = trainer_module.build_model(architecture)
    model.load_weights(path)
    loaded = trainer_module.get_weights(model, architecture)
    assert all((loaded[name] == weights[name]).all() for name in weights)
    assert all((read_weights(path, architecture)[name] == weights[name]).all() for name in weights)


@pytest.mark.parametrize("rules", [GAMES[0], Rules(6, 4, height=5)], ids=str)
def test_a_turned_board_gets_the_turned_answer(rules):
    encoder, architecture, weights = drawn(rules)
    network = InferenceNetwork(architecture, weights)
    stones = boards(rules, 3)
    plain = network.logits(encoder.features(stones))
    for image in rules.symmetries():
        turned = network.logits(encoder.features(np.ascontiguousarray(stones[:, image])))
        np.testing.assert_allclose(turned, plain[:, image], atol=1e-6)


def test_weights_of_a_small_board_rate_a_large_one():
    _, small, weights = drawn(GAMES[0])
    encoder, large, _ = drawn(Rules(15, 5))
    assert small.shapes == large.shapes
    stones = np.zeros((1, 225), np.int8)
    stones[0, [112, 113]] = 1
    assert np.isfinite(InferenceNetwork(large, weights).logits(encoder.features(stones))).all()


def test_a_filter_answers_to_its_own_situation_most():
    reader = LineReader.of(Rules(7, 5))
    cells = reader.decode(np.arange(len(reader)))
    answers = line_responses(reader.reach, 1.0)
    assert (answers.argmax(axis=1) == np.arange(len(reader))).all()
    assert np.array_equal(line_responses(reader.reach, 0.0), np.eye(len(reader)))
    distances = line_distances(cells[:40], cells)
    by_hand = [
        min(
            np.linalg.norm(mine.astype(float) - theirs),
            np.linalg.norm(mine.astype(float) - theirs[::-1]),
        )
        for mine in cells[:40]
        for theirs in cells
    ]
    np.testing.assert_allclose(distances.ravel(), by_hand, atol=1e-9)
