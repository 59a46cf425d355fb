"""Comparison of two networks in one position: the best points of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ai import CheckpointStore, GameRecord, to_text
from ai.messages import LoadCheckpoint, LoadWeights
from scripts.gomoku.board.mark_layers import MarkLayers
from scripts.gomoku.board.overlay_picture import OverlayPicture, Rgb
from scripts.gomoku.game.match import Match
from scripts.gomoku.seats.seat import LoadableNetwork, PlayerWorker, player_like
from sim import Script, Task, Ui, WorkerError, field, on, tr

FIRST = 5
COLORS = ("amber", "blue")  # of the first and the second network, as on the board
MARKS: tuple[tuple[Rgb, float], ...] = (((0.95, 0.65, 0.2), -0.22), ((0.3, 0.55, 0.98), 0.22))
"""For the first and the second network, the color and the place of its numbers on the board.

The place is the distance to the right of a point, in metres.
"""
EDGE: Rgb = (0.1, 0.1, 0.1)
RADIUS = 0.2  # of a number, metres
KEPT = ("named", "kept")  # folders of checkpoints to roll back to

Choices = list[tuple[str, float]]


class Comparison(Script, title="Network comparison"):
    """Compares two of the learner's networks in a worker of its own and shows their best points."""

    match: Match = field(None)

    def awake(self) -> None:
        self.columns: list[tuple[str, Choices]] = []
        self.message = ""
        self.chosen = [0, 0]
        self._networks: list[LoadableNetwork] = []
        self._labels: list[str] = []
        self._player = PlayerWorker(self, "comparison")
        self._shown: tuple[GameRecord, int] | None = None
        self._asked: tuple[Any, ...] = ()
        self._asked_moves: tuple[int, ...] = ()
        self._marks: MarkLayers | None = None
        self._task: Task | None = None

    def networks(self) -> list[LoadableNetwork]:
        """Return the networks that can be compared, newest first.

        They are those stored in this run, and those in the checkpoints of the player and board
        size.
        """
        trainer = self.match.trainer if self.match is not None else None
        found = [] if trainer is None else trainer.network_cache.networks()
        known = {network.network_id for network in found}
        found += [item for item in self._checkpoints() if item.network_id not in known]
        return sorted(found, key=lambda network: -network.network_id)

    def network(self, number: int) -> LoadWeights | LoadCheckpoint | None:
        """Return the message that makes a worker load a network.

        Args:
            number: id of the network.

        Returns:
            The message, with the weights or the folder of a checkpoint. None if no network has this
            id.
        """
        seat = self.match.white if self.match is not None else None
        if seat is not None and seat.network is not None and seat.network_id == number:
            return seat.network  # with its memory
        found = (item for item in self.networks() if item.network_id == number)
        return next((item.message for item in found), None)

    def compare(self, record: GameRecord, ply: int, networks: Sequence[LoadableNetwork]) -> None:
        """Start to compare networks in a position of a game; the panel shows the result later.

        Args:
            record: the game.
            ply: number of moves before the position.
            networks: up to two networks.
        """
        if self._task is not None:
            self._task.cancel()
        self._asked = (record, ply)
        self._asked_moves = record.moves[:ply]
        self.columns, self.message = [], ""
        self._hide_marks()
        self._task = self.start_coroutine(self._ask_networks(record, ply, networks))

    async def _ask_networks(
        self, record: GameRecord, ply: int, networks: Sequence[LoadableNetwork]
    ) -> None:
        board = record.board(ply)
        white = self.match.white
        player, _ = player_like((white, self.match.black), white.player, record.rules)
        columns, found = [], []
        self.status.set("compare", tr("two networks are compared"), busy=True)
        try:
            for network in networks:
                await self._player.sit_down(player, network.message)
                choice = (await self._player.choose(tuple(board.moves), seed=0)).choice
                best = first_choices(free_shares(choice.policy, board.stones), board.stones)
                texts = [(to_text(move, board.size), share) for move, share in best]
                columns.append((network.label, texts))
                found.append(best)
        except WorkerError as error:
            self.message = str(error)
            return
        finally:
            self.status.clear("compare")
        self.columns = columns
        if self._shown in (None, (record, ply)):
            self._marks = self._marks or MarkLayers(self.match.board, tr("Comparison"))
            rows = len(board.stones) // board.size
            self._marks.show(top=numbers_of(board.size, found, rows))

    @on("match.shown_changed")
    def clear_marks(self) -> None:
        """Remove the marks from the board unless their position is still shown."""
        position = self.match.shown.board if self.match.is_other_shown else None
        if position is None or self._asked_moves != tuple(position.moves):
            self._hide_marks()

    def _hide_marks(self) -> None:
        if self._marks is not None:
            self._marks.hide()

    def _checkpoints(self) -> list[LoadableNetwork]:
        seat = self.match.white
        size = seat.rules.size if seat.rules is not None else self.match.rules.size
        folder = self.run.scene_dir / "learner"
        folders = sorted(folder.glob(f"{seat.player}-{size}x{size}-*"))
        found: dict[int, LoadableNetwork] = {}
        kept = (above / kind for kind in KEPT for above in folders)
        for directory in (*kept, *folders):
            for item in CheckpointStore(directory).listed():
                number = item.state.get("network_id")
                if isinstance(number, int):
                    name = str(item.state.get("name") or "checkpoint")
                    found.setdefault(
                        number, LoadableNetwork(name, LoadCheckpoint(number, str(item.directory)))
                    )
        return list(found.values())

    def destroy(self) -> None:
        if self._marks is not None:
            self._marks.destroy()

    # -- its part of the panel ----------------------------------------------------------------

    @on("match.held")
    def refresh(self, is_held: bool) -> None:
        """Prepare the two lists of networks when a game has been opened.

        The newest network is then selected in the first list, and the oldest in the second.

        Args:
            is_held: whether a game is open; if it is False, nothing happens.
        """
        if is_held:
            self._networks = self.networks()
            self._labels = [network.label for network in self._networks]
            self.chosen = [0, max(0, len(self._networks) - 1)]
            self.columns, self.message = [], ""

    def compare_chosen(self) -> None:
        """Compare the two selected networks in the position that the panel drew last.

        Without a position the panel asks for a game to be opened.
        """
        if self._shown is None:
            self.message = tr("open a game first")
        elif len(self._networks) > 1:
            self.compare(*self._shown, [self._networks[index] for index in self.chosen])

    def draw(self, ui: Ui, record: GameRecord, ply: int) -> None:
        """Draw the selectors of the two networks and their best points in a position.

        Args:
            ui: user interface of the panel.
            record: the game of the position.
            ply: number of moves before the position.
        """
        self._shown = (record, ply)
        if not self._networks:
            return
        ui.heading(tr("Compare two networks here"))
        if len(self._networks) < 2:
            ui.muted_text(
                tr("One network so far: the next training brings another to compare with.")
            )
            return
        width = (ui.room - ui.imgui.get_style().item_spacing.x) / 2
        for place, chosen in enumerate(self.chosen):
            if place:
                ui.same_line()
            ui.imgui.set_next_item_width(width)
            index = int(ui.imgui.combo(f"##net{place}", chosen, self._labels)[1])
            if index != chosen:
                self.chosen[place] = index
                self.log.python(f"{self.expression}.chosen[{place}] = {index}")
        if ui.button(tr("Compare")):
            self.by_hand("compare_chosen")
        is_here = self._asked == (record, ply)
        if self.message and is_here:
            ui.muted_text(self.message)
        else:
            self._draw_columns(ui, self.columns if is_here else [])

    def _draw_columns(self, ui: Ui, columns: list[tuple[str, Choices]]) -> None:
        """Draw the best points of two networks side by side.

        Args:
            ui: user interface of the panel.
            columns: for each network its label, and its best points with their shares. If there is
                no network yet, blank lines of the same height are drawn.
        """
        imgui = ui.imgui
        if not imgui.begin_table("choices", 2):
            return
        for row in range(FIRST + 1):
            imgui.table_next_row()
            for place, color in enumerate(COLORS):
                imgui.table_next_column()
                title, choices = columns[place] if place < len(columns) else ("", [])
                if not row:
                    ui.text(tr("network {title}").format(title=title) if title else "", color)
                elif row <= len(choices):
                    point, share = choices[row - 1]
                    ui.text(f"{row}  {point:<4}{share:7.1%}", color if row == 1 else "text")
                else:
                    imgui.text("")
        imgui.end_table()
        ui.muted_text(
            tr("Numbers on the board: each network's best free points.") if columns else " "
        )


def numbers_of(
    size: int, choices: Sequence[Sequence[tuple[int, float]]], rows: int | None = None
) -> OverlayPicture:
    """Return a picture with a number at each network's best points.

    Args:
        size: number of columns of the board.
        choices: (point, share) of the best points of up to two networks, the best first.
        rows: number of rows; None for as many as columns.
    """
    picture = OverlayPicture(size, rows)
    for best, (color, aside) in zip(choices, MARKS, strict=False):
        for rank, (point, _) in enumerate(best, start=1):
            picture.badge(point, str(rank), RADIUS, color, at=(aside, 0.0), edge=EDGE)
    return picture


def free_shares(policy: Any, stones: Sequence[int]) -> Any:
    """Return `[A]` shares that are 0 at occupied points and sum to 1.

    Args:
        policy: `[A]` shares of all points; None if there are none.
        stones: `[A]` color of each point, 0 where it is free.

    Returns:
        The shares; all 0 if no free point has any. None if `policy` is None.
    """
    if policy is None:
        return None
    shares = np.where(np.asarray(stones) == 0, np.asarray(policy, dtype=np.float64), 0.0)
    total = float(shares.sum())
    return shares / total if total > 0.0 else shares


def first_choices(
    policy: Any, stones: Sequence[int], count: int = FIRST
) -> list[tuple[int, float]]:
    """Return the playable points with the largest shares, the largest first.

    Args:
        policy: `[A]` shares.
        stones: `[A]` 0 where a stone can be placed.
        count: maximum number of points.
    """
    if policy is None:
        return []
    order = np.argsort(-np.asarray(policy), kind="stable")
    empty = [int(move) for move in order if stones[move] == 0]
    return [(move, float(policy[move])) for move in empty[:count]]
