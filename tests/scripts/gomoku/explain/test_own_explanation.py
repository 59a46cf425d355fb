"""A player's own kind of explanation is told, captioned and drawn as the shipped ones are."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import pytest

from ai import (
    WHITE,
    BoardView,
    Explanation,
    ExplanationView,
    MoveChoice,
    Rules,
    find_player_info,
    from_text,
)
from ai.game import parse_moves
from ai.players.explanation import SentExplanation
from scripts.gomoku.explain.captions import CaptionInput, sentence_of
from scripts.gomoku.explain.choice_reading import ChoiceReading
from scripts.gomoku.explain.choice_words import why
from scripts.gomoku.explain.insight import _diagrams
from scripts.gomoku.explain.overlays import Marks, Shown, choice_with_shares

RULES = Rules(7, 5)
MOVES = parse_moves("d4 e4", 7)
E4, A7 = (from_text(text, 7) for text in ("e4", "a7"))


@dataclass(frozen=True, eq=False)
class Dream(Explanation):
    plain_keys = ("dreamt",)

    dreamt: str | None = None

    def caption(self, explains=""):
        return f"dreamt {self.dreamt}"

    def view(self, at):
        return ExplanationView(
            reason=f", dreamt {self.dreamt}", afterword="It slept well.",
            scores={E4: 9.0, A7: 1.0}, score_parts={E4: 1.0, A7: 0.0}, ranking=(E4, A7),
            shares=(0.5,) * 49, marked=(A7,), line=(E4, A7), first_moves={E4: 1.0},
            boards=(BoardView("Dream", at.stones, ringed=at.move),),
        )  # fmt: skip


def own(moves):
    return Dream("last night")


def sent(moves):
    """As it comes from a worker."""
    at = ChoiceReading(RULES, moves, 1, None, find_player_info("mine")).explained_move
    return pickle.loads(pickle.dumps(SentExplanation.of(Dream("last night"), at)))


@pytest.mark.parametrize("made", [own, sent])
def test_it_is_shown_without_being_known(made):
    player = find_player_info("mine")
    said = made(MOVES)
    reading = ChoiceReading(RULES, MOVES, 1, MoveChoice(E4, explanation=said), player)
    assert why(reading) == "White took e4, dreamt last night. It slept well."
    moment = CaptionInput(1, player, player, WHITE, "e4", said)
    assert sentence_of(moment) == "White plays e4: dreamt last night."
    assert choice_with_shares([reading]) is reading
    ((board, diagram),) = _diagrams(reading)
    assert (board.title, diagram.ringed) == ("Dream", E4)
    every = Shown(heat_map=True, columns=True, ranks=True, population=True, threats=True)
    drawn = Marks(every, reading.before, choice=reading, lines=reading)
    assert not drawn.ground.is_empty
    assert not drawn.top.is_empty
    assert [ghost.point for ghost in drawn.ghosts] == [E4, A7]
    assert drawn.columns


def test_its_plain_form_is_read_as_its_class_again():
    assert dict(Dream("last night")) == {"dreamt": "last night"}
    again = Explanation.from_plain({"dreamt": "last night", "more": 3})
    assert type(again) is Dream
    assert (again.dreamt, again.extra) == ("last night", {"more": 3})
