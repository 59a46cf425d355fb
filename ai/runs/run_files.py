"""Files of a run that is played live, in the same format as a cell's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ai.game import GameRecord
from ai.runs.results import (
    FORMAT,
    GAMES_FILE,
    SUMMARY_FILE,
    TIMINGS_FILE,
    game_line,
    summarise,
    timing_line,
)
from base.storage.json_file import write_json
from base.storage.run_folder import RunFolder
from base.values import JsonObject


class RunFiles:
    """Writes `run.json`, `games.jsonl`, `timings.jsonl` and, at the end, `summary.json`."""

    def __init__(self, folder: Path, config: Mapping[str, object], points: int) -> None:
        """Create the files of a run.

        Args:
            folder: folder of the run, without another run.
            config: plain values, kept in `run.json` and in the summary.
            points: number of points of the board.

        Raises:
            OSError: the folder cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.config = dict(config)
        self.points = points
        self._games: list[JsonObject] = []
        self._times: list[JsonObject] = []
        self._run = RunFolder(folder, FORMAT, "run")
        self._run.write(self.config)
        self._games_file = self._run.appending(GAMES_FILE)
        self._timings_file = self._run.appending(TIMINGS_FILE)

    def add(
        self,
        record: GameRecord,
        *,
        ranks: Sequence[int],
        ann_nodes: int,
        relearn_records: int,
        seconds: Mapping[str, float],
        retrain_seconds: float | None,
        held: float | None = None,
        opponent: str | None = None,
    ) -> None:
        """Write a finished game.

        Args:
            record: the game.
            ranks: ranks of White's moves in its network's answers.
            ann_nodes: nodes in the memory after learning from the game.
            relearn_records: total relearn records so far.
            seconds: thinking time in seconds of "black" and "white".
            retrain_seconds: duration of the following training, None without one.
            held: the measure `held` after that training.
            opponent: who of a league played Black; None without a league.

        Raises:
            OSError: the disk is full.
        """
        line = game_line(
            record, ranks=list(ranks), ann_nodes=ann_nodes, relearn_records=relearn_records,
            opponent=opponent,
        )  # fmt: skip
        timing = timing_line(
            record.game,
            black_seconds=round(seconds["black"], 6),
            white_seconds=round(seconds["white"], 6),
            retrain_seconds=retrain_seconds,
            held=held,
        )
        self._games_file.append(line)
        self._timings_file.append(timing)
        self._games.append(line)
        self._times.append(timing)

    def set_changes(self, changes: Sequence[Mapping[str, object]]) -> None:
        """Write the setting changes into `run.json`: `game`, `key`, `from`, `to` of each.

        Raises:
            OSError: the disk is full; the file is as it was.
        """
        self._run.write(self.config, changes=[*map(dict, changes)])

    def finish(self) -> None:
        """Write the summary and close the files; may be called twice.

        Raises:
            OSError: the disk is full.
        """
        self._games_file.close()
        self._timings_file.close()
        summary = summarise(self.config, self._games, self._times, points=self.points)
        write_json(self.folder / SUMMARY_FILE, summary)
