"""What alpha-beta's evaluation learns from: games, counters, fitted weights, the network."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ai.game import Board, Rules
from ai.kernels.jit import fields_of
from ai.kernels.layout import CLASSES
from ai.kernels.line_codes import CODES
from ai.kernels.position import KernelPosition
from ai.learning.evaluation import network, patterns
from ai.learning.evaluation import positions as stored
from ai.learning.evaluation.positions import (
    COLUMNS,
    RULES,
    UNKNOWN,
    WON,
    GamePlayer,
    Positions,
    PositionsError,
    count_classes,
    files_of,
    is_settled,
    line_keys,
    load_positions,
    play_batches,
)
from ai.nets.evaluation import (
    NAMES,
    SHIPPED_FILE,
    LearnedEvaluation,
    floats_of,
    load_evaluation,
    quantise,
    save_evaluation,
    shapes_of,
    shipped_evaluation,
)
from ai.players.base import Limit
from ai.registry.players import create_player
from ai.search.pattern_alpha_beta import LOGIT, TEMPO, WEIGHTS, PatternAlphaBeta
from base.files import SHIPPED_ROOT
from base.schema import OptionError
from base.storage.card_file import CardFileError
from base.storage.run_folder import RunFolderError
from benchmarks import evaluation_bands

OLD_SHAPES = {name: shapes_of(8, 8)[name] for name in NAMES}
"""Shapes without stages, as in files of before."""


def random_positions(count, seed=0):
    """Return positions of random stones, with scores and results that mean nothing."""
    rng = np.random.default_rng(seed)
    stones = np.zeros((count, RULES.points), np.uint8)
    side = np.zeros(count, np.uint8)
    for row in range(count):
        plies = int(rng.integers(0, 40))
        moves = rng.permutation(RULES.points)[:plies]
        stones[row, moves] = 1 + np.arange(plies) % 2
        side[row] = plies % 2
    columns = (
        stones, side, rng.integers(-900, 900, count), np.zeros(count), rng.integers(-1, 3, count),
        np.arange(count) // 4,
    )  # fmt: skip
    kept = [column.astype(kind) for column, kind in zip(columns, COLUMNS.values(), strict=True)]
    return Positions({"nodes": 1}, *kept)


def board_of(positions, row):
    """Return a board with these stones; the turn is that of their number."""
    black, white = (np.flatnonzero(positions.stones[row] == 1 + side) for side in range(2))
    moves = [None] * (len(black) + len(white))
    moves[::2], moves[1::2] = black.tolist(), white.tolist()
    return Board.from_moves(moves, RULES)


# -- games and positions ------------------------------------------------------------------------


def test_a_game_is_the_same_for_its_seed_and_number():
    one, two = (GamePlayer(RULES, 30, 5).play(3) for _ in range(2))
    assert one == two
    assert one != GamePlayer(RULES, 30, 6).play(3)
    assert {sample.result for sample in one} <= {-1, 0, 1, UNKNOWN}
    position = KernelPosition(RULES)
    for sample in one:
        rows = Positions(
            {}, *(np.array([getattr(sample, name, 0)], kind) for name, kind in COLUMNS.items())
        )
        position.follow(board_of(rows, 0))
        assert not is_settled(position)
        if sample.result != UNKNOWN and abs(sample.score) > WON:
            assert (sample.score > 0) == (sample.result > 0)


def test_a_folder_goes_on_and_holds_what_one_run_would(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "LOT", 2)
    told = []
    play_batches(tmp_path / "two", 2, 20, 1, told.append)
    play_batches(tmp_path / "two", 3, 20, 1, told.append)
    assert told == [2, 2, 3]
    play_batches(tmp_path / "one", 3, 20, 1, told.append)
    first, second = (
        [path.read_bytes() for path in files_of(tmp_path / name)] for name in ("one", "two")
    )
    assert first == second
    positions = load_positions(tmp_path / "one")
    assert set(positions.game.tolist()) == set(range(4))
    with pytest.raises(RunFolderError, match=r"others in .*games_000000.npz: nodes: 20, not 21"):
        play_batches(tmp_path / "one", 2, 21, 1, told.append)
    other = files_of(tmp_path / "one")[0]
    play_batches(tmp_path / "three", 2, 21, 1, told.append)
    files_of(tmp_path / "three")[0].replace(other)
    with pytest.raises(PositionsError, match="expected games of"):
        load_positions(tmp_path / "one")


def test_even_games_begin_even_and_explore_only_at_first(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "LOOK", 60)
    player = GamePlayer(RULES, 60, 5, is_even=True)
    assert player.play(3) == GamePlayer(RULES, 60, 5, is_even=True).play(3)
    judge, rng = PatternAlphaBeta(RULES, memory=1), np.random.default_rng(1)
    for number in range(4):
        board = player._opening(np.random.default_rng(number))
        judge.forget()
        assert stored.EVEN_STONES[0] <= board.ply <= stored.EVEN_STONES[1]
        assert abs(judge.search(board, Limit(nodes=60), rng).value) <= stored.EVEN
    monkeypatch.setattr(stored, "LOT", 1)
    play_batches(tmp_path, 1, 60, 1, lambda done: None, is_even=True)
    assert load_positions(tmp_path).card["even"] is True
    with pytest.raises(RunFolderError, match="even"):
        play_batches(tmp_path, 1, 60, 1, lambda done: None)
    monkeypatch.setattr(stored, "EXPLORES", 0)
    monkeypatch.setattr(stored, "WANDERS", 1.0)
    drawn = [
        [sample.move for sample in GamePlayer(RULES, 60, 5, is_even=is_even).play(3)[:12]]
        for is_even in (True, False)
    ]
    assert drawn[0] != drawn[1]


def test_what_the_teacher_knows_is_in_the_games_and_on_their_card(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "LOT", 1)
    knows = shipped_evaluation()
    play_batches(tmp_path / "plain", 1, 200, 1, lambda done: None)
    play_batches(tmp_path / "taught", 1, 200, 1, lambda done: None, knows)
    plain, taught = (load_positions(tmp_path / name) for name in ("plain", "taught"))
    assert plain.score[:4].tolist() != taught.score[:4].tolist()
    assert (plain.card["teacher"], taught.card["teacher"]) == ("patterns", knows.digest)
    changed = dict(knows.arrays) | {"head_bias": knows.arrays["head_bias"] + 1}
    other = LearnedEvaluation(changed)
    assert other.digest != knows.digest
    with pytest.raises(RunFolderError, match=f"others in .*: teacher: .*{other.digest}"):
        play_batches(tmp_path / "taught", 1, 200, 1, lambda done: None, other)


def test_what_holds_no_positions_is_refused(tmp_path):
    with pytest.raises(PositionsError, match="expected a folder with positions"):
        load_positions(tmp_path / "none")
    with pytest.raises(PositionsError, match=r"expected files games_\*.npz, found none"):
        load_positions(tmp_path)
    path = tmp_path / "games_000000.npz"
    for content in (b"", b"nothing"):
        path.write_bytes(content)
        with pytest.raises(CardFileError, match="expected positions of games"):
            load_positions(tmp_path)
    np.savez(path, stones=np.zeros((2, 225)), card=np.zeros(2, np.uint8))
    with pytest.raises(CardFileError, match="expected positions of games"):
        load_positions(tmp_path)


def test_keys_and_counters_are_the_cores():
    positions, core = random_positions(12), KernelPosition(RULES)
    counts, keys = count_classes(positions), line_keys(positions.stones)
    for row in range(len(positions)):
        core.follow(board_of(positions, row))
        fields, side = fields_of(core.record), int(positions.side[row])
        for move in range(0, RULES.points, 7):
            first = int(fields.cells[move]) * 4
            assert keys[row, move].tolist() == list(fields.line_keys[first : first + 4])
        for view, each in enumerate((side, 1 - side)):
            wanted = [core.count_points(each, kind) for kind in range(CLASSES)]
            assert counts[row, view].tolist() == wanted


# -- the weights of patterns --------------------------------------------------------------------


def test_a_regression_finds_the_weights_of_made_up_games():
    rng = np.random.default_rng(0)
    weights = np.array([0.5, -1.0, 0.0])
    rows = rng.normal(size=(20_000, 3)) * 2.0
    results = (rng.random(20_000) < 1.0 / (1.0 + np.exp(-rows @ weights))).astype(float)
    found = patterns.fit(rows, results)
    assert np.abs(found - weights).max() < 0.05
    assert patterns.loss(rows, results, found) < patterns.loss(rows, results, np.zeros(3))


def test_what_is_fitted_is_what_the_search_evaluates():
    positions, search = random_positions(12, 1), PatternAlphaBeta(RULES)
    weights = [values.get(kind, 0) for values in WEIGHTS for kind in patterns.KINDS]
    scores = patterns.features(positions) @ np.array([*weights, TEMPO])
    assert scores.tolist() == [search.score(board_of(positions, row)) for row in range(12)]
    logits = network.base_logits(positions)
    assert logits * LOGIT == pytest.approx(scores, abs=0.01)


def test_settled_positions_teach_nothing():
    position = KernelPosition(RULES)
    position.follow(Board.from_moves("h8 a1 h9 c1 h10 e1", RULES))
    assert is_settled(position)
    position.follow(Board.from_moves("h8 a1 h9 c1 h10", RULES))
    assert not is_settled(position)


def test_weights_are_fitted_to_games_and_measured_on_others():
    positions = random_positions(80)
    found = patterns.fit_patterns(positions)
    known = positions.result != UNKNOWN
    assert found.positions + found.held_out == int(known.sum())
    assert found.held_out == int((known & (positions.game % patterns.HELD_OUT == 0)).sum())
    assert found.even_loss == pytest.approx(np.log(2.0))
    with pytest.raises(PositionsError, match="at least 2 games, found those of 1"):
        patterns.fit_patterns(positions.only(positions.game == 3))


# -- the network --------------------------------------------------------------------------------


def test_batches_hold_each_position_once():
    lines = network.lines_of(random_positions(300))
    rows = list(network.batches(lines, np.arange(300)))
    assert sum(int(batch.weight.sum()) for batch in rows) == 300
    held = np.concatenate([batch.base[batch.weight == 1] for batch in rows])
    assert held.tolist() == lines.base.tolist()
    assert sum(int((batch.segments < network.BATCH).sum()) for batch in rows) == len(lines.own)
    assert all(((batch.own == CODES) == (batch.other == CODES)).all() for batch in rows)


def test_training_is_repeatable_and_beats_the_patterns_on_what_it_can_know():
    positions = random_positions(120)
    scores = np.full(120, 600, np.int32)
    results = np.full(120, UNKNOWN, np.int8)
    taught = replace(positions, score=scores, result=results)
    plan = network.NetworkPlan(12, 0.01, 1)
    one, two = (network.train_network(taught, plan) for _ in range(2))
    for name, array in one.arrays.items():
        assert np.array_equal(array, two.arrays[name])
    assert one.card == two.card
    assert one.card["positions"] + one.card["held_out"] == 120
    assert one.card["loss"] < network.log_loss(network.base_logits(taught), network.targets(taught))


def test_scores_count_as_the_chance_that_they_meant_and_results_as_asked_for():
    positions = random_positions(4_000, 3)
    rng = np.random.default_rng(8)
    scores = rng.choice([-600, 600], len(positions)).astype(np.int32)
    chances = 1.0 / (1.0 + np.exp(-0.5 * scores / LOGIT))
    results = np.where(rng.random(len(positions)) < chances, 1, -1).astype(np.int8)
    taught = replace(positions, score=scores, result=results)
    factors = network.score_factors(taught)
    assert np.abs(factors[: 40 // network.STAGE_PLIES] - 0.5).max() < 0.15
    assert (factors[40 // network.STAGE_PLIES :] == factors[-1]).all(), "no results: that of all"
    halved = np.full(network.STAGES, 0.5)
    assert network.targets(taught, halved, 0.0) == pytest.approx(chances, abs=1e-6)
    assert set(network.targets(taught, halved, 1.0)) == {0.0, 1.0}
    won = replace(taught, score=np.full_like(scores, WON + 1))
    assert (network.targets(won, halved, 0.0) > 0.999).all(), "a proven win stays one"
    assert network.best_factor(np.zeros(0), np.zeros(0, np.float32)) == 1.0


def test_positions_of_the_middle_count_as_much_as_asked_for():
    positions = random_positions(60)
    lines = network.lines_of(positions, middle=3.0)
    stones = (positions.stones != 0).sum(axis=1)
    assert set(lines.weight[stones < 14]) == {1.0}
    assert set(lines.weight[stones >= 14]) == {3.0}
    (batch,) = network.batches(lines, np.arange(60))
    assert batch.weight[:60].tolist() == lines.weight.tolist()
    assert batch.weight[60:].sum() == 0.0
    logits, target = np.array([0.0, 9.0]), np.array([1.0, 1.0], np.float32)
    weighted = network.log_loss(logits, target, np.array([3.0, 1.0], np.float32))
    assert weighted == pytest.approx(0.75 * np.log(2.0), abs=1e-3)


@pytest.mark.parametrize("has_stages", [False, True])
def test_a_training_may_begin_with_another_evaluation(has_stages):
    knows, lines = shipped_evaluation(), network.lines_of(random_positions(40, 2))
    plan = network.NetworkPlan(1, 0.0, 3, has_stages=has_stages)
    model = network.build_network(plan)
    network.begin_with(model, knows)
    begun = network.weights_of(model, has_stages=has_stages)
    plain = network.logits_of(floats_of(knows.arrays), lines)
    assert network.logits_of(begun, lines) == pytest.approx(plain, abs=1e-3)
    again = quantise(begun)
    assert all((again[name] == array).all() for name, array in knows.arrays.items())
    wide = network.build_network(network.NetworkPlan(1, 0.0, 3, 12))
    with pytest.raises(ValueError, match="expected 12 features and 8 units, found 8 and 8"):
        network.begin_with(wide, knows)


@pytest.mark.parametrize("sizes", [(8, 8, False), (12, 5, True)])
def test_the_plain_twin_is_the_network_and_integers_are_near_it(sizes):
    features, units, has_stages = sizes
    positions = random_positions(40, 2)
    lines = network.lines_of(positions)
    plan = network.NetworkPlan(1, 0.003, 3, features, units, has_stages)
    model = network.build_network(plan)
    rng = np.random.default_rng(4)
    for layer in model.layers:
        middle = float(layer.name == "stage_scale")
        if has_stages or not layer.name.startswith("stage_"):
            layer.set_weights([rng.normal(middle, 0.1, one.shape) for one in layer.get_weights()])
    weights = network.weights_of(model, has_stages=has_stages)
    found = []
    for batch in network.batches(lines, np.arange(40)):
        added, scale = model([batch.own, batch.other, batch.segments, batch.stages])
        logits = (batch.base + np.array(added)) * np.array(scale)
        found += logits[batch.weight == 1].tolist()
    plain = network.logits_of(weights, lines)
    assert found == pytest.approx(plain.tolist(), abs=1e-3)
    evaluation = LearnedEvaluation(quantise(weights))
    search = PatternAlphaBeta(RULES, tuning={"learned": 1}, evaluation=evaluation, memory=1)
    for row in range(40):
        score = search.score(board_of(positions, row))
        rounded = (0.1 if has_stages else 0.05) * LOGIT
        assert score == pytest.approx(plain[row] * LOGIT, abs=rounded, rel=0.02)


def test_a_file_holds_what_was_saved_and_the_same_makes_the_same(tmp_path):
    rng = np.random.default_rng(5)
    weights = {name: rng.normal(0.0, 0.5, shape) for name, shape in OLD_SHAPES.items()}
    evaluation = LearnedEvaluation(quantise(weights), {"games": 3})
    paths = [tmp_path / "one.npz", tmp_path / "two.npz"]
    for path in paths:
        save_evaluation(path, evaluation)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    loaded = load_evaluation(paths[0])
    assert loaded.card == evaluation.card
    assert all((loaded.arrays[name] == evaluation.arrays[name]).all() for name in OLD_SHAPES)
    with pytest.raises(ValueError, match="head: expected numbers up to 32767"):
        quantise({**weights, "head": weights["head"] + 9.0})
    paths[0].write_bytes(b"nothing")
    with pytest.raises(CardFileError, match=r"one\.npz: expected a learned evaluation"):
        load_evaluation(paths[0])
    vectors = np.full(shapes_of(8, 8)["vectors"], 9_000)
    for wrong, said in (
        ({"head": np.zeros(3, int)}, "not integers of"),
        ({"stage_scale": np.zeros(8, int)}, "not integers of"),  # the other two are missing
        ({"vectors": vectors}, "vectors of up to 9000"),
    ):
        save_evaluation(paths[1], LearnedEvaluation({**evaluation.arrays, **wrong}))
        with pytest.raises(CardFileError, match=rf"two\.npz: expected a learned .*{said}"):
            load_evaluation(paths[1])


@pytest.mark.parametrize("sizes", [(8, 8), (32, 32), (1, 1)])
def test_a_file_may_have_other_sizes_and_stages(sizes, tmp_path):
    rng = np.random.default_rng(7)
    weights = {name: rng.normal(0.0, 0.2, shape) for name, shape in shapes_of(*sizes).items()}
    evaluation, path = LearnedEvaluation(quantise(weights)), tmp_path / "evaluation.npz"
    save_evaluation(path, evaluation)
    loaded = load_evaluation(path)
    assert (loaded.features, loaded.units) == sizes
    assert loaded.digest == evaluation.digest
    plain = LearnedEvaluation({name: evaluation.arrays[name] for name in NAMES})
    assert plain.digest != loaded.digest


def test_an_evaluation_without_stages_is_the_same_in_all_of_them():
    head = shipped_evaluation().head()
    for name in ("hidden_biases", "head_biases", "scales"):
        assert (head[name] == head[name][:1]).all()
    assert (head["scales"] == 256).all()


def test_too_many_features_are_refused(tmp_path):
    weights = {name: np.zeros(shape) for name, shape in shapes_of(33, 8).items()}
    path = tmp_path / "evaluation.npz"
    save_evaluation(path, LearnedEvaluation(quantise(weights)))
    with pytest.raises(CardFileError, match="33 features and 8 units, not 1 to 32 and 1 to 32"):
        load_evaluation(path)


def test_the_player_takes_a_file_and_says_in_a_line_what_is_wrong_with_it(tmp_path):
    rng = np.random.default_rng(6)
    weights = {name: rng.normal(0.0, 0.1, shape) for name, shape in OLD_SHAPES.items()}
    path = tmp_path / "evaluation.npz"
    save_evaluation(path, LearnedEvaluation(quantise(weights)))
    board = Board.from_moves("h8 h9 i8 i9 j10", RULES)
    plain, taught = (
        create_player("alpha-beta", RULES, settings)
        .choose(board, Limit(nodes=300), np.random.default_rng(0))
        .explanation["scores"]
        for settings in ({}, {"evaluation": str(path)})
    )
    assert plain != taught
    with pytest.raises(
        OptionError, match=r"evaluation: .*expected a learned evaluation, found No such file"
    ):
        create_player("alpha-beta", RULES, {"evaluation": "none.npz"})
    path.write_bytes(b"nothing")
    with pytest.raises(OptionError, match=r"evaluation.npz: expected a learned evaluation"):
        create_player("alpha-beta", Rules(3, 3), {"evaluation": str(path)})


@pytest.mark.parametrize(("size", "is_added"), [(9, False), (10, False), (11, True), (20, True)])
def test_the_player_adds_what_it_learned_where_that_is_worth_its_time(size, is_added):
    board = Board.from_moves((0, 1, size + 1, 2), Rules(size))
    plain, taught = (
        create_player("alpha-beta", board.rules, {"evaluation": name})
        .choose(board, Limit(nodes=300), np.random.default_rng(0))
        .explanation["scores"]
        for name in ("patterns", "shipped")
    )
    assert (plain != taught) == is_added


def test_the_shipped_one_is_small_and_has_its_card_beside_it():
    path = SHIPPED_ROOT / SHIPPED_FILE
    assert path.stat().st_size < 1 << 22
    beside = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert load_evaluation(path).card.items() <= beside.items()
    assert beside["held_out_loss"] < beside["patterns_held_out_loss"]
    board = Board.from_moves("h8 h9 i8 i9 j10", RULES)
    scores = [
        PatternAlphaBeta(RULES, evaluation=one, memory=1).score(board)
        for one in (None, shipped_evaluation())
    ]
    assert 0 < abs(scores[0] - scores[1]) < LOGIT
    create_player("alpha-beta", RULES, {"evaluation": "shipped"}).close()


# -- how well evaluations predict, by the number of stones ---------------------------------------


def column(table, band):
    """Return the entries of a band of a table in Markdown, by the name of their row."""
    heads, _, *rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    return {row[0]: row[heads.index(band)] for row in rows}


def test_the_table_tells_knowledge_from_none_and_a_wrong_scale_from_wrong_knowledge(
    tmp_path, capsys
):
    positions = replace(random_positions(1_200, 9), card={"size": 15})
    won = np.random.default_rng(2).random(1_200) < 0.5
    taught = replace(
        positions,
        result=np.where(won, 1, -1).astype(np.int8),
        score=np.where(won, 1_500, -1_500).astype(np.int32),
        game=np.arange(1_200, dtype=np.int32) // 2,
    )
    stored.save_positions(tmp_path / "games_000000.npz", taught)
    assert evaluation_bands.main([str(tmp_path)]) == 0
    found = column(capsys.readouterr().out, "14 to 24 stones")
    assert found["even chances"] == "0.693"
    assert float(found["search"]) == pytest.approx(np.log1p(np.exp(-5.0)), abs=1e-3)
    assert float(found["search, best factor"]) < 1e-3
    assert float(found["search, shuffled"]) == pytest.approx(0.693, abs=0.02)
    assert float(found["shipped"]) > 0.75, "random stones, and results that mean nothing"
    assert float(found["shipped, best factor"]) == pytest.approx(0.693, abs=0.03)
    assert empty_bands(evaluation_bands.table_of(taught, [])) == {
        "41 to 60 stones", "61 to 225 stones",
    }  # fmt: skip


def test_positions_of_games_with_outside_programs_are_those_that_were_searched(tmp_path):
    path = tmp_path / "games.jsonl"
    game = {"game": 0, "color": 1, "opening": 4, "points": 0.0, "fault": ""}
    moves = list(Board.from_moves("h8 h9 i8 i9 a1 j11 c1 k3 e1 l5", RULES).moves)
    games = [
        game | {"moves": moves, "scores": [40, 50, WON + 9], "depths": [9, 1, 9]},
        game | {"moves": moves, "points": 0.5, "scores": [40] * 3, "depths": [9] * 3},
        game | {"moves": moves, "points": 1.0, "color": 0, "scores": [9, 8, 7], "depths": [9] * 3},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in [{"name": "x"}, *games]))
    found = evaluation_bands.outside_positions([path])
    assert found.score.tolist() == [40, 9, 8, 7]
    assert found.side.tolist() == [1, 0, 0, 0]
    assert found.result.tolist() == [-1, 1, 1, 1]
    assert found.game.tolist() == [0, 2, 2, 2]
    assert (found.stones != 0).sum(axis=1).tolist() == [5, 4, 6, 8]
    assert set(found.stones[0]) == {0, 1, 2}
    assert len(evaluation_bands.outside_positions([])) == 0


def empty_bands(table):
    """Return the bands of a table without figures."""
    heads = table.splitlines()[0].strip("| ").split(" | ")
    return {head for head in heads[1:] if column(table, head)["search"] == "-"}
