"""Describes a match in words, and its games for the run's files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ai import BLACK, FIRST, LEAGUE, WHITE, Color, Game, GameRecord, GameSession, PlayerInfo, Rules
from scripts.gomoku.board.names import SIDES
from scripts.gomoku.seats.learner_client import LearnerClient
from scripts.gomoku.seats.seat import HUMAN, Seat
from sim import tr, wording

NAMES = {1: "black", -1: "white", 0: "draw"}
HOW = {
    "full": tr("full board"),
    "resigned": tr("resigned"),
    "time": tr("on time"),
    "agreed": tr("agreed"),
    "forfeit": tr("by forfeit"),
    "declared": tr("as the file says"),
}
RULES = {
    "standard": tr("Exactly five in a row win."),
    "renju": tr("Renju: Black has fouls and wins with exactly five."),
    "caro": tr("Caro: exactly five in a row win, unless blocked at both ends."),
}
SWAPS = ("swap", "swap2")
"""Openings that may swap the players' colors."""
NUMBERS = {3: tr("three"), 4: tr("four"), 5: tr("five"), 6: tr("six")}


def file_values(
    record: GameRecord,
    *,
    scene: str,
    seed: int,
    black: Seat,
    white: Seat,
    trainer: LearnerClient | None,
    opponent: str | None,
    ranks: list[int],
    seconds: Mapping[str, float],
) -> dict[str, Any]:
    """Return the values of a game for the run's files, as arguments of `RunFiles.add`.

    Args:
        record: the game.
        scene: name of the scene's file.
        seed: random seed of the run.
        black: the seat that began.
        white: the other seat.
        trainer: the learner's connection; None if nobody learns.
        opponent: member of the league that played Black; None without a league.
        ranks: rank of each of White's moves in its own answer.
        seconds: thinking time of "black" and of "white".
    """
    was_trained = trainer is not None and trainer.trained_game == record.game
    held = trainer.held[-1] if trainer is not None and was_trained else None
    learnt = {} if trainer is None else trainer.statistics
    return {
        "config": {
            "scene": scene,
            "seed": seed,
            **_played(record.rules),
            **({} if black.move_seconds is None else {"move_seconds": black.move_seconds}),
            **_black_of(black, opponent),
            "white": {"player": white.player, **white.seated_settings},
        },
        "opponent": opponent,
        "ranks": ranks,
        "ann_nodes": learnt.get("nodes", 0),
        "relearn_records": learnt.get("records", 0),
        "seconds": dict(seconds),
        "retrain_seconds": trainer.retrain_seconds[-1] if trainer and was_trained else None,
        "held": None if held is None else round(held, 4),
    }


def _black_of(black: Seat, opponent: str | None) -> dict[str, Any]:
    """Return the entries about Black in the run's files.

    Without a league they are the player and its settings. In a league they are the settings of the
    seat, and an entry "opponents" that says so.

    Args:
        black: the seat that began.
        opponent: opponent of the league that played Black; None without a league.
    """
    if opponent is None:
        return {"black": {"player": black.player, **black.seated_settings}}
    chosen = {"player": black.chosen_player(), **black.chosen_settings()}
    return {"opponents": LEAGUE, "black": chosen}


def opponent_in(session: GameSession, black: Seat) -> str | None:
    """Return which opponent of a league played Black; None without a league.

    Args:
        session: the game.
        black: the seat that began.

    Returns:
        The opponent's name; `HUMAN` if a person has played in its place.
    """
    member = black.member
    is_person = NAMES[BLACK] in session.people or black.is_human
    return HUMAN if is_person and member is not None else member


def winning_seat(record: GameRecord) -> Color:
    """Return the winner's seat: BLACK for the seat that begins, WHITE for the other, 0 for a draw.

    After an opening that swaps colors, the player at Black's seat may play White.
    """
    person = record.winning_person
    return 0 if person is None else BLACK if person is FIRST else WHITE


def row_text(rules: Game) -> str:
    """Return how a row wins a game as text, such as "four in a row"."""
    if not isinstance(rules, Rules):
        return tr("a winning row")
    length = rules.win_length
    return tr("{number} in a row").format(number=NUMBERS.get(length, str(length)))


def describe_end(record: GameRecord, sides: Mapping[int, str] = SIDES) -> str:
    """Return the result of a game as text, for example "Black wins, five in a row".

    Args:
        record: the game.
        sides: names of the colors.
    """
    if record.termination in ("unfinished", "void"):
        return tr("not finished")
    if record.termination == "foul":
        return tr("{side}'s foul ({foul_made}), {side2} wins").format(
            side=sides[BLACK],
            foul_made=wording(str(record.board().foul_made())),
            side2=sides[WHITE],
        )
    winner = tr("{side} wins").format(side=sides[record.winner]) if record.winner else tr("draw")
    how = HOW.get(record.termination, "")
    if record.termination == "five":
        how = row_text(record.rules)
    elif record.termination == "score":
        stones = record.board().stones
        how = tr(" to ").join(map(str, sorted((stones.count(1), stones.count(-1)), reverse=True)))
    return tr("{winner}, {how}").format(winner=winner, how=how or record.termination)


def full_board_rule(rules: Game, sides: Mapping[int, str] = SIDES) -> str:
    """Return a sentence about who wins on a full board; empty if it is a draw.

    Args:
        rules: rules of the game.
        sides: names of the colors.
    """
    winner = rules.full_board_winner if isinstance(rules, Rules) else 0
    return tr("If the board fills up, {side} wins.").format(side=sides[winner]) if winner else ""


def special_rules(rules: Game, opening: str) -> list[str]:
    """Return descriptions of the rule and the opening; those that are usual are left out.

    Args:
        rules: rules of the game.
        opening: name of the opening.
    """
    rule = rules.rule if isinstance(rules, Rules) else "freestyle"
    words = [RULES[rule]] if rule in RULES else []
    return (
        words if opening == "none" else [*words, tr("Opening: {opening}").format(opening=opening)]
    )


def legend_of(
    sides: Mapping[int, str],
    black: PlayerInfo,
    white: PlayerInfo,
    rules: Game,
    opening: str,
    *,
    learns: bool,
    played: int,
) -> tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the legend of a match: title, lines of text, and commands.

    Args:
        sides: names of the colors.
        black: the player who begins.
        white: the other player.
        rules: rules of the game.
        opening: name of the opening.
        learns: whether White is trained.
        played: number of games played in this run.

    Returns:
        A title with the players, the lines, and the commands as (name, label).
    """
    learns = learns and bool(white.after_loss)
    lines = (
        learner_words(sides[-1], played) if learns else "",
        tr("When {side} loses, it {after_loss}").format(side=sides[-1], after_loss=white.after_loss)
        if learns
        else "",
        *special_rules(rules, opening),
        full_board_rule(rules, sides),
        tr(
            "F fast-forward · L show losses · B / W play {side} or {side2} · Space pause · F1 help"
        ).format(side=sides[1], side2=sides[-1]),
    )
    choices = (
        ("fast_forward", tr("Train fast (F)")),
        ("take_black", tr("Play {side} (B)").format(side=sides[1])),
        ("take_white", tr("Play {side} (W)").format(side=sides[-1])),
        ("new_game", tr("New game")),
    )
    title = sides[1] + ": " + black.title + " · " + sides[-1] + ": " + white.title
    return title, tuple(line for line in lines if line), choices


def learner_words(side: str, games: int) -> str:
    """Return a sentence about a learner for newcomers.

    Args:
        side: name of its color.
        games: number of games that it has played.
    """
    text = (
        tr("{side} starts knowing nothing and learns from each loss.")
        if games == 0
        else tr("{side} began knowing nothing and learns from each loss.")
    )
    return text.format(side=side)


def resumed_words(side: str, player: str, learnt: int, kept: Iterable[str]) -> str:
    """Return a sentence about which learner goes on where earlier runs ended.

    Args:
        side: name of its color.
        player: name of the player.
        learnt: number of the last game of which it has learnt; 0 if it is new here.
        kept: names of the players whose learning is stored here.

    >>> resumed_words("White", "cnn-lines", 7, ["cnn-ann", "cnn-lines"])
    'White is cnn-lines and goes on with what it learnt; what cnn-ann learnt is kept'
    """
    found = (
        tr("goes on with what it learnt")
        if learnt
        else tr("learns from the games that are kept here")
    )
    others = tr(" and ").join(sorted(set(kept) - {player}))
    beside = tr("; what {others} learnt is kept").format(others=others) if others else ""
    return tr("{side} is {player} and {found}{beside}").format(
        side=side, player=player, found=found, beside=beside
    )


def _played(rules: Game) -> dict[str, Any]:
    """Return the entries for the rules of a game in the run's files."""
    if isinstance(rules, Rules):
        values: dict[str, Any] = {"size": rules.size, "win_length": rules.win_length}
        return values if rules.rule == "freestyle" else values | {"rule": rules.rule.value}
    return {"rules": rules.as_dict()}
