"""Statistics of a match and the lines of its run files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ai import (
    BLACK,
    FIRST,
    LEAGUE,
    WHITE,
    Color,
    Game,
    GameRecord,
    GameSession,
    Rules,
    StoredGame,
)
from scripts.gomoku.game.record_log import Column
from scripts.gomoku.seats.seat import HUMAN

if TYPE_CHECKING:
    from scripts.gomoku.game.match import Match

NAMES = {1: "black", -1: "white", 0: "draw"}
SIDES = {1: "Black", -1: "White"}
HOW = {"full": "full board", "resigned": "resigned", "time": "on time",
       "forfeit": "by forfeit", "declared": "as the file says"}  # fmt: skip
RULES = {
    "standard": "Exactly five in a row win.",
    "renju": "Renju: Black has fouls and wins with exactly five.",
    "caro": "Caro: exactly five in a row win, unless blocked at both ends.",
}
SWAPS = ("swap", "swap2")
"""Openings that may change who sits at a color."""
NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six"}


class Pace:
    """Measures games per minute over the latest games."""

    def __init__(self) -> None:
        self._begun: list[float] = []

    def text(self, game: int, now: float) -> str:
        """Return the status line of a fast-forward game that begins at `now`."""
        self._begun.append(now)
        del self._begun[:-20]
        passed = now - self._begun[0]
        games = len(self._begun) - 1
        pace = f" · {games / passed * 60:.0f} games a minute" if passed > 0 else ""
        return f"Fast-forward: game {game} unseen{pace} · F to watch"


def file_values(match: Match, record: GameRecord) -> dict[str, Any]:
    """Return a game's values for the run's files; see `RunFiles.add`."""
    coach, black, white = match.coach, match.black, match.white
    was_trained = coach is not None and coach.trained_game == record.game
    held = coach.held[-1] if was_trained else None
    opponent = match.records.opponents[-1]
    return {
        "config": {
            "scene": match.run.scene_path.name,
            "seed": match.run.seed,
            **_played(record.rules),
            **({} if black.move_seconds is None else {"move_seconds": black.move_seconds}),
            **_black_of(match, opponent),
            "white": {"player": white.player, **white.seated_settings},
        },
        "opponent": opponent,
        "ranks": match.game_ranks,
        "ann_nodes": coach.statistics.get("nodes", 0) if coach is not None else 0,
        "relearn_records": coach.statistics.get("records", 0) if coach is not None else 0,
        "seconds": {
            "black": black.think_seconds - match.thinking["black"],
            "white": white.think_seconds - match.thinking["white"],
        },
        "retrain_seconds": coach.retrain_seconds[-1] if was_trained else None,
        "held": None if held is None else round(held, 4),
    }


def _black_of(match: Match, opponent: str | None) -> dict[str, Any]:
    """Return what the run's files say of Black: the player, or a league and its settings."""
    black = match.black
    if opponent is None:
        return {"black": {"player": black.player, **black.seated_settings}}
    chosen = {"player": black.chosen_player(), **black.chosen_settings()}
    return {"opponents": LEAGUE, "black": chosen}


def opponent_in(match: Match, session: GameSession) -> str | None:
    """Return who of a league played Black in a game, a person, too; None without a league."""
    member = match.black.member
    is_person = NAMES[BLACK] in session.people or match.black.is_human
    return HUMAN if is_person and member is not None else member


def statistics(match: Match) -> dict[str, Any]:
    """Return the values for --stats about the games of this run.

    Those of each game are no copies: they are read when the file is written.
    """
    log, coach = match.records, match.coach
    return {
        **(_league_of(match) if log.has_opponents else {}),
        "games": len(log),
        "results": {NAMES[color]: count for color, count in log.wins.items()},
        "winners": Column(log, lambda number: NAMES[log.winners[number]]),
        "moves": log.moves,
        "plies": log.plies,
        "retrains": coach.retrains if coach is not None else 0,
        "retrain_seconds": coach.retrain_seconds if coach is not None else [],
        "held": coach.held if coach is not None else [],
        "ann_nodes": coach.statistics.get("nodes", 0) if coach is not None else 0,
        "rank_counts": match.rank_counts,
    }


def winning_seat(record: GameRecord) -> Color:
    """Return the seat of who won: BLACK of who begins, WHITE of the other; 0 nobody's.

    After an opening that swaps, who sits at the seat of Black may play White.
    """
    person = record.winning_person
    return 0 if person is None else BLACK if person is FIRST else WHITE


def _league_of(match: Match) -> dict[str, Any]:
    """Return the values for --stats about a league: who played each game, results by opponent."""
    return {"opponents": match.records.opponents, "league": match.league_now.as_dict()}


def log_earlier(match: Match, kept: list[StoredGame], learnt: int) -> None:
    """Let charts and results go on from the games of earlier sessions.

    Args:
        match: the match that is resumed.
        kept: its stored games.
        learnt: how many of them the learner knows; the measures of others are taken anew.
    """
    for item in kept:
        if "beside" in item.details:
            continue
        record = item.record
        match.metrics.log("white_won", float(record.winner == WHITE), step=record.game)
        if "people" in item.details:
            match.metrics.log("with_person", 1.0, step=record.game)
        else:
            match.league.add(item.details.get("opponent"), winning_seat(record))
    measures = [] if match.archive is None else match.archive.measures()
    for game, name, value in measures:
        if game <= learnt:  # what was not learnt yet is measured anew
            match.metrics.log(name, value, step=game)
    if learnt and not measures:  # kept by an older version: the last point alone is known
        match.coach.log_statistics(learnt)


def ranks_of(games: list[StoredGame], points: int) -> list[int]:
    """Return `[A]` how often each rank was played in stored games."""
    counts = [0] * points
    for game in games:
        for rank in game.details.get("ranks", ()):
            if 1 <= rank <= points:
                counts[rank - 1] += 1
    return counts


def describe_end(record: GameRecord, sides: Mapping[int, str] = SIDES) -> str:
    """Return the result of a game: "Black wins, five in a row"."""
    if record.termination in ("unfinished", "void"):
        return "not finished"
    winner = f"{sides[record.winner]} wins" if record.winner else "draw"
    how = HOW.get(record.termination, "")
    if record.termination == "five" and isinstance(record.rules, Rules):
        length = record.rules.win_length
        how = f"{NUMBERS.get(length, str(length))} in a row"
    elif record.termination == "score":
        stones = record.board().stones
        how = " to ".join(map(str, sorted((stones.count(1), stones.count(-1)), reverse=True)))
    return f"{winner}, {how or record.termination}"


def full_board_rule(rules: Game, sides: Mapping[int, str] = SIDES) -> str:
    """Return who wins a full board, in a sentence; "" where it is a draw."""
    winner = rules.full_board_winner if isinstance(rules, Rules) else 0
    return f"If the board fills up, {sides[winner]} wins." if winner else ""


def special_rules(rules: Game, opening: str) -> list[str]:
    """Return the rule and the opening of a game in words, where they are not the usual ones."""
    rule = rules.rule if isinstance(rules, Rules) else "freestyle"
    words = [RULES[rule]] if rule in RULES else []
    return words if opening == "none" else [*words, f"Opening: {opening}"]


def legend_of(match: Match) -> tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return what the legend of a match says: the players, lines, and commands with their words."""
    sides = match.board.sides
    black, white = match.black.info, match.white.info
    learns = match.coach is not None and bool(white.after_loss)
    lines = (
        learner_words(sides[-1], match.played) if learns else "",
        f"When {sides[-1]} loses, it {white.after_loss}" if learns else "",
        *special_rules(match.rules, match.opening),
        full_board_rule(match.rules, sides),
        f"F fast-forward · L show losses · B / W play {sides[1]} or {sides[-1]} · Space pause · "
        "F1 help",
    )
    choices = (
        ("fast_forward", "Train fast (F)"),
        ("take_black", f"Play {sides[1]} (B)"),
        ("take_white", f"Play {sides[-1]} (W)"),
    )
    title = f"{sides[1]}: {black.title} · {sides[-1]}: {white.title}"
    return title, tuple(line for line in lines if line), choices


def learner_words(side: str, games: int) -> str:
    """Return what a newcomer is told of a learner that has played so many games."""
    begins = "starts" if games == 0 else "began"
    return f"{side} {begins} knowing nothing and learns from each loss."


def _played(rules: Game) -> dict[str, Any]:
    """Return what the run's files say of a game."""
    if isinstance(rules, Rules):
        values: dict[str, Any] = {"size": rules.size, "win_length": rules.win_length}
        return values if rules.rule == "freestyle" else values | {"rule": rules.rule.value}
    return {"rules": rules.as_dict()}
