"""What is painted for each overlay, and where it keeps to."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest

from ai import BLACK, WHITE, ExplanationView, MoveChoice, Rules, find_player_info, from_text
from ai.game import parse_moves
from scripts.gomoku.board.overlay_picture import PIXELS, OverlayPicture
from scripts.gomoku.explain.choice_reading import ChoiceReading
from scripts.gomoku.explain.overlays import Marks, Shown

RULES = Rules(7, 5)
NAMES = [item.name for item in fields(Shown)]


def point(text):
    return from_text(text, 7)


def readings(distance=0.1):
    """White's answer b4, whose best points d4 and c4 are occupied, and Black's line from e5."""
    moves = parse_moves("d4 e4 c4 b4 e5", 7)
    probabilities = [0.0] * 49
    for text, share in (("d4", 0.5), ("c4", 0.3), ("b4", 0.15), ("f2", 0.05)):
        probabilities[point(text)] = share
    labels = [0.0] * 49
    labels[point("g7")] = 1.0
    memory = {"nodes": 2, "alpha": 0.5, "node": 1, "distance": distance, "labels": labels}
    answer = MoveChoice(moves[3], explanation={"probabilities": probabilities, "memory": memory})
    line = [point(text) for text in ("e5", "f6", "c3")]
    other = [point(text) for text in ("a1", "f6", "c3")]
    evolved = MoveChoice(moves[4], explanation={"population": [line, line, other, other]})
    return (
        ChoiceReading(RULES, moves, 3, answer, find_player_info("cnn-ann")),
        ChoiceReading(RULES, moves, 4, evolved, find_player_info("genetic")),
    )


def marks(*names):
    choice, lines = readings()
    shown = Shown(**dict.fromkeys(names, True))
    return Marks(shown, lines.after, choice=choice, lines=lines, threats=lines.threats_after)


def painted(picture):
    """Return the points around which something is painted."""
    step = PIXELS / picture.size
    found = set()
    for number in range(picture.size**2):
        row, col = divmod(number, picture.size)
        rows = slice(int((row + 0.1) * step), int((row + 0.9) * step))
        if picture.pixels[rows, int((col + 0.1) * step) : int((col + 0.9) * step), 3].any():
            found.add(number)
    return found


def test_nothing_on_paints_nothing():
    drawn = marks()
    assert drawn.ground.is_empty
    assert drawn.top.is_empty
    assert drawn.ghosts == drawn.columns == []


def test_the_heat_map_has_a_plate_for_each_share():
    drawn = marks("heat_map")
    assert painted(drawn.ground) == {point(text) for text in ("d4", "c4", "b4", "f2")}
    assert painted(drawn.top) == {point(text) for text in ("d4", "c4", "b4")}, "those on stones"


def test_columns_are_as_high_as_their_shares():
    columns = {item.point: item for item in marks("columns").columns}
    assert set(columns) == {point(text) for text in ("d4", "c4", "b4", "f2")}
    tall, low = columns[point("d4")], columns[point("b4")]
    assert tall.height / low.height == pytest.approx(0.5 / 0.15)
    assert (tall.base, columns[point("f2")].base) == (0.3, 0.0)


def test_ranks_number_the_points_and_cross_out_the_occupied_ones():
    drawn = marks("ranks")
    assert painted(drawn.top) == {point(text) for text in ("d4", "c4", "b4")}
    assert painted(drawn.ground) == {point("f2")}
    step = PIXELS // 7
    row, col = divmod(point("d4"), 7)
    stone = drawn.top.pixels[row * step : (row + 1) * step, col * step : (col + 1) * step]
    reds = (stone[..., 2] > 180) & (stone[..., 1] < 90) & (stone[..., 3] > 200)
    assert reds.sum() > 0.01 * step**2, "a red cross"


def test_every_better_point_is_crossed_out_however_small_its_share():
    moves = parse_moves("d4 e4 c4 b4", 7)
    probabilities = [0.0] * 49
    for text, share in (("d4", 0.99), ("c4", 0.00002), ("b4", 0.00001)):
        probabilities[point(text)] = share
    answer = MoveChoice(moves[3], explanation={"probabilities": probabilities})
    reading = ChoiceReading(RULES, moves, 3, answer, find_player_info("cnn-ann"))
    drawn = Marks(Shown(ranks=True), reading.after, choice=reading, lines=None)
    assert painted(drawn.top) == {point(text) for text in ("d4", "c4", "b4")}
    assert drawn.ground.is_empty


def test_the_population_is_ghosts_and_the_best_line_is_numbered():
    drawn = marks("population")
    ghosts = {item.point: item for item in drawn.ghosts}
    assert set(ghosts) == {point(text) for text in ("f6", "c3", "a1")}, "e5 holds a stone"
    assert [ghosts[point(text)].color for text in ("f6", "c3", "a1")] == [WHITE, BLACK, BLACK]
    assert ghosts[point("a1")].opacity == pytest.approx(0.18 + 0.6 * 0.5)
    assert painted(drawn.top) == {point(text) for text in ("e5", "f6", "c3")}


def test_threats_are_ringed_and_their_stones_banded():
    moves = parse_moves("b4 a1 c4 b1 d4 c1 e4", 7)
    reading = ChoiceReading(RULES, moves, 6, MoveChoice(moves[6]), find_player_info("pattern"))
    drawn = Marks(
        Shown(threats=True), reading.after, choice=None, lines=None, threats=reading.threats_after
    )
    assert painted(drawn.ground) == {point(text) for text in ("a4", "f4")}
    assert painted(drawn.top) == {point(text) for text in ("b4", "c4", "d4", "e4")}


def test_a_remembered_answer_is_marked_only_where_the_situation_matched():
    assert point("g7") in painted(marks("threats").ground)
    choice, lines = readings(distance=0.7)
    shown = Shown(threats=True)
    far = Marks(shown, lines.after, choice=choice, lines=lines, threats=())
    assert far.ground.is_empty


def test_all_at_once_keep_to_their_places():
    drawn = marks(*NAMES)
    assert all(item.offset != (0.0, 0.0) and item.radius < 0.15 for item in drawn.columns)
    ghosts = {item.point for item in drawn.ghosts}
    assert len(ghosts) == len(drawn.ghosts), "one stone on a point"


def test_a_clear_pixel_beside_a_shape_has_its_colour():
    picture = OverlayPicture(7)
    picture.disc(24, 0.3, (1.0, 0.5, 0.0))
    alpha = picture.pixels[..., 3]
    edge = (alpha > 0) & (alpha < 255)
    assert edge.any()
    assert np.ptp(picture.pixels[edge][:, :3].astype(int), axis=0).max() <= 2, "no dark fringe"
    middle = picture.pixels[PIXELS // 2, PIXELS // 2]
    assert middle.tolist() == [0, 128, 255, 255]


@pytest.mark.parametrize("number", [0, 6, 42, 48])
def test_marks_at_the_edge_stay_inside(number):
    picture = OverlayPicture(7)
    picture.badge(number, "49", 0.4, (0.1, 0.1, 0.1), at=(0.4, -0.4), edge=(1.0, 1.0, 1.0))
    picture.stroke((number, 0.0, 0.0), (number, -0.9, 0.9), 0.2, (1.0, 0.0, 0.0))
    picture.plate(number, 0.9, (0.2, 0.2, 0.9), 0.5)
    assert number in painted(picture)


def test_the_memory_alone_marks_what_its_nodes_say_however_far_they_are():
    moves = parse_moves("d4 e4", 7)
    nodes = []
    for weight, text in ((0.9, "g7"), (0.09, "b2"), (0.01, "c1")):
        labels = [0.0] * 49
        labels[point(text)] = 1.0
        nodes.append({"node": 1, "weight": weight, "distance": 30.0, "labels": labels})
    memory = {"nodes": 3, "alpha": 5.0, "distance": 30.0, "recalled": nodes,
              "labels": nodes[0]["labels"]}  # fmt: skip
    answer = MoveChoice(moves[1], explanation={"probabilities": [1 / 49] * 49, "memory": memory})
    for player, expected in (("ann", {"g7", "b2"}), ("cnn-ann", set())):
        reading = ChoiceReading(RULES, moves, 1, answer, find_player_info(player))
        drawn = Marks(Shown(threats=True), reading.after, choice=reading, lines=None)
        assert painted(drawn.ground) == {point(text) for text in expected}, player


def test_a_value_field_covers_every_vacant_point():
    moves = parse_moves("d4 e4", 7)
    values = [0.0 if point in moves else 14.0 + 100.0 * point for point in range(49)]
    policy = np.zeros(49, np.float32)
    policy[48] = 1.0
    said = {"field_values": values}
    choice = MoveChoice(moves[1], policy=policy, explanation=said)
    reading = ChoiceReading(RULES, moves, 1, choice, find_player_info("convolution"))
    marks = Marks(Shown(heat_map=True), reading.after, choice=reading, lines=None)
    step = marks.ground.step
    for point in range(49):
        row, col = (int((part + 0.5) * step) for part in divmod(point, 7))
        assert bool(marks.ground.pixels[row, col - int(0.2 * step), 3]) == (point != moves[0])


@pytest.mark.parametrize(("rank", "numbers"), [(6, "123456"), (2, "12345"), (None, "12345")])
def test_points_are_numbered_down_to_the_one_that_was_taken(rank, numbers):
    written = []
    canvas = SimpleNamespace(badge=lambda point, text, *more, **options: written.append(text))
    view = ExplanationView(ranking=tuple(range(10)), shares=(0.1,) * 49)
    choice = SimpleNamespace(view=view, move=48 if rank is None else rank - 1, before=[0] * 49)
    painted = SimpleNamespace(
        shown=SimpleNamespace(count=1), zoom=1.0, top=canvas, ground=canvas, stones=[0] * 49
    )
    Marks._add_ranks(painted, choice)
    assert "".join(written) == numbers
