"""What is read from a choice, and the sentence made of it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ai import BLACK, WHITE, Board, MoveChoice, Rules, find_player_info, from_text, get_player_info
from ai.game import parse_moves
from scripts.gomoku.explain import choice_words
from scripts.gomoku.explain.choice_reading import ChoiceReading, latest, read_choices
from scripts.gomoku.explain.choice_words import threat_words, why
from scripts.gomoku.explain.insight import Insight

RULES = Rules(7, 5, full_board_winner=WHITE)


def read(moves, explanation=None, *, policy=None, player="cnn-ann-plus", rules=RULES):
    numbers = parse_moves(moves, rules.size)
    choice = MoveChoice(numbers[-1], policy=policy, explanation=explanation or {})
    return ChoiceReading(rules, numbers, len(numbers) - 1, choice, find_player_info(player))


def net(shares, **more):
    probabilities = [0.0] * 49
    for text, share in shares.items():
        probabilities[from_text(text, 7)] = share
    return {"probabilities": probabilities, **more}


def recalled(**values):
    labels = [0.0] * 49
    labels[from_text("e4", 7)] = 1.0
    memory = {"nodes": 20, "alpha": 0.5, "node": 12, "distance": 0.0, "count": 3, "labels": labels}
    return {**memory, **values}


def test_a_first_choice_of_a_known_situation():
    reading = read("d4 e4", net({"e4": 0.41, "c4": 0.2}, memory=recalled()))
    assert (reading.view.rank(reading.move), reading.color) == (1, WHITE)
    assert reading.view.occupied_before(reading.move, reading.before) == ()
    assert why(reading) == (
        "White took e4: the network's first choice (41 %). "
        "It has seen this position: node 12, distance 0, 3 records, answer e4."
    )


@pytest.mark.parametrize(
    ("memory", "words"),
    [
        (recalled(distance=0.31, count=1), "much like this: node 12, distance 0.31, 1 record, "),
        (recalled(distance=0.5), "new to it: the nearest it remembers, node 12, is at distance"),
        (recalled(alpha=None, distance=1.0), "This position is new to it"),
        (recalled(alpha=None), "It has seen this position"),
        ({"nodes": 0, "alpha": 0.5}, "Its memory is still empty."),
    ],
)
def test_what_the_memory_knows(memory, words):
    assert words in why(read("d4 e4", net({"e4": 0.4}, memory=memory)))


def test_occupied_points_that_ranked_better_are_told():
    reading = read("d4 e4 c4 b4", net({"d4": 0.5, "c4": 0.3, "b4": 0.1}))
    assert reading.view.rank(reading.move) == 3
    occupied = reading.view.occupied_before(reading.move, reading.before)
    assert list(occupied) == [from_text("d4", 7), from_text("c4", 7)]
    assert why(reading) == "White took b4: the network's first choice of the free points (10 %)."
    assert dict(reading.view.values)["Rank"] == "1 of the free points"


def test_a_line_of_the_population_and_what_it_threatens():
    line = [from_text(text, 7) for text in ("e4", "a7", "f4")]
    said = {"population": [line, line[::-1]], "fitness": [12_345.0, 3.0], "generations": 10}
    reading = read("b4 a1 c4 b1 d4 g1 e4", said, player="genetic")
    assert reading.view.first_moves == {line[0]: 0.5, line[2]: 0.5}
    assert reading.view.line == tuple(line)
    assert why(reading) == (
        "Black took e4: the best of 2 plans after 10 generations (fitness 12,300); "
        "it threatens five at a4 and f4."
    )


@pytest.mark.parametrize(
    ("moves", "deed"),
    [
        ("b4 a1 c4 b1 d4 c1 e4 g7 f4", "it makes 5 in a row and wins"),
        ("b4 a1 c4 b1 d4 c1 e4 f4", "it stops Black's five"),
        ("b4 a1 c4 b1 d4 e4", "it stops Black's open four"),
        ("a1 b4 a3 c4 a5 d4", "it threatens an open four at e4"),
    ],
)
def test_what_a_move_does(moves, deed):
    assert deed in why(read(moves, player="random"))


def test_after_a_win_nothing_threatens():
    assert read("b4 a1 c4 b1 d4 c1 e4 g7 f4").threats_after == ()


@pytest.mark.parametrize(
    ("said", "player", "words"),
    [
        ({}, "random", "White took e4; its player (random) gave no explanation."),
        ({}, "you", "You put White's stone on e4."),
        ({"best": [[25, 1200], [3, 5]]}, "pattern", "the best patterns of all points, score 1,200"),
        ({"is_proven": True, "nodes": 2400}, "oracle", "a proven win, found in 2 400 positions"),
        ({"opening": True}, "genetic", "drawn among the centre points"),
        ({"probabilities": "none", "memory": 3, "population": ()}, "mine", "gave no explanation"),
    ],
)
def test_players_that_explain_less_say_less(said, player, words):
    assert words in why(read("d4 e4", said, player=player))


def test_any_players_policy_is_shown():
    policy = np.zeros(49, np.float32)
    policy[[25, 26]] = 0.25, 0.75
    reading = read("d4 e4", policy=policy, player="mine")
    assert not reading.view.is_any_point_rated
    assert reading.view.rank(reading.move) == 2
    assert "its second choice (25 %)" in why(reading)
    assert read("d4 e4", policy=policy[:9], player="mine").view.shares == ()


TREE = {
    "visits": [[25, 1500], [26, 500]], "means": [0.25, -0.5], "lines": [[25, 32, 18], [26]],
    "iterations": 1800, "kept": 200, "depth": 6,
}  # fmt: skip


def test_a_tree_search_tells_visits_and_lines():
    policy = np.zeros(49, np.float32)
    policy[[25, 26]] = 0.75, 0.25
    reading = read("d4 e4", TREE, policy=policy, player="mcts")
    assert "the move it tried most (75 % of 2 000 random games)" in why(reading)
    guided = read("d4 e4", TREE, policy=policy, player="mcts-nn")
    assert "the move it tried most (75 % of 2 000 games)" in why(guided)
    assert reading.view.values == (
        ("Iterations", "1,800  (200 visits kept)"), ("Depth", "6 moves"),
        ("Most visited: visits, mean result, expected reply", ""),
        ("e4", "1,500 +0.25  then e3 e5"), ("f4", "500 -0.50"),
    )  # fmt: skip
    titles = [board.title for board in reading.view.boards]
    assert titles == ["Visits", "Expected line"]
    assert "its second choice (25 %)" in why(read("d4 f4", TREE, policy=policy, player="mcts"))


@pytest.mark.parametrize("wrong", [{"visits": []}, {"lines": [[25, 49]]}, {"visits": [[77, 5]]}])
def test_a_tree_of_another_board_is_not_drawn(wrong):
    assert read("d4 e4", TREE | wrong, player="mcts").view.values == ()


def test_the_last_move_of_each_side_is_read():
    board = Board.from_moves("d4 e4 c4", RULES)
    players = {BLACK: find_player_info("genetic"), WHITE: find_player_info("cnn-ann")}
    choices = {
        BLACK: (2, MoveChoice(board.moves[2])),
        WHITE: (1, MoveChoice(board.moves[1], explanation=net({"e4": 1.0}))),
    }
    found = read_choices(board, choices, players)
    assert [item.ply for item in latest(found)] == [2, 1]
    assert found[WHITE].view.is_any_point_rated
    board.push(0)
    stale = read_choices(board, choices, players)
    assert stale[WHITE].choice is None, "of another move"
    assert read_choices(None, {}, players) == {}
    opening = read_choices(Board.from_moves("d4", RULES), {}, players)
    assert why(opening[BLACK]) == "Black took d4, drawn among the centre points."


def test_threats_are_listed_for_each_side():
    reading = read("b4 a1 c4 b1 d4 c1 e4 d1")
    assert threat_words(reading) == [
        (BLACK, "Black", "can make five at a4 and f4"),
        (WHITE, "White", "can make five at e1"),
    ]


def node(number, text, weight, distance=3.0, **values):
    labels = [0.0] * 49
    for item in text.split():
        labels[from_text(item, 7)] = 1.0 / len(text.split())
    stones = [0] * 49
    stones[0] = BLACK
    found = {"node": number, "weight": weight, "distance": distance, "count": 2}
    return {**found, "labels": labels, "stones": stones, **values}


def test_the_memory_alone_is_read_as_what_it_is():
    nodes = [node(3, "e4", 0.25), node(7, "c4 c5", 0.75), node(8, "a1", 0.0, labels=[1.0])]
    said = net({"e4": 0.41, "c4": 0.2}, memory={**recalled(alpha=5.0), "recalled": nodes})
    reading = read("d4 e4", said, player="ann")
    at, memory = reading.explained_move, reading.explanation.memory
    found = memory.recalled_on(at)
    assert [item.node for item in found] == [7, 3], "the heaviest first; sound ones"
    shares = {point: share for point, share in enumerate(memory.answer(at)) if share}
    assert shares == {
        from_text("e4", 7): 0.25, from_text("c4", 7): 0.375, from_text("c5", 7): 0.375,
    }  # fmt: skip
    assert why(reading).startswith("White took e4: the memory's first choice (41 %). It has seen")
    board = found[0].board(at)
    assert (board.title, board.note) == ("node 7: 75 %", "at 3: c5, c4")
    assert found[0].board(at, most=1).note == "at 3: c5 …"
    assert [board.title for board in reading.view.boards] == [
        "The memory's answer", "node 7: 75 %", "node 3: 25 %",
    ]  # fmt: skip
    assert reading.view.intro == reading.player.description


def test_a_network_that_sends_its_memory_along_stays_a_network():
    memory = {**recalled(), "recalled": [node(3, "e4", 1.0)]}
    reading = read("d4 e4", net({"e4": 0.41}, memory=memory))
    assert [board.title for board in reading.view.boards] == ["Probabilities"]
    assert "the network's first choice" in why(reading)


def test_an_empty_memory_says_that_there_is_nothing_to_play_by():
    said = net({"a1": 0.5}, memory={"nodes": 0, "alpha": 5.0})
    reading = read("d4 a1", said, player="ann")
    assert why(reading) == ("White took a1, the first free point: it remembers nothing to play by.")
    assert [board.title for board in reading.view.boards] == ["The memory's answer"]
    assert dict(reading.view.values)["Memory"] == "empty: White has not lost yet"


def test_players_have_titles_for_people():
    assert get_player_info("ann").short_name == "Memory alone (ANN)"
    assert get_player_info("cnn-ann").short_name == "cnn-ann"
    assert get_player_info("ann").title == "memory alone (ANN)"
    assert find_player_info("nobody").title == "nobody"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"field_values": [float(point) for point in range(49)]},
         "White took e4: the highest value of its field, 25"),
        ({"root_scores": [[25, 20.0], [3, -80_020.5]], "nodes": 1335, "finished": 2},
         "White took e4: the best of 2 points, score 20, in 1 335 positions"),
        ({"forced_by": "five", "forced_points": [25]},
         "White took e4 by its default policy, without a search"),
    ],
)  # fmt: skip
def test_scores_and_forced_moves_are_said(said, words):
    policy = np.zeros(49, np.float32)
    policy[25] = 1.0
    assert why(read("d4 e4", said, player="mine", policy=policy)).startswith(words)


def test_scored_points_are_coloured_by_what_tells_them_apart():
    field = read("d4 e4", {"field_values": [14.0] * 20 + [18_414.0] * 29}, player="mine")
    assert 24 not in field.view.scores  # occupied
    assert (field.view.score_parts[0], field.view.score_parts[48]) == (0.0, 1.0)
    roots = read("d4 e4", {"root_scores": [[25, 20.0], [3, 10.0], [4, -80_020.0]]}, player="mine")
    assert roots.view.score_parts[25] == 1.0
    assert roots.view.score_parts[3] > 0.7
    assert roots.view.score_parts[4] == 0.0
    assert read("d4 e4", {"field_values": [1.0] * 9}, player="mine").view.scores == {}


LOOKED_AHEAD = {
    "scores": [[from_text("e4", 7), 120], [from_text("c4", 7), -999_990]],
    "nodes": 300,
    "depth": 6,
    "principal_variation": [from_text("e4", 7), from_text("e5", 7)],
}


def test_a_look_ahead_is_told_with_its_depth_line_and_scores():
    reading = read("d4 e4", LOOKED_AHEAD, player="alpha-beta")
    assert why(reading) == "White took e4: the best move 6 moves ahead, in 300 positions."
    assert dict(reading.view.values) == {
        "Depth": "6 moves",
        "Positions": "300",
        "Expects": "e4 e5",
        "Best moves": "e4 120  c4 lost",
    }
    won = read("d4 e4", LOOKED_AHEAD | {"scores": [[from_text("e4", 7), 999_993]]})
    assert dict(won.view.values)["Best moves"] == "e4 won"
    for broken in ({"scores": [[99, 1]]}, {"principal_variation": [50]}, {"scores": []}):
        assert read("d4 e4", LOOKED_AHEAD | broken).view.values == ()


def test_a_side_begins_with_a_gap_a_line_and_its_heading():
    """Said of a person's move, with tools that note what is drawn."""
    drawn = []
    imgui = SimpleNamespace(
        ImVec2=lambda *size: size,
        dummy=lambda size: drawn.append(("gap", size)),
        separator=lambda: drawn.append("line"),
    )
    ui = SimpleNamespace(imgui=imgui, heading=drawn.append, muted_text=drawn.append)
    panel = SimpleNamespace(match=SimpleNamespace(is_other_shown=False))
    reading = SimpleNamespace(
        side="Black", player=SimpleNamespace(short_name="you", name="you"), choice=None, view=None
    )
    Insight._draw_side(panel, ui, reading)
    assert drawn == [
        ("gap", (0, 2)), "line", "Black  ·  you", "No explanation: a person played this move.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("former", "given", "words"),
    [("percent", 0.41, "41 %"), ("short", 12_000.0, "12,000"), ("join", "ab", "a and b")],
)
def test_a_function_that_moved_goes_on_working_with_one_line(former, given, words, caplog):
    vars(choice_words).pop(former, None)
    assert getattr(choice_words, former)(given) == words
    assert getattr(choice_words, former)(given) == words
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(f"choice_words.{former} is now ai.")
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        _ = choice_words.other
