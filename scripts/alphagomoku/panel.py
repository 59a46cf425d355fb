"""The panel of AlphaGomoku's training: where it is, its settings, its curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scripts.alphagomoku.comparison import ComparedView
from scripts.alphagomoku.front import NOBODY, FrontSearch
from scripts.alphagomoku.marks import best_points
from scripts.alphagomoku.training import STAGES, AlphaGomokuTraining
from sim import Script, Ui, field

Line = Mapping[str, Any]
Series = tuple[str, str, Any, Any]
SIDE_COLORS = {"black": "amber", "white": "blue"}
HELD_COLORS = {"trained": "green", "untrained": "muted", "shuffled weights": "red"}
CHART = 96.0
BEST = 3  # points in the table
PHASES = ("basic", "mentor", "self-play")


class TrainingPanel(Script):
    """Shows phase, generation, gate, settings that may change, and curves."""

    training: AlphaGomokuTraining = field(None)
    front: FrontSearch = field(None)

    def awake(self) -> None:
        self.compared = ComparedView()

    def start(self) -> None:
        self.panel("AlphaGomoku", self.draw, dock="right", icon="chess-board")

    def draw(self, ui: Ui) -> None:
        """Draw all of it."""
        shown = self.training
        if shown is None:
            return
        ui.heading("AlphaGomoku")
        if shown.stopped:
            ui.text("The training has stopped", "red")
            ui.muted_text(shown.stopped)
            return
        self._draw_place(ui, shown)
        if ui.button("Resume training" if shown.is_paused else "Pause training"):
            shown.by_hand("toggle_pause")
        if self.front is not None:
            self._draw_front(ui, self.front)
        self._draw_settings(ui, shown)
        draw_curves(ui, shown.lines, marks_of(shown.changes))

    def _draw_place(self, ui: Ui, shown: AlphaGomokuTraining) -> None:
        stage, last = shown.stage, shown.lines[-1] if shown.lines else {}
        phase = stage.phase if stage is not None else str(last.get("phase", PHASES[0]))
        ui.key_value("Board", f"{shown.size}x{shown.size}, {shown.win_length} in a row")
        number = PHASES.index(phase) + 1 if phase in PHASES else 0
        ui.key_value("Phase", f"{number} of {len(PHASES)}: {phase}")
        doing = f", {STAGES[stage.stage]}" if stage is not None and stage.stage in STAGES else ""
        generation = stage.generation if stage is not None else last.get("generation", 0)
        ui.key_value("Generation", f"{generation}{doing}")
        ui.key_value("Games learnt", str(last.get("games", 0)))
        ui.key_value("Best pair", f"version {last.get('version', 0)}")
        ui.key_value("Last gate", gate_text(shown.lines))

    def _draw_front(self, ui: Ui, front: FrontSearch) -> None:
        """Draw what the large board shows: the best points before and after, the value."""
        label = "Watch the training" if front.is_with_person else f"Play {front.pair_name}"
        ui.beside(ui.button_width(label))
        if ui.button(label):
            front.by_hand("toggle_person")
        self._draw_version(ui, front)
        if not front.title:
            return
        ui.heading(f"Large board: {front.title}", wraps=True)
        found, imgui = front.found, ui.imgui
        simulations = 0 if found is None else found.simulations
        ui.key_value("Simulations", f"{simulations} of {front.simulations}")
        flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_same
        if found is not None and imgui.begin_table("points", 3, int(flags)):
            for title in ("point", "before", "after"):
                imgui.table_setup_column(title)
            imgui.table_headers_row()
            for point, before, after in best_points(found, BEST):
                imgui.table_next_row()
                for text in (point, f"{before:.0%}", f"{after:.0%}"):
                    imgui.table_next_column()
                    ui.text(text)
            imgui.end_table()
        ui.chart(
            "Value for Black", values_of(front), height=CHART, y_limits=(-1.05, 1.05),
            levels=(0.0,), x_name="move", empty="shown from the first search on",
        )  # fmt: skip
        self.compared.draw(ui, front)

    def _draw_version(self, ui: Ui, front: FrontSearch) -> None:
        """Draw sliders for the pair of the large board and a second one, where there are two."""
        lines = front.training.lines
        last = int(lines[-1].get("version", 0)) if lines else 0
        if last == 0:
            return
        imgui = ui.imgui
        for key, label, least in (
            ("version", "pair on the large board", 0), ("compared", "compared with", NOBODY),
        ):  # fmt: skip
            width = imgui.calc_text_size("pair on the large board").x
            imgui.set_next_item_width(max(ui.theme.px(60), ui.room - width - ui.theme.px(8)))
            chosen = getattr(front, key)
            shown = {NOBODY: "nobody", 0: "newest"}.get(chosen, "version %d")
            is_new, value = imgui.slider_int(label, chosen, least, max(last, chosen), shown)
            if is_new:
                front.slot.host.set_field(front.slot, key, value)
            if imgui.is_item_deactivated_after_edit():
                where = f"{front.expression}.slot"
                self.log.python(f'host.set_field({where}, "{key}", {getattr(front, key)})')

    def _draw_settings(self, ui: Ui, shown: AlphaGomokuTraining) -> None:
        """Draw a slider for each setting that the next generation may have otherwise."""
        imgui = ui.imgui
        if not ui.section("From the next generation on"):
            return
        for key, low, high, kind in (
            ("rate", 0.0005, 0.2, "%.4f"), ("simulations", 2, 400, ""),
            ("temperature", 0.05, 3.0, "%.2f"), ("decay", 0.8, 1.0, "%.3f"),
        ):  # fmt: skip
            imgui.set_next_item_width(
                max(ui.theme.px(60), ui.room - imgui.calc_text_size("temperature").x
                    - ui.theme.px(8))
            )  # fmt: skip
            value = getattr(shown, key)
            if kind:
                is_new, value = imgui.slider_float(key, float(value), low, high, kind)
            else:
                is_new, value = imgui.slider_int(key, int(value), int(low), int(high))
            if is_new:
                shown.slot.host.set_field(shown.slot, key, value)
            if imgui.is_item_deactivated_after_edit():
                where = f"{shown.expression}.slot"
                self.log.python(f'host.set_field({where}, "{key}", {getattr(shown, key)})')


def values_of(front: FrontSearch) -> list[Series]:
    """Return the curves of the value through the game: the networks' and the search's."""
    found: list[Series] = []
    game = front.game
    if game is not None and len(game.values):
        first = len(game.moves) - len(game.values)
        plies = np.arange(first, len(game.moves), dtype=float)
        found.append(("networks", "muted", plies, game.values.astype(float)))
    if front.searched:
        known = np.array(front.searched, float)
        found.append(("search", "amber", known[:, 0], known[:, 1]))
    return found


def gate_text(lines: Sequence[Line]) -> str:
    """Return how the last gate match ended."""
    gates = [line["gate"] for line in lines if "gate" in line]
    if not gates:
        return "–"
    gate, passed = gates[-1], sum(bool(item["accepted"]) for item in gates)
    word = "accepted" if gate["accepted"] else "rejected"
    return f"{word}, {gate['score']:.0%} ({passed} of {len(gates)})"


def marks_of(changes: Sequence[Line]) -> list[tuple[float, str]]:
    """Return (generation, label) of each change, for the charts; one mark a generation."""
    found: dict[int, dict[str, object]] = {}
    for change in changes:
        found.setdefault(int(change["generation"]), {}).update(change["settings"])
    return [
        (float(generation), ", ".join(f"{key} {value:g}" for key, value in settings.items()))
        for generation, settings in sorted(found.items())
    ]


def series_of(lines: Sequence[Line], *path: str) -> tuple[Any, Any]:
    """Return generations `[n]` and values `[n]` of the lines that hold a value there."""
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
    """Draw the curves by generation, the changes as vertical lines."""

    def chart(title: str, series: Sequence[Series], **words: Any) -> None:
        shown = [item for item in series if len(item[2])]
        ui.chart(
            title, shown, height=CHART, marks=marks if shown else (), x_name="generation",
            empty="shown from generation 1 on", **words,
        )  # fmt: skip

    sides = SIDE_COLORS.items()
    chart("Loss of the policy", [
        (side, color, *series_of(lines, "losses", side, "policy")) for side, color in sides
    ])  # fmt: skip
    chart("Loss of the value", [
        (side, color, *series_of(lines, "losses", side, "value")) for side, color in sides
    ])  # fmt: skip
    chart("Right about positions not learnt", [
        (name, color, *series_of(lines, "held_out", name, "right"))
        for name, color in HELD_COLORS.items()
    ], y_limits=(0.0, 1.05))  # fmt: skip
    chart("Length of a game, moves", [("moves", "amber", *series_of(lines, "plies"))])
    chart("Score in the gate's match", [("score", "green", *series_of(lines, "gate", "score"))],
          y_limits=(0.0, 1.05), levels=(0.5,))  # fmt: skip
