"""The keys of a packed game's window, and what its app does otherwise."""

from __future__ import annotations

from sim.app.game_window import GameWindow
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot


class FakeDisplay:
    def __init__(self) -> None:
        self.full: list[bool] = []

    def set_fullscreen(self, is_full: bool) -> None:
        self.full.append(is_full)


def key(name: str, *modifiers: str) -> InputEvent:
    return InputEvent("key_down", key=name, modifiers=frozenset(modifiers))


def test_its_keys_end_the_game_and_switch_full_screen_and_others_pass() -> None:
    display, ended = FakeDisplay(), []
    game = GameWindow(display, "control+q", is_full=True)
    events = [key("q"), key("f11"), key("q", "control"), key("escape"), InputEvent("close")]
    passed = game.feed(events, lambda: ended.append(1))
    assert passed == [events[0], events[3], events[4]]
    assert (display.full, ended) == ([True, False], [1])


def test_without_a_quit_key_no_key_ends_it() -> None:
    ended: list[int] = []
    game = GameWindow(FakeDisplay(), "", is_full=False)
    assert len(game.feed([key("q", "control"), key("")], lambda: ended.append(1))) == 2
    assert ended == []


def test_a_view_without_panels_follows_the_size_of_its_window() -> None:
    with Pilot(scene="hello", panels=False, window=(320, 200), quality="low") as pilot:
        pilot.step(2)
        display, picture = pilot.app.display, pilot.app.picture
        display.size = (400, 300)
        picture.draw(0.0)
        assert pilot.app.view.viewport_size == (0, 0, 400, 300)
