"""The presentation: captions, a camera that leads itself, and sounds as they fall."""

from __future__ import annotations

import pytest

from sim.render.view.camera_rig import FREE_EDGE
from sim.testing import Pilot
from tests.shipped import shipped_sounds


class HeardSound:
    """A loudspeaker that keeps what it was told."""

    def __init__(self) -> None:
        self.muted = False
        self.volume = 1.0
        self.bank = shipped_sounds()
        self.heard: list[tuple[str, float, object]] = []

    def play(self, name, *, volume=1.0, position=None, caption=""):
        self.bank.kind(name)
        self.heard.append((name, volume, position))

    def count(self, name: str) -> int:
        return sum(item[0] == name for item in self.heard)


def match_pilot(**options) -> Pilot:
    options.setdefault("speed", 1.0)
    return Pilot(player_white="random", window=(480, 300), quality="low", seed=2, **options)


def test_captions_come_with_the_presentation_and_go_with_it():
    with match_pilot() as pilot:
        match, shown = pilot.component("Match"), pilot.component("Presentation")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 2)
        panels = pilot.app.host.panels
        assert panels.presented() == []
        pilot.press("f11")
        assert panels.is_presenting
        assert [entry.title for entry in panels.presented()] == ["Captions"]
        assert pilot.component("CinematicCamera").is_switched_on
        assert " plays " in shown.caption.sentence
        assert shown.caption.heading.startswith("Game 1")
        pilot.press("escape")
        assert not panels.is_presenting
        assert panels.presented() == []
        assert not pilot.component("CinematicCamera").is_switched_on
        pilot.press("f11")
        assert panels.is_presenting
        assert pilot.app.host.error_count == 0


def test_the_clean_view_shows_the_world_and_large_captions():
    with match_pilot() as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 2)
        pilot.press("f11")
        picture = pilot.picture()
        assert pilot.app.view.viewport_size == (0, 0, 480, 300)
        assert picture[2, 2].max() > 20, "no bar at the top"
        captions = picture[200:]
        bright = (captions.min(axis=2) > 200).any(axis=1)
        assert bright.sum() > 8, "the sentence is bright and more than eight rows high"
        assert pilot.app.host.error_count == 0


@pytest.mark.parametrize("window", [(1280, 720), (900, 600)])
def test_the_captions_cover_no_letter_of_the_board(window):
    with Pilot(player_white="random", window=window, quality="low", seed=2, speed=1.0) as pilot:
        match, board = pilot.component("Match"), pilot.component("BoardView")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 2)
        pilot.press("f11")
        pilot.picture()
        for _ in range(60):
            pilot.app.view.follow(0.05)
        camera = pilot.app.view.camera
        below = window[1] * (1.0 - camera.covered - FREE_EDGE)
        x, y, _ = board.position_of(board.size * (board.rows - 1))  # a1
        to_world = board.object.transform.to_world
        corners = [camera.project(to_world((side, y - 0.75, 0.0))) for side in (x, -x)]
        assert all(0 < x < window[0] and 0 < y < below for x, y in corners)
        assert camera.covered > 0.02, "else they lie over nothing that matters, and none is needed"
        move = next(iter(board.stones))
        place = to_world(board.position_of(move))
        picture = pilot.picture()
        x, y = (round(number) for number in camera.project(place))
        color = picture[y - 4 : y + 5, x - 4 : x + 5].mean()
        is_black = board.stones[move].model["color"] == "black"
        assert (color < 110) if is_black else (color > 170), "the stone is seen where it is said"


def test_the_camera_looks_at_stones_and_cuts_to_the_winning_line():
    with match_pilot() as pilot:
        match, camera = pilot.component("Match"), pilot.component("CinematicCamera")
        pilot.press("f11")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 1)
        pilot.app.clock.frame_step = 1 / 30
        pilot.app.scene.camera.idle_seconds = 60.0
        pilot.step(2)
        assert camera.is_leading
        home = camera.home
        camera.shown_for = 60.0
        ply = match.current.ply
        pilot.wait_until(lambda: match.current.ply > ply)
        pilot.step(60)
        assert pilot.app.scene.camera.view.distance < home.distance - 1.0
        pilot.app.clock.speed = 16.0
        pilot.wait_until(lambda: len(match.records) == 1)
        pilot.app.clock.speed = 1.0
        pilot.step(1)
        line = match.records[0].board().winning_line()
        if line:
            middle = match.board.position_of(line[len(line) // 2])
            assert pilot.app.scene.camera.view.target == pytest.approx(middle, abs=0.6)
        assert pilot.component("Presentation").winner == match.records[0].winner
        assert pilot.app.host.error_count == 0


def test_every_stone_that_lands_is_heard_once_and_the_end_of_the_game():
    with match_pilot() as pilot:
        pilot.app.run_context.sound = speaker = HeardSound()
        match, board = pilot.component("Match"), pilot.component("BoardView")
        pilot.app.clock.frame_step = 1 / 30
        pilot.app.clock.speed = 4.0
        pilot.wait_until(lambda: len(match.records) == 1)
        stones = len(match.records[0].moves)
        assert speaker.count("stone") == stones
        assert speaker.count("tap") == 2 * stones
        assert all(0.0 < volume <= 1.0 for _, volume, _ in speaker.heard)
        places = [place for name, _, place in speaker.heard if name == "stone"]
        landed = [tuple(map(float, place)) for place in places]
        moves = match.records[0].moves
        assert landed == [pytest.approx(board.position_of(move)) for move in moves]
        assert speaker.count("win") + speaker.count("lose") == (match.records[0].winner != 0)


def test_nothing_rattles_when_time_runs_fast_or_games_are_unseen():
    with match_pilot(speed=64.0) as pilot:
        pilot.app.run_context.sound = speaker = HeardSound()
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 6)
        assert speaker.count("stone") == 0
        pilot.press("f")
        pilot.wait_until(lambda: match.played >= 3)
        assert speaker.count("stone") == 0


def test_m_mutes():
    with match_pilot() as pilot:
        pilot.press("m")
        assert pilot.app.run_context.sound.muted
        pilot.press("m")
        assert not pilot.app.run_context.sound.muted


def test_a_presentation_that_is_recorded_has_a_light(tmp_path):
    def reds(pilot):
        picture = pilot.picture()[:60, -160:].astype(int)
        return int((abs(picture - [0x3C, 0x3C, 0xFF]).max(axis=2) < 30).sum())

    scene = "scenes/hello.scene.json"
    with Pilot(scene=scene, window=(480, 300), quality="low", data_dir=tmp_path) as pilot:
        pilot.press("f11")
        assert reds(pilot) == 0
        pilot.press("f8")
        pilot.step(2)
        assert pilot.app.recorder.is_recording
        assert reds(pilot) > 30  # a disc of a few pixels
        pilot.press("f8")
        assert not pilot.app.recorder.is_recording
        assert reds(pilot) == 0
