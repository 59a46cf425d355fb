"""Reads the games of a run from its files or a run database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from ai.formats import is_game_file, read_game_file
from ai.game import WHITE, Game, GameRecord, Rules, game_of
from ai.registry.project_games import open_games
from ai.runs.results import GAMES_FILE, check_line, record_of
from ai.store.runs import RunStore, RunStoreError
from base.spelling import files_like
from base.storage.json_file import read_json, read_lines
from base.storage.run_folder import RUN_FILE
from base.values import JsonObject

DATABASE: Final = "runs.sqlite3"


class RunReadError(ValueError):
    """A folder or database holds no readable games."""


Note: TypeAlias = Callable[[str], object]
"""Function that is called with a line about each game that is damaged and left out."""


def _raise(text: str) -> None:
    raise RunReadError(text)


def read_games(path: Path, project: Path | None = None, *, note: Note = _raise) -> list[GameRecord]:
    """Return the games of a run, in order.

    Args:
        path: folder of an experiment or of `run --out`, or a run database.
        project: folder of the project that defines the game; None for m,n,k games.
        note: called with a line about each damaged game, which is left out; without it, the first
            damaged game is an error.

    Raises:
        RunReadError: no game can be read; the message names file and line.
    """
    if project is not None:
        open_games(project)
    if (path / GAMES_FILE).is_file():
        return _from_lines(path, note)
    database = path / DATABASE if path.is_dir() else path
    if not database.is_file():
        hint = "" if path.exists() else files_like(path)
        raise RunReadError(f"expected a folder with {GAMES_FILE} or {DATABASE}, found {path}{hint}")
    try:
        store = RunStore.open_to_read(database)
        try:
            found = {item.record.game: item.record for item in store.games() if not item.is_own}
        finally:
            store.close()
    except RunStoreError as error:
        raise RunReadError(str(error)) from None
    for text in store.left_out:
        note(text)
    return [found[number] for number in sorted(found)]


def read_any_games(
    path: Path, project: Path | None = None, *, note: Note = lambda text: None
) -> list[GameRecord]:
    """Return the games of a run or of a game file, in order.

    Args:
        path: folder or database of a run, or a game file.
        project: folder of the project that defines a run's game; None for m,n,k games.
        note: called with each line about what was guessed in a game file, and about each damaged
            game of a run, which is left out.

    Raises:
        RunReadError: a run has no games, or a line is invalid.
        GameFileError: the game file is invalid.
    """
    if not is_game_file(path):
        return read_games(path, project, note=note)
    games = read_game_file(path)
    for text in (text for game in games for text in game.notes):
        note(text)
    return [game.record(number, str(path)) for number, game in enumerate(games, start=1)]


def read_changes(path: Path, *, note: Note = _raise) -> list[JsonObject]:
    """Return the setting changes made during a run, sorted by game; [] if there are none.

    Args:
        path: folder or run database, as for `read_games`.
        note: called with a line about each damaged change of a database, which is left out; without
            it, the first one is an error.

    Returns:
        For each change, `game` (the first one played with it), `key`, `from` and `to`.

    Raises:
        RunReadError: the file cannot be read or is invalid.
    """
    try:
        if (path / GAMES_FILE).is_file():
            found = read_json(path / RUN_FILE).get("changes", [])
        else:
            store = RunStore.open_to_read(path / DATABASE if path.is_dir() else path)
            try:
                found = store.changes()
            finally:
                store.close()
            for text in store.left_out:
                note(text)
        for change in found:
            if type(change["game"]) is not int or not isinstance(change["key"], str):
                raise ValueError(f"{change!r:.80}")
            _ = change["from"], change["to"]
    except (OSError, ValueError, KeyError, TypeError, RunStoreError) as error:
        raise RunReadError(f"{path}: expected a run's changes, found {error}") from None
    return sorted(found, key=lambda change: int(change["game"]))


def _first_rules(config: JsonObject) -> Game:
    """Return the game of a run whose file does not describe it, as those of the first versions."""
    size, length = int(config.get("size", 7)), int(config.get("win_length", 5))
    return Rules(size, length, config.get("rule", "freestyle"), full_board_winner=WHITE)


def _from_lines(folder: Path, note: Note) -> list[GameRecord]:
    told: list[str] = []
    try:
        config = read_json(folder / RUN_FILE)["config"]
        if not isinstance(config, dict):
            raise ValueError(f"{RUN_FILE}: config: {config!r:.60}")
        played = game_of(config["rules"]) if "rules" in config else _first_rules(config)
        lines = read_lines(folder / GAMES_FILE, check_line, note=told.append)
    except (OSError, KeyError, ValueError, TypeError, OverflowError) as error:
        raise RunReadError(f"{folder}: expected a run's games, found {error}") from None
    records: list[GameRecord] = []
    for line in lines:
        try:
            record = record_of(line, played)
            GameRecord.from_dict(record.as_dict())  # replays the game and so checks it
            records.append(record)
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            told.append(f"{folder / GAMES_FILE}: game {line['game']}: {error}")
    if told and (not records or note is _raise):
        raise RunReadError(f"{folder}: expected a run's games, found {told[0]}")
    for text in told:
        note(f"{text}; this line is left out")
    return records
