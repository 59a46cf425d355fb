"""A blunder is told before it is played, at the live board and in a side game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ai import GameRecord, Rules, from_text
from sim.testing import Pilot

THREE = "h8 a1 i8 a3 j8"  # an open three of Black; White is to move


@pytest.fixture(scope="module")
def pilot(warm_workers):
    options = {"scene": "scenes/gomoku_15.scene.json", "graphics": False, "speed": 64.0}
    with Pilot(player_black="human", player_white="human", **options) as pilot:
        pilot.component("Teacher").longest = 60.0
        pilot.component("Teacher").switch(is_on=True)
        yield pilot
        assert pilot.app.host.error_count == 0


def place(pilot, text):
    """Click a point as whoever is to move; wait until it is played or told."""
    match, teacher = pilot.component("Match"), pilot.component("Teacher")
    ply = match.table.session.board.ply
    pilot.wait_until(lambda: pilot.component("BoardView")._asking() is not None)
    pilot.component("BoardView").clicked.emit(from_text(text, 15))
    pilot.wait_until(
        lambda: teacher.verdict is not None or match.table.session.board.ply > ply, frames=20_000
    )


def test_a_blunder_waits_until_the_person_decides(pilot):
    match, teacher = pilot.component("Match"), pilot.component("Teacher")
    controls = pilot.component("HumanControls")
    pilot.wait_until(lambda: match.session is not None)
    assert controls.switches == [teacher.draw_switch]
    for text in THREE.split():
        place(pilot, text)
        teacher.play_anyway()  # White's stones in the corner are told, too
        pilot.wait_until(lambda text=text: match.current.stones[from_text(text, 15)])
    assert match.current.ply == 5

    place(pilot, "o15")
    heading, text = teacher.words()
    assert heading == "Wait: o15 is a mistake"
    assert "Black wins" in text
    assert match.current.ply == 5, "it is not played yet"
    assert "Teacher" in {entry.title for entry in pilot.app.host.panels.panels}
    teacher.show_line()
    assert len(teacher._line.moves) >= 3
    assert "Better: " in teacher.words()[1]
    controls.undo()
    pilot.wait_until(lambda: teacher.verdict is None and match.white._legal)
    assert match.current.ply == 5, "the told move alone is taken back"
    assert "Teacher" not in {entry.title for entry in pilot.app.host.panels.panels}

    place(pilot, "o15")
    pilot.component("BoardView").clicked.emit(from_text("k8", 15))
    pilot.wait_until(lambda: match.current.ply == 6, frames=20_000)
    assert match.current.moves[-1] == from_text("k8", 15), "another point was chosen"


def test_a_game_without_hints_is_not_taught(pilot):
    match, teacher = pilot.component("Match"), pilot.component("Teacher")
    rights = match.live.rights
    match.live.rights = replace(rights, hints=False)
    assert not teacher.is_allowed
    match.live.rights = replace(rights, takes_back=False)
    assert not teacher.is_allowed
    match.live.rights = rights
    assert teacher.is_allowed


def test_it_is_told_in_a_side_game_too(pilot):
    match, teacher = pilot.component("Match"), pilot.component("Teacher")
    moves = tuple(from_text(word, 15) for word in THREE.split())
    record = GameRecord(Rules(15), moves, 0, "resigned", 1)
    pilot.component("GameViewer").open(record)
    side_game = pilot.component("SideGame")
    side_game.begin(record, 5, black="you", white="you")
    place(pilot, "o15")
    assert teacher.verdict is not None
    teacher.play_anyway()
    pilot.wait_until(lambda: side_game.session.board.ply == 6)
    teacher.switch(is_on=False)
    place(pilot, "o14")
    assert teacher.verdict is None
    assert side_game.session.board.ply == 7
    side_game.break_off()
    pilot.component("GameViewer").close()
    assert match.current.ply == 6
