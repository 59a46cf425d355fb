"""Explanations of moves in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ai import (
    Explanation,
    ForcedMove,
    Opening,
    PatternScores,
    Proof,
    RecalledNode,
    RootScores,
    SearchedMoves,
    Threat,
    ThreatKind,
    TreeVisits,
    ValueField,
    to_text,
)
from scripts.gomoku.explain.choice_reading import SIDES, ChoiceReading

NTH = ("first", "second", "third")
SEEN_END = 900_000
"""Score of a look-ahead from which on it has seen the game's end; evaluations stay far below."""


def why(reading: ChoiceReading, *, is_asking: bool = False) -> str:
    """Return one to three sentences: the move, its reason, its effect.

    Args:
        reading: the move.
        is_asking: whether its explanation may still come, so that none is no answer.
    """
    reason = _reason(reading)
    if is_asking and reading.choice is None:
        reason = f"{reading.side} took {to_text(reading.move, reading.rules.size)}"
    deed = effect(reading)
    joint = ": " if reading.population and reading.other_move is None else "; "
    return f"{reason}{joint}{deed}.{recollection(reading)}" if deed else (
        f"{reason}.{recollection(reading)}"
    )  # fmt: skip


def _reason(reading: ChoiceReading) -> str:
    point = to_text(reading.move, reading.rules.size)
    said = reading.explanation.basis
    took = f"{reading.side} took {point}"
    if isinstance(said, Opening) or (reading.choice is None and reading.ply == 0):
        return f"{took}, drawn among the centre points"
    if reading.other_move is not None:
        other = to_text(reading.other_move, reading.rules.size)
        return f"{took}; asked again, its player ({reading.player.name}) takes {other}"
    scored = _scored_choice(reading, said)
    if scored:
        return f"{took}{scored}"
    if reading.evolution is not None and reading.population:
        generations = count(reading.evolution.generations or 0, "generation")
        plans = count(len(reading.population), "plan")
        fitness = short((*reading.evolution.fitness, 0.0)[0])
        return f"{took}: the best of {plans} after {generations} (fitness {fitness})"
    if reading.is_memory_alone and not (reading.memory and reading.memory.nodes):
        return f"{took}, the first free point: it remembers nothing to play by"
    if reading.is_net and reading.rank:
        return f"{took}: {_net_choice(reading)}"
    if reading.shares and reading.rank:
        return f"{took}: {_share_of(reading)}"
    if reading.player.name == "you":
        return f"You put {reading.side}'s stone on {point}"
    return f"{took}; its player ({reading.player.name}) gave no explanation"


def _scored_choice(reading: ChoiceReading, said: Explanation) -> str:
    """Return the reason of a player that proves, scores or is forced; "" of any other."""
    score = compact(reading.scores.get(reading.move, 0.0))
    match said:
        case Proof(is_proven=True):
            return f": a proven win, found in {count(said.nodes or 0, 'position')}"
        case PatternScores() if said.best:
            return f": the best patterns of all points, score {short(said.best[0][1])}"
        case ForcedMove():
            return " by its default policy, without a search"
        case ValueField() if reading.scores:
            return f": the highest value of its field, {score}"
        case SearchedMoves() if reading.searched is not None:
            ahead = count(said.depth or 0, "move")
            return f": the best move {ahead} ahead, in {count(said.nodes or 0, 'position')}"
        case RootScores() if reading.scores:
            roots = count(len(reading.scores), "point")
            return f": the best of {roots}, score {score}, in {count(said.nodes or 0, 'position')}"
    return ""


def _share_of(reading: ChoiceReading) -> str:
    share = percent(reading.shares[reading.move])
    if reading.tree is None or reading.rank != 1:
        return f"its {nth(reading.rank or 1)} choice ({share})"
    kind = "game" if reading.player.explains == "guided search" else "random game"
    games = count(sum(visits for _, visits in reading.tree.visits), kind)
    return f"the move it tried most ({share} of {games})"


def visit_words(tree: TreeVisits, size: int, most: int = 5) -> list[tuple[str, str]]:
    """Return the most visited moves: the move; its visits, mean result, prior and expected line.

    Args:
        tree: the explanation.
        size: points along a side of the board.
        most: maximum number of moves.
    """
    lines = {line[0]: line[1:] for line in tree.lines if line}
    said = []
    for number, (move, visits) in enumerate(tree.visits[:most]):
        mean = f" {tree.means[number]:+.2f}" if number < len(tree.means) else ""
        if number < len(tree.priors):
            mean += f" (net {percent(tree.priors[number])})"
        after = " ".join(to_text(point, size) for point in lines.get(move, ())[:2])
        said.append(
            (to_text(move, size), f"{short(visits)}{mean}{'  then ' if after else ''}{after}")
        )
    return said


def searched_words(searched: SearchedMoves, size: int, most: int = 5) -> list[tuple[str, str]]:
    """Return what a look-ahead found: its depth, positions, line, and best moves with scores.

    Args:
        searched: the explanation.
        size: points along a side of the board.
        most: maximum number of moves.
    """
    line = " ".join(to_text(move, size) for move in searched.principal_variation[: 2 * most])
    best = "  ".join(f"{to_text(move, size)} {_ahead(score)}" for move, score in
                     searched.scores[:most])  # fmt: skip
    return [
        ("Depth", count(searched.depth or 0, "move")),
        ("Positions", short(searched.nodes or 0)),
        ("Expects", line),
        ("Best moves", best),
    ]


def _ahead(score: int) -> str:
    """Return a look-ahead's score; of a game that it sees won or lost, that."""
    if abs(score) < SEEN_END:
        return compact(score)
    return "won" if score > 0 else "lost"


def _net_choice(reading: ChoiceReading) -> str:
    rank = reading.rank or 1
    whose = "the memory" if reading.is_memory_alone else "the net"
    text = f"{whose}'s {nth(rank)} choice ({percent(reading.shares[reading.move])})"
    hidden = len(reading.masked)
    if not hidden:
        return text
    if hidden == 1:
        return f"{text}, as the better point was occupied"
    return f"{text}, as {hidden} better points were occupied"


def effect(reading: ChoiceReading) -> str:
    """Return a move's effect: wins, blocks, threatens; "" for a quiet one."""
    size = reading.rules.size
    own, other = reading.color, -reading.color
    if reading.has_won:
        return f"it makes {reading.win_length} in a row and wins"
    deeds = []
    before = reading.threats_before
    stopped = [item.kind for item in before if item.point == reading.move and item.color == other]
    if stopped:
        what = _name(stopped[0], reading.win_length)
        deeds.append(f"stops {SIDES[other]}'s {what.removeprefix('an ')}")
    threats = [item for item in reading.threats_after if item.color == own]
    if threats:
        what = _name(threats[0].kind, reading.win_length)
        points = join(to_text(item.point, size) for item in threats)
        deeds.append(f"threatens {what} at {points}")
    return f"it {' and '.join(deeds)}" if deeds else ""


def recollection(reading: ChoiceReading) -> str:
    """Return what the memory knows about the position, with a leading space; "" without one."""
    memory = reading.memory
    if memory is None or (not memory.nodes and reading.is_memory_alone):
        return ""
    if not memory.nodes:
        return " Its memory is still empty."
    node, distance = reading.nearest.node, short(reading.nearest.distance or 0.0)
    if not reading.has_recalled:
        return (
            f" This situation is new to it: the nearest it remembers, node {node}, "
            f"is at distance {distance}."
        )
    records = count(reading.nearest.count or 1, "record")
    answers = recalled_answers(reading)
    tail = f", answer {answers}" if answers else ""
    known = "has seen this situation" if distance == "0" else "remembers one much like this"
    return f" It {known}: node {node}, distance {distance}, {records}{tail}."


def recalled_answers(reading: ChoiceReading, most: int = 3) -> str:
    """Return the points that the nearest node is labelled with, the most frequent first."""
    points = _best_of(reading.recalled_shares, most)
    return join(to_text(point, reading.rules.size) for point in points)


def node_words(node: RecalledNode, size: int, most: int = 2) -> tuple[str, str]:
    """Return the weight of a recalled node, and its distance and labels, as text.

    Args:
        node: the node.
        size: points along a side of the board.
        most: maximum number of points to name.
    """
    points = _best_of(node.labels, len(node.labels))
    said = ", ".join(to_text(point, size) for point in points[:most])
    more = " …" if len(points) > most else ""
    return (
        f"node {node.node}: {percent(node.weight)}",
        f"at {short(node.distance or 0.0)}: {said}{more}",
    )


def _best_of(shares: Sequence[float], most: int) -> list[int]:
    """Return the points with a share, the greatest first."""
    points = [point for point, share in enumerate(shares) if share > 0]
    return sorted(points, key=lambda point: -shares[point])[:most]


def threat_words(
    threats: Iterable[Threat], size: int, win_length: int
) -> list[tuple[int, str, str]]:
    """Return (color, side, text) of each side's threats by kind, the most urgent first."""
    grouped: dict[tuple[int, ThreatKind], list[int]] = {}
    for threat in threats:
        grouped.setdefault((threat.color, threat.kind), []).append(threat.point)
    lines = []
    for (color, kind), points in grouped.items():
        where = join(to_text(point, size) for point in points)
        text = f"can make {_name(kind, win_length)} at {where}"
        lines.append((color, SIDES[color], text))
    return lines


def _name(kind: ThreatKind, win_length: int) -> str:
    if kind is ThreatKind.OPEN_FOUR:
        return "an open four" if win_length == 5 else f"an open {win_length - 1}"
    return "five" if win_length == 5 else f"{win_length} in a row"


def nth(rank: int) -> str:
    """Return "first", "second", "third", "4th" and so on."""
    if rank <= len(NTH):
        return NTH[rank - 1]
    is_teen = rank % 100 in (11, 12, 13)
    ending = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{ending}"


def percent(share: float) -> str:
    """Return a share as "41 %", with one decimal below ten."""
    value = share * 100.0
    if value >= 9.95 or value == 0.0:
        return f"{value:.0f} %"
    return f"{value:.1f} %" if value >= 0.05 else "< 0.1 %"


def short(value: float) -> str:
    """Return a number in few characters: 0.43, 12, 350, 12,000, 1.2e6."""
    size = abs(float(f"{value:.3g}"))
    if size >= 1_000_000:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    if size >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.2g}" if size >= 0.005 else "0"


def score_name(reading: ChoiceReading) -> str:
    """Return what a scored point's number is called."""
    return "Field value" if isinstance(reading.explanation.basis, ValueField) else "Root score"


def compact(value: float) -> str:
    """Return a score in at most five characters: 14, 0.9, 690, 6.5k, -80k, 1.2M."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * unit:
            part = value / unit
            return f"{part:.0f}{letter}" if abs(part) >= 9.95 else f"{part:.1f}{letter}"
    return f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}".removesuffix(".0")


def count(number: int, what: str) -> str:
    """Return "1 record", "3 records"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}".replace(",", " ")


def join(items: Iterable[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    *most, last = list(items) or [""]
    return f"{', '.join(most)} and {last}" if most else last
