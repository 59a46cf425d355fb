"""Writes a tournament as one HTML page without external files: ratings, cross table, games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

from ai.arena.match_table import (
    fault_text,
    html_table,
    markdown_table,
    match_rows,
    ratio_text,
    sum_of,
)
from ai.arena.ratings import cross_table, results_of
from ai.arena.tournament import Tournament
from ai.game import Game, Rules, move_name
from ai.runs.statistics import wilson
from base.command_line import join_words
from base.files import atomic_write
from base.program import PROGRAM
from base.values import JsonObject, printable

MOST_BOARDS: Final = 400
NUMBERS: Final = {3: "three", 4: "four", 5: "five", 6: "six"}
"""Maximum number of games whose last position is drawn; the others are only listed."""
_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --good: #2e7d32; --bad: #b3261e; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child, .text { text-align: left; } td.self { background: var(--soft); }
.scroll { overflow-x: auto; } .note { opacity: .75; } code { user-select: all; }
.bar { position: relative; display: inline-block; width: 16rem; height: 1rem; }
.bar i { position: absolute; height: .3rem; top: .35rem; background: #3b78c2; opacity: .5; }
.bar b { position: absolute; width: .25rem; height: 1rem; background: #3b78c2; }
svg { width: 22rem; max-width: 100%; height: auto; } details > div { padding: .5rem 0; }
summary { cursor: pointer; }
"""


def write_page(
    path: Path, tournament: Tournament, results: JsonObject, lines: Sequence[JsonObject]
) -> None:
    """Write a tournament's HTML page.

    Args:
        path: the HTML file, in the folder of the games.
        tournament: the tournament.
        results: the result of `results_in`.
        lines: lines of `games.jsonl`, for the pictures of boards.

    Raises:
        OSError: the file cannot be written; the old file is untouched.
    """
    moves = {line["game"]: line["moves"] for line in lines}
    page = page_of(tournament, results, moves, printable(str(path.parent)))
    atomic_write(path, page, sync=False)


def page_of(
    tournament: Tournament,
    results: JsonObject,
    moves: Mapping[int, Sequence[int]] | None = None,
    folder: str = "DIR",
) -> str:
    """Return the HTML text of a tournament's page.

    Args:
        tournament: the tournament.
        results: the result of `results_in`.
        moves: moves by game number, for the pictures of boards; None for no pictures.
        folder: folder of the games, which the page names in its commands for a replay in 3D.
    """
    first = tournament.players[0]
    return _document(
        "Arena",
        conditions_of(tournament, results),
        _ratings(results),
        _cross(tournament, results),
        _matches(results, first) if len(tournament.players) > 2 else "",
        _faults(results),
        _test(results),
        _games(tournament, results, moves or {}, folder),
    )


def table_page_of(tournament: Tournament, results: JsonObject, player: str) -> str:
    """Return an HTML page with the table of one player's matches only.

    Args:
        tournament: the tournament.
        results: the result of `results_in`.
        player: label of the player.
    """
    conditions = conditions_of(tournament, results)
    return _document("Arena", conditions, _matches(results, player), _faults(results))


def table_text_of(tournament: Tournament, results: JsonObject, player: str) -> str:
    """Return the same table in Markdown; see `table_page_of`.

    Args:
        tournament: the tournament.
        results: the result of `results_in`.
        player: label of the player.
    """
    rows = match_rows(results, player)
    total = sum_of(rows)
    parts = (
        f"# {player} against each of the others",
        conditions_of(tournament, results),
        markdown_table(rows),
        f"{ratio_text(total)} {fault_text(total, player)}".rstrip(),
    )
    return "\n\n".join(parts) + "\n"


def conditions_of(tournament: Tournament, results: JsonObject) -> str:
    """Return the conditions of a tournament's games, and how many were played, in one line.

    Args:
        tournament: the tournament.
        results: the result of `results_in`.
    """
    rules = tournament.rules
    played = len(results["games"])
    every = tournament.games * len(tournament.pairs)
    return (
        f"{_game_text(rules)}, "
        f"{_budget(tournament)} a move, openings: {tournament.opening}, seed {tournament.seed}. "
        f"{played} of {every} games played; each opening with both colours."
    )


def _game_text(rules: Game) -> str:
    """Return what is played, in words."""
    if not isinstance(rules, Rules):
        return repr(rules)
    rule = "" if rules.rule == "freestyle" else f" ({rules.rule})"
    return f"{rules.size}x{rules.rows}, {rules.win_length} in a row{rule}"


def _document(title: str, note: str, *parts: str) -> str:
    """Return an HTML document.

    Args:
        title: its heading.
        note: text below the heading.
        parts: HTML of its sections; empty ones are left out.
    """
    found = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'><title>Goishi arena</title>",
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>",
        f"<p class='note'>{escape(note)}</p>",
        *parts,
        "</body></html>",
    ]
    return "\n".join(part for part in found if part) + "\n"


def _matches(results: JsonObject, player: str) -> str:
    """Return the table of a player's matches, with its sum, ratio and intervals.

    Args:
        results: the result of `results_in`.
        player: label of the player.
    """
    rows = match_rows(results, player)
    total = sum_of(rows)
    said = f"{ratio_text(total)} {fault_text(total, player)}".rstrip()
    return (
        f"<h2>{escape(player)} against each of the others</h2><div class='scroll'>"
        f"{html_table(rows)}</div><p class='note'>{escape(said)}</p>"
    )


def _budget(tournament: Tournament) -> str:
    """Return the budget of a move in words."""
    limit = tournament.limit
    if limit.nodes is not None:
        return f"{limit.nodes} positions"
    if limit.seconds is None:
        return "the players' own budget"
    return f"{limit.seconds:g} s{' of the processor' if tournament.on_processor else ''}"


def _ratings(results: JsonObject) -> str:
    elo = results["elo"]
    low = min(rating[1] for rating in elo.values())
    wide = max(1.0, max(rating[2] for rating in elo.values()) - low)
    rows = []
    for place, name in enumerate(sorted(elo, key=lambda name: -elo[name][0]), start=1):
        rating, least, most = elo[name]
        seconds = results["seconds"][name]
        left, width, dot = (
            (value / wide) * 100 for value in (least - low, most - least, rating - low)
        )
        rows.append(
            f"<tr><td>{place}. {escape(name)}</td><td>{rating:.0f}</td>"
            f"<td>{least:.0f} to {most:.0f}</td><td>{'' if seconds is None else f'{seconds:.3f}'}"
            f"</td><td><span class='bar'><i style='left:{left:.1f}%;width:{width:.1f}%'></i>"
            f"<b style='left:{dot:.1f}%'></b></span></td></tr>"
        )
    return (
        "<h2>Ratings</h2><div class='scroll'><table><tr><th>Player</th><th>Elo</th>"
        "<th>95 %</th><th>Seconds a move</th><th></th></tr>" + "".join(rows) + "</table></div>"
        "<p class='note'>The mean of the table is 1500. The intervals hold for these games alone."
        "</p>"
    )


def _cross(tournament: Tournament, results: JsonObject) -> str:
    names = sorted(tournament.players, key=lambda name: -results["elo"][name][0])
    table = cross_table(tournament.players, results_of(results["games"]))
    head = "".join(f"<th>{number}</th>" for number in range(1, len(names) + 1))
    rows = []
    for number, name in enumerate(names, start=1):
        cells, points, games = [], 0.0, 0
        for other in names:
            counts = table.get((name, other))
            if counts is None:
                cells.append("<td class='self'></td>" if other == name else "<td>–</td>")
                continue
            wins, draws, losses = counts
            points += wins + draws / 2
            games += sum(counts)
            cells.append(
                f"<td title='{wins} won, {draws} drawn, {losses} lost'>{_half(wins + draws / 2)} : "
                f"{_half(losses + draws / 2)}</td>"
            )
        low, high = wilson(points, games)
        share = f"{points / games:.0%} ({low:.0%} to {high:.0%})" if games else ""
        rows.append(
            f"<tr><td>{number}. {escape(name)}</td>{''.join(cells)}<td>{_half(points)} of {games}"
            f"</td><td>{share}</td></tr>"
        )
    return (
        f"<h2>Cross table</h2><div class='scroll'><table><tr><th>Player</th>{head}<th>Points</th>"
        f"<th>Share (95 %)</th></tr>{''.join(rows)}</table></div>"
    )


def _half(points: float) -> str:
    return "½" if points == 0.5 else f"{points:g}".replace(".5", "½")


def _faults(results: JsonObject) -> str:
    faults = [game for game in results["games"] if game["fault"]]
    if not faults:
        return ""
    rows = "".join(f"<li>Game {game['game']}: {escape(game['fault'])}</li>" for game in faults)
    return f"<h2>Games lost by a fault</h2><ul>{rows}</ul>"


def _test(results: JsonObject) -> str:
    test = results["sprt"]
    if test is None:
        return ""
    first = escape(results["players"][0])
    return (
        f"<h2>Sequential test</h2><p>{first} is {test['verdict']}: log-likelihood ratio "
        f"{test['ratio']:.2f}, bounds {test['lower']:.2f} and {test['upper']:.2f}, for Elo "
        f"{test['elo'][0]:g} against {test['elo'][1]:g}.</p>"
    )


def _games(
    tournament: Tournament,
    results: JsonObject,
    moves: Mapping[int, Sequence[int]],
    folder: str,
) -> str:
    rules, quoted = tournament.rules, join_words([folder])
    rows: list[str] = []
    for game in results["games"]:
        number = game["game"]
        line = (
            f"{number}. ● {escape(game['black'])} – ○ {escape(game['white'])}: "
            f"{_said(game, rules)}, {game['plies']} moves"
        )
        body = "<div>"
        if isinstance(rules, Rules):  # the command knows no others
            replay = escape(f"{PROGRAM} replay {quoted} --game {number}")
            body += f"In 3D: <code>{replay}</code>"
        if number in moves and len(rows) < MOST_BOARDS:
            text = escape(" ".join(move_name(move, rules) for move in moves[number]))
            body += f"<p class='note'>{text}</p>{board_picture(tournament, moves[number])}"
        rows.append(f"<details><summary>{line}</summary>{body}</div></details>")
    return "<h2>Games</h2>" + "".join(rows)


def _said(game: JsonObject, rules: Game) -> str:
    row = "a winning row"  # of a game that has its own rules
    if isinstance(rules, Rules):
        row = f"{NUMBERS.get(rules.win_length, rules.win_length)} in a row"
    how = {"five": row, "full": "full board"}.get(game["reason"], game["reason"])
    who = {"black": "Black wins", "white": "White wins", "draw": "a draw"}[game["winner"]]
    return f"{who} ({how})"


def board_picture(tournament: Tournament, moves: Sequence[int]) -> str:
    """Return a game's last position as HTML: a picture, or the game's own text of the board."""
    rules = tournament.rules
    if isinstance(rules, Rules):
        return board_svg(tournament, moves)
    return f"<pre>{escape(rules.diagram(rules.stones_after(moves)))}</pre>"


def board_svg(tournament: Tournament, moves: Sequence[int]) -> str:
    """Return a game's last position as an SVG picture, its stones numbered by move."""
    size, rows = tournament.rules.size, tournament.rules.rows
    lines = "".join(
        [f"<path d='M0 {row}H{size - 1}'/>" for row in range(rows)]
        + [f"<path d='M{column} 0V{rows - 1}'/>" for column in range(size)]
    )
    stones = []
    for number, move in enumerate(moves):
        if move < 0:
            continue
        row, column = divmod(move, size)
        fill, ink = ("#111", "#eee") if number % 2 == 0 else ("#fafafa", "#111")
        stones.append(
            f"<circle cx='{column}' cy='{row}' r='.46' fill='{fill}' stroke='#222' "
            f"stroke-width='.04'/><text x='{column}' y='{row}' fill='{ink}'>{number + 1}</text>"
        )
    return (
        f"<svg viewBox='-1 -1 {size + 1} {rows + 1}' role='img' aria-label='Last position'>"
        f"<rect x='-1' y='-1' width='{size + 1}' height='{rows + 1}' fill='#d8b06a'/>"
        f"<g stroke='#5a4320' stroke-width='.03'>{lines}</g>"
        "<g font-size='.42' text-anchor='middle' dominant-baseline='central' "
        f"font-family='sans-serif'>{''.join(stones)}</g></svg>"
    )
