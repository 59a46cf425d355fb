"""People see why moves were made: the panel's sentences and the overlays on the board."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest

from ai import find_threats
from scripts.gomoku.explain.overlays import KINDS
from sim.app.app import run
from sim.testing import Pilot, run_options

KEYS = {str(number): name for number, (name, _) in enumerate(KINDS, start=1)}
BLACK, WHITE = 1, -1
SMALL = (800, 500)


def overlay_objects(pilot):
    return [item for item in pilot.app.scene.objects.values() if item.name == "Overlay"]


def shown_objects(pilot):
    return [item for item in overlay_objects(pilot) if item.is_shown and item.model]


def board_of(pilot):
    """Return the scene's part of the picture, without what stands over it."""
    pilot.app.shell.overlays._opened = -1e9  # the legend of the first seconds is over
    pilot.picture()  # the panels tell the view what they leave free, and it is fitted into that
    rig = pilot.app.view.camera
    pilot.wait_until(lambda: rig._covered_goal == (rig.covered, rig.covered_above))
    left, top, width, height = pilot.app.shell.viewport
    return pilot.picture()[top + 70 : top + height, left : left + width].astype(int)


def changed_pixels(before, after):
    return int((np.abs(before - after).max(axis=-1) > 24).sum())


def threatens(board):
    return bool(find_threats(board.stones, board.rules))


def pause_at(pilot, ply, is_wanted=lambda board: True):
    """Pause in the first position from `ply` on that is as wanted."""
    match = pilot.component("Match")
    pilot.component("BoardView").drop_seconds = 0.0
    pilot.wait_until(lambda: match.current is not None and match.current.ply >= ply
                     and is_wanted(match.current))  # fmt: skip
    pilot.press("space")
    pilot.app.shell._opened = -1e9  # the legend of the first seconds is gone
    pilot.step(3)
    return match


def test_the_last_moves_of_both_sides_are_explained():
    with Pilot(seed=1, speed=8.0, window=SMALL, quality="low") as pilot:
        insight = pilot.component("Insight")
        assert insight.sentences() == {}
        pause_at(pilot, 5)
        sentences = insight.sentences()
        assert sentences[WHITE].startswith("White took ")
        assert "the network's " in sentences[WHITE]
        assert sentences[WHITE].endswith("Its memory is still empty.")
        assert "Black took " in sentences[BLACK]
        assert "the best of 10 plans after " in sentences[BLACK]
        pilot.picture()
        assert pilot.app.host.error_count == 0


def test_each_key_shows_its_overlay_and_takes_it_away_again():
    with Pilot(seed=1, speed=8.0, window=SMALL, quality="low") as pilot:
        pause_at(pilot, 7, threatens)
        overlays, commands = pilot.component("Overlays"), pilot.app.host.panels.commands
        bare = board_of(pilot)
        assert overlay_objects(pilot) == []
        seen = []
        for key, name in KEYS.items():
            command = next(item for item in commands if item.key == key)
            assert not command.checked()
            pilot.press(key)
            assert command.checked()
            assert shown_objects(pilot), name
            seen.append(board_of(pilot))
            assert changed_pixels(bare, seen[-1]) > (0 if name == "threats" else 200), name
            pilot.press(key)
            assert shown_objects(pilot) == [], name
            assert changed_pixels(bare, board_of(pilot)) < 50, name
        assert overlays.drawings == len(KEYS)
        assert all(changed_pixels(one, other) for one, other in itertools.pairwise(seen))
        assert pilot.app.host.error_count == 0


def test_overlays_are_drawn_once_for_a_position_and_go_with_the_game():
    with Pilot(seed=1, speed=64.0, player_white="random", window=SMALL, quality="low") as pilot:
        match, overlays = pilot.component("Match"), pilot.component("Overlays")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 4)
        assert overlays.drawings == 0, "nothing is drawn while all are off"
        for key in KEYS:
            pilot.press(key)
        pilot.step(5)
        game, before = match.game, (match.current.ply, overlays.drawings)
        pilot.wait_until(lambda: not match.is_playing or match.game > game)
        pilot.wait_until(lambda: match.current.ply <= 1 and match.game > game)
        placed = match.records[-1].moves
        extra = match.current.ply
        assert overlays.drawings - before[1] <= len(placed) - before[0] + extra
        drawn = overlays.drawings
        pilot.press("space")
        pilot.step(30)
        assert overlays.drawings == drawn
        overlays.begin(match.game)
        pilot.step(2)
        assert shown_objects(pilot) == []
        assert pilot.app.host.error_count == 0


def test_unseen_games_draw_nothing():
    with Pilot(speed=64.0, player_white="random", window=SMALL, quality="low") as pilot:
        match, overlays = pilot.component("Match"), pilot.component("Overlays")
        pilot.wait_until(lambda: match.current is not None)
        match.show_every = 1000
        for key in KEYS:
            pilot.press(key)
        pilot.press("f")
        pilot.wait_until(lambda: not match.is_shown and match.current.ply > 2)
        drawings, game = overlays.drawings, match.game
        assert shown_objects(pilot) == []
        pilot.wait_until(lambda: match.game > game + 2)
        assert not match.is_shown
        assert overlays.drawings == drawings
        assert shown_objects(pilot) == []
        pilot.picture()
        assert pilot.app.host.error_count == 0


@pytest.mark.nightly
def test_moves_are_the_same_with_and_without_overlays(tmp_path):
    options = {"seed": 5, "player_white": "pattern"}
    path = tmp_path / "a.json"
    assert run(run_options(headless=True, games=2, stats=path, **options)) == 0
    with Pilot(**options) as pilot:
        match = pilot.component("Match")
        for key in KEYS:
            pilot.press(key)
        pilot.wait_until(lambda: match.played >= 2)
        moves = [list(record.moves) for record in match.records[:2]]
        assert pilot.component("Overlays").drawings > 0
    assert f'"moves": {moves}'.replace(" ", "") in path.read_text().replace(" ", "").replace(
        "\n", ""
    )


@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("random", "its player (random) gave no explanation"),
        ("oracle", "White took "),
        # the sentences alone are shown by day in tests/scripts/gomoku/explain
        pytest.param("pattern", "the best patterns of all points", marks=pytest.mark.nightly),
        pytest.param("genetic", "the best of ", marks=pytest.mark.nightly),
        pytest.param("convolution", "the highest value of its field", marks=pytest.mark.nightly),
        pytest.param("minimax-q", "White took ", marks=pytest.mark.nightly),
    ],
)
def test_any_player_can_be_looked_at(player, words):
    with Pilot(seed=2, speed=8.0, player_white=player, window=SMALL, quality="low") as pilot:
        pause_at(pilot, 6)
        assert words in pilot.component("Insight").sentences()[WHITE]
        for key in KEYS:
            pilot.press(key)
        pilot.step(5)
        pilot.picture()
        assert pilot.component("Overlays").drawings == len(KEYS)
        assert pilot.app.host.error_count == 0


def test_a_person_moves_and_the_overlays_go_on():
    with Pilot(speed=64.0, player_black="random", window=SMALL, quality="low") as pilot:
        match, board = pilot.component("Match"), pilot.component("BoardView")
        insight = pilot.component("Insight")
        for key in KEYS:
            pilot.press(key)
        pilot.press("w")
        pilot.wait_until(lambda: match.white._legal)
        move = min(match.white._legal)
        pilot.click_at(board.position_of(move))
        pilot.wait_until(lambda: match.current.ply >= 2)
        assert insight.sentences()[WHITE].startswith("You put White's stone on a7")
        assert pilot.app.host.error_count == 0


def test_the_large_board_has_the_same():
    scene = "scenes/gomoku_15.scene.json"
    with Pilot(scene=scene, seed=1, speed=8.0, window=SMALL, quality="low") as pilot:
        pause_at(pilot, 6)
        bare = board_of(pilot)
        for key in KEYS:
            pilot.press(key)
        assert changed_pixels(bare, board_of(pilot)) > 200
        assert "the best of 50 plans" in pilot.component("Insight").sentences()[WHITE]
        assert pilot.app.host.error_count == 0


def test_an_overlay_without_anything_to_show_says_why():
    said = []
    with Pilot(seed=1, window=(900, 600), quality="low", player_white="pattern",
               player_black="pattern") as pilot:  # fmt: skip
        match, insight = pilot.component("Match"), pilot.component("Insight")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 2)
        pilot.app.clock.pause()
        ui = pilot.app.shell.ui
        plain = type(ui).muted_text
        pilot.app.shell.panel_windows.open_front("Insight")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(ui), "muted_text",
                          lambda self, text: (said.append(text), plain(self, text)))  # fmt: skip
            insight.overlays.toggle("heat_map")
            insight.overlays.toggle("population")
            insight.overlays.toggle("threats")
            pilot.draw_panels(9)
    assert "Heat map: nothing to show on the board: these players do not rate points" in said
    assert any(text.startswith("Evolution: nothing") for text in said)
    assert any(text.startswith("5 five") for text in said)


def test_the_memory_alone_shows_the_nodes_that_it_recalls(monkeypatch):
    with Pilot(seed=1, window=(1280, 720), quality="low", player_white="ann", speed=64.0) as pilot:
        match, insight = pilot.component("Match"), pilot.component("Insight")
        coach = pilot.component("LearnerClient")
        match.toggle_fast()
        match.show_every = 1000
        pilot.wait_until(lambda: coach.statistics.get("nodes", 0) >= 4)
        match.toggle_fast()
        begun = match.game  # without these nodes; it is shown from here on
        pilot.wait_until(lambda: match.game > begun and len(match.last_choices) == 2)
        pilot.app.clock.pause()
        pilot.step(2)
        assert "the memory's" in insight.sentences()[WHITE]
        white = insight._readings[WHITE]
        memory, at = white.explanation.memory, white.explained_move
        recalled = memory.recalled_on(at)
        assert 1 <= len(recalled) <= 4
        assert memory.alpha == 5.0
        assert sum(item.weight for item in recalled) <= 1.0 + 1e-6
        boards = insight._boards[WHITE]
        assert [board.title for board, _ in boards] == [
            "The memory's answer", *(item.board(at).title for item in recalled)
        ]  # fmt: skip
        drawn = []
        monkeypatch.setattr(
            sys.modules[type(insight).__module__], "draw_board",
            lambda ui, board, width: drawn.append(board),
        )  # fmt: skip
        pilot.app.shell.panel_windows.open_front("Insight")
        pilot.draw_panels(3)
        for _, board in boards:
            assert any(item is board for item in drawn)
        overlays = pilot.component("Overlays")
        overlays.toggle("threats")
        assert shown_objects(pilot), "its answer is marked, however far the nodes are"
        assert pilot.app.host.error_count == 0
