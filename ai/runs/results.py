"""The files of a run: the form of their lines, the summary of a run, and the writer."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from ai.game import BLACK, EMPTY, WHITE, Game, GameRecord
from ai.game.rules import color_name
from ai.registry.players import find_player_info
from ai.runs.statistics import all_wins_from, wins_per_group
from base.files import SHIPPED_ROOT
from base.storage.json_file import write_json
from base.storage.run_folder import RunFolder
from base.values import JsonObject

GAMES_FILE: Final = "games.jsonl"
TIMINGS_FILE: Final = "timings.jsonl"
SUMMARY_FILE: Final = "summary.json"
FORMAT: Final = "goishi.experiment/1"

_GAME_KEYS: Final = ("game", "winner", "reason", "plies", "moves")
LINE_KEYS: Final = (*_GAME_KEYS, "ranks", "ann_nodes", "relearn_records")


def summarise(
    config: Mapping[str, object],
    lines: Sequence[JsonObject],
    timings: Sequence[JsonObject],
    *,
    points: int,
) -> JsonObject:
    """Compute the summary of a run from the lines of its files.

    Args:
        config: configuration of the run as plain values, copied unchanged.
        lines: lines of `games.jsonl`.
        timings: lines of `timings.jsonl`.
        points: number of points of the board; the summary counts the ranks from 1 to this.
    """
    wins = [line["winner"] == "white" for line in lines]
    rank_counts = [0] * points
    for line in lines:
        for rank in line["ranks"]:
            rank_counts[rank - 1] += 1
    seconds = {
        name: round(sum(timing[f"{key}_seconds"] or 0.0 for timing in timings), 3)
        for name, key in (("black", "black"), ("white", "white"), ("training", "retrain"))
    }
    last = lines[-1] if lines else {"ann_nodes": 0, "relearn_records": 0}
    return {
        "config": dict(config),
        "games": len(lines),
        "wins_per_group": wins_per_group(wins),
        "all_wins_from_game": all_wins_from(wins),
        "losses": sum(line["winner"] == "black" for line in lines),
        "plies": sum(line["plies"] for line in lines),
        "relearn_records": last["relearn_records"],
        "ann_nodes": last["ann_nodes"],
        "rank_counts": rank_counts,
        "held": _held(timings, _least_held(config)),
        "win_reasons": _win_reasons(lines),
        "seconds": {"total": round(sum(seconds.values()), 3), **seconds},
        "held_out": {},
        "oracle": None,
        **_opponents(lines),
        "versions": versions(),
    }


def _opponents(lines: Sequence[JsonObject]) -> JsonObject:
    """Count games and White's wins against each member of a league.

    Args:
        lines: lines of `games.jsonl`.

    Returns:
        The entry `opponents` of the summary; {} without a league.
    """
    names = dict.fromkeys(line["opponent"] for line in lines if "opponent" in line)
    found = {
        name: [line["winner"] == "white" for line in lines if line.get("opponent") == name]
        for name in names
    }
    results = {name: {"games": len(won), "white": sum(won)} for name, won in found.items()}
    return {"opponents": results} if results else {}


def _least_held(config: Mapping[str, object]) -> float:
    """Return the share of its memory that a training of this run's learner should hold."""
    return find_player_info(str(config.get("player", ""))).least_held


def _held(timings: Sequence[JsonObject], least: float) -> JsonObject:
    """Summarise how well the network has learned its positions, over all trainings.

    The measure `held` is the share of remembered positions that the network answers as taught.

    Args:
        timings: lines of `timings.jsonl`.
        least: smallest share of a successful training.

    Returns:
        `last` and `least` share, and the number `failed` of trainings with too low a share. Older
        runs did not store it: the shares are None and `failed` is 0.
    """
    shares = [timing["held"] for timing in timings if timing.get("held") is not None]
    return {
        "last": shares[-1] if shares else None,
        "least": min(shares, default=None),
        "failed": sum(share < least for share in shares),
    }


def _win_reasons(lines: Sequence[JsonObject]) -> dict[str, dict[str, int]]:
    """Count each side's wins by reason: five in a row or, for White, a full board."""
    return {
        color: {
            reason: sum(line["winner"] == color and line["reason"] == reason for line in lines)
            for reason in reasons
        }
        for color, reasons in (("white", ("five", "full")), ("black", ("five",)))
    }


def versions() -> dict[str, str]:
    """Return the versions of Goishi, Python and the packages that results depend on, by name.

    A package that is not installed has "none".
    """
    found = {"goishi": _commit(), "python": platform.python_version()}
    for package in ("numpy", "numba", "tensorflow", "keras"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found


@cache
def _commit() -> str:
    """Return the short git commit of this program; "none" if it is no git checkout."""
    if not (SHIPPED_ROOT / ".git").exists():  # installed, maybe inside another repository
        return "none"
    try:
        words = ["git", "-C", str(SHIPPED_ROOT), "rev-parse", "--short=12", "HEAD"]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=10.0)
    except (OSError, subprocess.SubprocessError):
        return "none"
    return done.stdout.strip() or "none"


def check_line(line: JsonObject) -> None:
    """Check that a line of `games.jsonl` has all keys with values of the right types.

    Raises:
        ValueError: a key is missing or a value has the wrong type.
    """
    for key in LINE_KEYS:
        if key not in line:
            raise ValueError(f"expected the key {key!r}, found none")
    if line["winner"] not in ("black", "white", "draw"):
        raise ValueError(f"winner: expected black, white or draw, found {line['winner']!r}")
    if type(line["game"]) is not int or line["game"] < 1:
        raise ValueError(f"game: expected a whole number from 1 on, found {line['game']!r:.60}")
    for key in ("moves", "ranks"):
        if not isinstance(line[key], list) or not all(type(item) is int for item in line[key]):
            raise ValueError(f"{key}: expected whole numbers, found {line[key]!r:.60}")


def record_of(line: JsonObject, rules: Game) -> GameRecord:
    """Return the game of a line of `games.jsonl` that was checked."""
    winner = {"black": BLACK, "white": WHITE}.get(line["winner"], EMPTY)
    return GameRecord(rules, tuple(line["moves"]), winner, line["reason"], line["game"])


def game_line(
    record: GameRecord,
    *,
    ranks: list[int],
    ann_nodes: int,
    relearn_records: int,
    opponent: str | None = None,
) -> JsonObject:
    """Return a game's line for `games.jsonl`, without times and paths.

    Args:
        record: the finished game.
        ranks: ranks of the learner's moves in its network's answers, from 1.
        ann_nodes: number of remembered positions after learning from the game.
        relearn_records: number of relearn records so far: positions that are learned again after a
            loss.
        opponent: league member that played Black; None to leave it out.
    """
    line = {
        "game": record.game,
        "winner": color_name(record.winner) if record.winner else "draw",
        "reason": record.termination,
        "plies": len(record.moves),
        "moves": list(record.moves),
        "ranks": ranks,
        "ann_nodes": ann_nodes,
        "relearn_records": relearn_records,
    }
    return line if opponent is None else {**line, "opponent": opponent}


def timing_line(
    game: int,
    *,
    black_seconds: float | None,
    white_seconds: float | None,
    retrain_seconds: float | None,
    held: float | None,
) -> JsonObject:
    """Return a game's line for `timings.jsonl`.

    Args:
        game: number of the game.
        black_seconds: Black's thinking time; None if unknown.
        white_seconds: White's thinking time; None if unknown.
        retrain_seconds: duration of the training after the game; None if there was none.
        held: share of remembered positions that the network answers as taught after that training;
            None if unknown.
    """
    return {
        "game": game,
        "black_seconds": black_seconds,
        "white_seconds": white_seconds,
        "retrain_seconds": retrain_seconds,
        "held": held,
    }


class RunFiles:
    """Writes `run.json`, `games.jsonl`, `timings.jsonl` and, at the end, `summary.json`."""

    def __init__(self, folder: Path, config: Mapping[str, object], points: int) -> None:
        """Create the files of a run.

        Args:
            folder: folder of the run, which must not contain another run.
            config: configuration as plain values, kept in `run.json` and in the summary.
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
        """Append a finished game to `games.jsonl` and `timings.jsonl`.

        Args:
            record: the game.
            ranks: ranks of White's moves in its network's answers, from 1.
            ann_nodes: number of remembered positions after learning from the game.
            relearn_records: number of relearn records so far: positions that are learned again
                after a loss.
            seconds: thinking time of "black" and "white" in seconds.
            retrain_seconds: duration of the training after the game; None if there was none.
            held: share of remembered positions that the network answers as taught after that
                training; None if unknown.
            opponent: the league member that played Black; None without a league.

        Raises:
            OSError: the disk is full.
        """
        line = game_line(
            record,
            ranks=list(ranks),
            ann_nodes=ann_nodes,
            relearn_records=relearn_records,
            opponent=opponent,
        )
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
        """Write the setting changes of the run into `run.json`.

        Args:
            changes: `game`, `key`, `from` and `to` of each change.

        Raises:
            OSError: the disk is full; the file is unchanged.
        """
        self._run.write(self.config, changes=[*map(dict, changes)])

    def finish(self) -> None:
        """Write `summary.json` and close the files; may be called twice.

        Raises:
            OSError: the disk is full.
        """
        self._games_file.close()
        self._timings_file.close()
        summary = summarise(self.config, self._games, self._times, points=self.points)
        write_json(self.folder / SUMMARY_FILE, summary)
