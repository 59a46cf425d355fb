"""The scoreboard over the board."""

from __future__ import annotations

from ai import BLACK, WHITE, Color, GameRecord
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.match_report import SWAPS, describe_end, winning_seat
from sim import Script, Ui, capitalized, field, on, tr, wording

GROUP = 5
SHOWN_GROUPS = 12
STONES = {"Black": (0.09, 0.09, 0.1, 1.0), "White": (0.95, 0.95, 0.93, 1.0)}
EDGE = (0.5, 0.5, 0.5, 1.0)


class Scoreboard(Script):
    """Shows the players, their wins, the last result, and White's wins in groups of five games.

    Wins are counted for a seat, whatever color it plays after a swap; BLACK stands for the seat
    that begins. While a person plays, only games of the two present players count. In a league,
    only games against the present opponent count.
    """

    match: Match = field(None)

    def awake(self) -> None:
        self.wins = {BLACK: 0, WHITE: 0, 0: 0}
        self.with_people: dict[tuple[str, str], dict[Color, int]] = {}
        """Wins of each seat in games with a person, by the names of the two players."""
        self.results: list[int] = []
        self.last: GameRecord | None = None

    def start(self) -> None:
        self.panel(tr("Scoreboard"), self.draw, dock="overlay-top")

    @on("match.game_over")
    def count(self, record: GameRecord) -> None:
        """Count a finished game."""
        winner = winning_seat(record)
        self.wins[winner] += 1
        self.results.append(winner)
        self.last = record

    @on("match.game_over")
    def count_with_people(self, record: GameRecord) -> None:
        """Count a finished game for the present two players, if one of them is a person."""
        if self.has_person:
            self.shown_wins[winning_seat(record)] += 1

    @on("match.resumed")
    def restore(self, records: list[GameRecord]) -> None:
        """Count the games of earlier sessions."""
        for record in records:
            self.count(record)

    def groups(self) -> list[float]:
        """Return the share of games that White's seat won, for each full group of five games."""
        full = len(self.results) // GROUP
        return [
            self.results[index * GROUP : (index + 1) * GROUP].count(WHITE) / GROUP
            for index in range(full)
        ]

    @property
    def has_person(self) -> bool:
        """Whether a person plays at one of the seats."""
        return bool(self.match.black.is_human or self.match.white.is_human)

    @property
    def shown_wins(self) -> dict[Color, int]:
        """The wins of each seat that the scoreboard shows.

        Usually they are those of all games. In a league, or while a person plays, they are only
        those of the games between the two present players.
        """
        if not self.has_person:
            member = self.match.black.member
            return self.wins if member is None else self.match.results.league.of(member).wins
        pair = (self.match.black.info.title, self.match.white.info.title)
        return self.with_people.setdefault(pair, {BLACK: 0, WHITE: 0, 0: 0})

    def wins_at(self, color: Color) -> int:
        """Return the wins of the seat that plays `color` now, after a possible swap of colors."""
        return self.shown_wins[BLACK if self.match.seat_at(color) is self.match.black else WHITE]

    def draw(self, ui: Ui) -> None:
        """Draw the players and their wins, with the side to move highlighted."""
        match = self.match
        if match is None:
            return
        is_played = match.guest is not None and not match.guest.live.is_paused
        if match.is_other_shown and not is_played:
            self._draw_other(ui)
            return
        self._draw_mark(ui, BLACK)
        ui.same_line()
        ui.text(self._name(BLACK), self._color(BLACK))
        self._draw_clock(ui, BLACK)
        ui.same_line()
        ui.heading(f" {self._points(BLACK)} : {self._points(WHITE)} ")
        ui.same_line()
        ui.text(self._name(WHITE), self._color(WHITE))
        self._draw_clock(ui, WHITE)
        ui.same_line()
        self._draw_mark(ui, WHITE)
        if match.guest is not None:
            ui.text(match.guest.note(), "muted")
            return
        parts = [tr("Game {game}").format(game=max(1, match.game))]
        if match.black.member is not None and not self.has_person:
            parts.append(
                tr("all opponents {wins} : {wins2}").format(
                    wins=self.wins[BLACK], wins2=self.wins[WHITE]
                )
            )
        if match.live.question:
            parts.append(match.live.question)
        last = (
            ""
            if self.last is None
            else tr("last: {describe_end}").format(
                describe_end=describe_end(self.last, self._sides(self.last))
            )
        )
        if last and match.opening not in SWAPS:
            parts.append(last)
        if self.shown_wins[0]:
            parts.append(tr("{shown_wins} drawn").format(shown_wins=self.shown_wins[0]))
        ui.text(wording(" · ").join(parts), "muted")
        if last and match.opening in SWAPS:
            ui.text(_capitalized(last), "muted")
        whose = tr("{side}'s").format(side=match.board.sides[WHITE])
        if match.opening in SWAPS:
            title = _capitalized(match.white.info.title)
            whose = tr("Your") if match.white.is_human else (title + ":")
        ui.text(tr("{whose} wins per {group} games").format(whose=whose, group=GROUP), "muted")
        ui.same_line()
        shares: list[float | None] = list(self.groups()[-SHOWN_GROUPS:])
        ui.blocks(shares + [None] * (SHOWN_GROUPS - len(shares)))

    def _points(self, color: Color) -> str:
        """Return the wins of the player of a color, or its points in the user's own games."""
        guest = self.match.guest
        return f"{self.wins_at(color) if guest is None else guest.points_of(color):g}"

    def _draw_clock(self, ui: Ui, color: Color) -> None:
        """Draw what a side has left on its clock, beside its name; nothing without a clock."""
        guest = self.match.guest
        text = "" if guest is None else guest.clock_text(color)
        if text:
            ui.same_line()
            ui.text(text, "red" if guest is not None and guest.is_short(color) else "text")

    def _draw_other(self, ui: Ui) -> None:
        """Draw the players of the past game or side game that is on the board."""
        shown = self.match.shown
        for color in (BLACK, WHITE):
            if color == WHITE:
                ui.same_line()
                ui.text(" · ", "muted")
                ui.same_line()
            self._draw_mark(ui, color)
            ui.same_line()
            board = shown.board
            is_to_move = board is not None and board.outcome() is None and board.to_move == color
            title = _capitalized(shown.players[color].title)
            ui.text(title, "amber" if is_to_move else "text")

    def _sides(self, record: GameRecord) -> dict[Color, str]:
        """Return the names of a game's sides by color.

        In an opening that may swap colors, the name of the player is added to each.

        Args:
            record: the game.
        """
        sides, opening = self.match.board.sides, record.opening
        if opening is None or opening.kind not in SWAPS:
            return dict(sides)
        people = {color: self.match.seat_of(opening.person_at(color)) for color in (BLACK, WHITE)}
        return {
            color: (sides[color] + " (" + seat.info.title + ")") for color, seat in people.items()
        }

    def _draw_mark(self, ui: Ui, color: Color) -> None:
        """Draw a small stone of a color; where the pieces are not stones, the side's name."""
        side = self.match.board.sides[color]
        if side not in STONES:
            ui.text(side, "muted")
            return
        imgui = ui.imgui
        height = imgui.get_text_line_height()
        corner, drawing = imgui.get_cursor_screen_pos(), imgui.get_window_draw_list()
        middle = imgui.ImVec2(corner.x + height / 2, corner.y + height / 2)
        for shade, radius in ((EDGE, 0.44), (STONES[side], 0.38)):
            packed = imgui.color_convert_float4_to_u32(imgui.ImVec4(*shade))
            drawing.add_circle_filled(middle, height * radius, packed)
        imgui.dummy(imgui.ImVec2(height, height))

    def _name(self, color: Color) -> str:
        guest = self.match.guest
        if guest is not None:
            return _capitalized(guest.name_of(color))
        return _capitalized(self.match.seat_at(color).info.title)

    def _color(self, color: Color) -> str:
        session = self.match.front.session
        board = None if session is None else session.board
        if session is None or board is None or session.is_over or board.outcome() is not None:
            return "text"
        return "amber" if board.to_move == color else "text"


def _capitalized(text: str) -> str:
    return capitalized(text)
