"""The league in the training panel: who plays Black now, and White's results by opponent."""

from __future__ import annotations

from ai import MEMBERS, place_of
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.opponents import RECENT, OpponentResults
from scripts.gomoku.seats.genetic_seat import member_title, short_title
from sim import Ui

TITLES = ("Opponent", "Games", "Won", f"Last {RECENT}")
BAR_WIDTH = 84.0  # pixels, unscaled


def draw_league(ui: Ui, match: Match) -> None:
    """Draw who of the league plays, and a line for each member; nothing without a league."""
    member = match.black.member
    if member is None and not match.league.results:
        return
    if member is not None:
        stands = place_of(match.game)
        ui.key_value("Black in this game", member_title(member))
        ui.key_value(f"League, round {stands.round}", f"{stands.place} of {len(MEMBERS)}")
    imgui = ui.imgui
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop
    if not imgui.begin_table("league", len(TITLES), int(flags)):
        return
    texts = (max(map(short_title, MEMBERS), key=len), *TITLES[1:3])
    for title, text in zip(TITLES, texts, strict=False):
        imgui.table_setup_column(title, 0, max(imgui.calc_text_size(it).x for it in (title, text)))
    imgui.table_setup_column(TITLES[-1], 0, ui.theme.px(BAR_WIDTH))
    imgui.table_headers_row()
    for name in MEMBERS:
        _draw_row(ui, name, match.league.of(name), is_now=name == member)
    imgui.end_table()


def _draw_row(ui: Ui, name: str, results: OpponentResults, *, is_now: bool) -> None:
    imgui, color = ui.imgui, "amber" if is_now else "text"
    imgui.table_next_row()
    imgui.table_next_column()
    ui.text(short_title(name), color)
    ui.tip(f"White against {member_title(name)}")
    for number in (results.games, results.won):
        imgui.table_next_column()
        ui.text(str(number) if results.games else "–", color if results.games else "muted")
    imgui.table_next_column()
    last = len(results.recent)
    if last:
        size = imgui.ImVec2(-1.0, imgui.get_text_line_height())
        imgui.progress_bar(sum(results.recent) / last, size, f"{sum(results.recent)} of {last}")
        ui.tip(f"White won {sum(results.recent)} of the last {last} games against it")
    else:
        ui.text("–", "muted")
