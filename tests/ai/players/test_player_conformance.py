"""Every player that computes passes the same suite, those of a project as well."""

from __future__ import annotations

import functools
import importlib.util
import pickle
import threading
import time

import numpy as np
import pytest

from ai import (
    PLAYERS,
    Board,
    GameOverError,
    Limit,
    MoveChoice,
    OptionError,
    Player,
    Rules,
    create_player,
)
from ai.game.rules import MAX_SIZE
from tests.project_page import build_project, own_scripts

COMPUTING = [
    name
    for name, info in PLAYERS.items()
    if name != "human" and importlib.util.find_spec(info.factory.partition(":")[0])
]
PROJECT_PLAYERS = ["pebble", "stray"]
SEVEN = Rules(7, 5, full_board_winner=-1)
QUICK = {
    "mcts": {"iterations": 300, "memory": 8},
    "mcts-nn": {"iterations": 3, "memory": 1},
    "alphagomoku": {"simulations": 20, "memory": 8},
}
"""Settings under which whole games take less time."""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The plugin project of docs/projects.md."""
    with own_scripts():
        yield build_project(tmp_path_factory.mktemp("conformance") / "four")


def play_out(name, rules, seed, project):
    rng = np.random.default_rng(seed)
    player = create_player(name, rules, QUICK.get(name), project=project)
    board = Board(rules)
    choices = []
    while board.outcome() is None:
        before = board.copy()
        choice = player.choose(board, Limit(), rng)
        assert (board, board.key, board.moves) == (before, before.key, before.moves)
        board.play(choice.move)
        choices.append(choice)
    player.close()
    player.close()
    return board, choices


@pytest.fixture(scope="module")
def played(project):
    """Return a whole game of a player, played once for all tests of it."""
    return functools.cache(lambda name: play_out(name, SEVEN, 3, project))


@pytest.mark.parametrize("name", COMPUTING + PROJECT_PLAYERS)
def test_plays_legal_games_to_the_end(name, played):
    board, choices = played(name)
    assert board.outcome() is not None
    for choice in choices:
        assert isinstance(choice, MoveChoice)
        assert type(choice.move) is int
        assert choice.value is None or -1 <= choice.value <= 1
        if choice.policy is not None:
            assert choice.policy.shape == (49,)
            assert choice.policy.dtype == np.float32
            assert choice.policy.sum() == pytest.approx(1, abs=1e-3)
        pickle.loads(pickle.dumps(choice))


@pytest.mark.parametrize("name", COMPUTING + PROJECT_PLAYERS)
def test_the_generator_is_the_only_randomness(name, played, project):
    assert play_out(name, SEVEN, 3, project)[0].moves == played(name)[0].moves


@pytest.mark.parametrize("name", COMPUTING + PROJECT_PLAYERS)
def test_refuses_a_game_that_is_over(name, project):
    over = Board.from_moves("a1 a2 b1 b2 c1 c2 d1 d2 e1", SEVEN)
    with pytest.raises(GameOverError):
        create_player(name, SEVEN, project=project).choose(over, Limit(), np.random.default_rng(0))


@pytest.mark.parametrize("name", COMPUTING + PROJECT_PLAYERS)
def test_is_a_player_of_its_name(name, project):
    player = create_player(name, SEVEN, project=project)
    assert isinstance(player, Player)
    assert player.name == name


@pytest.mark.parametrize(
    "name",
    [
        "genetic",
        "pattern",
        "random",
        "convolution",
        "mcts",
        "mcts-nn",
        "minimax-q",
        "move-net",
        "alpha-beta",
    ],
)
@pytest.mark.parametrize(
    "rules",
    [Rules(3, 3), Rules(4, 3), Rules(6, 6), Rules(10, 7), Rules(12, 5, exact=True), Rules(20, 5)],
    ids=str,
)
def test_plays_under_other_rules(name, rules):
    if rules.rule not in PLAYERS[name].supported_rules:
        with pytest.raises(OptionError, match=f"found {rules.rule}"):
            create_player(name, rules)
        return
    player = create_player(name, rules, QUICK.get(name))
    board, rng = Board(rules), np.random.default_rng(9)
    while board.outcome() is None and board.ply < 24:
        board.play(player.choose(board, Limit(), rng).move)
    assert board.ply == 24 or board.outcome() is not None


# Settings under which a move takes far longer than the limits below.
ENDLESS = {
    "genetic": {
        "population": 256,
        "generations": 1024,
        "patience": 1024,
        "elite": 0.0,
        "mutation": 1.0,
        "fitness": "sum-of-steps",
    },
    "alpha-beta": {"depth": 40, "nodes": None},
    "minimax-q": {"depth": 6, "default_policy": False},
    "oracle": {"nodes": 10_000_000, "population": 256, "generations": 1024, "patience": 1024},
}
ALLOWED = 0.05
"""Seconds over the limit on a machine that has nothing else to do."""


# Players of the published documents: what they do where one move decides, on every size they claim.
PUBLISHED = ["convolution", "minimax-q", "alpha-beta"]


def five_to_make(size):
    """Return moves after which Black makes five on the far edge, and the only point for it."""
    others = ((size - 1, 0), (size - 1, 2), (size - 2, 0), (size - 3, 3))
    white = [row * size + col for row, col in others]
    return [move for pair in zip(range(4), white, strict=True) for move in pair], {4}


DAILY_SIZES = {5, 8, 15, MAX_SIZE}


@pytest.mark.parametrize(
    "size",
    [
        size if size in DAILY_SIZES else pytest.param(size, marks=pytest.mark.nightly)
        for size in range(5, MAX_SIZE + 1)
    ],
)
@pytest.mark.parametrize("name", PUBLISHED)
def test_a_won_and_a_threatened_five_are_seen_on_every_size(name, size):
    rules, (moves, points) = Rules(size, 5), five_to_make(size)
    player, rng = create_player(name, rules), np.random.default_rng(0)
    for played in (moves, moves[:-1]):  # Black to make five, White to stop it
        board = Board.from_moves(played, rules)
        for limit in (Limit(), Limit(nodes=1), Limit(seconds=0.001)):
            assert player.choose(board, limit, rng).move in points
    full = Board(rules)
    for move in filled(size)[:-1]:
        full.push(move)
    assert full.outcome() is None
    assert player.choose(full, Limit(nodes=1), rng).move == filled(size)[-1]
    full.push(filled(size)[-1])
    with pytest.raises(GameOverError):
        player.choose(full, Limit(), rng)


def filled(size):
    """Return the moves of a whole board without five in a row: the colours change every two."""
    points = [(row, col) for row in range(size) for col in range(size)]
    black = [row * size + col for row, col in points if (col // 2 + row) % 2 == 0]
    white = [row * size + col for row, col in points if (col // 2 + row) % 2]
    while len(black) > len(white) + 1:
        white.append(black.pop())
    while len(white) > len(black):
        black.append(white.pop())
    found = [0] * (size * size)
    found[0::2], found[1::2] = black, white
    return found


def seconds_late(seconds):
    """Return by how much a thread that waits for `seconds` beside a busy one comes late."""
    done = threading.Event()
    start = time.perf_counter()
    timer = threading.Timer(seconds, done.set)
    timer.start()
    while not done.is_set():
        pass
    return time.perf_counter() - start - seconds


def midgame(rules, plies):
    rng = np.random.default_rng(plies)
    board = Board(rules)
    while board.ply < plies:
        board.push(int(rng.choice(list(board.legal_moves))))
        if board.outcome() is not None:
            board.pop()
    return board


@pytest.mark.parametrize("seconds", [0.05, 0.15])
@pytest.mark.parametrize("name", COMPUTING)
def test_the_seconds_of_a_limit_are_honoured(name, seconds):
    is_small = name == "oracle"
    size = max(PLAYERS[name].ready_sizes, default=15)
    rules = Rules(8, 5, full_board_winner=-1) if is_small else Rules(size, 5)
    player = create_player(name, rules, ENDLESS.get(name, {}))
    shares = (0.06, 0.125, 0.16) if is_small else (0.09, 0.267, 0.445)
    boards = [midgame(rules, round(share * rules.points)) for share in shares]
    player.choose(boards[0], Limit(seconds=seconds), np.random.default_rng(0))
    overshoot, slack = [], []
    for attempt in range(4):
        slack.append(seconds_late(0.02))
        for board in boards:
            start = time.perf_counter()
            choice = player.choose(board, Limit(seconds=seconds), np.random.default_rng(attempt))
            overshoot.append(time.perf_counter() - start - seconds)
            assert choice.move in board.legal_moves
        # The quickest of a dozen: what a busy machine adds to the others is not the player's.
        is_in_time = min(overshoot) <= ALLOWED + 3 * max(slack)
        is_thorough = name not in ENDLESS or max(overshoot) > -0.01
        if is_in_time and is_thorough:
            break
    assert is_in_time
    assert is_thorough, "it thinks as long as it may"


@pytest.mark.parametrize("name", COMPUTING)
def test_the_nodes_of_a_limit_are_honoured(name):
    rules = SEVEN
    player = create_player(name, rules, ENDLESS.get(name, {}))
    for plies in (4, 16, 30):
        board = midgame(rules, plies)
        for nodes in (1, 60):
            first, second = (
                player.choose(board, Limit(nodes=nodes), np.random.default_rng(0)) for _ in range(2)
            )
            assert first.move in board.legal_moves
            if name != "alpha-beta":  # remembers what it found, so that it comes farther
                assert first.move == second.move


LOOKS_AHEAD = ["alpha-beta", "mcts", "pattern"]
"""Players that look for rows of both sides in any position."""
LINE_OF_FOUR = {
    "won in one": ("c4 c1 d4 d1 e4 e1 f4 g1", {"b4", "g4"}),
    "must block": ("b4 a4 c4 c1 d4 e1 e4", {"f4"}),
}


@pytest.mark.parametrize("case", LINE_OF_FOUR)
@pytest.mark.parametrize("name", LOOKS_AHEAD)
def test_wins_in_one_and_stops_a_row(name, case):
    moves, expected = LINE_OF_FOUR[case]
    board = Board.from_moves(moves, SEVEN)
    player = create_player(name, SEVEN)
    choice = player.choose(board, Limit(), np.random.default_rng(0))
    assert board.to_text(choice.move) in expected


def nearly_full(rules, left):
    """Return an undecided board with `left` empty points."""
    board = Board(rules)
    # Pairs of columns take turns, so that no row of three comes about.
    order = sorted(
        range(rules.points),
        key=lambda point: (point // rules.size, point % rules.size),
    )
    colors = {point: (point % rules.size // 2 + point // rules.size) % 2 for point in order}
    waiting = [[point for point in order if colors[point] == side] for side in (0, 1)]
    while board.ply < rules.points - left:
        board.push(waiting[board.ply % 2].pop())
    assert board.outcome() is None
    return board


@pytest.mark.parametrize("left", [1, 2])
@pytest.mark.parametrize("name", COMPUTING + PROJECT_PLAYERS)
def test_plays_the_last_points_of_a_board(name, left, project):
    is_ready = name in PROJECT_PLAYERS or not PLAYERS[name].ready_sizes
    board = nearly_full(Rules(6 if is_ready else 7, 5, full_board_winner=-1), left)
    player = create_player(name, board.rules, QUICK.get(name), project=project)
    while board.outcome() is None:
        board.play(player.choose(board, Limit(), np.random.default_rng(0)).move)
    assert board.ply == board.rules.points


@pytest.mark.parametrize("limit", [Limit(nodes=0), Limit(nodes=1), Limit(seconds=0.001)], ids=str)
@pytest.mark.parametrize("name", COMPUTING + PROJECT_PLAYERS)
def test_moves_with_hardly_any_budget(name, limit, project):
    player = create_player(name, SEVEN, QUICK.get(name), project=project)
    for board in (Board(SEVEN), midgame(SEVEN, 9)):
        move = player.choose(board, limit, np.random.default_rng(0)).move
        assert move in board.legal_moves


def ends_of(option):
    """The least of a setting's numbers, none, and each of its choices but the usual one."""
    if option.choices:
        return [value for value in option.choices if value != option.default]
    least = [] if option.minimum is None else [option.value_kind(option.minimum)]
    return least + ([None] if option.optional else [])


ENDS = [
    pytest.param(name, option.key, value, id=f"{name}-{option.key}={value}")
    for name in COMPUTING
    for option in PLAYERS[name].settings
    for value in ends_of(option)
]


@pytest.mark.parametrize(("name", "key", "value"), ENDS)
def test_each_setting_may_be_at_its_end_or_is_refused_in_a_line(name, key, value):
    refused = None
    try:
        player = create_player(name, SEVEN, {**QUICK.get(name, {}), key: value})
    except OptionError as error:
        refused = str(error)
    if refused is not None:
        assert key in refused
        assert "\n" not in refused
        return
    board = Board.from_moves("d4 c3 e4", SEVEN)
    choice = player.choose(board, Limit(nodes=2), np.random.default_rng(0))
    assert choice.move in board.legal_moves
    player.close()
