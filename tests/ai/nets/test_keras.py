"""TensorFlow and numpy must agree, and the compiled loop must be one graph for ever."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ai.nets.architecture import (
    DENSE_SCORES,
    HYBRID,
    LAYOUTS,
    TWO_CONVOLUTIONS,
    Architecture,
    InferenceNetwork,
    draw_weights,
)
from ai.nets.plan import TrainingPlan, epoch_order, one_cycle
from ai.nets.weights_file import read_weights, weights_bytes

keras_model = pytest.importorskip("ai.nets.trainer")
trainer_module = pytest.importorskip("ai.nets.trainer")


def small(layout: str = HYBRID) -> Architecture:
    return Architecture(5, 2, layout, hidden=(6, 5, 4), branch=7)


def random_plan(samples: int, *, epochs: int, seed: int = 0, masked: bool = False) -> TrainingPlan:
    rng = np.random.default_rng(seed)
    stones = rng.integers(-1, 2, (samples, 25))
    stones[:, 0] = 0
    features = np.stack([stones == 1, stones == -1], -1).astype(np.float32)
    targets = np.zeros((samples, 25), np.float32)
    for row in range(samples):
        targets[row, rng.choice(np.flatnonzero(stones[row] == 0))] = 1.0
    order, weights = epoch_order(samples, batch=16, epochs=epochs, rng=rng)
    occupied = stones != 0 if masked else np.zeros(stones.shape, np.bool_)
    return TrainingPlan(features, targets, occupied, order, weights, one_cycle(len(order), 5e-3))


@pytest.mark.parametrize("layout", [*LAYOUTS, TWO_CONVOLUTIONS, DENSE_SCORES])
def test_numpy_answers_as_keras_does(layout):
    architecture = small(layout)
    weights = draw_weights(architecture, np.random.default_rng(3))
    model = keras_model.build_model(architecture)
    keras_model.set_weights(model, architecture, weights)
    features = np.random.default_rng(4).normal(size=(8, 25, 2)).astype(np.float32)
    theirs = model(features.reshape(8, 5, 5, 2)).numpy()
    np.testing.assert_allclose(
        InferenceNetwork(architecture, weights).logits(features), theirs, atol=1e-5
    )


@pytest.mark.parametrize(
    "shape", [{"height": 3}, {"kernel_sizes": (5, 1, 7)}], ids=["no square", "larger kernels"]
)
def test_other_boards_and_kernels_are_answered_alike_too(shape):
    architecture = Architecture(5, 2, HYBRID, hidden=(6, 5, 4), branch=7, **shape)
    rows, size = architecture.rows, architecture.size
    weights = draw_weights(architecture, np.random.default_rng(3))
    model = keras_model.build_model(architecture)
    keras_model.set_weights(model, architecture, weights)
    features = np.random.default_rng(4).normal(size=(4, rows * size, 2)).astype(np.float32)
    theirs = model(features.reshape(4, rows, size, 2)).numpy()
    np.testing.assert_allclose(
        InferenceNetwork(architecture, weights).logits(features), theirs, atol=1e-5
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_keras_loads_the_weights_file(layout, tmp_path):
    architecture = small(layout)
    weights = draw_weights(architecture, np.random.default_rng(5))
    path = tmp_path / "network.weights.h5"
    path.write_bytes(weights_bytes(architecture, weights))
    model = keras_model.build_model(architecture)
    model.load_weights(path)
    loaded = keras_model.get_weights(model, architecture)
    assert all((loaded[name] == weights[name]).all() for name in weights)
    assert all((read_weights(path, architecture)[name] == weights[name]).all() for name in weights)


def test_the_loop_learns_by_heart_and_is_traced_once():
    trainer = trainer_module.CompiledTrainer(small())
    initial = draw_weights(trainer.architecture, np.random.default_rng(0))
    reports = []
    for samples in (3, 40, 17):
        plan = random_plan(samples, epochs=150, masked=True)
        trained = trainer.train(initial, plan, lambda *report: reports.append(report))
        logits = InferenceNetwork(trainer.architecture, trained.weights).logits(plan.features)
        answers = np.where(plan.occupied, -np.inf, logits).argmax(axis=1)
        assert (answers == plan.targets.argmax(axis=1)).mean() >= 0.95
        assert trained.accuracy >= 0.9
    assert trainer.trace_count == 1
    assert reports[0][1] == reports[7][0] == 150
    assert reports[-1][2] < 0.5


def test_the_same_seed_gives_the_same_weights_whatever_was_trained_between():
    trainer = trainer_module.CompiledTrainer(small())
    initial = draw_weights(trainer.architecture, np.random.default_rng(0))
    first = trainer.train(initial, random_plan(30, epochs=5)).weights
    trainer.train(initial, random_plan(50, epochs=3, seed=1))
    again = trainer.train(initial, random_plan(30, epochs=5)).weights
    assert all((first[name] == again[name]).all() for name in first)


def test_a_network_learns_where_nothing_is_masked():
    trainer = trainer_module.CompiledTrainer(small())
    initial = draw_weights(trainer.architecture, np.random.default_rng(0))
    plan = random_plan(20, epochs=500)
    trained = trainer.train(initial, plan)
    assert trained.accuracy >= 0.9


def test_occupied_points_count_for_nothing_when_masked():
    trainer = trainer_module.CompiledTrainer(small())
    initial = draw_weights(trainer.architecture, np.random.default_rng(0))
    plan = random_plan(20, epochs=100, masked=True)
    before = InferenceNetwork(trainer.architecture, initial).logits(plan.features)
    after = InferenceNetwork(trainer.architecture, trainer.train(initial, plan).weights).logits(
        plan.features
    )
    free = random_plan(20, epochs=100, masked=False)
    pressed = InferenceNetwork(trainer.architecture, trainer.train(initial, free).weights).logits(
        free.features
    )
    occupied = plan.occupied
    assert (after - before)[occupied].mean() > (pressed - before)[occupied].mean()


def test_a_progress_callback_can_stop_a_training():
    trainer = trainer_module.CompiledTrainer(small())
    initial = draw_weights(trainer.architecture, np.random.default_rng(0))

    def stop(*_):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        trainer.train(initial, random_plan(20, epochs=5), stop)


def test_a_training_goes_on_along_further_plans_until_it_is_enough():
    trainer = trainer_module.CompiledTrainer(small())
    initial = draw_weights(trainer.architecture, np.random.default_rng(0))
    whole = random_plan(16, epochs=12)
    first, second = (replace(whole, order=whole.order[part], weights=whole.weights[part],
                             learning_rates=whole.learning_rates[part]) for part in (slice(4), slice(4, 12)))  # fmt: skip
    plans = iter((second, None))
    told = []
    trained = trainer.train(
        initial, first, lambda *report: told.append(report[:2]), parts=1,
        further=lambda: next(plans), most_steps=12,
    )  # fmt: skip
    expected = trainer.train(initial, whole).weights
    assert all((trained.weights[name] == expected[name]).all() for name in expected)
    assert told == [(4, 12), (12, 12)]
    assert trained.steps == 12
    early = trainer.train(initial, first, parts=1, is_enough=lambda: True, further=lambda: second)
    assert early.steps == 4


def test_the_loss_of_one_sample_by_hand():
    """Two free points with the scores 0 and ln 3, the first one's label 1; a third is occupied."""
    logits = np.array([[0.0, np.log(3.0), 9.0]], np.float32)
    labels = np.array([[1.0, 0.0, 0.0]], np.float32)
    occupied = np.array([[False, False, True]])
    found = trainer_module._losses(logits, labels, occupied)
    assert found.numpy() == pytest.approx([-np.log(0.25)], rel=1e-5)


def test_answers_come_in_few_sizes_of_batch_and_are_those_of_each_board_alone():
    trainer = trainer_module.CompiledTrainer(small())
    asked = []
    answer = trainer._answer
    trainer._answer = lambda boards: asked.append(boards.shape[0]) or answer(boards)
    features = np.random.default_rng(0).integers(0, 2, (300, 25, 2)).astype(np.float32)
    for count in range(1, 301):
        assert trainer.answer(features[:count]).shape == (count, 25)
    assert set(asked) == {32, 64, 128, 256}, "oneDNN keeps 0.4 MB for each"
    together = trainer.answer(features)
    alone = np.concatenate([trainer.answer(board[None]) for board in features[:20]])
    assert together[:20] == pytest.approx(alone, abs=1e-5)


@pytest.mark.parametrize(
    ("boards", "expected"),
    [(0, [32]), (33, [64]), (128, [128]), (256, [256]), (257, [256, 32]), (1001, [256] * 4)],
)
def test_a_batch_is_one_of_four_sizes_however_large_a_memory_becomes(boards, expected):
    assert trainer_module.batch_sizes(boards) == expected


def test_answers_of_several_batches_are_to_the_bit_those_of_one(monkeypatch):
    trainer = trainer_module.CompiledTrainer(small())
    features = np.random.default_rng(0).integers(0, 2, (600, 25, 2)).astype(np.float32)
    several = trainer.answer(features)
    monkeypatch.setattr(trainer_module, "MOST_BATCH", 1024)
    assert np.array_equal(trainer.answer(features), several)
