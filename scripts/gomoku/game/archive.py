"""Stores every game in the run database, before it is learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ai import (
    GameRecord,
    GameSummary,
    RunFiles,
    RunStore,
    RunStoreError,
    StoredGame,
    open_games,
)
from sim import Script

OWN = "own"
"""Key of the details of a game of the user's own; it holds who played."""
OWN_GAMES = "own_games"
"""Key in the configuration of a run that holds the user's own games."""


class Archive(Script, title="Saved games"):
    """Database of the scene's runs: games, measured values and changes of settings.

    It lies in the folder given with `--out`; without it, in the scene's data folder.
    """

    def awake(self) -> None:
        self.store: RunStore | None = None
        self.run_id = self._own_run_id = self._told = 0
        self.files: RunFiles | None = None
        self.noted: list[dict[str, Any]] = []
        open_games(self.run.offering)  # records name a project's game by its class
        folder: Path = self.run.out or self.run.scene_dir
        try:
            self.store = RunStore.open(folder / "runs.sqlite3")
            self._begin(self.store)
        except RunStoreError as error:  # earlier games are read all the same
            self.log.error(f"games cannot be saved: {error}")

    def _begin(self, store: RunStore) -> int:
        """Return the number of this run in the database; create the run if there is none yet.

        Raises:
            RunStoreError: the database cannot be written, for example on a full disk.
        """
        if not self.run_id:
            config = {"scene": self.scene.id, "seed": self.run.seed, **self.run.options}
            self.run_id = store.start_run(config)
        return self.run_id

    def keep(self, record: GameRecord, *, network_id: int, details: dict[str, Any]) -> None:
        """Store a finished game; if that fails, log an error.

        Args:
            record: the game.
            network_id: number of the network that played it.
            details: further values to store with the game.
        """
        if self.store is None:
            return
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        details = {"finished": finished, **details}
        try:
            run_id = self._begin(self.store)
            self.store.record_game(run_id, record, network_id=network_id, details=details)
        except RunStoreError as error:
            self.log.error(f"games cannot be saved: {error}")

    def keep_own(self, record: GameRecord, *, details: dict[str, Any]) -> tuple[int, int]:
        """Store a game of the user's own; if that fails, log an error.

        Such games have a run of their own and numbers of their own. So they change nothing of the
        match's games.

        Args:
            record: the game; its number is replaced.
            details: further values to store with it, `own` among them.

        Returns:
            Number of the run and of the game; (0, 0) if it is not stored.
        """
        if self.store is None:
            return (0, 0)
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            runs = self.store.runs()
            own = [run_id for run_id, config in runs.items() if config.get(OWN_GAMES)]
            number = 1 + max((self.store.last_game(run_id) for run_id in own), default=0)
            if not self._own_run_id:
                config = {"scene": self.scene.id, OWN_GAMES: True}
                self._own_run_id = self.store.start_run(config)
            numbered = replace(record, game=number)
            details = {"finished": finished, **details}
            self.store.record_game(self._own_run_id, numbered, details=details)
        except RunStoreError as error:
            self.log.error(f"games cannot be saved: {error}")
            return (0, 0)
        return self._own_run_id, number

    def earlier_games(self) -> list[StoredGame]:
        """Return the games of earlier runs, ordered by number, without those of the user's own.

        If several games have the same number, only the latest of them is returned. The list is
        empty if the option `--out` is used, and if reading fails.
        """
        if self.store is None or self.run.out is not None:
            return []
        try:
            stored = self.store.games()
        except RunStoreError as error:
            self.log.error(str(error))
            return []
        self._tell_left_out()
        later = {item.record.game: item for item in stored if not item.is_own}
        return [later[number] for number in sorted(later)]

    def note(self, change: dict[str, Any]) -> None:
        """Store a change of a setting; if that fails, log an error.

        Args:
            change: the change, with the keys `game`, `key`, `from` and `to`.
        """
        self.noted.append(change)
        try:
            if self.store is not None:
                self.store.record_change(self._begin(self.store), change)
            if self.files is not None:
                self.files.set_changes(self.noted)
        except (RunStoreError, OSError) as error:
            self.log.error(f"changed settings cannot be saved: {error}")

    def changes(self) -> list[dict[str, Any]]:
        """Return the stored changes of settings of all runs, ordered by game.

        The list is empty with `--out`, and if reading fails.
        """
        if self.store is None or self.run.out is not None:
            return []
        try:
            return self.store.changes()
        except RunStoreError as error:
            self.log.error(str(error))
            return []
        finally:
            self._tell_left_out()

    def measure(self, game: int, values: dict[str, float]) -> None:
        """Store measured values of a game, which later sessions show as charts.

        Args:
            game: number of the game.
            values: measured values by name.
        """
        try:
            if self.store is not None and values:
                self.store.record_measures(self._begin(self.store), game, values)
        except RunStoreError as error:
            self.log.error(f"measurements cannot be saved: {error}")

    def measures(self) -> list[tuple[int, str, float]]:
        """Return the measured values of earlier runs as (game, name, value), ordered by game.

        The list is empty with `--out`, and if reading fails.
        """
        if self.store is None or self.run.out is not None:
            return []
        try:
            return self.store.measures()
        except RunStoreError as error:
            self.log.error(str(error))
            return []

    def summaries(self, after: tuple[int, int]) -> list[GameSummary]:
        """Return summaries of the stored games that come after a certain game.

        Args:
            after: number of the run and number of the game.

        Returns:
            The summaries; empty if reading fails.
        """
        if self.store is None:
            return []
        try:
            return self.store.summaries(after)
        except RunStoreError as error:
            self.log.error(str(error))
            return []
        finally:
            self._tell_left_out()

    def players(self, after: tuple[int, int]) -> dict[tuple[int, int], tuple[str, str]]:
        """Return who played Black and White in the stored games after a certain game.

        Args:
            after: number of the run and number of the game.

        Returns:
            The names by run and game; empty if reading fails.
        """
        if self.store is None:
            return {}
        try:
            return self.store.players(after)
        except RunStoreError as error:
            self.log.error(str(error))
            return {}

    def _tell_left_out(self) -> None:
        """Log what the database could not read, each damage once."""
        if self.store is not None:
            for text in self.store.left_out[self._told :]:
                self.log.warning(text)
            self._told = len(self.store.left_out)

    def record(self, run_id: int, game: int) -> GameRecord | None:
        """Return a stored game.

        Args:
            run_id: number of the run.
            game: number of the game.

        Returns:
            The game; None if it does not exist. If reading fails, an error is logged, and it is
            None.
        """
        found = self._stored(run_id, game)
        return found.record if found is not None else None

    def details(self, run_id: int, game: int) -> Mapping[str, Any]:
        """Return the further values that were stored with a game.

        Args:
            run_id: number of the run.
            game: number of the game.

        Returns:
            The values by name, for example the ranks of the moves; empty if reading fails.
        """
        found = self._stored(run_id, game)
        return found.details if found is not None else {}

    def _stored(self, run_id: int, game: int) -> StoredGame | None:
        if self.store is None:
            return None
        try:
            return self.store.game(run_id, game)
        except RunStoreError as error:
            self.log.error(str(error))
            return None

    def write(self, record: GameRecord, *, config: dict[str, Any], **values: Any) -> None:
        """Add a game that was learned from to the run's files; does nothing without `--out`.

        Args:
            record: the game.
            config: settings of the run, written when its files are created.
            **values: further arguments of `RunFiles.add`.
        """
        if self.run.out is None:
            return
        try:
            if self.files is None:
                self.files = RunFiles(self.run.out, config, record.rules.points)
                if self.noted:
                    self.files.set_changes(self.noted)
            self.files.add(record, **values)
        except OSError as error:
            self.log.error(f"games are not in the run's files: {error}")

    def destroy(self) -> None:
        if self.files is not None:
            try:
                self.files.finish()
            except OSError as error:
                self.log.error(f"the run's summary is not written: {error}")
            self.files = None
        if self.store is not None:
            self.store.close()
            self.store = None
