"""The panel of AlphaGomoku's training: progress, settings, curves, comparison of two pairs.

A pair is two networks, one for each colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ai import BLACK, Board, to_text
from ai.messages import SearchGrown
from scripts.alphagomoku.front import NOBODY, FrontSearch, best_points
from scripts.alphagomoku.training import PHASES, STAGES, AlphaGomokuTraining, phase_number
from scripts.gomoku.board.mini_board import Diagram, draw_board
from scripts.learning.kept_choices import ChoiceLine
from scripts.learning.panel_parts import (
    Chart,
    FieldSliders,
    Series,
    Slider,
    TableRow,
    draw_charts,
    draw_pause,
    draw_table,
    draw_waiting,
)
from sim import Script, Ui, field, tr, wording

BEST = 3  # points of each pair in the table
GAP = 8.0  # between two boards, pixels
SMALLEST = 60.0  # board, pixels


class ComparedPoint(NamedTuple):
    """A point of the board as two pairs of networks rate it in the same position.

    `before` has the probability that each pair gives to the point without a search. `after` has the
    point's share of the visits in the search of each pair.
    """

    point: str
    before: tuple[float, float]
    after: tuple[float, float]


class PairComparison:
    """Results of two pairs of networks in one position, as diagrams and table rows."""

    def __init__(self, board: Board, searches: tuple[SearchGrown, SearchGrown]) -> None:
        self.searches = searches
        self.rows = rows_of(searches)
        side = board.to_move * BLACK  # values are told for the side to move
        self.values = [(found.network_value * side, found.value * side) for found in searches]
        stones = tuple(int(color) for color in board.stones)
        size = board.rules.size
        self.before = [
            Diagram(size, stones, tuple(map(float, found.prior)), ringed=int(found.prior.argmax()))
            for found in searches
        ]
        self.after = [
            Diagram(size, stones, shares_of(found), ringed=int(found.visits.argmax()))
            for found in searches
        ]

    def draw(self, ui: Ui, names: tuple[str, str]) -> None:
        """Draw the diagrams and a table of points and values.

        Args:
            ui: the panel.
            names: names of both pairs of networks.
        """
        ui.heading(tr("The same position twice"))
        for title, diagrams in (
            (tr("preferences before the search"), self.before),
            (tr("visits after the search"), self.after),
        ):
            self._draw_boards(ui, names, title, diagrams)
        rows = []
        for row in self.rows:
            pairs = zip(row.before, row.after, strict=True)
            rows.append(
                TableRow((row.point, *(f"{one:.0%} → {other:.0%}" for one, other in pairs)))
            )
        values = (f"{one:+.2f} → {end:+.2f}" for one, end in self.values)
        rows.append(TableRow((tr("value for Black"), *values)))
        draw_table(ui, "compared", (tr("before → after"), *names), rows)

    @staticmethod
    def _draw_boards(ui: Ui, names: tuple[str, str], title: str, diagrams: list[Diagram]) -> None:
        """Draw a diagram for each pair of networks, side by side.

        Args:
            ui: the panel.
            names: names of both pairs.
            title: what the diagrams show.
            diagrams: one diagram for each pair.
        """
        imgui = ui.imgui
        gap = ui.theme.px(GAP)
        width = max(ui.theme.px(SMALLEST), (ui.room - gap) / 2.0)
        for index, (name, diagram) in enumerate(zip(names, diagrams, strict=True)):
            if index:
                imgui.same_line(0, gap)
            imgui.begin_group()
            ui.text(name)
            ui.text(title, "muted")
            draw_board(ui, diagram, width)
            imgui.end_group()


class ComparedView:
    """Shows the latest comparison, computed again only when there are new searches."""

    def __init__(self) -> None:
        self._shown: PairComparison | None = None

    def draw(self, ui: Ui, focus_board: FrontSearch) -> None:
        """Draw the results of both pairs in the position on the large board."""
        searches = focus_board.comparison
        if searches is None:
            return
        if self._shown is None or self._shown.searches[1] is not searches[1]:
            board = Board.from_moves(searches[0].moves, focus_board.training.rules)
            self._shown = PairComparison(board, searches)
        self._shown.draw(ui, (focus_board.pair_name, focus_board.compared_name))


def shares_of(found: SearchGrown) -> tuple[float, ...]:
    """Return each point's share of the visits."""
    total = max(int(found.visits.sum()), 1)
    return tuple(int(visits) / total for visits in found.visits)


def rows_of(searches: tuple[SearchGrown, SearchGrown]) -> list[ComparedPoint]:
    """Return the points that either of two searches visited most.

    Args:
        searches: results of both searches in the same position.

    Returns:
        The points, sorted by the sum of their two shares of the visits, the greatest first.
    """
    shares = [shares_of(found) for found in searches]
    size = round(len(shares[0]) ** 0.5)
    wanted: set[int] = set()
    for one in shares:
        best = sorted(range(len(one)), key=lambda point: -one[point])[:BEST]
        wanted |= {point for point in best if one[point]}
    first, second = searches
    return [
        ComparedPoint(
            to_text(point, size),
            (float(first.prior[point]), float(second.prior[point])),
            (shares[0][point], shares[1][point]),
        )
        for point in sorted(wanted, key=lambda point: (-shares[0][point] - shares[1][point], point))
    ]


Line = Mapping[str, Any]
SIDE_CURVES = {"black": (tr("Black"), "amber"), "white": (tr("White"), "blue")}
HELD_CURVES = {
    "trained": (tr("trained"), "green"),
    "untrained": (tr("untrained"), "muted"),
    "shuffled weights": (tr("shuffled weights"), "red"),
}
"""Curves by their key in the metrics, each with its label and its colour."""
CHART = 96.0
PHASE_NAMES = {"basic": tr("basic"), "mentor": tr("mentor"), "self-play": tr("self-play")}
LINES = (
    ChoiceLine("size", tr("points along a side")),
    ChoiceLine("win_length", tr("stones in a row")),
    ChoiceLine("seed", tr("seed")),
)
TRAIN = tr("Open the training of this board, rule and seed; one that was begun goes on")
OVER = tr("Begin a training with the next seed; the present one stays, and goes on with its own")
SHOWN = (
    Slider("simulations", 2, 2000, "%d", tr("simulations")),
    Slider("pause_after_stone", 0.0, 3.0, "%.1f s", tr("pause after a stone")),
)
SLIDERS = (
    Slider("rate", 0.0005, 0.2, label=tr("learning rate")),
    Slider("simulations", 2, 400, "%d", tr("simulations")),
    Slider("temperature", 0.05, 3.0, "%.2f", tr("temperature")),
    Slider("decay", 0.8, 1.0, "%.3f", tr("decay")),
)


class TrainingPanel(Script):
    """Panel with the training's phase and generation, settings that may change, and curves."""

    training: AlphaGomokuTraining = field(None)
    focus_board: FrontSearch = field(None, former=("front",))

    def awake(self) -> None:
        self.compared = ComparedView()
        self.sliders, self.front_sliders = FieldSliders(), FieldSliders()

    def start(self) -> None:
        self.panel(tr("AlphaGomoku"), self.draw, dock="right", icon="chess-board")

    def draw(self, ui: Ui) -> None:
        """Draw the whole panel, or the reason why the training has stopped."""
        shown = self.training
        if shown is None:
            return
        ui.heading(tr("AlphaGomoku"))
        if shown.stopped:
            ui.text(tr("The training has stopped"), "red")
            ui.muted_text(shown.stopped)
            self._draw_choices(ui, shown)
            return
        self._draw_place(ui, shown)
        draw_waiting(ui, shown.waiting_for)
        draw_pause(ui, shown)
        if self.focus_board is not None:
            self._draw_front(ui, self.focus_board)
        if ui.section(tr("From the next generation on")):
            self.sliders.draw(ui, shown, SLIDERS)
        if self.focus_board is not None and ui.section(tr("On the large board"), is_open=False):
            self.front_sliders.draw(ui, self.focus_board, SHOWN)
        if ui.section(tr("Another training"), is_open=False):
            self._draw_choices(ui, shown)
        draw_curves(ui, shown.lines, marks_of(shown.changes))

    def _draw_choices(self, ui: Ui, shown: AlphaGomokuTraining) -> None:
        """Draw board, rule and seed of another training, and the budget of the large board."""
        shown.choices.draw(ui, LINES)
        if shown.choices.draw_answers(ui, tr("Train this"), TRAIN):
            shown.choices.take()
            shown.by_hand("start_over")
        ui.beside(ui.button_width(tr("Start over")))
        if ui.button(tr("Start over"), tip=OVER):
            shown.choices.prepare("seed", shown.seed + 1)
            shown.choices.take()
            shown.by_hand("start_over")

    def _draw_place(self, ui: Ui, shown: AlphaGomokuTraining) -> None:
        stage, last = shown.stage, shown.lines[-1] if shown.lines else {}
        phase = stage.phase if stage is not None else str(last.get("phase", PHASES[0]))
        ui.key_value(
            tr("Board"),
            tr("{size}x{size}, {win_length} in a row").format(
                size=shown.size, win_length=shown.win_length
            ),
        )
        ui.key_value(
            tr("Phase"),
            tr("{phase_number} of {phase}: {phase2}").format(
                phase_number=phase_number(phase),
                phase=len(PHASES),
                phase2=PHASE_NAMES.get(phase, phase),
            ),
        )
        doing = (
            wording(", {stage}").format(stage=STAGES[stage.stage])
            if stage is not None and stage.stage in STAGES
            else ""
        )
        generation = stage.generation if stage is not None else last.get("generation", 0)
        ui.key_value(
            tr("Generation"),
            wording("{generation}{doing}").format(generation=generation, doing=doing),
        )
        ui.key_value(tr("Games learnt"), str(last.get("games", 0)))
        ui.key_value(tr("Best networks"), tr("version {last}").format(last=last.get("version", 0)))
        ui.key_value(tr("Last match against the best"), gate_text(shown.lines))

    def _draw_front(self, ui: Ui, focus_board: FrontSearch) -> None:
        """Draw the search on the large board: its best points before and after, and the value."""
        label = tr("Play against {pair_name}").format(pair_name=focus_board.pair_name)
        if focus_board.is_with_person:
            label = tr("Watch the training")
        ui.beside(ui.button_width(label))
        if ui.button(label):
            focus_board.by_hand("toggle_person")
        self._draw_version(ui, focus_board)
        if not focus_board.title:
            return
        ui.heading(tr("Large board: {title}").format(title=focus_board.title), wraps=True)
        found = focus_board.found
        simulations = 0 if found is None else found.simulations
        ui.key_value(
            tr("Simulations"),
            tr("{simulations} of {simulations2}").format(
                simulations=simulations, simulations2=focus_board.simulations
            ),
        )
        if found is not None:
            points = best_points(found, BEST)
            rows = [TableRow((point, f"{one:.0%}", f"{other:.0%}")) for point, one, other in points]
            draw_table(ui, "points", (tr("point", "column"), tr("before"), tr("after")), rows)
        ui.chart(
            tr("Value for Black"),
            values_of(focus_board),
            height=CHART,
            y_limits=(-1.05, 1.05),
            levels=(0.0,),
            x_name=tr("move"),
            empty=tr("shown from the first search on"),
        )
        self.compared.draw(ui, focus_board)

    def _draw_version(self, ui: Ui, focus_board: FrontSearch) -> None:
        """Draw sliders that choose the versions on the large board, if there are several."""
        lines = focus_board.training.lines
        last = int(lines[-1].get("version", 0)) if lines else 0
        if last == 0:
            return
        sliders = [
            Slider(
                key,
                least,
                max(last, chosen),
                {NOBODY: tr("nobody"), 0: tr("newest")}.get(chosen, tr("version %d")),
                label,
            )
            for key, label, least, chosen in (
                ("version", tr("networks on the large board"), 0, focus_board.version),
                ("compared", tr("compared with"), NOBODY, focus_board.compared),
            )
        ]
        self.sliders.draw(ui, focus_board, sliders)


def values_of(focus_board: FrontSearch) -> list[Series]:
    """Return two curves of the expected result for Black in each position of the shown game.

    One curve has the values of the networks, the other those of the search. A curve without values
    is left out.

    Args:
        focus_board: script of the large board.
    """
    found: list[Series] = []
    game = focus_board.game
    if game is not None and len(game.values):
        first = len(game.moves) - len(game.values)
        plies = np.arange(first, len(game.moves), dtype=float)
        found.append((tr("networks"), "muted", plies, game.values.astype(float)))
    if focus_board.searched:
        known = np.array(focus_board.searched, float)
        found.append((tr("search", "curve"), "amber", known[:, 0], known[:, 1]))
    return found


def gate_text(lines: Sequence[Line]) -> str:
    """Return the result of the latest gate match as text.

    In a gate match new networks play against the previous best ones. The text says whether the new
    ones were accepted, their score, and how many gate matches were passed so far.

    Args:
        lines: metrics of the generations.
    """
    gates = [line["gate"] for line in lines if "gate" in line]
    if not gates:
        return "–"
    gate, passed = gates[-1], sum(bool(item["accepted"]) for item in gates)
    word = "accepted" if gate["accepted"] else "rejected"
    return tr("{word}, {gate:.0%} ({passed} of {gates})").format(
        word=word, gate=gate["score"], passed=passed, gates=len(gates)
    )


def marks_of(changes: Sequence[Line]) -> list[tuple[float, str]]:
    """Return labels for the charts that say when settings were changed.

    Args:
        changes: the changes, each with its generation and the new values.

    Returns:
        (generation, label), one for each generation with a change.
    """
    found: dict[int, dict[str, object]] = {}
    for change in changes:
        found.setdefault(int(change["generation"]), {}).update(change["settings"])
    return [
        (float(generation), ", ".join(f"{key} {value:g}" for key, value in settings.items()))
        for generation, settings in sorted(found.items())
    ]


def series_of(lines: Sequence[Line], *path: str) -> tuple[Any, Any]:
    """Return the curve of a value over the generations.

    Args:
        lines: metrics of the generations, nested mappings.
        path: keys that lead to the value in a line.

    Returns:
        Generations `[n]` and values `[n]`, of the lines that have the value.
    """
    steps, values = [], []
    for line in lines:
        at: Any = line
        for key in path:
            at = at.get(key) if isinstance(at, Mapping) else None
        if at is not None:
            steps.append(float(line["generation"]))
            values.append(float(at))
    return np.array(steps), np.array(values)


def draw_curves(ui: Ui, lines: Sequence[Line], marks: list[tuple[float, str]]) -> None:
    """Draw the training's curves by generation.

    Args:
        ui: the panel.
        lines: metrics of the generations.
        marks: changes of settings as (generation, label), drawn as vertical lines.
    """

    def curves(names: Mapping[str, tuple[str, str]], *path: str, key: str) -> list[Series]:
        """Return curves over the generations that have the same place in the metrics.

        In a line of metrics, the keys that lead to a value are the path, the curve's name, and the
        key.

        Args:
            names: by key of a curve, its label and its colour; a curve without values is left out.
            path: keys that come before the name.
            key: key that comes after the name.
        """
        found = [
            (label, color, *series_of(lines, *path, name, key))
            for name, (label, color) in names.items()
        ]
        return [item for item in found if len(item[2])]

    share = (0.0, 1.05)
    charts = [
        Chart(tr("Loss of the policy"), curves(SIDE_CURVES, "losses", key="policy")),
        Chart(tr("Loss of the value"), curves(SIDE_CURVES, "losses", key="value")),
        Chart(
            tr("Accuracy on positions not learnt"),
            curves(HELD_CURVES, "held_out", key="right"),
            y_limits=share,
        ),
        Chart(tr("Moves in a game"), [(tr("moves"), "amber", *series_of(lines, "plies"))]),
        Chart(
            tr("Match against the previous best"),
            [(tr("score"), "green", *series_of(lines, "gate", "score"))],
            y_limits=share,
            levels=(0.5,),
        ),
    ]
    empty = tr("shown from generation 1 on")
    draw_charts(ui, charts, height=CHART, marks=marks, x_name=tr("generation"), empty=empty)
