"""A training that is killed, damaged or played by others goes on as if nothing had been."""

from __future__ import annotations

import dataclasses
import json
import shutil

import numpy as np
import pytest

from ai.curriculum import run as run_module
from ai.curriculum.actors import LocalActors, OwnProcess
from ai.curriculum.batches import (
    BEST,
    LOST,
    MatchBatch,
    MentorBatch,
    RosterPlayer,
    SelfPlayBatch,
    load_games,
    match_openings,
    save_games,
)
from ai.curriculum.folder import TrainingFolder
from ai.curriculum.run import Training, TrainingBudget
from ai.curriculum.settings import BASIC, MENTOR, SELF_PLAY, Curriculum, CurriculumError, phases_of
from ai.evaluators.policy_value import PolicyValueEvaluator
from ai.game import BLACK, WHITE, Board, Rules
from ai.learning.alphagomoku.samples import samples_of
from ai.learning.alphagomoku.training import PairTrainer, new_pair
from ai.nets.policy_value import load_pair, save_pair
from ai.players.base import Limit
from ai.registry.players import create_player
from ai.runs.reading import read_games
from base.storage.json_file import read_lines
from base.storage.run_folder import RunFolderError

TINY = {
    "filters": 2, "blocks": 0, "batch": 4, "steps": 2, "basic_positions": 40, "basic_steps": 2,
    "games": 4, "lot": 2, "simulations": 6, "gate_pairs": 1, "window": 6,
}  # fmt: skip
PLAN = Curriculum.of(Rules(4, 3), 5, TINY)
FILES = ("games.jsonl", "pair.npz")


@pytest.fixture(scope="module", autouse=True)
def one_loop():
    """One traced training loop for all of these trainings."""
    loops = {}
    patch = pytest.MonkeyPatch()
    patch.setattr(
        run_module, "PairTrainer",
        lambda *words: loops.setdefault(words, None) or loops.update({words: PairTrainer(*words)})
        or loops[words],
    )  # fmt: skip
    yield
    patch.undo()


def train(
    out, actors=None, games=12, *, resume=False, phases=(BASIC, SELF_PLAY), told=None, warned=None
):
    training = Training(
        PLAN, out, actors or OwnProcess(), has_controls=False,
        report=(lambda line: None) if told is None else told.append,
        warn=(lambda line: None) if warned is None else warned.append,
    )  # fmt: skip
    training.run(phases, TrainingBudget(games), resume=resume)
    return training


def contents(out):
    return {name: (out / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    out = tmp_path_factory.mktemp("training") / "run"
    train(out)
    return out


class Killed(BaseException):
    pass


class Mortal(OwnProcess):
    """Dies after some orders."""

    def __init__(self, orders):
        self.left = orders

    def played(self, orders):
        for found in super().played(orders):
            if self.left == 0:
                raise Killed
            self.left -= 1
            yield found


class Backwards(OwnProcess):
    """Plays the last order first, as other processes may."""

    def played(self, orders):
        yield from reversed(list(super().played(orders)))


def test_the_folder_is_a_run_that_others_can_read(unbroken):
    records = read_games(unbroken)
    assert len(records) == 12
    lines = read_lines(unbroken / "metrics.jsonl")
    assert [line["phase"] for line in lines] == [BASIC, *[SELF_PLAY] * 3]
    assert [line["games"] for line in lines] == [0, 4, 8, 12]
    for line in lines:
        assert {"trained", "untrained", "shuffled weights"} <= set(line["held_out"])
        assert set(line["losses"]) == {"black", "white"}
    assert load_pair(unbroken / "pair.npz").architecture == PLAN.architecture
    assert (unbroken / "versions" / "0001.npz").exists()


@pytest.mark.parametrize(
    "orders",
    [1, 6, *(pytest.param(orders, marks=pytest.mark.nightly) for orders in (0, 2, 3, 4, 5, 7))],
)
def test_a_kill_at_any_moment_changes_no_game(orders, unbroken, tmp_path):
    out = tmp_path / "run"
    with pytest.raises(Killed):
        train(out, Mortal(orders))
    done = read_lines(out / "metrics.jsonl")
    assert load_pair(out / "pair.npz")
    told = []
    train(out, resume=True, told=told)
    assert contents(out) == contents(unbroken)
    assert len(told) == 4 - len(done)


def test_finished_lots_are_not_played_again(unbroken, tmp_path):
    out = tmp_path / "run"
    with pytest.raises(Killed):
        train(out, Mortal(1))
    counting = Mortal(1000)
    train(out, counting, games=4, resume=True)
    assert 1000 - counting.left == 1 + 1  # the other lot, and the gate's
    assert contents(out)["games.jsonl"] == b"".join(
        contents(unbroken)["games.jsonl"].splitlines(keepends=True)[:4]
    )


def test_a_damaged_checkpoint_is_one_line_and_the_one_before_is_used(unbroken, tmp_path):
    out = tmp_path / "run"
    shutil.copytree(unbroken, out)
    newest = sorted((out / "checkpoints").iterdir())[-1]
    content = bytearray((newest / "pair.npz").read_bytes())
    content[len(content) // 2] ^= 1
    (newest / "pair.npz").write_bytes(bytes(content))
    warned = []
    with pytest.raises(Killed):
        train(out, Mortal(0), games=16, resume=True, warned=warned)
    (message,) = warned  # said before anything is played
    assert "pair.npz: expected the checksum" in message
    assert "the checkpoint before it is taken" in message
    assert "\n" not in message
    train(out, resume=True)
    assert contents(out) == contents(unbroken)


def test_without_a_checkpoint_nothing_that_was_trained_is_thrown_away(unbroken, tmp_path):
    out = tmp_path / "run"
    shutil.copytree(unbroken, out)
    shutil.rmtree(out / "checkpoints")
    with pytest.raises(CurriculumError) as caught:
        train(out, resume=True)
    assert "expected a checkpoint of generation 4 in" in str(caught.value)
    assert contents(out) == contents(unbroken)
    lines = (out / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    (out / "metrics.jsonl").write_bytes(lines[0])  # killed at the end of the first generation
    (out / "games.jsonl").unlink()
    train(out, resume=True)
    assert contents(out) == contents(unbroken)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("metrics.jsonl", '{"games": 3}\n', r"metrics.jsonl:1: expected a generation's number"),
        ("run.json", '{"format": "goishi.alphagomoku/1", "config": {"settings": 3}}',
         "--out: expected a training's folder, found .*run.json: expected settings, found none"),
        ("changes.jsonl", '{"generation": 2, "settings": {"rate": "x"}}\n',
         r"changes.jsonl:1: rate: expected a number from"),
    ],
)  # fmt: skip
def test_a_foreign_file_is_one_line(name, text, told, unbroken, tmp_path):
    out = tmp_path / "run"
    shutil.copytree(unbroken, out)
    (out / name).write_text(text)
    with pytest.raises(ValueError, match=told):
        train(out, resume=True)


def test_lines_after_the_checkpoint_are_cut(unbroken, tmp_path):
    out = tmp_path / "run"
    shutil.copytree(unbroken, out)
    last = (out / "games.jsonl").read_bytes().splitlines(keepends=True)[-1]
    with (out / "games.jsonl").open("ab") as file:
        file.write(last.replace(b'"game": 12', b'"game": 13') + b'{"game": 1')
    train(out, resume=True)
    assert contents(out) == contents(unbroken)


def test_who_plays_which_lot_when_changes_no_game(unbroken, tmp_path):
    train(tmp_path / "run", Backwards())
    assert contents(tmp_path / "run") == contents(unbroken)


def test_more_games_go_on_where_it_ended(unbroken, tmp_path):
    train(tmp_path / "run", games=8)
    assert train(tmp_path / "run", resume=True).progress.games == 12
    assert contents(tmp_path / "run") == contents(unbroken)


def test_another_folder_is_refused(unbroken, tmp_path):
    with pytest.raises(RunFolderError, match=r"found a training in .*; add --resume"):
        train(unbroken)
    other = TrainingFolder(Curriculum.of(Rules(4, 3), 5, {**TINY, "rate": 0.5}), unbroken)
    with pytest.raises(RunFolderError, match=r"found another in .*: rate: 0.02, not 0.5"):
        other.prepare(resume=True)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunFolderError, match="expected an empty folder, found files in"):
        train(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_training_from_before_a_setting_was_there_goes_on(tmp_path):
    folder = TrainingFolder(PLAN, tmp_path)
    folder.prepare(resume=False)
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["config"]["settings"].pop("pooled") is False
    (tmp_path / "run.json").write_text(json.dumps(run))
    folder.prepare(resume=True)
    pooled = TrainingFolder(Curriculum.of(Rules(4, 3), 5, {**TINY, "pooled": True}), tmp_path)
    with pytest.raises(RunFolderError, match="pooled: False, not True"):
        pooled.prepare(resume=True)


def test_a_pooled_training_leaves_a_pair_that_plays_on_other_boards(tmp_path):
    plan = Curriculum.of(Rules(4, 3), 5, {**TINY, "pooled": True})
    training = Training(plan, tmp_path / "run", OwnProcess(), has_controls=False)
    assert training.run((BASIC, SELF_PLAY), TrainingBudget(4)).games == 4
    pair = load_pair(training.folder.pair_file)
    for rules in (Rules(4, 3), Rules(6, 4)):
        found = PolicyValueEvaluator(rules, pair).evaluate([Board(rules)])
        assert found.policy.shape == (1, rules.points)


@pytest.mark.parametrize("discards", [False, True])
def test_a_rejected_pair_plays_no_games_to_learn_from(discards, tmp_path, monkeypatch):
    plan = Curriculum.of(Rules(4, 3), 5, {**TINY, "discards": discards})
    training = Training(plan, tmp_path / "run", OwnProcess(), has_controls=False)
    training.run((BASIC,), TrainingBudget(1))
    steps = training.train_state.steps
    for result, version in ((0.0, 1), (1.0, 2)):
        before = (tmp_path / "run" / "pair.npz").read_bytes()
        monkeypatch.setattr(MatchBatch, "play", lambda lot, result=result: [result] * lot.games)
        training.run((SELF_PLAY,), TrainingBudget(4 * version), resume=True)
        assert training.progress.version == version
        is_same = (tmp_path / "run" / "pair.npz").read_bytes() == before
        assert is_same == (result == 0.0)
        if result == 0.0:
            assert training.train_state.steps == steps + (0 if discards else 2)
        steps = training.train_state.steps


def test_the_mentor_is_learnt_from_until_it_is_beaten(tmp_path, monkeypatch):
    results = iter([0.5, 1.0])
    monkeypatch.setattr(MatchBatch, "play", lambda lot: [next(results)] * lot.games)
    told = []
    plan = Curriculum.of(
        Rules(4, 3), 5,
        {**TINY, "mentor_games": 10, "mentor_nodes": 1, "mentor_steps": 1, "mentor_match": 2,
         "window": 20},
    )  # fmt: skip
    training = Training(plan, tmp_path / "run", OwnProcess(), report=told.append)
    training.run((MENTOR,), TrainingBudget())
    assert [line["against_mentor"] for line in told] == [0.5, 1.0]
    assert [line["finished"] for line in told] == [False, True]
    assert all(line["held_out"]["trained"]["positions"] > 0 for line in told)
    for line in told:
        assert set(line["basic_rules"]) == {"trained", "untrained", "shuffled weights"}
        assert 0.0 <= line["basic_rules"]["trained"] <= 1.0
    first = read_lines(tmp_path / "run" / "games.jsonl")[0]
    assert (first["phase"], first["opening"]) == (MENTOR, 3)
    again = Training(plan, tmp_path / "run", OwnProcess())
    again.run((MENTOR,), TrainingBudget(), resume=True)
    assert len(again._window) == len(training._window)
    assert len(again._held) == len(training._held) == 2


# -- lots ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pair_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pair") / "pair.npz"
    save_pair(path, new_pair(PLAN.architecture, 0, shares=False))
    return path


def test_a_lot_depends_on_its_order_alone(pair_file):
    lot = SelfPlayBatch(PLAN, 2, 1, 2, pair_file)
    one, again = lot.play(), lot.play()
    other = SelfPlayBatch(PLAN, 2, 0, 2, pair_file).play()
    assert [game.moves for game in one] == [game.moves for game in again]
    assert [game.moves for game in one] != [game.moves for game in other]
    for game in one:
        board = Board.from_moves(game.moves, PLAN.rules)
        assert board.outcome().winner == game.winner
        assert len(game.policies) == len(game.moves)
        np.testing.assert_allclose(game.policies.astype(float).sum(axis=1), 1.0, atol=4e-3)


def test_phase_1_is_rehearsed_in_the_later_phases_alone(tmp_path, monkeypatch):
    shares = []
    original = PairTrainer.train

    def noted(self, *words, **named):
        shares.append((named["rehearsal"], named["rehearsed"] is not None))
        return original(self, *words, **named)

    monkeypatch.setattr(PairTrainer, "train", noted)
    plan = Curriculum.of(Rules(4, 3), 5, {**TINY, "rehearsal": 0.25})
    training = Training(plan, tmp_path / "run", OwnProcess(), has_controls=False)
    training.run((BASIC, SELF_PLAY), TrainingBudget(4))
    assert shares == [(0.0, False), (0.25, True)]


def test_a_wandering_mentor_teaches_its_own_moves():
    given = {**TINY, "mentor_nodes": 60, "mentor_wanders": 0.5, "mentor_empty": 2}
    plan = Curriculum.of(Rules(9), 5, given)
    games = MentorBatch(plan, 1, 1, 4).play()  # the games 2 to 5 of the generation
    assert [game.opening for game in games] == [0, 3, 0, 3]
    assert [len(game.policies) for game in games] == [len(game.moves) - game.opening
                                                      for game in games]  # fmt: skip
    taught = 0
    for game in games:
        player = create_player("alpha-beta", plan.rules, {})
        for ply in range(max(game.opening, 1), len(game.moves)):
            board = Board.from_moves(game.moves[:ply], plan.rules)
            choice = player.choose(board, Limit(nodes=60), np.random.default_rng(0))
            answer = int(game.policies[ply - game.opening].argmax())
            played = game.moves[ply]
            taught += answer == choice.move != played
            assert played in [move for move, _ in choice.explanation.scores[:BEST]]
            assert game.values[ply - game.opening] == np.float32(choice.value)
            if abs(choice.value) >= -LOST:
                assert played == answer, "a game that is decided is played to its end"
    assert taught > 10
    again = MentorBatch(plan, 1, 1, 4).play()
    assert [game.moves for game in games] == [game.moves for game in again]


def test_a_share_of_the_games_of_self_play_begins_with_a_balanced_opening(pair_file):
    def openings(share, number=0, games=4, generation=1):
        plan = Curriculum.of(Rules(4, 3), 5, {**TINY, "lot": 4, "balanced": share})
        return SelfPlayBatch(plan, generation, number, games, pair_file).openings()

    assert openings(0.0) == [()] * 4
    half = openings(0.5) + openings(0.5, 1)
    assert [len(moves) for moves in half] == [0, 3] * 4
    whole = openings(1.0) + openings(1.0, 1)
    assert [len(moves) for moves in whole] == [3] * 8
    assert whole[1::2] == half[1::2], "lots share the openings of their generation"
    assert whole[:4] == openings(1.0) != openings(1.0, generation=2)
    plan = Curriculum.of(Rules(4, 3), 5, {**TINY, "balanced": 0.5})
    games = SelfPlayBatch(plan, 1, 0, 2, pair_file).play()
    assert [game.opening for game in games] == [0, 3]
    assert len(samples_of(plan.rules, games[1], decay=1.0)) == len(games[1].moves) - 3


def test_the_rate_falls_while_the_mentor_teaches():
    plan = Curriculum.of(Rules(9), 5, {"rate_end": 0.01, "mentor_most": 3})
    shares = [plan.learning_rate_scale(done) for done in (0, 1, 2, 7, None)]
    assert shares == pytest.approx([1.0, 0.1, 0.01, 0.01, 0.01])
    assert Curriculum.of(Rules(9), 5).learning_rate_scale(None) == 1.0
    assert Curriculum.of(Rules(9), 5, {"mentor_most": 1}).learning_rate_scale(0) == 1.0


def test_lots_are_read_back_and_damaged_ones_are_none(pair_file, tmp_path):
    games = MentorBatch(PLAN, 0, 0, 2).play()
    path = tmp_path / "lot.npz"
    save_games(path, games, "source")
    found = load_games(path, PLAN.rules, "source")
    assert [game.moves for game in found] == [game.moves for game in games]
    assert [game.winner for game in found] == [game.winner for game in games]
    assert all(game.opening == 3 for game in found)
    for one, other in zip(found, games, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
        assert np.abs(one.values).max() > 0
    assert load_games(path, PLAN.rules, "another") is None
    assert load_games(path, Rules(5, 3), "source") is None
    assert load_games(tmp_path / "none.npz", PLAN.rules) is None
    content = path.read_bytes()
    for place in range(40, len(content), len(content) // 40):  # none of them raises
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        load_games(path, PLAN.rules)
    path.write_bytes(content[:-40])
    assert load_games(path, PLAN.rules) is None
    save_games(path, [dataclasses.replace(games[0], moves=(99, *games[0].moves[1:]))], "source")
    assert load_games(path, PLAN.rules) is None
    for values in (np.full_like(games[0].values, np.nan), games[0].values[1:]):
        save_games(path, [dataclasses.replace(games[0], values=values)], "source")
        assert load_games(path, PLAN.rules) is None
    save_games(path, [dataclasses.replace(games[0], values=None)], "source")
    assert load_games(path, PLAN.rules)[0].values is None


@pytest.mark.parametrize("stay", [False, True])
def test_the_value_heads_are_drawn_anew_after_phase_1(tmp_path, stay):
    plan = Curriculum.of(Rules(4, 3), 5, {**TINY, "basic_values": stay})
    training = Training(plan, tmp_path / "run", OwnProcess(), has_controls=False)
    training.run((BASIC,), TrainingBudget())
    assert training.train_state.optimizer_state.keys() == ({"black", "white"} if stay else set())
    for color in (BLACK, WHITE):
        arrays = training.train_state.pair.of(color)
        is_fresh = {
            name: float(arrays[name].mean()) == (1.0 if name.endswith("gamma") else 0.0)
            for name in arrays if name.endswith((".bias", ".beta", ".gamma"))
        }  # fmt: skip
        heads = {fresh for name, fresh in is_fresh.items() if name.startswith("value_")}
        assert heads == {not stay}
        assert not any(fresh for name, fresh in is_fresh.items() if name[0] != "v")
    assert training.best is training.train_state.pair


def test_a_head_that_has_died_is_drawn_anew_in_the_next_generation(tmp_path):
    few = {"mentor_games": 4, "mentor_nodes": 30, "mentor_match": 2, "mentor_most": 2,
           "filters": 8, "batch": 16, "mentor_steps": 5, "rate": 0.001}  # fmt: skip
    plan = Curriculum.of(Rules(5, 4), 5, {**TINY, **few, "mentor_margin": 1.0})
    told: list[dict] = []
    training = Training(plan, tmp_path / "run", OwnProcess(), report=told.append)
    training.begin(resume=False)
    for arrays in (training.train_state.pair.black, training.train_state.pair.white):
        arrays["value_conv.beta"][:] = 5.0
    training.advance((MENTOR,))
    training.train_state.pair.black["value_conv.beta"][:] = -50.0
    training.advance((MENTOR,))
    assert [line["value_heads_drawn_anew"] for line in told] == [[], ["black"]]
    assert set(training.train_state.optimizer_state) == {"white"}
    kept = load_pair(tmp_path / "run" / "pair.npz").black["value_conv.beta"]
    assert kept == 0.0


def test_the_mentors_own_values_are_learnt_where_asked_for(tmp_path, monkeypatch):
    learnt = []
    original = PairTrainer.train

    def noted(self, train_state, samples_of, *words, **named):
        learnt.append(samples_of(BLACK).value)
        return original(self, train_state, samples_of, *words, **named)

    monkeypatch.setattr(PairTrainer, "train", noted)
    for share in (0.0, 1.0):
        few = {"mentor_games": 4, "mentor_nodes": 30, "mentor_match": 2, "mentor_most": 1}
        plan = Curriculum.of(Rules(5, 4), 5, {**TINY, **few, "mentor_values": share})
        Training(plan, tmp_path / str(share), OwnProcess()).run((MENTOR,), TrainingBudget(4))
    rules = plan.rules
    lots = [load_games(path, rules) for path in sorted((tmp_path / "1.0" / "lots").glob("*.npz"))]
    games = [game for lot in lots for game in lot]
    results = [samples_of(rules, game, decay=0.99).of(BLACK).value for game in games]
    told = [
        samples_of(rules, game, decay=0.99, value_fraction=1.0).of(BLACK).value for game in games
    ]
    assert [len(one) for one in learnt] == [sum(map(len, results))] * 2
    np.testing.assert_array_equal(learnt[0], np.concatenate(results))
    np.testing.assert_array_equal(learnt[1], np.concatenate(told))
    assert not np.array_equal(learnt[0], learnt[1])


def test_no_opening_of_a_match_comes_twice(tmp_path):
    """Not where the last lot is smaller than the others either."""
    orders = []

    class Listed(OwnProcess):
        def played(self, asked):
            orders.extend(asked)
            return enumerate([0.5] * lot.games for lot in asked)

    plan = Curriculum.of(Rules(15), 5, {"lot": 6})
    training = Training(plan, tmp_path / "run", Listed(), has_controls=False)
    results = training.match(tmp_path / "a.npz", tmp_path / "b.npz", 20, 3)
    openings = [moves for lot in orders for moves in match_openings(lot)]
    assert len(results) == len(openings) == 20
    assert openings[::2] == openings[1::2]
    assert [bool(moves) for moves in openings[::2]] == [False, True] * 5
    assert len({moves for moves in openings if moves}) == 5


def test_a_match_gives_each_opening_both_colours(pair_file, monkeypatch):
    lot = MatchBatch(PLAN, 1, 0, 4, pair_file, RosterPlayer("random", 1), mixes_empty=True)
    assert set(lot.play()) <= {0.0, 0.5, 1.0}
    black = MatchBatch(PLAN, 1, 0, 3, pair_file, pair_file, mixes_empty=False, only_black=True)
    monkeypatch.setattr("ai.curriculum.batches.winner_of", lambda board: BLACK)
    assert black.play() == [1.0, 1.0, 1.0]
    assert lot.play() == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_one_process_and_two_play_the_same_games(tmp_path):
    found = []
    for jobs in (1, 2):
        actors = LocalActors(jobs)
        train(tmp_path / str(jobs), actors)
        actors.close()
        found.append(contents(tmp_path / str(jobs)))
        assert actors.cpu_seconds > 0.0
    assert found[0] == found[1]


def test_settings_are_named():
    with pytest.raises(ValueError, match="--set: expected one of rate, filters, blocks"):
        Curriculum.of(Rules(), 0, {"rat": 1})
    with pytest.raises(ValueError, match="rate: expected a number from"):
        Curriculum.of(Rules(), 0, {"rate": "0"})
    with pytest.raises(CurriculumError, match="expected a side longer than the row that wins"):
        Curriculum.of(Rules(5, 5))
    assert phases_of(["self-play", "basic"]) == (BASIC, SELF_PLAY)
    with pytest.raises(CurriculumError, match="--phase: expected one of basic, mentor, self-play"):
        phases_of(["rules"])
    json.dumps(PLAN.as_dict())
