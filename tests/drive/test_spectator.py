"""The figure beside the board: it looks at the last move, cheers and is sad, and can stand still."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ai import BLACK, WHITE, GameRecord, Rules, Termination
from base.files import SHIPPED_ROOT
from sim.testing import Pilot
from tests.sim.render.importing.model_files import Model, apart, imported

FIGURE = SHIPPED_ROOT / "assets" / "models" / "figure.glb"


@pytest.fixture
def watching() -> Iterator[tuple[Pilot, Any]]:
    with Pilot(speed=1.0, panels=False, player_white="random", player_black="random",
               window=(480, 300), quality="low") as pilot:  # fmt: skip
        spectator = pilot.component("Spectator")
        pilot.component("Match").take_over(BLACK)  # nobody moves but the test
        pilot.wait_until(lambda: spectator.object.animation.is_ready)
        pilot.app.clock.frame_step = 1 / 30
        pilot.step(3)
        yield pilot, spectator


def eyes(spectator: Any) -> np.ndarray:
    """Return where the face looks in the world, flat."""
    way = np.asarray(spectator.object.animation.joint("head"))[1, :3]
    return way[:2] / np.linalg.norm(way[:2])


def towards(spectator: Any, move: int) -> np.ndarray:
    board = spectator.board
    point = np.asarray(board.object.transform.to_world(board.position_of(move)))
    head = np.asarray(spectator.object.animation.joint("head"))[3, :3]
    way = (point - head)[:2]
    return np.asarray(way / np.linalg.norm(way))


def game(winner: int) -> GameRecord:
    return GameRecord(
        rules=Rules(size=7, win_length=5), moves=(0, 7, 1, 8, 2, 9, 3, 10, 4), winner=winner,
        termination=Termination.FIVE.value, game=1, learner_color=WHITE,
    )  # fmt: skip


def test_the_shipped_model_is_small_and_made_by_its_maker(tmp_path: Any) -> None:
    from assets.models.maker.__main__ import main

    assert FIGURE.stat().st_size < 200_000
    made = tmp_path / "figure.glb"
    main([str(made)])
    one, other = (Model(folder) for _, folder in imported([made, FIGURE], tmp_path / "models"))
    assert one.rig.joints == other.rig.joints
    for clip in one.rig.clips.values():
        assert apart(one.points(clip.name, 0.7), other.points(clip.name, 0.7)) < 1e-4


def test_its_head_follows_the_moves(watching: tuple[Pilot, Any]) -> None:
    pilot, spectator = watching
    animation = spectator.object.animation
    assert {"idle", "look", "cheer", "sad", "walk"} <= set(animation.clips)
    assert 12 <= len(animation.joints) - 2 <= 18
    for move in (0, 6, 45):
        spectator.match.stone_placed.emit(move, BLACK)
        pilot.step(60)
        assert float(eyes(spectator) @ towards(spectator, move)) > np.cos(np.radians(15))


def test_it_cheers_when_white_wins_and_is_sad_when_it_loses(watching: tuple[Pilot, Any]) -> None:
    pilot, spectator = watching
    animation = spectator.object.animation
    for winner, clip in ((WHITE, "cheer"), (BLACK, "sad")):
        spectator.match.game_over.emit(game(winner))
        pilot.step(20)
        assert animation.clip == clip
        hand = np.asarray(animation.joint("hand_r"))[3, 2]
        head = np.asarray(animation.joint("head"))[3, 2]
        assert (hand > head) == (winner == WHITE)
        pilot.step(round(animation.duration(clip) * 30))
        assert animation.clip == "idle"
    assert pilot.app.host.error_count == 0


def test_it_rests_when_nothing_happens_and_can_be_switched_off(
    watching: tuple[Pilot, Any],
) -> None:
    pilot, spectator = watching
    app, animation = pilot.app, spectator.object.animation
    app.host.set_field(spectator.slot, "rest_seconds", 1.0)
    pilot.step(15)
    assert animation.is_playing
    pilot.step(60)
    assert not animation.is_playing
    pilot.wait_until(lambda: not app.view._resting.moving)
    pilot.step(3)
    before = app.frame_stats.drawn
    pilot.step(30)
    assert app.frame_stats.drawn == before
    spectator.match.stone_placed.emit(24, BLACK)
    assert animation.is_playing
    app.host.set_field(spectator.slot, "is_lively", False)
    pilot.step(3)
    revision = animation.revision
    spectator.match.stone_placed.emit(3, BLACK)
    pilot.step(30)
    assert animation.revision == revision


def test_at_maximum_speed_it_stands_and_the_moves_stay_the_same() -> None:
    with Pilot(games=1, graphics=False, player_white="random", player_black="random") as pilot:
        spectator = pilot.component("Spectator")
        pilot.wait_until(lambda: spectator.match.played == 1, frames=5000)
        assert spectator.object.animation.clip == "idle"
        assert pilot.app.host.error_count == 0
