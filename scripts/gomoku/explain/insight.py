"""The Insight panel: explanations of each side's last move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ai import (
    BLACK,
    WHITE,
    Evolution,
    MemoryReading,
    RecalledNode,
    RootScores,
    TreeVisits,
    to_text,
)
from scripts.gomoku.board.mini_board import Diagram, draw_board, draw_legend
from scripts.gomoku.explain import choice_words as words
from scripts.gomoku.explain.choice_reading import ChoiceReading, latest, read_choices
from scripts.gomoku.explain.overlays import KINDS, Overlays
from scripts.gomoku.game.match import Match
from sim import Script, Ui, field

GAP = 10.0  # pixels between two boards
WIDEST = 170.0  # pixels of a board
SHOWN_SCORES = 5
LEAST_SEEN = 0.02  # of the colour scale: a scored point is always coloured
LARGE = 9  # points: larger boards stand one below the other
KEYS = {
    "heat_map": "colour: share of the point, or its score",
    "columns": "height: share of the point",
    "ranks": "1 is the best; crossed: occupied",
    "population": "ghosts: first stones; numbers: best line",
    "threats": "5 five, 4 open four (orange Black, blue White); diamond: remembered answer",
}
NO_SHARES = "nothing to lay over the board: these players give no shares of the points"
NOTHING = {
    "heat_map": f"Heat map: {NO_SHARES}",
    "columns": f"Columns: {NO_SHARES}",
    "ranks": f"Ranks: {NO_SHARES}",
    "population": "Evolution: nothing to lay over the board: no genetic algorithm plays",
}


class Insight(Script):
    """Explains each side's last move: answers, memory, evolution."""

    match: Match = field(None)
    overlays: Overlays = field(None)

    def awake(self) -> None:
        self._seen: object = None
        self._readings: dict[int, ChoiceReading] = {}
        self._sentences: dict[int, str] = {}
        self._note = ""
        self._boards: dict[int, list[tuple[str, Diagram, str]]] = {}
        self._recalled: dict[int, list[tuple[RecalledNode, Diagram]]] = {}
        self._threats: list[tuple[int, str, str]] = []
        self._evolutions: dict[int, _Evolution] = {}

    def start(self) -> None:
        self.panel("Insight", self.draw, dock="right", order=1, icon="lightbulb")

    def sentences(self) -> dict[int, str]:
        """Return a sentence about each side's last move, by color."""
        self._read()
        return self._sentences

    def draw(self, ui: Ui) -> None:
        """Draw the sentences, then the details of each side."""
        match = self.match
        if match is None:
            ui.muted_text("No match is set: choose one in the field 'match'.")
            return
        if not match.is_shown and not match.is_other_shown:
            ui.muted_text("Fast-forward: this game is not shown. F shows it.")
            return
        self._read()
        if self._note:
            ui.muted_text(self._note)
        self._draw_sentences(ui)
        self._draw_threats(ui)
        self._draw_keys(ui)
        for color in (WHITE, BLACK):
            if color in self._readings:
                ui.imgui.push_id(color)
                self._draw_side(ui, self._readings[color])
                ui.imgui.pop_id()

    def _read(self) -> None:
        """Look at the last moves, if there are new ones."""
        shown = self.match.shown
        shown.ask()
        shown = self.match.shown
        board = shown.board
        seen = (shown.key, board.ply if board is not None else -1)
        if seen == self._seen:
            return
        self._seen, self._note = seen, shown.note
        self._readings = read_choices(board, shown.choices, shown.players)
        self._sentences = {
            color: words.why(item, is_asking=shown.is_asking)
            for color, item in self._readings.items()
        }
        self._boards = {color: _diagrams(item) for color, item in self._readings.items()}
        self._recalled = {color: _recalled_boards(item) for color, item in self._readings.items()}
        self._evolutions.clear()
        newest = latest(self._readings)
        self._threats = _threat_words(newest[0]) if newest else []

    def _draw_sentences(self, ui: Ui) -> None:
        newest = latest(self._readings)
        if not newest:
            is_other = self.match.is_other_shown
            ui.muted_text(
                "No move yet: this is the game's first position."
                if is_other
                else "No move yet: the game is about to begin."
            )
            return
        for color in (WHITE, BLACK):
            text = self._sentences.get(color)
            if text is None:
                side = "White" if color == WHITE else "Black"
                ui.muted_text(f"{side} has not moved yet.")
            elif color == newest[0].color:
                ui.imgui.text_wrapped(text)
            else:
                ui.muted_text(text)

    def _draw_keys(self, ui: Ui) -> None:
        """Draw the switches of the overlays, and what the marks of those that are on mean."""
        overlays = self.overlays
        if overlays is None:
            return
        imgui = ui.imgui
        are_on = {name: getattr(overlays, name) for name, _ in KINDS}
        imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(4, 2))
        for number, (name, label) in enumerate(KINDS, start=1):
            width = imgui.calc_text_size(f"{number} {label}").x + 30
            if number > 1:
                imgui.same_line(0, 8)
                if imgui.get_content_region_avail().x < width:
                    imgui.new_line()
            changed, _ = imgui.checkbox(f"{number} {label}", are_on[name])
            if changed:
                overlays.by_hand("toggle", name)
        imgui.pop_style_var()
        for name, _ in KINDS:
            if are_on[name]:
                ui.muted_text(KEYS[name] if self._has_marks(name) else NOTHING[name])

    def _has_marks(self, name: str) -> bool:
        """Return whether an overlay finds anything to show in the last moves."""
        if name == "population":
            return any(reading.population for reading in self._readings.values())
        if name == "threats":
            return True
        return any(reading.shares for reading in self._readings.values())

    def _draw_side(self, ui: Ui, reading: ChoiceReading) -> None:
        ui.imgui.dummy(ui.imgui.ImVec2(0, 2))
        ui.imgui.separator()
        ui.heading(f"{reading.side}  ·  {reading.player.short_name}")
        if reading.choice is None or not (reading.shares or reading.explanation):
            is_person = reading.player.name == "you"
            without = f"No explanation: {reading.player.short_name} gives none."
            if reading.choice is None and self.match.is_other_shown:
                without = "No explanation here, see above."
            ui.muted_text("No explanation: a person played this move." if is_person else without)
            return
        if reading.is_memory_alone:
            ui.muted_text(reading.player.description)
        self._draw_boards(ui, reading)
        if reading.is_memory_alone:
            self._draw_recalled(ui, reading)
        self._draw_move(ui, reading)
        if reading.memory is not None:
            self._draw_memory(ui, reading, reading.memory)
        if reading.population:
            self._draw_population(ui, reading)
        if reading.tree is not None:
            _draw_tree(ui, reading.tree, reading.rules.size)
        if reading.searched is not None:
            for key, value in words.searched_words(reading.searched, reading.rules.size):
                ui.key_value(key, value)

    def _draw_move(self, ui: Ui, reading: ChoiceReading) -> None:
        ui.key_value("Point", to_text(reading.move, reading.rules.size))
        if reading.is_net and reading.rank:
            hidden = len(reading.masked)
            better = f" ({hidden} better occupied)" if hidden else ""
            ui.key_value("Rank", f"{reading.rank}{better}")
        if reading.is_net:
            ui.key_value("Probability", words.percent(reading.shares[reading.move]))
        if reading.scores:
            self._draw_scores(ui, reading)
        value = reading.choice.value if reading.choice is not None else None
        if value is not None:
            ui.key_value("Value (-1 lost, +1 won)", f"{value:+.2f}")

    def _draw_scores(self, ui: Ui, reading: ChoiceReading) -> None:
        """Draw the move's score and the best ones', and what they were before a search."""
        size = reading.rules.size
        ui.key_value(words.score_name(reading), words.compact(reading.scores[reading.move]))
        best = sorted(reading.scores, key=lambda point: -reading.scores[point])[:SHOWN_SCORES]
        said = [f"{to_text(at, size)} {words.compact(reading.scores[at])}" for at in best]
        ui.key_value("Best points", "  ".join(said))
        searched = reading.explanation.basis
        if isinstance(searched, RootScores):
            first = dict(searched.first_scores)
            if reading.move in first:
                ui.key_value("Before the search", words.compact(first[reading.move]))
            roots = f"{searched.finished} of {len(first)}"
            ui.key_value("Points searched below", roots)

    def _draw_boards(self, ui: Ui, reading: ChoiceReading) -> None:
        boards = self._boards[reading.color]
        imgui = ui.imgui
        is_large = reading.rules.size > LARGE  # side by side their numbers would be too small
        width = _width_of_boards(ui, is_large=is_large)
        for index, (title, diagram, most) in enumerate(boards):
            if index and not is_large:
                imgui.same_line(0, GAP)
            imgui.begin_group()
            ui.text(title, "muted")
            draw_board(ui, diagram, width)
            if most:
                draw_legend(ui, most, width)
            imgui.end_group()

    def _draw_memory(self, ui: Ui, reading: ChoiceReading, memory: MemoryReading) -> None:
        if not memory.nodes:
            ui.key_value("Memory", f"empty: {reading.side} has not lost yet")
            return
        merged = f"merges below {words.short(memory.alpha)}" if memory.alpha else "never merges"
        nearest = reading.nearest
        ui.key_value("Nearest node", f"{nearest.node} of {memory.nodes}")
        ui.key_value("Distance", f"{words.short(nearest.distance or 0.0)}  ({merged})")
        ui.key_value("Records combined", str(nearest.count or 1))

    def _draw_recalled(self, ui: Ui, reading: ChoiceReading) -> None:
        """Draw the nodes that answered, but for the heaviest, which stands beside the answer."""
        is_large = reading.rules.size > LARGE
        width = _width_of_boards(ui, is_large=is_large)
        for index, (node, diagram) in enumerate(self._recalled[reading.color][1:]):
            if index % 2 and not is_large:
                ui.imgui.same_line(0, GAP)
            ui.imgui.begin_group()
            title, said = words.node_words(node, reading.rules.size)
            ui.text(title, "muted")
            draw_board(ui, diagram, width)
            ui.text(said, "muted")
            ui.imgui.end_group()

    def _draw_population(self, ui: Ui, reading: ChoiceReading) -> None:
        shown = self._evolutions.get(reading.color)
        if shown is None:
            shown = self._evolutions[reading.color] = _Evolution(reading)
        for key, value in shown.values:
            ui.key_value(key, value)
        ui.chart(
            "Fitness by generation",
            shown.series,
            height=92,
            y_limits=shown.limits,
            x_name="generation",
            y_name="fitness",
        )

    def _draw_threats(self, ui: Ui) -> None:
        newest = latest(self._readings)
        if not newest:
            return
        if newest[0].has_won:
            ui.muted_text("The game is over.")
        elif not self._threats:
            ui.muted_text("Nobody can make five, or an open four, with the next stone.")
        for color, side, text in self._threats:
            ui.text(f"{side} {text}", "amber" if color == BLACK else "blue")


class _Evolution:
    """What is shown of a population, worked out once a move."""

    def __init__(self, reading: ChoiceReading) -> None:
        bred = reading.evolution or Evolution()
        size = reading.rules.size
        stable = ", stable" if bred.has_stabilised else ""
        self.values = (
            ("Best plan", " ".join(to_text(point, size) for point in reading.best_line)),
            ("Population", words.count(len(reading.population), "plan")),
            ("Generations", f"{bred.generations or 0}{stable}"),
        )
        best, mean = (np.array(values, dtype=float) for values in (bred.best, bred.mean))
        self.series = [
            ("best", "amber", np.arange(float(len(best))), best),
            ("mean", "blue", np.arange(float(len(mean))), mean),
        ]
        self.limits = _limits((*best, *mean))


def _draw_tree(ui: Ui, tree: TreeVisits, size: int) -> None:
    """Draw how much was searched, and the most visited moves."""
    kept = f"  ({words.short(tree.kept)} visits kept)" if tree.kept else ""
    ui.key_value("Iterations", f"{words.short(tree.iterations or 0)}{kept}")
    ui.key_value("Depth", words.count(tree.depth or 0, "move"))
    ui.muted_text("Most visited: visits, mean result, what it expects after")
    for move, said in words.visit_words(tree, size):
        ui.key_value(move, said)


def _width_of_boards(ui: Ui, *, is_large: bool) -> float:
    """Return how wide a board is drawn: two side by side, or a large one by itself."""
    room = float(ui.imgui.get_content_region_avail().x)
    widest = float(ui.theme.px(WIDEST))
    return min(1.6 * widest, room) if is_large else min(widest, (room - GAP) / 2)


def _recalled_boards(reading: ChoiceReading) -> list[tuple[RecalledNode, Diagram]]:
    """Return the nodes that answered, each with its board: its stones, its labels as colours."""
    size = reading.rules.size
    return [
        (node, Diagram(size, node.stones or (0,) * reading.rules.points, shares=node.labels))
        for node in reading.recalled
    ]


def _threat_words(reading: ChoiceReading) -> list[tuple[int, str, str]]:
    rules = reading.rules
    return list(words.threat_words(reading.threats_after, rules.size, reading.win_length))


def _limits(values: Sequence[float]) -> tuple[float, float] | None:
    """Return limits of an axis that leave room above and below."""
    if not values:
        return None
    low, high = min(0.0, *values), max(values)
    room = 0.08 * (high - low) or 1.0
    return low - room, high + room


def _diagrams(reading: ChoiceReading) -> list[tuple[str, Diagram, str]]:
    """Return up to two (title, board, greatest share): the answer, and the memory."""
    size = reading.rules.size
    found = []
    if reading.scores:
        parts = [0.0] * (size * size)
        for point, part in reading.score_parts.items():
            parts[point] = LEAST_SEEN + (1.0 - LEAST_SEEN) * part
        low, high = min(reading.scores.values()), max(reading.scores.values())
        title = f"{words.score_name(reading)}s, {words.compact(low)} to {words.compact(high)}"
        board = Diagram(size, reading.before, shares=parts, ringed=reading.move)
        found.append((title, board, ""))
    elif reading.shares and not reading.population:
        title = "Probabilities" if reading.is_net else "Shares"
        title = "Visits" if reading.tree is not None else title
        title = "The memory's answer" if reading.is_memory_alone else title
        board = Diagram(size, reading.before, shares=reading.shares, ringed=reading.move)
        found.append((title, board, words.percent(max(reading.shares))))
    if reading.tree is not None and reading.tree.lines:
        board = Diagram(size, reading.before, line=reading.tree.lines[0], line_color=reading.color)
        found.append(("Expected line", board, ""))
    if reading.recalled_stones and reading.recalled_shares and not reading.is_memory_alone:
        verb = "remembers" if reading.has_recalled else "(nearest)"
        title = f"Node {reading.nearest.node} {verb}"
        board = Diagram(size, reading.recalled_stones, shares=reading.recalled_shares)
        found.append((title, board, words.percent(max(reading.recalled_shares))))
    if reading.is_memory_alone:
        found += [
            (words.node_words(node, size)[0], board, words.percent(max(node.labels)))
            for node, board in _recalled_boards(reading)[:1]
        ]
    if reading.population:
        shares = [reading.first_genes.get(point, 0.0) for point in range(size * size)]
        most = words.percent(max(shares))
        if size <= LARGE:
            board = Diagram(size, reading.before, shares=shares, ringed=reading.move)
            found.append(("First stones", board, most))
            shares, most = [], ""
        board = Diagram(
            size, reading.before, shares=shares, line=reading.best_line, line_color=reading.color
        )
        found.append(("Best line", board, most))
    return found[:2]
