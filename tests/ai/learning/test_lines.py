"""The learners of lines: what they store, answer, forget, and how they are spoilt for a control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from ai.experiments.controls import create_learner
from ai.game import BLACK, WHITE, Board, Game, GameRecord, Position, Rules
from ai.learning.learner import Trainers
from ai.learning.lines import BEST, create_ann, create_cnn
from ai.memory.lines import LineReader, NoLinesError, line_responses
from ai.nets.features import learner_stones
from ai.players.base import Limit
from ai.registry.players import create_player, get_player_info, load_target, refusal_of
from ai.registry.project_games import get_game
from ai.store.checkpoints import LearnerCheckpoints
from base.files import SHIPPED_ROOT
from base.schema import OptionError
from base.trust import trust_for_this_run

RULES = Rules(7, 5, full_board_winner=WHITE)
LOST = "d1 a1 d2 a2 d3 a3 d4 a4 d5"
LOST_TOO = "c3 g1 d4 g2 e5 g3 f6 g4 b2"
ELSEWHERE = "b3 g1 c3 g7 d3 f1 e3"
"""Four in a row of Black that neither lost game has: across, and elsewhere."""
CREATE = {"ann-lines": create_ann, "cnn-lines": create_cnn}
NAMES = tuple(CREATE)
TRAINERS = Trainers()

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:keras"),
    pytest.mark.usefixtures("project_scripts"),
]


@dataclass(frozen=True)
class NoRows(Game):
    """A game that is not won by rows."""

    size: int = 3

    def outcome(self, position: Position) -> None:
        return None


def open_cube() -> Game:
    """Return the cube of the example project."""
    project = SHIPPED_ROOT / "docs" / "projects" / "cube"
    trust_for_this_run(project)
    return get_game("cube", project).rules


def game(moves: str, number: int, rules: Rules = RULES) -> GameRecord:
    return GameRecord.from_board(Board.from_moves(moves, rules), number)


def made(name: str, rules: Rules = RULES, seed: int = 0, **settings: object):
    shared = {"trainers": TRAINERS} if name == "cnn-lines" else {}
    return CREATE[name](rules, settings, seed, **shared)


def taught(name: str, *games: str, **settings: object):
    learner = made(name, **settings)
    for number, moves in enumerate(games, start=1):
        assert learner.observe(game(moves, number))
        learner.train()
    return learner


def choice(learner, name: str, moves: str):
    player = create_player(name, RULES)
    learner.weights().load_into(player)
    board = Board.from_moves(moves, RULES)
    return board, player.choose(board, Limit(), np.random.default_rng(0))


@pytest.mark.parametrize("name", NAMES)
def test_the_registry_finds_the_learner(name):
    assert load_target(get_player_info(name).learner) is CREATE[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_end_of_a_row_that_it_lost_to_is_among_its_best_points_wherever_it_stands(name):
    learner = taught(name, LOST, LOST_TOO, LOST, LOST_TOO, records=1)
    board, chosen = choice(learner, name, ELSEWHERE)
    best = [board.to_text(int(point)) for point in np.argsort(-chosen.policy)[:BEST]]
    assert {"a3", "f3"} & set(best)
    untaught = choice(made(name), name, ELSEWHERE)[1]
    row = [move for move in board.legal_moves if board.to_text(move) in ("a3", "f3")]
    assert chosen.policy[row].sum() > 2.0 * untaught.policy[row].sum()


@pytest.mark.parametrize("name", NAMES)
def test_the_explanation_says_which_line_spoke_and_where_it_was_missed(name):
    learner = taught(name, LOST, LOST_TOO, records=1)
    _, chosen = choice(learner, name, "d1 a1 d2 a2 d3 a3 d4")
    lines = chosen.explanation.lines
    assert len(lines) == 4
    assert [line.worth for line in lines] == sorted((line.worth for line in lines), reverse=True)
    assert lines[0].distance == 0.0
    assert "xxx?" in lines[0].text or "?xxx" in lines[0].text
    assert lines[0].first[0] == 1
    plain = chosen.explanation.from_plain(chosen.explanation.to_plain())
    assert plain.lines == lines


def test_the_worths_of_a_points_lines_add_up_to_its_score():
    learner = taught("cnn-lines", LOST, LOST_TOO)
    player = create_player("cnn-lines", RULES)
    learner.weights().load_into(player)
    board = Board.from_moves(ELSEWHERE, RULES)
    worths = {}
    kernel = learner.weights().arrays["lines.kernel"][:, 0]
    rated = line_responses(4, 1.0) @ kernel
    codes = LineReader.of(RULES).codes(learner_stones(board, WHITE)[None])[0]  # [A, 4]
    for move in board.legal_moves:
        worths[move] = float(rated[codes[move]].sum())
    chosen = player.choose(board, Limit(), np.random.default_rng(0))
    said = sum(line.worth for line in chosen.explanation.lines)
    assert said == pytest.approx(max(worths.values()), abs=1e-5)
    shares = {move: float(chosen.policy[move]) for move in worths}
    best = max(worths.values())
    for move, worth in worths.items():
        assert shares[move] / shares[chosen.move] == pytest.approx(np.exp(worth - best), rel=1e-3)
    assert sum(shares.values()) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_checkpoint_brings_records_and_origins_back(name, tmp_path):
    learner = taught(name, LOST, LOST_TOO)
    LearnerCheckpoints(learner, tmp_path).save()
    again = made(name)
    assert LearnerCheckpoints(again, tmp_path).load() is None
    mine, theirs = choice(learner, name, ELSEWHERE)[1], choice(again, name, ELSEWHERE)[1]
    assert mine.move == theirs.move
    assert mine.explanation.lines == theirs.explanation.lines
    player = create_player(name, RULES)
    player.load_checkpoint(2, next(tmp_path.glob(f"{name}-*/[0-9]*")))
    board = Board.from_moves(ELSEWHERE, RULES)
    assert player.choose(board, Limit(), np.random.default_rng(0)).move == mine.move


@pytest.mark.parametrize("name", NAMES)
def test_labels_at_random_are_free_points_drawn_by_the_seed(name):
    def labels(seed: int) -> np.ndarray:
        learner = made(name, seed=seed, labels="random")
        learner.observe(game(LOST, 1))
        return learner.memory.labels

    real = made(name)
    real.observe(game(LOST, 1))
    assert (labels(1) == labels(1)).all()
    assert (labels(1) != labels(2)).any()
    assert (labels(1) != real.memory.labels).any()
    assert not labels(1)[real.memory.stones != 0].any()


@pytest.mark.parametrize("name", NAMES)
def test_an_experiments_control_spoils_the_labels(name):
    learner = create_learner(name, RULES, {}, 3, control="random-labels", trainers=TRAINERS)
    real = create_learner(name, RULES, {}, 3, trainers=TRAINERS)
    for one in (learner, real):
        one.observe(game(LOST, 1))
    assert (learner.memory.labels != real.memory.labels).any()
    assert (learner.memory.stones == real.memory.stones).all()


def test_only_the_last_game_is_remembered_where_one_asks_for_that():
    last = taught("ann-lines", LOST, LOST_TOO, relearn="last-game")
    assert len(last.memory) == 4
    _, chosen = choice(last, "ann-lines", "c3 g1 d4 g2 e5 g3 f6")
    assert chosen.explanation.lines[0].first[0] == 2


def test_equal_positions_are_two_records():
    assert len(taught("ann-lines", LOST, LOST).memory) == 8


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_answers(name):
    first, second = (taught(name, LOST, LOST_TOO) for _ in range(2))
    assert (
        choice(first, name, ELSEWHERE)[1].policy == choice(second, name, ELSEWHERE)[1].policy
    ).all()


def test_a_trained_network_of_lines_has_its_records_among_its_best_points():
    learner = taught("cnn-lines", LOST, LOST_TOO)
    assert learner.statistics()["held"] >= get_player_info("cnn-lines").least_held
    assert learner.statistics()["agrees"] is not None
    assert learner.statistics()["advice"] is None


@pytest.mark.parametrize("name", NAMES)
def test_other_boards_and_gravity_are_learnt_too(name):
    rules = Rules(7, 4, height=6, gravity=True)
    learner = made(name, rules)
    moves = "a1 g1 b1 g2 c1 f1 d1"
    assert learner.observe(game(moves, 1, rules))
    learner.train()
    player = create_player(name, rules)
    learner.weights().load_into(player)
    board = Board.from_moves("a1 g1 b1 g2 c1", rules)
    chosen = player.choose(board, Limit(), np.random.default_rng(0))
    assert board.to_text(chosen.move) == "d1"


@pytest.mark.parametrize("name", NAMES)
def test_a_game_without_rows_is_refused(name):
    with pytest.raises(OptionError, match=f"{name}: expected a game that names its lines, found"):
        CREATE[name](NoRows(), {})
    refused = refusal_of(get_player_info(name), NoRows())
    assert refused.startswith(f"{name}: expected a game that names its lines, found NoRows")
    with pytest.raises(NoLinesError, match="expected a game that names its lines"):
        LineReader.of(NoRows())


@pytest.mark.parametrize("name", NAMES)
def test_of_points_with_as_many_lines_it_prefers_the_one_that_stops_a_row_in_a_cube(name):
    cube = open_cube()
    shared = {"trainers": TRAINERS} if name == "cnn-lines" else {}
    learner = CREATE[name](cube, {"records": 1}, 0, **shared)
    games = (
        "1a1 4d1 1b1 4d2 1c1 4a3 1d1",
        "2a2 1d4 2b2 3a1 2c2 4c1 2d2",
        "3b1 1d4 3b2 4a1 3b4 4c1 3b3",
        "1c2 4d4 2c2 4a1 4c2 1d1 3c2",
        "1a1 2d1 2b2 2d2 3c3 1d2 4d4",
        "1a4 2d1 2b3 2d2 3c2 1d2 4d1",
        "3d1 1d4 3c2 4a1 3b3 4c1 3a4",
        "1a2 4d4 2a2 4a1 4a2 1d1 3a2",
    )
    for number, moves in enumerate(games, start=1):
        position = Position.from_moves(moves, cube)
        assert position.outcome().winner == BLACK
        learner.observe(GameRecord.from_board(position, number))
        learner.train()
    player = create_player(name, cube)
    learner.weights().load_into(player)
    count = (cube.lines() != cube.points).any(axis=(-2, -1)).sum(axis=-1)  # 4 or 7 lines
    for moves, stop in (
        ("1a3 4b2 2b3 1d1 3c3", "4d3"),  # rises through the levels
        ("1a1 4b2 2b2 1d1 3c3", "4d4"),  # through the middle of the cube
        ("1d2 4b2 2d2 1a1 3d2", "4d2"),  # straight up
    ):
        board = Position.from_moves(moves, cube)
        chosen = player.choose(board, Limit(), np.random.default_rng(0))
        through = count[cube.from_text(stop)]
        best = np.where(count == through, chosen.policy, 0.0).argmax()
        assert board.to_text(int(best)) == stop


def test_records_of_another_board_are_refused():
    learner = taught("ann-lines", LOST)
    player = create_player("ann-lines", Rules(9, 5))
    with pytest.raises(ValueError, match="expected stones and labels of the shape"):
        learner.weights().load_into(player)


@pytest.mark.parametrize("name", NAMES)
def test_own_lines_are_worth_making_as_the_opponents_are_worth_stopping(name):
    learner = taught(name, LOST, LOST_TOO, LOST, LOST_TOO, records=1)
    player = create_player(name, RULES, {"own": 1.0})
    learner.weights().load_into(player)
    mine, theirs = "d4 b3 g1 c3 a7 d3 f1 e3 b6", "b3 d4 c3 g1 d3 a7 e3 f1"
    (first, other) = (
        player.choose(Board.from_moves(moves, RULES), Limit(), np.random.default_rng(0)).policy
        for moves in (mine, theirs + " g5 b6")
    )
    point = Board.from_moves(mine, RULES)
    row = [move for move in point.legal_moves if point.to_text(move) in ("a3", "f3")]
    blind = choice(learner, name, mine)[1].policy
    assert first[row].sum() > 2.0 * blind[row].sum(), "its own four is worth ending"
    assert other[row].sum() > 2.0 * blind[row].sum(), "and so is the opponent's"
