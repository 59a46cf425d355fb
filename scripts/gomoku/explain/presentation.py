"""Presentation mode: captions for an audience, and direction of the camera."""

from __future__ import annotations

import re
from typing import Any

from ai import BLACK, WHITE, Explanation, GameRecord, Opening, to_text
from scripts.common.cinematic_camera import CinematicCamera
from scripts.gomoku.explain.captions import Caption, CaptionInput, caption
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.match_report import row_text
from scripts.gomoku.seats.learner_client import LearnerClient
from sim import Script, Ui, field, on, tr, translated

REFERENCE_HEIGHT = 720.0  # pixels of a window in which the sizes below are right
SIZES = {"sentence": 34.0, "heading": 22.0, "score": 22.0}
WIDEST = 0.8  # of the window
PARTS = re.compile(r"[\u3000-\u9fff\uff00-\uffef]\s*|[^\s\u3000-\u9fff\uff00-\uffef]+\s*|\s+")
"""What may stand at the end of a line: a word, or a letter of Chinese or Japanese."""
ENDS = {"foul": tr("a foul"), "score": tr("more stones")}


class Presentation(Script):
    """Shows captions at the lower edge in presentation mode, and directs the camera."""

    match: Match = field(None)
    trainer: LearnerClient = field(None, former=("coach",))
    camera: CinematicCamera = field(None)
    scale: float = field(1.0, min=0.5, max=4.0, help=tr("Size of the captions"))

    def awake(self) -> None:
        self.mover = 0
        self.last_move = -1
        self.winner: int | None = None
        self.how = ""
        self.results: list[int] = []
        self.entry: Any = None

    def late_update(self, dt: float) -> None:  # also while the scene is paused
        is_presenting = self.panels.is_presenting
        if is_presenting == (self.entry is not None):
            return
        if is_presenting:
            self.entry = self.panels.register(
                self.slot, "Captions", self.draw, dock="overlay-bottom"
            )
        else:
            self.panels.remove(self.entry)
            self.entry = None
        if self.camera is not None:
            self.camera.switch(is_presenting)

    def disable(self) -> None:
        if self.entry is not None:
            self.panels.remove(self.entry)
            self.entry = None
        if self.camera is not None:
            self.camera.switch(False)

    @on("match.game_started")
    def begin(self, game: int) -> None:
        """Reset for a new game; show the whole board."""
        self.mover, self.last_move, self.winner, self.how = 0, -1, None, ""
        if self.camera is not None:
            self.camera.cut_home()

    @on("match.stone_placed")
    def show_stone(self, move: int, color: int) -> None:
        """Show a caption for a move, and turn the camera to its stone."""
        self.mover, self.last_move = color, move
        if self.camera is not None and self.match.is_shown:
            self.camera.look_at(self._place_of(move))

    @on("match.game_over")
    def show_end(self, record: GameRecord) -> None:
        """Caption the result, and cut to the winning line."""
        self.winner = record.winner
        is_row = record.termination == "five"
        full = tr("the board is full")
        self.how = row_text(record.rules) if is_row else ENDS.get(record.termination, full)
        self.results.append(record.winner)
        line = record.board().winning_line() if record.termination == "five" else None
        if line and self.camera is not None and self.match.is_shown:
            self.camera.cut_to([self._place_of(move) for move in line])

    @on("match.resumed")
    def restore(self, records: list[GameRecord]) -> None:
        """Count the games of earlier sessions."""
        self.results.extend(record.winner for record in records)

    @property
    def caption(self) -> Caption:
        """The present caption."""
        match = self.match
        return caption(
            CaptionInput(
                game=match.game,
                black=match.seat_at(BLACK).info,
                white=match.seat_at(WHITE).info,
                mover=self.mover,
                point=to_text(self.last_move, match.board.size) if self.last_move >= 0 else "",
                explanation=self._explanation(),
                winner=self.winner,
                how=self.how,
                is_training=self.trainer is not None and self.trainer.is_training,
                results=tuple(self.results),
            )
        )

    def draw(self, ui: Ui) -> None:
        """Draw the captions in large type."""
        shown = self.caption
        size = ui.imgui.get_io().display_size
        factor = self.scale * max(0.45, min(size.y / REFERENCE_HEIGHT, size.x / 1280.0 * 1.15))
        width = size.x * WIDEST
        ui.imgui.dummy(ui.imgui.ImVec2(width, 1.0))
        for name, color in (("heading", "muted"), ("sentence", "text"), ("score", "amber")):
            ui.imgui.push_font(ui.theme.bold, SIZES[name] * factor / ui.theme.scale)
            for line in _wrapped(ui, getattr(shown, name), width):
                ui.imgui.set_cursor_pos_x(
                    ui.imgui.get_cursor_pos_x() + (width - ui.imgui.calc_text_size(line).x) / 2.0
                )
                ui.text(line, color)
            ui.imgui.pop_font()

    def _explanation(self) -> Explanation:
        """Return the explanation of the last move; an empty one if there is none.

        A randomly drawn first move has the explanation `Opening`.
        """
        choice, current = self.match.last_choice, self.match.current
        if current is not None and current.ply <= 1:
            match = self.match
            is_drawn = match.random_opening and match.opening == "none" and not match.black.is_human
            return Opening() if is_drawn else Explanation()
        if choice is None or choice.move != self.last_move:
            return Explanation()
        return choice.explanation

    def _place_of(self, move: int) -> Any:
        board = self.match.board
        return board.object.transform.to_world(board.position_of(move))


def _wrapped(ui: Ui, text: str, width: float) -> list[str]:
    """Return the text split into lines no wider than `width` pixels."""
    lines = [""]
    for part in PARTS.findall(translated(text)):
        if lines[-1] and ui.imgui.calc_text_size((lines[-1] + part).rstrip()).x > width:
            lines.append("")
        lines[-1] += part
    return [line.strip() for line in lines]
