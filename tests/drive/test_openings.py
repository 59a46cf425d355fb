"""Openings and rules in the scene: a person's swap2 to the end, players' swaps, renju's fouls."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from ai import (
    BLACK,
    FIRST,
    SECOND,
    WHITE,
    Choice,
    Limit,
    OpeningPhase,
    OptionError,
    from_text,
)
from ai.messages import PlayRequest
from base.errors import FieldError
from scripts.gomoku.history.variations import Variation
from sim.core.editing.editor import Editor
from sim.testing import Pilot
from sim.ui.widgets.field_widgets import value_in, with_value

SCENE = "scenes/gomoku_15.scene.json"


@contextmanager
def opened(**options):
    options = {"player_black": "random", "player_white": "random", "seed": 3} | options
    with Pilot(scene=SCENE, graphics=False, **options) as pilot:
        yield pilot, pilot.component("Match"), pilot.component("HumanControls")
        assert pilot.app.host.error_count == 0


def click(pilot, match, point):
    """Click a point and wait until its stone is on the board."""
    ply, game = match.current.ply, match.game
    pilot.component("BoardView").clicked.emit(point)
    pilot.wait_until(lambda: match.current.ply > ply or match.game > game)


def play_to_five(pilot, match):
    """Play the person's color along one row after another until it wins."""
    game, me = match.game, match.table.people[0]
    seat = match.seat_at(me)
    rows = [range(15 * row + start, 15 * row + start + 5) for row in range(15) for start in (0, 5)]
    while match.played == 0 and match.game == game:
        pilot.wait_until(lambda: seat._legal or match.played)
        stones = match.current.stones
        free = [row for row in rows if all(stones[point] != -me for point in row)]
        best = max(free, key=lambda row: sum(stones[point] == me for point in row))
        click(pilot, match, next(point for point in best if not stones[point]))
        pilot.wait_until(lambda: seat._legal or match.played)


def test_a_person_plays_swap2_to_the_end():
    with opened(player_white="human", opening="swap2", games=1) as (pilot, match, talk):
        pilot.wait_until(lambda: match.white.offered)
        assert match.current.ply == 3
        assert match.live.question == "White may swap, or ask for two more stones"
        assert talk.is_persons_turn
        assert {info.name for info in match.shown.players.values()} == {"random"}
        assert match.table.offered == (Choice.WHITE, Choice.BLACK, Choice.TWO_MORE)
        pilot.component("BoardView").clicked.emit(0)
        assert talk.notice == "Choose with the buttons first"
        talk.choose_two_more()
        pilot.wait_until(lambda: match.white._legal)
        assert talk.notice == "White asks for two more stones"
        assert match.live.question == "White places two stones"
        for point in (0, 224):
            pilot.wait_until(lambda: match.white._legal)
            click(pilot, match, point)
        pilot.wait_until(lambda: match.session.opening.is_over)
        opening = match.session.opening
        assert opening.stones[3:] == (0, 224)
        assert match.live.question == ""
        assert match.white.color == opening.color_of(SECOND)
        assert match.table.people == [match.white.color]
        talk.choose_black()
        assert talk.notice == "There is nothing to choose now"
        play_to_five(pilot, match)
        (record,) = match.records
        assert record.winning_person is SECOND
        assert record.opening == opening
        kept = pilot.component("Archive").store.games()[0].record
        assert kept == record


@pytest.mark.nightly
def test_a_swap_seats_the_person_at_black_and_taking_back_offers_it_again():
    with opened(player_white="human", opening="swap") as (pilot, match, talk):
        pilot.wait_until(lambda: match.white.offered)
        assert match.live.question == "White may swap"
        talk.choose_black()
        pilot.wait_until(lambda: match.white._legal)
        assert match.table.people == [BLACK]
        assert (match.seat_at(BLACK), match.seat_at(WHITE)) == (match.white, match.black)
        assert match.shown.players[BLACK].title == "you"
        assert pilot.component("Scoreboard")._name(BLACK) == "You"
        assert match.current.ply == 4, "the player at White has answered"
        talk.undo()
        pilot.wait_until(lambda: match.white.offered)
        assert (match.current.ply, match.table.people) == (3, [WHITE])
        talk.choose_white()
        pilot.wait_until(lambda: match.white._legal)
        assert (match.current.ply, match.table.people) == (3, [WHITE])
        talk.resign()
        talk.resign()
        pilot.wait_until(lambda: match.played == 1)
        assert match.records[0].winning_person is FIRST
        pilot.wait_until(lambda: match.white.offered)
        assert (match.black.color, match.white.color) == (BLACK, WHITE), "a new game"


@pytest.mark.nightly
def test_a_person_begins_and_places_three_stones():
    with opened(player_black="human", opening="swap2") as (pilot, match, talk):
        for point in (112, 113, 98):
            pilot.wait_until(lambda: match.black._legal)
            assert talk.is_persons_turn
            click(pilot, match, point)
        pilot.wait_until(lambda: len(match.session.opening.said) > 3)
        assert match.current.moves[:3] == [112, 113, 98]
        assert isinstance(match.session.opening.said[3], Choice)


@pytest.mark.nightly
@pytest.mark.parametrize("opening", ["balanced", "long-pro", "swap2"])
def test_two_players_play_every_opening(opening):
    with opened(opening=opening, games=2) as (pilot, match, _):
        pilot.wait_until(lambda: match.played == 2)
        for record in match.records:
            phase = record.opening
            assert phase.kind == opening
            assert phase.is_over
            assert record.moves[: len(phase.stones)] == phase.stones
            assert OpeningPhase.from_dict(record.rules, phase.as_dict()) == phase


def test_a_foul_of_renju_cannot_be_clicked():
    with opened(player_black="human", player_white="human", rule="renju") as (pilot, match, talk):
        for text in ("h6", "a1", "h7", "c1", "i8", "e1", "j8", "g1"):
            pilot.wait_until(lambda: match.black._legal or match.white._legal)
            click(pilot, match, from_text(text, 15))
        pilot.wait_until(lambda: match.black._legal)
        assert match.rules.rule == "renju"
        pilot.component("BoardView").clicked.emit(from_text("h8", 15))
        pilot.step(2)
        assert match.current.ply == 8
        assert talk.notice == "h8 is a double three, which Black may not play"


def test_a_player_by_name_comes_with_its_settings_as_fields():
    """Its thinking time is the command line's, which is not the pause after a stone."""
    with opened(player_black="one-ply@attention=0.5", move_seconds=0.25) as (pilot, match, _):
        slot = match.black.slot
        pilot.wait_until(lambda: match.black.seated)
        link, asked = match.black.worker.link, []
        send = link.request
        link.request = lambda request: asked.append(request) or send(request)
        assert match.black.seated_settings == {"attention": 0.5}
        assert dict(match.white.player_options) == {"random": None}, "its worker is asked"
        pilot.wait_until(lambda: match.white.player_options["random"] == ())
        pilot.wait_until(lambda: match.black.player_options["one-ply"])
        (option,) = match.black.player_options["one-ply"]
        assert (option.key, option.default, option.help[:11]) == ("attention", 1.0, "probability")
        held = slot.values["player_settings"]
        assert value_in(held, "one-ply", option) == 0.5
        changed = with_value(held, "one-ply", option, "0.25")
        assert changed == {"one-ply": {"attention": 0.25}}
        assert with_value(changed, "one-ply", option, 1.0) == {}, "a default is left out"
        with pytest.raises(OptionError, match="attention: expected a number from 0 to 1, found"):
            with_value(held, "one-ply", option, "2")
        editor = Editor(pilot.app.scene, pilot.app.console)
        editor.set_field(slot, "player_settings", changed)
        assert match.black.chosen_settings() == {"attention": 0.25}
        editor.undo()
        assert match.black.chosen_settings() == {"attention": 0.5}
        pilot.wait_until(lambda: any(isinstance(item, PlayRequest) for item in asked))
        limits = {item.limit for item in asked if isinstance(item, PlayRequest)}
        assert limits == {Limit(seconds=0.25)}
        assert match.pause_after_stone == 0.35


@pytest.mark.nightly
def test_a_guest_sits_in_place_of_the_seats_own_player():
    with opened(games=1) as (pilot, match, _):
        pilot.wait_until(lambda: match.black.seated)
        pilot.app.host.set_field(match.black.slot, "guest", "one-ply")
        assert match.black.chosen_player() == "one-ply", "before the command line's"
        pilot.wait_until(lambda: match.black.player_options["one-ply"])
        match.black.guest = "nobody"
        with pytest.raises(FieldError, match="guest: expected one of "):
            match.black.validate()
        match.black.guest = ""
        assert match.black.chosen_player() == "random"


@pytest.mark.nightly
def test_settings_of_the_command_line_are_the_seats_fields_where_it_has_them():
    with opened(player_black="genetic@generations=1,population=2") as (_, match, _talk):
        assert (match.black.generations, match.black.population) == (1, 2)
        assert match.black.player_settings == {}
        assert dict(match.black.player_options) == {}


def test_what_does_not_fit_is_one_clear_error():
    with opened(player_white="pattern", rule="renju") as (pilot, _match, _talk):
        pilot.wait_until(lambda: pilot.app.host.error_count)
        told = [str(item) for item in pilot.app.console.records if item.level == "error"]
        assert len(told) == 1
        assert "pattern: expected the rule freestyle or standard, found renju" in told[0]
        pilot.app.host.guard.error_count = 0


def test_of_a_past_game_those_are_asked_who_had_its_colors_after_a_swap():
    with opened(player_white="human", opening="swap") as (pilot, match, talk):
        pilot.wait_until(lambda: match.white.offered)
        talk.choose_black()
        pilot.wait_until(lambda: match.white._legal)
        click(pilot, match, min(match.white._legal))
        pilot.wait_until(lambda: match.white._legal)
        talk.resign()
        talk.resign()
        pilot.wait_until(lambda: match.played == 1)
        pilot.component("Timeline").open_game(1)
        pilot.step(2)
        asked = match.shown.players
        assert (asked[BLACK].title, asked[WHITE].name) == ("you", "random")


def test_a_person_who_placed_the_opening_is_asked_nothing_and_the_other_is():
    with opened(player_black="human", opening="swap") as (pilot, match, talk):
        for text in ("h8", "i8", "h9"):
            pilot.wait_until(lambda: match.black.offered or match.black._legal)
            click(pilot, match, from_text(text, 15))
        pilot.wait_until(lambda: match.session.opening.is_over and match.seat_of(FIRST)._legal)
        color = match.session.opening.color_of(FIRST)
        click(pilot, match, min(match.black._legal))
        pilot.wait_until(lambda: match.black._legal)
        talk.resign()
        talk.resign()
        pilot.wait_until(lambda: match.played == 1)
        timeline = pilot.component("Timeline")
        timeline.open_game(1)
        pilot.step(2)
        asked = match.shown.players
        assert (asked[color].title, asked[-color].name) == ("you", "random")
        main = match.records[0]
        line = Variation((*main.moves[:3], *range(4)))
        assert line.record(main).opening == main.opening
        assert Variation(tuple(range(4))).record(main).opening is None
