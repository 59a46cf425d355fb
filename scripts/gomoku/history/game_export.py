"""Writes shown games to files of other programs, and offers it in a panel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ai import GameFileError, GameRecord, WrittenGame, write_game_file, written_of
from sim import Script, Ui

FOLDER = "games"
MOST_FILES = 1000  # of one name


class GameExport:
    """Exports games for a script, and draws the buttons for it.

    Attributes:
        told: what came of the last export.
    """

    def __init__(self, script: Script) -> None:
        """Offer nothing yet; `script` shows the games and has `export_game(path)`."""
        self.told = ""
        self.name = "game"
        self._script = script

    def draw(self, ui: Ui, text: str, method: str, suffixes: Sequence[str]) -> None:
        """Draw a button for each suffix; it calls `method(path)` of the script."""
        ui.imgui.align_text_to_frame_padding()
        ui.text(text, "muted")
        for suffix in suffixes:
            label = f"{suffix.removeprefix('.').upper()}##{method}"
            ui.beside(ui.button_width(label))
            if ui.button(label, tip=f"Write a {suffix} file"):
                self._script.by_hand(method, str(self.path_for(suffix)))

    def path_for(self, suffix: str) -> Path:
        """Return a file for an export that is not there yet."""
        run = self._script.run
        folder = (run.out or run.data_dir) / FOLDER
        ends = ("" if number == 1 else f"-{number}" for number in range(1, MOST_FILES))
        paths = [folder / f"{self.name}{end}{suffix}" for end in ends]
        return next((path for path in paths if not path.exists()), paths[-1])

    def write(self, path: Path, games: Sequence[WrittenGame | GameRecord]) -> None:
        """Write games in the format of the suffix; the console says what came of it."""
        try:
            written = [_written(game) for game in games]
            path.parent.mkdir(parents=True, exist_ok=True)
            lost = write_game_file(path, written)
        except (OSError, GameFileError) as error:
            self.told = f"not exported: {error}"
            self._script.log.error(self.told)
            return
        without = f", without {', '.join(lost)}" if lost else ""
        self.told = f"exported {path}{without}"
        self._script.log.info(self.told)
        run = self._script.run
        if run.temporary_data and run.out is None and path.is_relative_to(run.data_dir):
            self._script.log.warning(
                "this folder is deleted when the run ends: --out or --data-dir keeps it"
            )


def _written(game: WrittenGame | GameRecord) -> WrittenGame:
    return written_of(game) if isinstance(game, GameRecord) else game
