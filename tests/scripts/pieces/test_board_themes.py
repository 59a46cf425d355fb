"""Themes of boards: what is told apart, in numbers; wood looks as it always did."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest

from scripts.gomoku.board.board_painter import position_picture
from scripts.gomoku.board.view_state import ViewState
from scripts.pieces.board_picture import BoardLook, paint_board
from scripts.pieces.board_themes import (
    BLACK,
    COORDINATES,
    HIGH_CONTRAST,
    PAPER,
    SLATE,
    THEMES,
    WHITE,
    contrast,
    luminance,
    shares_of,
    theme_named,
)
from scripts.pieces.goban import MARGIN
from scripts.pieces.stones import LOOKS, ring
from sim.render.materials import textures
from tests.scripts.gomoku.board.test_color_scale import without_red
from tests.shipped import shipped_models

DIGESTS = ["04047305f18f03b6", "f70154232ac7a75c", "4e7be51727901e58"]
NAMES = {BLACK: "black", WHITE: "white"}
SURFACED = [theme for theme in THEMES.values() if theme.surface is not None]


@pytest.mark.parametrize("theme", SURFACED, ids=lambda theme: theme.name)
def test_lines_and_coordinates_stand_out_from_the_board(theme):
    surface = shares_of(theme.surface)
    for ink in (theme.lines, theme.letters):
        assert contrast(surface, shares_of(ink)) >= 4.5


def test_in_high_contrast_also_grain_and_light_leave_them_readable():
    picture = paint_board(textures, BoardLook(9, 9, theme=HIGH_CONTRAST), MARGIN) / 255.0
    step = 1024 / (8 + 2 * MARGIN)
    at = lambda x, y: tuple(picture[round((y + MARGIN) * step), round((x + MARGIN) * step)][::-1])  # noqa: E731
    assert contrast(at(3.5, 3.5), at(3.0, 3.5)) >= 4.5
    assert contrast(at(3.5, 3.5), at(3.5, 3.0)) >= 4.5
    digit = picture[
        round((MARGIN - 0.2) * step) : round((MARGIN + 0.2) * step), : round(0.5 * step)
    ]
    darkest = tuple(digit.reshape(-1, 3)[digit.sum(axis=2).argmin()][::-1])
    assert contrast(at(3.5, 3.5), darkest) >= 4.5


@pytest.mark.parametrize("see", [lambda color: color, without_red], ids=["all", "no red"])
@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_stones_differ_in_lightness_from_each_other_and_they_or_their_rings_from_the_board(
    theme, see
):
    looks = {color: LOOKS[theme.stone(color).color or NAMES[color]].color for color in NAMES}
    black, white = (see(looks[color]) for color in (BLACK, WHITE))
    assert contrast(black, white) >= 9.0
    if theme.surface is None:
        return
    surface = see(shares_of(theme.surface))
    for color, stone in looks.items():
        edge = theme.stone(color).edge
        outlines = [see(stone), *([] if edge is None else [see(shares_of(edge))])]
        assert max(contrast(surface, outline) for outline in outlines) >= 3.0, color


@pytest.mark.parametrize("see", [lambda color: color, without_red], ids=["all", "no red"])
def test_in_high_contrast_marks_stand_out_from_what_they_lie_on(see):
    theme = HIGH_CONTRAST
    stones = [see(LOOKS[theme.stone(color).color].color) for color in NAMES]
    for mark in (theme.last, theme.line):
        assert contrast(see(mark), stones[1]) >= 4.5, "on a white stone"
        assert luminance(see(mark)) > luminance(stones[0])
    assert contrast(see(theme.hint), see(shares_of(theme.surface))) >= 3.0


def test_themes_differ_and_an_unknown_one_is_refused_in_one_line():
    assert [theme.title for theme in THEMES.values()] == ["Wood", "Slate", "Paper", "High contrast"]
    for one, other in itertools.combinations(SURFACED, 2):
        assert abs(luminance(shares_of(one.surface)) - luminance(shares_of(other.surface))) > 0.03
    with pytest.raises(
        ValueError, match="theme: expected one of wood, slate, paper, high-contrast, found 'pink'"
    ):
        theme_named("pink")
    goban = shipped_models().kind("goban")
    for wrong in ({"theme": "pink"}, {"coordinates": "north"}, {"rows": -1}):
        with pytest.raises(ValueError, match="expected "):
            goban.made(wrong)
    with pytest.raises(ValueError, match="edge: expected red, green and blue"):
        shipped_models().kind("stone").made({"edge": [2, 0, 0]})


def test_wood_is_painted_as_before_there_were_themes():
    """The digests are those of the pictures before: of a board, and of one with cells."""
    digests = [
        hashlib.sha256(paint_board(textures, look, MARGIN).tobytes()).hexdigest()[:16]
        for look in (BoardLook(7, 7), BoardLook(3, 3, cells=True), BoardLook(15, 15, "off"))
    ]
    assert digests == DIGESTS


def test_a_board_that_is_not_square_has_its_picture_and_its_block():
    goban = shipped_models().kind("goban")
    points = goban.made({"size": 9, "rows": 5}).points
    assert np.ptp(points, axis=0) == pytest.approx([9.9, 5.9, 0.62])
    picture = paint_board(textures, BoardLook(9, 5, theme=PAPER), MARGIN)
    assert picture.shape[:2] == (round(1024 * 5.9 / 9.9), 1024)
    assert np.ptp(goban.made({"size": 9}).points, axis=0) == pytest.approx([9.9, 9.9, 0.62])


def test_coordinates_stand_where_they_are_wanted():
    bare, two, four = (
        paint_board(textures, BoardLook(7, 7, place, theme=SLATE), MARGIN).astype(int)
        for place in COORDINATES
    )
    edge = round(1024 * 0.6 / 8.9)
    inked = [np.abs(picture - bare).max(axis=2) > 60 for picture in (two, four)]
    sides = [
        [part.any() for part in (ink[:edge], ink[-edge:], ink[:, :edge], ink[:, -edge:])]
        for ink in inked
    ]
    assert sides == [[False, True, True, False], [True] * 4]


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_a_picture_of_a_position_shows_its_stones_its_board_and_its_coordinates(theme):
    stones = [0] * 45
    stones[22], stones[23] = BLACK, WHITE
    state = ViewState(9, 5, tuple(stones), (22, 23))
    picture = position_picture(state, theme, "two sides")
    assert picture.shape == (round(1024 * 5.9 / 9.9), 1024, 3)
    step = 1024 / 9.9
    at = lambda point: picture[  # noqa: E731
        round((point // 9 + MARGIN + 0.3) * step), round((point % 9 + MARGIN) * step)
    ].astype(int)
    assert at(22).mean() < 90 < 150 < at(23).mean()
    empty = position_picture(ViewState.empty(9, 5), theme, "off")
    assert np.array_equal(picture[5:20, -20:-5], empty[5:20, -20:-5])


def test_a_ring_lies_around_the_widest_part_of_a_stone():
    assert ring(None) == []
    (part,) = ring((1.0, 0.0, 0.0))
    across = np.hypot(*part.mesh.points[:, :2].T)
    assert across.max() == pytest.approx(0.477, abs=0.001)
    assert across.min() > 0.38
    assert part.look.color == (1.0, 0.0, 0.0)
