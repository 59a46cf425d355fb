"""The league in the training panel: who plays Black now, and White's results by opponent."""

from __future__ import annotations

from ai import MEMBERS, place_of
from scripts.gomoku.game.opponents import RECENT, LeagueTable, OpponentResults
from scripts.gomoku.seats.genetic_seat import member_title, short_title
from scripts.learning.panel_parts import Cell, Column, Row, draw_table
from sim import Ui

WIDEST = f"{RECENT} of {RECENT}"
COLUMNS = (
    Column("Opponent", fits=max(map(short_title, MEMBERS), key=len)),
    Column("Games", fits="Games"), Column("Won", fits="Won"), Column(f"Last {RECENT}"),
)  # fmt: skip


def draw_league(ui: Ui, member: str | None, game: int, league: LeagueTable) -> None:
    """Draw who of the league plays, and a line for each member; nothing without a league.

    Args:
        ui: of the panel.
        member: who plays Black now, None for nobody of the league.
        game: number of the game.
        league: results by member.
    """
    if member is None and not league.results:
        return
    if member is not None:
        stands = place_of(game)
        ui.key_value("Black now", member_title(member))
        ui.key_value(f"League, round {stands.round}", f"{stands.place} of {len(MEMBERS)}")
    rows = (Row(_cells(name, league.of(name), is_now=name == member)) for name in MEMBERS)
    draw_table(ui, "league", COLUMNS, rows)


def _cells(name: str, results: OpponentResults, *, is_now: bool) -> list[Cell]:
    color, none = "amber" if is_now else "text", Cell("–", "muted")
    opponent = Cell(short_title(name), color, f"White against {member_title(name)}")
    if not results.games:
        return [opponent, none, none, none]
    last, won = len(results.recent), sum(results.recent)
    tip = f"White won {won} of the last {last} games against it"
    return [
        opponent, Cell(str(results.games), color), Cell(str(results.won), color),
        Cell(f"{won} of {last}", color, tip, bar=won / last, bar_after=WIDEST) if last else none,
    ]  # fmt: skip
