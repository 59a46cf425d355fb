"""The run database: every game played, its moves and their explanations.

SQLite in WAL mode: one writer, any number of readers, safe against a kill.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from ai.game import GameRecord
from ai.players.explanation import Explanation
from base.files import check_no_link, check_regular
from base.values import JsonObject

SCHEMA_VERSION: Final = 1
CACHE_KIB: Final = 256
"""Size of SQLite's page cache in KiB; its default of 2 MB would fill within 2000 games."""
MAGIC: Final = b"SQLite format 3\0"
"""First bytes of every SQLite database."""
OWN: Final = "own"
"""Key of the details of a game of the user's own; it holds who played."""
TABLES: Final = ("runs", "games")
"""Tables that every run database has."""
COPIES: Final = 5
"""Maximum number of times that a database which is being written is copied to be read."""

_SCHEMA: Final = """
CREATE TABLE runs (
    run_id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    config TEXT NOT NULL
) STRICT;
CREATE TABLE games (
    run_id INTEGER NOT NULL REFERENCES runs(run_id),
    game INTEGER NOT NULL,
    record TEXT NOT NULL,
    winner INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    network_id INTEGER,
    details TEXT NOT NULL,
    explanations BLOB,
    PRIMARY KEY (run_id, game)
) STRICT, WITHOUT ROWID;
"""

_CHANGES: Final = """
CREATE TABLE IF NOT EXISTS changes (
    change_id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs(run_id),
    game INTEGER NOT NULL,
    change TEXT NOT NULL
) STRICT;
"""
"""SQL of the table of setting changes, which is created with the first change."""

_MEASURES: Final = """
CREATE TABLE IF NOT EXISTS measures (
    run_id INTEGER NOT NULL REFERENCES runs(run_id),
    game INTEGER NOT NULL,
    name TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (run_id, game, name)
) STRICT, WITHOUT ROWID;
"""
"""SQL of the table of measures by game, which is created with the first measure."""


class RunStoreError(RuntimeError):
    """The run database cannot be opened, read or written; names the file and the reason."""


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game from the database."""

    run_id: int
    record: GameRecord
    network_id: int | None
    """Number of the network that the learner played with; None if unknown."""
    details: JsonObject
    """Further plain values, such as ranks, number of remembered positions, and seconds."""

    @property
    def is_own(self) -> bool:
        """Whether it is a game of the user's own, which does not belong to the run's series."""
        return OWN in self.details


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A game without its moves, for lists."""

    run_id: int
    game: int
    winner: int
    plies: int
    network_id: int | None
    termination: str
    finished: str
    """Time when the game ended (ISO 8601, UTC); the start of its run if unknown."""
    is_beside: bool
    """Whether it is a side game, or a game of the user's own: it does not count for the run."""
    is_own: bool = False
    """Whether it is a game of the user's own, played while the match waited."""


class RunStore:
    """An open run database; use it in one thread only.

    Where parts of the file are damaged, the games that are whole are read.

    Attributes:
        left_out: a line for each damage that was met, about what could not be read.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        copy: TemporaryDirectory[str] | None = None,
    ) -> None:
        self.path = path
        self._connection = connection
        self._copy = copy  # deleted with this object
        self._connection.text_factory = _text
        self.left_out: list[str] = []

    @classmethod
    def open(cls, path: Path) -> RunStore:
        """Open a run database; create it if it is missing.

        On a full disk SQLite cannot write the index that processes share. Then the database is
        opened for this process alone, so that it can still be read.

        Raises:
            RunStoreError: the file is not a run database, has a newer version, is a link, or cannot
                be opened. It is unchanged.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            for ending in ("", "-wal", "-shm", "-journal"):
                check_no_link(path.with_name(f"{path.name}{ending}"))
            if path.exists():
                check_regular(path)
            try:
                return cls(path, _connect(path))
            except sqlite3.OperationalError:
                return cls(path, _connect(path, "PRAGMA locking_mode = EXCLUSIVE"))
        except (OSError, sqlite3.Error, RunStoreError) as error:
            found: object = error
            if isinstance(error, sqlite3.Error) and not os.access(path.parent, os.W_OK):
                found = "a folder that may not be written to"  # SQLite says "disk I/O error"
            raise RunStoreError(f"{path}: expected a run database, found {found}") from error

    @classmethod
    def open_to_read(cls, path: Path) -> RunStore:
        """Open a run database so that nothing in its folder is changed.

        The last games of a run that goes on, or that was killed, are still in a file beside the
        database. Then a copy of both files is read, which has the games up to now.

        Raises:
            RunStoreError: the file is not a run database, has a newer version, or cannot be read.
        """
        copy: TemporaryDirectory[str] | None = None
        try:
            check_regular(path)
            with path.open("rb") as file:
                if file.read(len(MAGIC)) != MAGIC:
                    raise RunStoreError("a file of another kind")
            unchanged = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
            if not _size(_log_of(path)):
                return cls(path, _connect_unchanged(unchanged))
            _check_not_foreign(unchanged)
            copy = TemporaryDirectory(prefix="goishi-", ignore_cleanup_errors=True)
            return cls(path, _connect_to_copy(path, Path(copy.name)), copy)
        except (OSError, sqlite3.Error, RunStoreError) as error:
            if copy is not None:
                copy.cleanup()
            raise RunStoreError(f"{path}: expected a run database, found {error}") from error

    def start_run(self, config: Mapping[str, object]) -> int:
        """Add a run and return its number.

        Args:
            config: configuration of the run as plain values.

        Raises:
            RunStoreError: the database cannot be written.
        """
        with self._writing() as connection:
            cursor = connection.execute(
                "INSERT INTO runs (started, config) VALUES (?, ?)",
                (datetime.now(UTC).isoformat(timespec="seconds"), json.dumps(config)),
            )
            return int(cursor.lastrowid or 0)

    def record_game(
        self,
        run_id: int,
        record: GameRecord,
        *,
        network_id: int | None = None,
        details: Mapping[str, object] | None = None,
        explanations: Sequence[Explanation | None] = (),
    ) -> None:
        """Store a game; it replaces a game of the run with the same number.

        Args:
            run_id: number of the run.
            record: the game.
            network_id: number of the network that the learner played with; None if unknown.
            details: plain values to store with the game; None for none.
            explanations: explanation of each move in order of play, None where there is none.

        Raises:
            RunStoreError: the game cannot be written (disk full); what was stored before is kept.
        """
        plain = [dict(said) if said is not None else None for said in explanations]
        packed = zlib.compress(json.dumps(plain).encode()) if plain else None
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run_id,
                    record.game,
                    json.dumps(record.as_dict()),
                    record.winner,
                    len(record.moves),
                    network_id,
                    json.dumps(dict(details or {})),
                    packed,
                ),
            )

    def record_change(self, run_id: int, change: JsonObject) -> None:
        """Store a change of a setting during a run.

        Args:
            run_id: number of the run.
            change: plain values `game` (the first one played with it), `key`, `from` and `to`.

        Raises:
            RunStoreError: the database cannot be written.
        """
        with self._writing() as connection:
            connection.execute(_CHANGES)
            connection.execute(
                "INSERT INTO changes (run_id, game, change) VALUES (?, ?, ?)",
                (run_id, int(change["game"]), json.dumps(dict(change))),
            )

    def changes(self, run_id: int | None = None) -> list[JsonObject]:
        """Return the setting changes made during runs, sorted by game.

        Args:
            run_id: number of the run; None for all runs.

        Returns:
            The changes; damaged ones are left out, see `left_out`.

        Raises:
            RunStoreError: the database cannot be read.
        """
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'changes'", ()):
            return []
        rows = self._rows(
            "SELECT game, change FROM changes WHERE ?1 IS NULL OR run_id = ?1 "
            "ORDER BY game, change_id",
            (run_id,),
        )
        found: list[JsonObject] = []
        for game, change in rows:
            try:
                found.append(dict(json.loads(change)))
            except (ValueError, TypeError, RecursionError) as error:
                self._leave_out(f"a change at game {game}", error)
        return found

    def record_measures(self, run_id: int, game: int, values: Mapping[str, float]) -> None:
        """Store measures of a game, such as the loss of the training after it.

        Args:
            run_id: number of the run.
            game: number of the game.
            values: finite numbers by name; stored ones of the same name are replaced.

        Raises:
            RunStoreError: the database cannot be written.
        """
        with self._writing() as connection:
            connection.execute(_MEASURES)
            connection.executemany(
                "INSERT OR REPLACE INTO measures VALUES (?, ?, ?, ?)",
                [(run_id, game, name, float(value)) for name, value in values.items()],
            )

    def measures(self) -> list[tuple[int, str, float]]:
        """Return the measures of all runs as (game, name, value), sorted by game.

        Several runs may have a measure with the same game number and name. Then only the one of the
        latest run is returned.

        Raises:
            RunStoreError: the database cannot be read.
        """
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'measures'", ()):
            return []
        rows = self._rows(
            "SELECT game, name, value, max(run_id) FROM measures GROUP BY game, name "
            "ORDER BY game, name",
            (),
        )
        return [(int(game), str(name), float(value)) for game, name, value, _ in rows]

    def games(self, run_id: int | None = None, *, since: int = 0) -> list[StoredGame]:
        """Return games in order of run and number.

        Args:
            run_id: number of the run; None for all runs.
            since: only games with higher numbers are returned.

        Returns:
            The games; damaged ones are left out, see `left_out`.

        Raises:
            RunStoreError: no game can be read.
        """
        rows = self._ordered(
            f"{_GAME} WHERE (?1 IS NULL OR run_id = ?1) AND game > ?2", (run_id, since)
        )
        found: list[StoredGame] = []
        for row in rows:
            try:
                found.append(_stored(row))
            except _DAMAGED as error:
                self._leave_out(_named(row[0], row[1]), error)
        if rows and not found:
            raise RunStoreError(self.left_out[-1])
        return found

    def game(self, run_id: int, game: int) -> StoredGame | None:
        """Return a game; None if it does not exist.

        Args:
            run_id: number of the run.
            game: number of the game in the run.

        Raises:
            RunStoreError: the game cannot be read.
        """
        rows = self._rows(f"{_GAME} WHERE run_id = ? AND game = ?", (run_id, game))
        try:
            return _stored(rows[0]) if rows else None
        except _DAMAGED as error:
            raise RunStoreError(f"{self.path}: expected a stored game, found {error}") from error

    def summaries(self, after: tuple[int, int] = (0, 0)) -> list[GameSummary]:
        """Return the games after a given one, without their moves, in order of run and number.

        Args:
            after: run and number of the game before the first one to return.

        Returns:
            The games; damaged ones are left out, see `left_out`.

        Raises:
            RunStoreError: the database cannot be read.
        """
        rows = self._ordered(_SUMMARY, after)
        found: list[GameSummary] = []
        for run_id, game, winner, plies, network_id, end, finished, beside, own, is_whole in rows:
            if not is_whole:
                self._leave_out(_named(run_id, game), "its record is no JSON")
                continue
            told = (winner, plies, network_id, end, finished)
            is_beside = bool(beside or own)
            found.append(GameSummary(run_id, game, *told, is_beside, is_own=bool(own)))
        return found

    def players(self, after: tuple[int, int] = (0, 0)) -> dict[tuple[int, int], tuple[str, str]]:
        """Return who played Black and White in the games after a given one, by run and game.

        Earlier versions did not store names. Then both are empty.

        Args:
            after: run and number of the game before the first one to return.

        Raises:
            RunStoreError: the database cannot be read.
        """
        found: dict[tuple[int, int], tuple[str, str]] = {}
        for run_id, game, players, people, own in self._ordered(_PLAYERS, after):
            try:
                names = json.loads(players or "[]") or _owners(json.loads(own or "{}"))
                seated = json.loads(people or "[]")
                black, white = (
                    "you" if color in seated else str(name)
                    for color, name in zip(("black", "white"), names, strict=True)
                )
            except _DAMAGED:
                black = white = ""
            found[run_id, game] = (black, white)
        return found

    def explanations(self, run_id: int, game: int) -> list[Explanation | None]:
        """Return the explanation of each move of a game in order; [] if none is stored.

        Args:
            run_id: number of the run.
            game: number of the game in the run.

        Raises:
            RunStoreError: the explanations cannot be read.
        """
        rows = self._rows(
            "SELECT explanations FROM games WHERE run_id = ? AND game = ?", (run_id, game)
        )
        if not rows or rows[0][0] is None:
            return []
        try:
            kept = json.loads(zlib.decompress(rows[0][0]))
            return [None if item is None else Explanation.from_plain(item) for item in kept]
        except (ValueError, TypeError, AttributeError, RecursionError, zlib.error) as error:
            raise RunStoreError(f"{self.path}: game {game}: unreadable: {error}") from error

    def runs(self) -> dict[int, JsonObject]:
        """Return the configuration of each run, by the run's number.

        Raises:
            RunStoreError: the database cannot be read.
        """
        rows = self._rows("SELECT run_id, config FROM runs ORDER BY run_id", ())
        try:
            return {int(row[0]): json.loads(row[1]) for row in rows}
        except (ValueError, TypeError, RecursionError) as error:
            raise RunStoreError(f"{self.path}: expected a run, found {error}") from error

    def last_game(self, run_id: int | None = None) -> int:
        """Return the highest game number of a run; 0 without games.

        Args:
            run_id: number of the run; None for the highest number in all runs.
        """
        rows = self._rows("SELECT max(game) FROM games WHERE ?1 IS NULL OR run_id = ?1", (run_id,))
        return int(rows[0][0] or 0)

    def close(self) -> None:
        """Close the database; may be called twice."""
        self._connection.close()
        if self._copy is not None:
            self._copy.cleanup()

    def _rows(self, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        """Execute an SQL query and return its rows.

        Args:
            query: the SQL, with `?` for values.
            values: the values for the placeholders.

        Raises:
            RunStoreError: the database cannot be read.
        """
        try:
            return list(self._connection.execute(query, values))
        except sqlite3.Error as error:
            raise RunStoreError(f"{self.path}: cannot be read: {error}") from error

    def _ordered(self, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        """Return rows in order of run and game; of a damaged file those before and behind damage.

        Args:
            query: the SQL without ORDER BY; its first columns are run and game.
            values: the values for the placeholders.

        Raises:
            RunStoreError: no row can be read.
        """
        found: dict[tuple[int, int], tuple[Any, ...]] = {}
        ends: list[str] = []
        for order, end in (("ASC", "the beginning"), ("DESC", "the end")):
            try:
                ordered = f"{query} ORDER BY games.run_id {order}, games.game {order}"
                for row in self._connection.execute(ordered, values):
                    found[row[0], row[1]] = row
                    end = _named(row[0], row[1])
                break
            except sqlite3.Error as error:
                fault = error
                ends.append(end)
            if not fault.sqlite_errorname.startswith(_CORRUPT) or (len(ends) == 2 and not found):
                raise RunStoreError(f"{self.path}: cannot be read: {fault}") from fault
        if ends:
            self._leave_out(f"what stands between {' and '.join(ends)}", fault)
        return [found[key] for key in sorted(found)]

    def _leave_out(self, what: str, error: object) -> None:
        """Note that something could not be read.

        Args:
            what: what it is.
            error: why.
        """
        text = f"{self.path}: {what} is left out, since it is damaged: "
        if not any(line.startswith(text) for line in self.left_out):
            self.left_out.append(f"{text}{' '.join(str(error).split()):.200}")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Context manager that runs its block in one transaction: all is written, or nothing."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise RunStoreError(f"{self.path}: cannot be written: {error}") from error


_DAMAGED: Final = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""Errors of stored texts that something has changed."""
_CORRUPT: Final = "SQLITE_CORRUPT"
"""Name of SQLite's errors for a file that is damaged."""
_GAME: Final = "SELECT run_id, game, record, network_id, details FROM games"
_SUMMARY: Final = """
SELECT games.run_id, game, winner, plies, network_id,
    CASE WHEN json_valid(record) THEN json_extract(record, '$.termination') END,
    coalesce(CASE WHEN json_valid(details) THEN json_extract(details, '$.finished') END, started),
    CASE WHEN json_valid(details) THEN json_extract(details, '$.beside') IS NOT NULL END,
    CASE WHEN json_valid(details) THEN json_extract(details, '$.own') IS NOT NULL END,
    json_valid(record) AND json_valid(details)
FROM games JOIN runs USING (run_id) WHERE (games.run_id, game) > (?, ?)
"""


_PLAYERS: Final = """
SELECT run_id, game, json_extract(details, '$.players'), json_extract(details, '$.people'),
    json_extract(details, '$.own')
FROM games WHERE json_valid(details) AND (run_id, game) > (?, ?)
"""


def _owners(own: JsonObject) -> list[str]:
    """Return who played a game of the user's own, from its details."""
    return [str(own[color].get("player") or "you") for color in ("black", "white")]


def _text(data: bytes) -> str:
    """Return a stored text; bytes that are no UTF-8 become the replacement character."""
    return data.decode("utf-8", "replace")


def _named(run_id: int, game: int) -> str:
    return f"game {game} of run {run_id}"


def _stored(row: tuple[Any, ...]) -> StoredGame:
    """Return the game of a row of `_GAME`.

    Raises:
        ValueError: it is damaged. So may be the other errors of `_DAMAGED`.
    """
    run_id, _, record, network_id, details = row
    more = json.loads(details)
    if not isinstance(more, dict):
        raise ValueError(f"details: expected a map, found {more!r:.60}")
    return StoredGame(run_id, GameRecord.from_dict(json.loads(record)), network_id, more)


def _connect(path: Path, first: str = "") -> sqlite3.Connection:
    """Open a database and set it up.

    Args:
        path: the file.
        first: SQL statement to execute first; "" for none.
    """
    connection = sqlite3.connect(path, isolation_level=None, timeout=10.0)
    try:
        connection.execute(first)
        _set_up(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _set_up(connection: sqlite3.Connection) -> None:
    """Check the tables, or create them; switch to WAL mode. Something else's file is unchanged."""
    is_new = _is_empty(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    if is_new:
        connection.executescript(
            f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
        )


def _is_empty(connection: sqlite3.Connection) -> bool:
    """Return whether a database has no tables yet; check the tables of one that has some.

    Raises:
        RunStoreError: they are not those of a run database, or of a newer version.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > SCHEMA_VERSION:
        raise RunStoreError(f"version {version}, newer than {SCHEMA_VERSION}")
    found = connection.execute("SELECT name, type FROM sqlite_master").fetchall()
    if not found and version == 0:
        return True
    kinds = dict(found)
    if version == 0 or any(kinds.get(name) != "table" for name in TABLES):
        raise RunStoreError("the tables of something else")
    return False


def _connect_unchanged(uri: str) -> sqlite3.Connection:
    """Open a database to be read, and check its tables."""
    connection = sqlite3.connect(uri, isolation_level=None, timeout=10.0, uri=True)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        if _is_empty(connection):
            raise RunStoreError("one without a run")
    except BaseException:
        connection.close()
        raise
    return connection


def _check_not_foreign(uri: str) -> None:
    """Check that a database is not something else's; its tables may still be in its log alone."""
    with contextlib.closing(sqlite3.connect(uri, timeout=10.0, uri=True)) as connection:
        _is_empty(connection)


def _connect_to_copy(path: Path, folder: Path) -> sqlite3.Connection:
    """Copy a database and its log into a folder, and open the copy.

    If the run goes on meanwhile, they are copied again, until both belong together.
    """
    for _ in range(COPIES):
        before = _stamp(path), _stamp(_log_of(path))
        copied = Path(shutil.copyfile(path, folder / path.name))
        with contextlib.suppress(FileNotFoundError):  # the run has just ended
            shutil.copyfile(_log_of(path), _log_of(copied))
        if before == (_stamp(path), _stamp(_log_of(path))):
            break
    return _connect_unchanged(f"{copied.as_uri()}?mode=rw")


def _log_of(path: Path) -> Path:
    """Return the path of the file to which SQLite writes first (the write-ahead log)."""
    return path.with_name(f"{path.name}-wal")


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _stamp(path: Path) -> tuple[int, int]:
    """Return when a file was written, and its size; zeros if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return (0, 0)
    return found.st_mtime_ns, found.st_size
