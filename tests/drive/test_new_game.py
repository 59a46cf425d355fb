"""A game of one's own: chosen in the dialog, with a clock, while the match waits and loses nothing."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest
from imgui_bundle import imgui

from ai import BLACK, WHITE, written_of
from ai.formats.sgf import write
from sim.testing import Pilot

SCENE = "scenes/gomoku_15.scene.json"


@contextmanager
def opened(**options):
    options = {"player_black": "random", "player_white": "random", "seed": 3} | options
    options = {"scene": SCENE, "graphics": False, "speed": 1.0} | options
    with Pilot(**options) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.current is not None and match.current.ply > 1)
        yield pilot, match, pilot.component("NewGame")
        assert pilot.app.host.error_count == 0


class Hands:
    """Chooses, begins and plays games as a person would, with a clock that the test moves."""

    def __init__(self, pilot, match, new):
        self.pilot, self.match, self.new, self.seconds = pilot, match, new, 0.0
        new.now = lambda: self.seconds

    def begin(self, **choices):
        self.new.open()
        for key, value in choices.items():
            self.new.choose(key, value)
        assert not self.new.form.faults, self.new.form.faults
        before = self.new.live.session
        self.new.play()
        self.pilot.wait_until(lambda: self.new.live.session is not before)
        return self.new.live.session

    def place(self, point=None):
        """Click a point on a person's turn."""
        self.wait_for_turn()
        session = self.new.live.session
        ply = session.board.ply
        legal = sorted(session.points)
        self.pilot.component("BoardView").clicked.emit(
            legal[ply * 5 % len(legal)] if point is None else point
        )
        self.pilot.wait_until(lambda: session.board.ply > ply or session.is_over)

    def wait_for_turn(self):
        session = self.new.live.session
        self.pilot.wait_until(
            lambda: session.is_over or any(seat._legal for seat in self.new._seats())
        )

    def pass_time(self, seconds):
        for _ in range(int(seconds / 0.25)):
            self.seconds += 0.25
            self.pilot.step()


def has_offer(pilot):
    return any(entry.title == "Game over" for entry in pilot.app.host.panels.panels)


def kept_games(pilot):
    return [item for item in pilot.component("Archive").store.games() if item.is_own]


def test_one_game_after_the_other_and_back_to_the_match():
    with opened() as (pilot, match, new):
        hands, talk = Hands(pilot, match, new), pilot.component("HumanControls")
        assert (new.default.white.player, new.default.size) == ("genetic", 15)
        session = hands.begin(white="random", size=9, clock=[1.0, 2.0, 0, 30.0])
        live = tuple(match.current.moves)
        assert (match.guest, match.table, match.is_paused) == (new, new.live, True)
        assert (pilot.component("BoardView").size, session.board.rules.size) == (9, 9)
        assert new.note() == "Your game · 9x9 · 1 min + 2 s"
        assert (new.name_of(BLACK), new.clock_text(BLACK)) == ("you", "1:00")
        hands.place()
        hands.wait_for_turn()
        assert new.clock_text(BLACK) == "1:02", "the increment"
        talk.undo()
        pilot.wait_until(lambda: session.board.ply == 0)
        talk.offer_draw()
        assert talk.notice == "A draw can be offered after 10 moves"
        hands.place()
        talk.resign()
        talk.resign()
        pilot.wait_until(lambda: new.ended)
        assert (new.ended.record.winner, new.ended.record.termination) == (WHITE, "resigned")
        (kept,) = kept_games(pilot)
        assert kept.record == new.ended.record
        assert kept.details["own"]["white"]["player"] == "random"
        assert (new.points_of(BLACK), new.points_of(WHITE)) == (0.0, 1.0)

        timeline, viewer = pilot.component("Timeline"), pilot.component("GameViewer")
        new.review()
        assert viewer.record == kept.record
        assert new.live.is_paused
        viewer.close()
        assert (new.live.is_paused, match.guest) == (False, new)
        own = [game for game in timeline.games.shown(timeline.wanted) if game.is_own]
        assert len(own) == 1

        new.again()
        pilot.wait_until(lambda: new.live.session is not session)
        hands.wait_for_turn()
        assert (new.name_of(BLACK), new.name_of(WHITE)) == ("random player", "you")
        assert (new.points_of(BLACK), new.points_of(WHITE)) == (1.0, 0.0), "of the player"
        hands.pass_time(70.0)
        assert (new.ended.record.winner, new.ended.record.termination) == (BLACK, "time")
        text = write([written_of(new.ended.record)], "game.sgf")
        assert "RE[B+T]" in text

        new.go_back()
        assert (match.guest, match.table, match.is_paused) == (None, match.live, False)
        assert tuple(match.current.moves) == live, "nothing of the match is lost"
        assert pilot.component("BoardView").size == 15
        pilot.wait_until(lambda: match.current.ply > len(live) or match.played)
        assert match.archive.earlier_games() == [
            item for item in match.archive.store.games() if not item.is_own
        ]
        assert not pilot.app.shell or not pilot.app.shell.unsaved()


def test_choices_are_kept_beside_the_scene_and_what_is_refused_is_told(tmp_path):
    with opened(data_dir=tmp_path) as (pilot, match, new):
        new.open()
        form = new.form
        new.choose("white", "oracle")
        assert form.faults["white"].startswith("expected a board from 3 to 8")
        new.play()
        assert match.guest is None, "it cannot be played"
        new.choose("white", "genetic")
        new.choose("rule", "renju")
        assert form.faults == {"white": "expected the rule freestyle or standard, found renju"}
        new.choose("rule", "freestyle")
        new.choose("minutes", 1000.0)
        assert form.refusals == {"minutes": "expected 0 to 600"}
        assert form.choices.clock.minutes == 0.0, "the old value is back"
        new.choose("size", 2)
        assert form.refusals["size"] == "expected 3 to 22"
        new.choose("size", 11)
        new.choose("takes_back", False)
        new.choose("hints", False)
        new.choose("black", "random")
        new.choose("white", "you")
        new.choose("swap", None)
        session = (hands := Hands(pilot, match, new)).begin()
        talk = pilot.component("HumanControls")
        pilot.wait_until(lambda: talk.is_at_table)
        assert {"undo", "ask_hint"}.isdisjoint(method for _, method in talk._buttons())
        talk.undo()
        assert talk.notice == "Take-backs are not allowed in this game"
        assert not pilot.app.editor or not pilot.app.editor.is_changed
        new.go_back()
        assert new._waits
        new.open()
        new.go_on()
        assert (new.live.session, match.guest) == (session, new)
        hands.place(60)
        hands.wait_for_turn()
        played = session.board.moves
        assert played[0] == 60
    with opened(data_dir=tmp_path) as (pilot, match, new):
        assert has_offer(pilot), "the game that was not over"
        new.put_off()
        assert not has_offer(pilot)
        new.open()
        assert new._waits
        new.go_on()
        pilot.wait_until(lambda: match.guest is new)
        hands = Hands(pilot, match, new)
        assert new.live.session.board.moves == played
        hands.place()
        assert new.live.session.board.moves[: len(played)] == played
        pilot.component("HumanControls").resign()
        pilot.component("HumanControls").resign()
        pilot.wait_until(lambda: new.ended)
        assert new.kept_game.read() is None, "it is over"
        review = pilot.component("Timeline").review
        new.review()
        assert review.written().white == "random"
        assert dict(review.written().other)["DT"][0][:2] == "20"
        assert review.game.title == "Your game 1"
        pilot.component("GameViewer").close()
        new.open()
        found = new.form.choices
        assert (found.size, found.black.player, found.white.player) == (11, "you", "random")
        assert (found.takes_back, found.hints) == (False, False)
        new.put_default_back()
        assert new.form.choices == new.default
        assert new.kept.read() is None


def test_a_draw_is_answered_by_the_players_value_and_by_the_other_person():
    with opened(speed=64.0) as (pilot, match, new):
        hands, talk = Hands(pilot, match, new), pilot.component("HumanControls")
        session = hands.begin(white="you", size=7)
        for point in (0, 1, 3, 4, 14, 15, 17, 18, 28, 29):
            hands.place(point)
        talk.offer_draw()
        assert [method for _, method in talk._buttons()] == ["agree_draw", "decline_draw"]
        talk.decline_draw()
        assert not session.is_over
        talk.offer_draw()
        talk.agree_draw()
        pilot.wait_until(lambda: new.ended)
        assert (new.ended.record.winner, new.ended.record.termination) == (0, "agreed")
        assert "RE[0]" in write([written_of(new.ended.record)], "game.sgf")
        session = hands.begin(white="random", size=7)
        while session.board.ply < 10:
            hands.place()
        hands.wait_for_turn()
        session.choices[WHITE] = (
            session.board.ply - 1,
            session.choices[WHITE][1].__class__(0, value=0.7),
        )
        talk.offer_draw()
        pilot.step(2)
        assert talk.notice == "White declines the draw: it expects +0.70 for itself"
        session.choices[WHITE] = (
            session.board.ply - 1,
            session.choices[WHITE][1].__class__(0, value=-0.2),
        )
        talk.offer_draw()
        pilot.wait_until(lambda: new.ended)
        assert new.ended.record.termination == "agreed"


@pytest.mark.parametrize("text", ["", "{", "[]", json.dumps({"size": 9})])
def test_a_damaged_file_of_choices_is_told_and_the_default_taken(tmp_path, text):
    from scripts.gomoku.game.game_choices import FILE, GameChoices, KeptChoices

    (tmp_path / FILE).write_text(text)
    kept = KeptChoices(tmp_path)
    assert kept.read() is None
    assert "the scene's default is used" in kept.fault
    kept.write(GameChoices())
    assert kept.fault.endswith(f"it is kept as {tmp_path / FILE}.bad")
    assert (tmp_path / f"{FILE}.bad").read_text() == text
    assert KeptChoices(tmp_path).read() == GameChoices()


class Mouse:
    """Clicks on what a dialog draws, wherever it is."""

    def __init__(self, pilot, patch):
        self.pilot, self.places, self.ends = pilot, {}, {}
        for name in ("invisible_button", "button", "selectable", "slider_int", "begin_combo"):
            patch.setattr(imgui, name, self._noting(getattr(imgui, name)))

    def _noting(self, draw):
        def drawn(label, *arguments):
            result = draw(label, *arguments)
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            self.places[label] = (low.x, high.x, (low.y + high.y) / 2)
            self.ends[label] = high.x - imgui.get_window_pos().x - imgui.get_window_width()
            return result

        return drawn

    def click(self, part, at=0.5):
        """Click on a widget, at a part of its width."""
        self.pilot.draw_panels(2)
        left, right, y = self.places[next(label for label in self.places if part in label)]
        x = left + (right - left) * at
        self.pilot.move(x, y)
        self.pilot.draw_panels()
        self.pilot.click(x, y)
        self.pilot.draw_panels(2)


def test_the_dialog_is_used_by_mouse_and_nothing_ends_outside(monkeypatch):
    options = {"graphics": True, "window": (1280, 720), "quality": "low"}
    with opened(**options) as (pilot, match, new):
        pilot.app.clock.pause()
        mouse = Mouse(pilot, monkeypatch)
        for scale in (1.0, 2.0):
            pilot.app.shell.preferences.set_scale(scale)
            pilot.press("n", "control")
            mouse.click("tile genetic###white")
            mouse.ends.clear()
            mouse.click("##alpha-beta")
            assert new.form.choices.white.player == "alpha-beta"
            mouse.click("##level")
            assert 4 <= new.form.choices.white.level <= 7
            mouse.click("##level", at=0.97)
            assert new.form.choices.white.level == 0, "the right end is full strength"
            mouse.click("##level", at=0.03)
            assert new.form.choices.white.level == 1, "the left end is the weakest"
            mouse.click("##rule")
            pilot.press("escape")
            pilot.draw_panels(2)
            assert new.has_dialog, "Escape closes the list that is open over it"
            mouse.click("Swap")
            assert new.form.choices.black.player == "alpha-beta"
            assert not {label: end for label, end in mouse.ends.items() if end > 1}
            pilot.press("escape")
            pilot.draw_panels(2)
            assert not new.has_dialog
        assert new.kept.read() is None, "nothing was chosen for good"
        pilot.press("n", "control")
        pilot.draw_panels(2)
        pilot.press("f6")
        pilot.draw_panels(3)
        mouse.places.clear()
        pilot.draw_panels(2)
        assert "Cancel" in mouse.places, "it stays though another window got the keyboard"
        pilot.press("escape")
        pilot.draw_panels(2)
        assert not new.has_dialog
        pilot.press("n", "control")
        new.choose("white", "random")
        mouse.click(" Play")
        pilot.app.clock.resume()
        pilot.wait_until(lambda: match.guest is new)
        assert new.kept.read().white.player == "random"
        assert not pilot.app.shell.unsaved()


def test_two_players_play_a_game_that_one_can_leave():
    with opened() as (pilot, match, new):
        session = Hands(pilot, match, new).begin(black="random", white="random", size=9)
        titles = {entry.title for entry in pilot.app.host.panels.panels}
        assert "Game over" in titles
        assert match.table.people == []
        pilot.wait_until(lambda: session.board.ply > 2)
        new.go_back()
        assert "Game over" not in {entry.title for entry in pilot.app.host.panels.panels}
        assert match.guest is None
