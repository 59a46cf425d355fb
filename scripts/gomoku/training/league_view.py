"""The league in the training panel: who plays Black now, and White's results by opponent."""

from __future__ import annotations

from ai import MEMBERS, place_of
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.opponents import RECENT, OpponentResults
from scripts.gomoku.seats.genetic_seat import member_title, short_title
from sim import Ui

TITLES = ("Opponent", "Games", "Won", f"Last {RECENT}")
WIDEST = f"{RECENT} of {RECENT}"
GAP = 6.0  # pixels between words and bar, unscaled
LEAST_BAR = 12.0  # pixels that a bar needs, unscaled


def draw_league(ui: Ui, match: Match) -> None:
    """Draw who of the league plays, and a line for each member; nothing without a league."""
    member = match.black.member
    if member is None and not match.results.league.results:
        return
    if member is not None:
        stands = place_of(max(1, match.game))
        ui.key_value("Black now", member_title(member))
        ui.key_value(f"League, round {stands.round}", f"{stands.place} of {len(MEMBERS)}")
    imgui = ui.imgui
    if not imgui.begin_table("league", len(TITLES), int(imgui.TableFlags_.row_bg)):
        return
    fixed = int(imgui.TableColumnFlags_.width_fixed)  # names are read whole; the bars may shrink
    longest = (max(map(short_title, MEMBERS), key=len), *TITLES[1:3])
    for title, text in zip(TITLES, longest, strict=False):
        imgui.table_setup_column(title, fixed, imgui.calc_text_size(text).x)
    imgui.table_setup_column(TITLES[-1], int(imgui.TableColumnFlags_.width_stretch))
    imgui.table_headers_row()
    for name in MEMBERS:
        _draw_row(ui, name, match.results.league.of(name), is_now=name == member)
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
    if not last:
        ui.text("–", "muted")
        return
    left, won = imgui.get_cursor_pos_x(), sum(results.recent)
    ui.text(f"{won} of {last}", color)
    ui.tip(f"White won {won} of the last {last} games against it")
    imgui.same_line()
    imgui.set_cursor_pos_x(left + imgui.calc_text_size(WIDEST).x + ui.theme.px(GAP))
    if imgui.get_content_region_avail().x >= ui.theme.px(LEAST_BAR):
        imgui.progress_bar(won / last, imgui.ImVec2(-1.0, imgui.get_text_line_height()), "")
