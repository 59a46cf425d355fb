"""The example project of docs/other_games.md: Othello in the 3D scene. No sleeps."""

from __future__ import annotations

import os

import cv2
import numpy as np
import pytest

from ai import PASS, get_game
from base.files import SHIPPED_ROOT
from scripts.gomoku.board.view_state import ViewState
from sim.testing import Pilot

pytestmark = pytest.mark.usefixtures("project_scripts")

PROJECT = SHIPPED_ROOT / "docs" / "projects" / "othello"
SCENE = PROJECT / "scenes" / "othello.scene.json"
MOST_LINES = 200


def colors_on(board):
    """Return the color of each point, by what its disc looks like."""
    shown = [0] * (board.size * board.rows)
    for point, disc in board.stones.items():
        assert disc.is_alive
        color = board.colors[point]
        assert disc.material["color"] == board.pieces[color]["material"]["color"]
        shown[point] = color
    return shown


def play_out(pilot, match, board, color):
    """Let a person click the last point of those that can be played, to the end of the game."""
    seat = match.black if color == 1 else match.white
    game, clicks = match.game, 0
    while True:
        pilot.wait_until(lambda: seat._legal or match.records)
        if match.records:
            return clicks
        assert PASS not in seat._legal, "who must pass is not asked"
        assert colors_on(board) == match.current.stones
        ply, point = match.current.ply, max(seat._legal)
        refused = min(set(range(36)) - seat._legal)
        board.clicked.emit(refused)
        is_free = not match.current.stones[refused]
        said = "cannot be played now" if is_free else "is occupied"
        assert pilot.component("HumanControls").notice.endswith(said)
        board.clicked.emit(point)
        pilot.wait_until(lambda: match.current.ply > ply or match.records)  # noqa: B023
        assert match.game == game
        clicks += 1


def test_the_whole_project_is_short():
    files = [path for path in PROJECT.rglob("*") if path.suffix in (".py", ".toml", ".json")]
    assert sum(len(path.read_text("utf-8").splitlines()) for path in files) <= MOST_LINES


def learnt():
    """Play two games and return their moves and what the network then held."""
    with Pilot(scene=SCENE, graphics=False, seed=2, games=2) as pilot:
        match, client = pilot.component("Match"), pilot.component("LearnerClient")
        pilot.wait_until(lambda: match.played == 2 and not client.is_training, frames=100_000)
        assert all(record.rules == match.rules for record in match.records)
        assert any(record.winner == 1 for record in match.records)
        assert client.retrains >= 1
        assert client.held
        assert min(client.held) >= 0.9, "it holds what it was taught"
        assert pilot.app.host.error_count == 0
        return [record.moves for record in match.records], client.held


def test_white_plays_loses_and_learns():
    learnt()


@pytest.mark.nightly
def test_white_learns_the_same_for_the_same_seed():
    assert learnt() == learnt()


def test_a_person_plays_passes_takes_back_and_looks_at_the_game_again():
    with Pilot(
        scene=SCENE, graphics=False, seed=1,
        player_white="human", player_black="random",
    ) as pilot:  # fmt: skip
        match, board = pilot.component("Match"), pilot.component("OthelloBoard")
        pilot.wait_until(lambda: match.white._legal)
        before = (list(match.current.moves), list(match.current.stones))
        board.clicked.emit(max(match.white._legal))
        pilot.wait_until(lambda: match.current.ply > 2 and match.white._legal)
        assert match.take_back()
        pilot.wait_until(lambda: match.current.ply == 1 and match.white._legal)
        assert (match.current.moves, match.current.stones) == before
        assert colors_on(board) == before[1]

        assert play_out(pilot, match, board, -1) > 5
        record = match.records[0]
        assert record.termination == "score"
        viewer = pilot.component("GameViewer")
        viewer.open(pilot.component("Archive").record(pilot.component("Archive").run_id, 1))
        assert viewer.record == record
        for ply in (0, 5, len(record.moves), 3):
            viewer.go_to(ply)
            assert colors_on(board) == record.rules.stones_after(record.moves[:ply]).tolist()
        assert pilot.app.host.error_count == 0


def test_passes_are_played_by_themselves_and_shown():
    with Pilot(
        scene=SCENE, graphics=False, seed=1,
        player_white="random", player_black="random",
    ) as pilot:  # fmt: skip
        match = pilot.component("Match")
        said = []
        tell = match.status_line._tell
        match.status_line._tell = lambda text, **more: (said.append(text), tell(text, **more))
        pilot.wait_until(
            lambda: any(PASS in record.moves for record in match.records), frames=40_000
        )
        assert any(text.endswith("passes") for text in said)
        assert pilot.app.host.error_count == 0


def test_a_player_of_rows_says_that_it_does_not_play_this_game():
    with Pilot(scene=SCENE, graphics=False, seed=1, player_black="genetic") as pilot:
        lines = pilot.app.host.console.records
        pilot.wait_until(lambda: any("genetic: expected an m,n,k game" in r.text for r in lines))


def test_discs_turn_over_in_the_picture():
    with Pilot(
        scene=SCENE, seed=1, speed=1.0, panels=False,
        player_white="human", player_black="random",
    ) as pilot:  # fmt: skip
        pilot.app.clock.frame_step = 1 / 30
        match, board = pilot.component("Match"), pilot.component("OthelloBoard")
        pilot.wait_until(lambda: match.white._legal, frames=2000)
        stones = np.array(match.current.stones)
        point = max(match.white._legal)
        after = np.array(get_game("othello", PROJECT).rules.apply(stones, point, -1))
        turned = [one for one in np.flatnonzero(stones != after).tolist() if one != point]
        place = board.object.transform.to_world(board.position_of(point))
        pilot.click_at(place)
        pilot.wait_until(lambda: point in board.stones)
        heights = []
        while board.colors[turned[0]] != -1:
            pilot.step()
            heights.append(board.stones[turned[0]].transform.position[2])
        assert max(heights) > 0.3, "it is lifted"
        assert np.hypot(*board.stones[turned[0]].transform.rotation[1:]) > 30.0
        picture = pilot.picture()
        assert picture.std() > 10.0
        board.show(ViewState.of(match.current))
        rotations = [stone.transform.rotation[1:] for stone in board.stones.values()]
        assert np.abs(rotations).max() < 5.0, "a position that is shown at once lies flat"
        if folder := os.environ.get("GOISHI_PICTURES"):
            cv2.imwrite(f"{folder}/othello_turning.png", picture)
        pilot.step(20)
        assert np.hypot(*board.stones[turned[0]].transform.rotation[1:]) < 5.0
        assert colors_on(board)[turned[0]] == -1
        assert pilot.app.host.error_count == 0
