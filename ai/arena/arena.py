"""Play a tournament, several games at a time; if it is killed, finished games are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from ai.arena.game import play_game
from ai.arena.page import table_page_of, table_text_of, write_page
from ai.arena.ratings import Sprt, cross_table, elo_table, pair_scores, results_of, sprt
from ai.arena.tournament import FORMAT, Pairing, Tournament, TournamentError
from ai.runs.cluster import each_as_done, import_ray
from ai.runs.results import GAMES_FILE, check_line, versions
from base.files import atomic_write
from base.locks import FolderLock
from base.storage.json_file import write_json
from base.storage.run_folder import RunFolder
from base.values import JsonObject

RESULTS_FILE: Final = "results.json"
PAGE_FILE: Final = "index.html"
TABLE_TEXT: Final = "table.md"
TABLE_PAGE: Final = "table.html"

Report = Callable[[int, int, JsonObject | None], None]
"""Progress callback, called with (games done, games to play, line of the last game or None)."""


def run_arena(
    tournament: Tournament,
    out: Path,
    *,
    jobs: int = 1,
    resume: bool = False,
    backend: str = "local",
    address: str | None = None,
    bounds: tuple[float, float] | None = None,
    report: Report | None = None,
    lock: FolderLock | None = None,
) -> JsonObject:
    """Play a tournament, or the games still missing, and return the content of `results.json`.

    Writes `run.json`, `games.jsonl` (the games, for the command `replay`), `results.json` and
    `index.html`.

    Args:
        tournament: the tournament; a resumed one may have more games per pair than before.
        out: folder of the tournament.
        jobs: number of games played at a time, each in a process of its own with one core.
        resume: continue the tournament in the folder; its games are kept.
        backend: "local" or "ray".
        address: address of the Ray cluster; None starts a local one.
        bounds: Elo differences (elo0, elo1) of a sequential test between two players, see `sprt`;
            the match ends as soon as the test has decided. None for no test.
        report: called before the first game and after each.
        lock: the folder's lock if the caller holds it already; it is released at the end.

    Raises:
        FolderBusyError: another process writes to the folder.
        RunFolderError: the folder holds something else, or a tournament and `resume` is False.
        TournamentError: a player does not play these rules, or Ray is missing.
        LinesFileError: a line of the folder's games is damaged.
        OSError: the folder cannot be written.
    """
    check_start(tournament, backend, bounds)
    with arena_run(out, lock) as folder:
        lines = _open_folder(folder, tournament, resume=resume)
        pairings = tournament.pairings()
        _check_games(pairings, lines)
        if report is not None:
            report(len(lines), len(pairings), None)
        calls = [(tournament, pairing) for pairing in _to_play(tournament, lines, bounds)]
        games = each_as_done(
            play_game, calls, jobs=jobs, backend=backend, address=address, error=TournamentError
        )
        with folder.appending(GAMES_FILE) as file, closing(games):
            for _, line in games:
                file.append(line)
                lines.append(line)
                if report is not None:
                    report(len(lines), len(pairings), line)
                if _is_decided(tournament, lines, bounds):
                    break
        results = results_in(tournament, lines, bounds)
        write_json(out / RESULTS_FILE, results)
        write_page(out / PAGE_FILE, tournament, results, lines)
        return results


def write_table(folder: Path, player: str | None, out: Path) -> str:
    """Write the table of one player's matches, from the games in a tournament's folder.

    The files are `table.md` and `table.html`. The same games give the same files.

    Args:
        folder: folder of the tournament.
        player: label of the player; None for the first one.
        out: folder of the files; it is created if it is missing.

    Returns:
        The text of `table.md`.

    Raises:
        RunFolderError: the folder holds no tournament.
        TournamentError: the tournament has no such player, or no game is finished.
        LinesFileError: a line of the folder's games is damaged.
        OSError: a file cannot be written.
    """
    tournament, lines = read_tournament(folder), read_games_of(folder)
    chosen = tournament.players[0] if player is None else player
    if chosen not in tournament.players:
        known = ", ".join(tournament.players)
        raise TournamentError(f"--player: expected one of {known}, found {chosen!r}")
    if not lines:
        raise TournamentError(f"{folder}: expected finished games, found none")
    results = results_in(tournament, lines)
    text = table_text_of(tournament, results, chosen)
    out.mkdir(parents=True, exist_ok=True)
    atomic_write(out / TABLE_TEXT, text)
    atomic_write(out / TABLE_PAGE, table_page_of(tournament, results, chosen))
    return text


def arena_run(out: Path, lock: FolderLock | None = None) -> RunFolder:
    """Return a tournament's folder as a `RunFolder`; it is opened later.

    Args:
        out: path of the folder.
        lock: the folder's lock if the caller holds it already.
    """
    return RunFolder(out, FORMAT, "tournament", lock=lock)


def check_start(
    tournament: Tournament, backend: str, bounds: tuple[float, float] | None = None
) -> None:
    """Check that a tournament can be played, before anything is written.

    Args:
        tournament: the tournament.
        backend: "local" or "ray".
        bounds: Elo differences of a sequential test; None for no test.

    Raises:
        TournamentError: a player does not exist or does not play these rules, Ray is missing, or a
            sequential test has more than two players.
    """
    if bounds is not None and len(tournament.players) != 2:
        raise TournamentError(f"--sprt: expected two players, found {len(tournament.players)}")
    if backend == "ray":
        import_ray(TournamentError)
    tournament.entrants()


def _open_folder(folder: RunFolder, tournament: Tournament, *, resume: bool) -> list[JsonObject]:
    """Write `run.json` into a new folder, or check that of an old one.

    Args:
        folder: folder of the tournament.
        tournament: the tournament.
        resume: whether to continue the tournament in an old folder.

    Returns:
        The lines of `games.jsonl`, one for each game played so far.
    """
    config = {**tournament.as_dict(), "size": tournament.rules.size}
    folder.open(config, resume=resume, difference=tournament.difference)
    folder.write(config, versions=versions())
    return read_games_of(folder.path)


def read_tournament(out: Path) -> Tournament:
    """Return the tournament that a folder's `run.json` describes.

    Raises:
        RunFolderError: the folder holds no tournament.
        TournamentError: the description of the tournament is damaged.
    """
    return Tournament.from_dict(arena_run(out).config(), is_read_only=True)


def read_games_of(out: Path) -> list[JsonObject]:
    """Return the lines of `games.jsonl` in a folder, in the order in which the games ended.

    Raises:
        LinesFileError: a line is damaged; the message names file and line.
    """

    def check(line: JsonObject) -> None:
        check_line(line)
        for key in ("black", "white"):
            if not isinstance(line[key], str):
                raise ValueError(f"{key}: expected a name, found {line[key]!r:.60}")
        if type(line["opening"]) is not int:
            raise ValueError(f"opening: expected a whole number, found {line['opening']!r:.60}")

    return arena_run(out).lines(GAMES_FILE, check)


def results_in(
    tournament: Tournament,
    lines: Sequence[JsonObject],
    bounds: tuple[float, float] | None = None,
) -> JsonObject:
    """Return the content of `results.json` for the games played so far.

    Args:
        tournament: the tournament.
        lines: lines of `games.jsonl`.
        bounds: Elo differences of a sequential test; None for no test.
    """
    ordered = sorted(lines, key=lambda line: int(line["game"]))
    results = results_of(ordered)
    names = tournament.players
    table = cross_table(names, results)
    test = _test(tournament, ordered, bounds)
    return {
        "format": FORMAT,
        "players": list(names),
        "config": tournament.as_dict(),
        "games": [
            {
                **{key: line[key] for key in ("game", "black", "white", "opening", "winner")},
                "plies": line["plies"],
                "reason": line["fault"]["reason"] if line.get("fault") else line["reason"],
                "fault": (line.get("fault") or {}).get("text"),
            }
            for line in ordered
        ],
        "pairs": {
            f"{one}|{other}": list(table[one, other])
            for one, other in tournament.pairs
            if (one, other) in table
        },
        "elo": {name: list(rating) for name, rating in elo_table(names, results).items()},
        "seconds": _seconds_a_move(tournament, ordered),
        "sprt": None if test is None else {"elo": list(bounds or ()), **test._asdict()},
        "versions": versions(),
    }


def _seconds_a_move(tournament: Tournament, lines: Sequence[JsonObject]) -> dict[str, float | None]:
    """Return each player's mean thinking time per move in seconds.

    The stones of the opening do not count.

    Args:
        tournament: the tournament.
        lines: lines of `games.jsonl`.

    Returns:
        Seconds by player; None for a player that has made no move.
    """
    laid = {pairing.number: len(pairing.moves) for pairing in tournament.pairings()}
    seconds = dict.fromkeys(tournament.players, 0.0)
    moves = dict.fromkeys(tournament.players, 0)
    for line in lines:
        for side, first in (("black", 0), ("white", 1)):
            before = range(first, laid.get(line["game"], 0), 2)
            seconds[line[side]] += line["seconds"][side]
            moves[line[side]] += len(line["moves"][first::2]) - len(before)
    return {
        name: round(seconds[name] / moves[name], 4) if moves[name] else None
        for name in tournament.players
    }


def _test(
    tournament: Tournament, lines: Sequence[JsonObject], bounds: tuple[float, float] | None
) -> Sprt | None:
    if bounds is None:
        return None
    first = tournament.players[0]
    return sprt(pair_scores(_unbroken(lines), first), elo0=bounds[0], elo1=bounds[1])


def _unbroken(lines: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the games with the numbers 1, 2, … up to the first unfinished one.

    Games may end in another order than they began. The sequential test must not depend on that.
    """
    ordered = sorted(lines, key=lambda line: int(line["game"]))
    return [line for number, line in enumerate(ordered, start=1) if line["game"] == number]


def _is_decided(
    tournament: Tournament, lines: Sequence[JsonObject], bounds: tuple[float, float] | None
) -> bool:
    test = _test(tournament, lines, bounds)
    return test is not None and test.verdict != "undecided"


def _to_play(
    tournament: Tournament, lines: Sequence[JsonObject], bounds: tuple[float, float] | None
) -> list[Pairing]:
    """Return the games that are not played yet; none if the sequential test has decided."""
    if _is_decided(tournament, lines, bounds):
        return []
    done = {line["game"] for line in lines}
    return [pairing for pairing in tournament.pairings() if pairing.number not in done]


def _check_games(pairings: Sequence[Pairing], lines: Sequence[JsonObject]) -> None:
    """Raise TournamentError if a game in the folder does not belong to the tournament.

    Args:
        pairings: the games of the tournament.
        lines: lines of `games.jsonl`.
    """
    known = {pairing.number: pairing for pairing in pairings}
    for line in lines:
        pairing = known.get(line["game"])
        pair = {line["black"], line["white"]}  # an opening may have swapped them
        if pairing is None or {pairing.black, pairing.white} != pair:
            raise TournamentError(
                f"{GAMES_FILE}: expected this tournament's games, found game {line['game']} of "
                f"{line['black']} and {line['white']}"
            )
