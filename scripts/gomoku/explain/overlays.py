"""Overlays on the board: explanations of each side's last move."""

from __future__ import annotations

from functools import partial
from typing import Final

from scripts.gomoku.board.mark_layers import MarkLayers
from scripts.gomoku.explain.choice_reading import ChoiceReading, latest, read_choices
from scripts.gomoku.explain.overlay_marks import Marks, Shown
from scripts.gomoku.game.match import Match
from sim import Script, field, on

KINDS: Final = (
    ("heat_map", "Heat map"),
    ("columns", "Columns"),
    ("ranks", "Ranks"),
    ("population", "Evolution"),
    ("threats", "Threats"),
)
"""Fields, in the order of their keys 1 to 5, and what their buttons say."""


class Overlays(Script):
    """Shows explanations of the last moves on the board. Costs nothing while all are off."""

    match: Match = field(None)
    heat_map: bool = field(False, help="1: shares of the points as colours")
    columns: bool = field(False, help="2: the same as columns")
    ranks: bool = field(False, help="3: the best points by number; occupied ones are crossed out")
    population: bool = field(False, help="4: the population's first stones and its best line")
    threats: bool = field(False, help="5: fives and open fours of both sides, remembered answers")

    def awake(self) -> None:
        self.drawings = 0
        self._layers: MarkLayers | None = None
        self._seen: object = None

    def start(self) -> None:
        for number, (name, label) in enumerate(KINDS, start=1):
            self.command(
                f"overlay_{name}", label, partial(self.toggle, name), key=str(number),
                checked=partial(getattr, self, name),
            )  # fmt: skip
        self.show()

    @property
    def shown(self) -> Shown:
        """Which overlays are on."""
        return Shown(**{name: getattr(self, name) for name, _ in KINDS})

    def toggle(self, name: str) -> None:
        """Switch one overlay on or off by name."""
        setattr(self, name, not getattr(self, name))
        self.show()

    def validate(self) -> None:
        self.show()

    @on("match.stone_placed")
    def follow(self, move: int, color: int) -> None:
        """Update to the new position, if any overlay is on."""
        if self.shown.count:
            self.show()

    @on("match.game_started")
    def begin(self, game: int) -> None:
        """Clear all overlays: the board is empty."""
        if not self.match.is_other_shown:
            self.hide()

    @on("match.held")
    def rest(self, is_held: bool) -> None:
        """Hide while the board is used for something else; return with the live game."""
        self.hide()
        if not is_held:
            self.show()

    @on("match.shown_changed")
    def look_again(self) -> None:
        """Update to another position on the board: of a past game, or of a side game."""
        self.show()

    def show(self) -> None:
        """Redraw the overlays that are on, if anything has changed."""
        shown, match = self.shown, self.match
        if match is None or not shown.count:
            self.hide()
            return
        is_live_seen = match.is_shown and not match.is_paused
        position = match.shown if match.is_other_shown or is_live_seen else None
        board = position.board if position is not None else None
        if position is None or board is None or not board.ply:
            self.hide()
            return
        position.ask()
        seen = (position.key, board.ply, board.size, shown)
        if seen == self._seen:
            return
        self._seen = seen
        readings = latest(read_choices(board, position.choices, position.players))
        self._draw(
            Marks(
                shown,
                board.stones,
                choice=choice_with_shares(readings),
                lines=next((item for item in readings if item.view.first_moves), None),
                threats=readings[0].threats_after if shown.threats and readings else (),
            )
        )

    def hide(self) -> None:
        """Remove all overlays from the board."""
        self._seen = None
        if self._layers is not None:
            self._layers.hide()

    def destroy(self) -> None:
        if self._layers is not None:
            self._layers.destroy()

    def _draw(self, marks: Marks) -> None:
        self.drawings += 1
        if self._layers is None:
            self._layers = MarkLayers(self.match.board, "Overlay")
        self._layers.show(
            ground=marks.ground, top=marks.top, ghosts=marks.ghosts, columns=marks.columns
        )


def choice_with_shares(readings: list[ChoiceReading]) -> ChoiceReading | None:
    """Return the latest answer that rates any point, else the latest with shares or scores."""
    nets = [item for item in readings if item.view.is_any_point_rated]
    rated = [item for item in readings if item.view.shares or item.view.scores]
    return next(iter(nets or rated), None)
