"""Other runs that the charts compare with the present one, and two that ship."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ai import WHITE, RunStore, RunStoreError, group_wins, rolling_elo
from scripts.gomoku.history.replay import DATABASE, RunCard, recent_runs
from sim import Ui, tr, wording

REFERENCE = tr("reference run")
CONTROL = tr("random labels")
"""A run whose White is told what to learn by chance: what luck reaches."""
RECORDED = {
    REFERENCE: "assets/recorded/self_teaching.json",
    CONTROL: "assets/recorded/random_labels.json",
}
"""Files of the runs that ship."""
COLORS = ("muted", "red", "green", "text")
"""Colours of the compared runs, in the order of the list."""

Line = tuple[str, str, Any, Any]


class ComparedRun(NamedTuple):
    """Curves of one run for the charts.

    Each curve is a pair: its horizontal values `[n]` and its vertical values `[n]`.

    Attributes:
        wins: number of the last game of each group of five games, and White's wins in the group.
        elo: number of a game, and White's Elo after it; empty if only wins are known.
    """

    wins: tuple[Any, Any]
    elo: tuple[Any, Any]


class ComparedRuns:
    """The runs that can be compared and those selected; at first those that ship are.

    Attributes:
        chosen: labels of the selected runs.
        fault: why the last selection failed; empty if it succeeded.
    """

    def __init__(self, run: Any) -> None:
        """Prepare the list; the folder is searched for runs when the list is first opened.

        Args:
            run: the present run.
        """
        self.fault = ""
        self._run = run
        self._cards: dict[str, RunCard] | None = None
        found = {name: _recorded(run.project / file) for name, file in RECORDED.items()}
        self._known = {name: run for name, run in found.items() if len(run.wins[0])}
        self._shipped = list(self._known)
        self.chosen: list[str] = list(self._shipped)

    def names(self) -> list[str]:
        """Return the runs that can be chosen, those that ship first."""
        if self._cards is None:
            run = self._run
            own = run.out or run.scene_dir
            folder = run.other_data_dir or run.data_dir
            cards = [card for card in recent_runs(folder, run.project) if card.folder != own]
            self._cards = {card.label: card for card in cards}
        return [*self._shipped, *self._cards]

    def choose(self, name: str, is_chosen: bool) -> None:
        """Show a run on the charts, or hide it."""
        self.fault = ""
        if name not in self.names():
            self.fault = f"expected one of {', '.join(self.names())}, found {name}"
            return
        others = [item for item in self.chosen if item != name]
        if is_chosen and len(others) == len(COLORS):
            self.fault = tr("at most {colors} runs are compared").format(colors=len(COLORS))
            return
        if is_chosen and name not in self._known and self._cards is not None:
            try:
                self._known[name] = _read(self._cards[name].folder)
            except RunStoreError as error:
                self.fault = str(error)
                return
        self.chosen = [item for item in self.names() if item in (*others, name * is_chosen)]

    def wins(self) -> list[Line]:
        """Return a curve for each selected run: White's wins in each group of five games.

        Returns:
            For each run its label, its colour, the numbers of the games, and the wins.
        """
        return [(name, color, *run.wins) for name, color, run in self._shown()]

    def elo(self) -> list[Line]:
        """Return a curve for each selected run: White's Elo.

        Runs without Elo are left out.

        Returns:
            For each run its label, its colour, the numbers of the games, and the Elo.
        """
        return [(name, color, *run.elo) for name, color, run in self._shown() if len(run.elo[0])]

    def last_games(self) -> list[float]:
        """Return the number of the last game of each selected run."""
        return [float(run.wins[0][-1]) for _, _, run in self._shown() if len(run.wins[0])]

    def _shown(self) -> list[tuple[str, str, ComparedRun]]:
        return [
            (name, color, self._known[name])
            for name, color in zip(self.chosen, COLORS, strict=False)
        ]

    def draw(self, ui: Ui, choose: Any) -> None:
        """Draw the list of runs, with a check box for each.

        Args:
            ui: user interface of the panel.
            choose: called when the user clicks a box, with the name of the run and whether it is
                selected now.
        """
        imgui = ui.imgui
        said = wording(", ").join(map(wording, self.chosen)) if self.chosen else tr("no other run")
        shown = tr("Compare with: {said}").format(said=said)
        arrow = imgui.get_frame_height() + 2 * imgui.get_style().frame_padding.x
        if imgui.calc_text_size(shown).x > ui.room - arrow:
            shown = tr("Compare with …")  # the charts name them
        imgui.set_next_item_width(ui.room)
        if imgui.begin_combo("##compared", shown):
            for name in self.names():
                is_changed, is_chosen = imgui.checkbox(wording(name), name in self.chosen)
                if is_changed:
                    choose(name, is_chosen)
            if len(self.names()) == len(self._shipped):
                ui.text(tr("No other run is kept here."), "muted")
            imgui.end_combo()
        elif not imgui.is_item_active():
            ui.tip(tr("Which runs the charts compare this one with"))
        if self.fault:
            ui.muted_text(self.fault)


def _recorded(path: Path) -> ComparedRun:
    empty = np.empty(0)
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        wins = np.array(data["wins_per_group"], dtype=np.float64)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        wins = empty
    return ComparedRun((np.arange(1, len(wins) + 1) * 5.0, wins), (empty, empty))


def _read(folder: Path) -> ComparedRun:
    """Return the curves of the run in a folder.

    If several games have the same number, the latest one counts.

    Raises:
        RunStoreError: the database cannot be read.
    """
    store = RunStore.open_to_read(folder / DATABASE)
    try:
        games = {item.game: item for item in store.summaries((0, 0)) if not item.is_beside}
    finally:
        store.close()
    return curves_of({number: games[number].winner == WHITE for number in sorted(games)})


def curves_of(won: dict[int, bool] | Sequence[tuple[int, bool]]) -> ComparedRun:
    """Return the curves of wins and Elo that follow from the results of games.

    Args:
        won: number of each game and whether White won it, in order of play.
    """
    pairs = dict(won)
    games = np.array(list(pairs), dtype=np.float64)
    values = np.array(list(pairs.values()), dtype=np.float64)
    wins, elo = group_wins(games, values).decimated(), rolling_elo(games, values).decimated()
    return ComparedRun((wins.x, wins.y), (elo.x, elo.y))
