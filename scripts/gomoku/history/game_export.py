"""Writes shown games to files of other programs, and offers it in a panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ai import GameFileError, GameRecord, WrittenGame, write_game_file, written_of
from sim import Ui

FOLDER = "games"
MOST_FILES = 1000  # of one name


class GameExport:
    """Exports games, and draws the buttons for it.

    Attributes:
        name: of the files, without number and suffix.
        told: what came of the last export.
    """

    def __init__(self, folder: Path, log: Any, *, is_temporary: bool) -> None:
        """Write nothing yet.

        Args:
            folder: of the run; its folder "games" is offered.
            log: the console of the script that shows the games.
            is_temporary: whether the folder is deleted when the run ends.
        """
        self.name = "game"
        self.told = ""
        self._folder = folder
        self._log = log
        self._is_temporary = is_temporary

    def draw(
        self, ui: Ui, text: str, suffixes: Sequence[str], export: Callable[[str], object]
    ) -> None:
        """Draw a button for each suffix; it calls `export(path)`."""
        ui.imgui.align_text_to_frame_padding()
        ui.text(text, "muted")
        for suffix in suffixes:
            label = f"{suffix.removeprefix('.').upper()}##{text}"
            ui.beside(ui.button_width(label))
            if ui.button(label, tip=f"Write a {suffix} file"):
                export(str(self.path_for(suffix)))

    def path_for(self, suffix: str) -> Path:
        """Return a file for an export that is not there yet."""
        ends = ("" if number == 1 else f"-{number}" for number in range(1, MOST_FILES))
        paths = [self._folder / FOLDER / f"{self.name}{end}{suffix}" for end in ends]
        return next((path for path in paths if not path.exists()), paths[-1])

    def write(self, path: Path, games: Sequence[WrittenGame | GameRecord]) -> None:
        """Write games in the format of the suffix; the console says what came of it."""
        try:
            written = [_written(game) for game in games]
            path.parent.mkdir(parents=True, exist_ok=True)
            lost = write_game_file(path, written)
        except (OSError, GameFileError) as error:
            self.told = f"not exported: {error}"
            self._log.error(self.told)
            return
        without = f", without {', '.join(lost)}" if lost else ""
        self.told = f"exported {path}{without}"
        self._log.info(self.told)
        if self._is_temporary and path.is_relative_to(self._folder):
            self._log.warning(
                "this folder is deleted when the run ends: --out or --data-dir keeps it"
            )


def _written(game: WrittenGame | GameRecord) -> WrittenGame:
    return written_of(game) if isinstance(game, GameRecord) else game
