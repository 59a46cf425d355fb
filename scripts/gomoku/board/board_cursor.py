"""The board's cursor: arrow keys move it from point to point, and Enter chooses its point."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, Protocol

from ai import to_text
from scripts.pieces.board_themes import BoardTheme
from sim import Scene, SceneObject, tr

STEPS: Final = {"right": (0, 1), "up": (-1, 0), "left": (0, -1), "down": (1, 0)}
"""Rows and columns that an arrow key goes, as seen from the side of row 1, counterclockwise."""
ACTIONS: Final = {
    "right": tr("Cursor to the right"),
    "up": tr("Cursor up"),
    "left": tr("Cursor to the left"),
    "down": tr("Cursor down"),
}
CHOOSE: Final = tr("Choose the cursor's point")
REACH, LENGTH, WIDTH = 0.46, 0.26, 0.085  # of the corners: metres
GLOW = 0.75


class AskedPoints(Protocol):
    """What a board is asked for: one of some points, for a stone of a color."""

    points: frozenset[int]
    color: int


class SteeredBoard(Protocol):
    """A board as its cursor uses it: see `BoardView`."""

    size: int
    rows: int
    colors: dict[int, int]
    facing: ClassVar[tuple[float, float, float]]
    mark_offset: ClassVar[tuple[float, float, float]]
    sides: ClassVar[Mapping[int, str]]

    @property
    def object(self) -> SceneObject: ...

    @property
    def scene(self) -> Scene: ...

    @property
    def input(self) -> Any: ...

    @property
    def panels(self) -> Any: ...

    @property
    def status(self) -> Any: ...

    @property
    def look(self) -> BoardTheme: ...

    def choice_at(self, point: int) -> int: ...

    def position_of(self, move: int) -> tuple[float, float, float]: ...

    def hover(self, move: int | None, color: int) -> None: ...


class BoardCursor:
    """Lets keys choose a point while the board asks for one.

    Where a command of the scene has the arrow keys, Shift goes with them.

    Args:
        view: the board.
        is_chosen: called with the point when Enter is pressed.

    Attributes:
        point: point that the cursor is at; None while it is not shown.
    """

    def __init__(self, view: SteeredBoard, is_chosen: Callable[[int], object]) -> None:
        self.point: int | None = None
        self._view, self._is_chosen = view, is_chosen
        self._last: int | None = None  # where it was when it was hidden
        self._mark: SceneObject | None = None
        self._pointer = (0.0, 0.0)
        self._is_wanted = False  # the user works with keys: it is there at the next turn, too
        self._bound = ""
        self._told = ""

    def follow(self, request: AskedPoints | None) -> None:
        """Move the cursor by the keys of this frame; called in every frame.

        Args:
            request: what the board is asked for; None for nothing.
        """
        self._bind(request is not None)
        if request is None or not self._view.size:
            self.hide()
            return
        if self._view.input.pointer != self._pointer:
            self._pointer = self._view.input.pointer
            self._is_wanted = False
            self.hide()
        steps = [side for side, name in ACTIONS.items() if self._view.input.pressed(name)]
        is_chosen = self._view.input.pressed(CHOOSE)
        if self.point is None and (steps or is_chosen or self._is_wanted):
            self._is_wanted = True
            self._show(self._start(), request)
        elif is_chosen and self.point is not None:
            self._is_chosen(self._view.choice_at(self.point))
        elif self.point is not None:
            for side in steps:
                self._step(side, request)
            self._show(self.point, request)  # what lies there may have changed

    def hide(self) -> None:
        """Hide the cursor; it begins at the same point when it is next shown."""
        if self.point is None:
            return
        self._last, self.point = self.point, None
        if self._mark is not None and self._mark.is_alive:
            self._mark.destroy()
        self._mark = None
        self._tell("")

    def _bind(self, is_asked: bool) -> None:
        """Bind the keys while the board asks for a point, and give them back afterwards."""
        shift = ""
        if is_asked:
            used = [entry.key for entry in self._view.panels.commands]
            shift = "shift+" if "arrow_left" in used or "arrow_up" in used else "plain"
        if shift == self._bound:
            return
        self._bound = shift
        before = "" if shift == "plain" else shift
        for side, name in ACTIONS.items():
            self._view.input.bind(name, *([f"{before}arrow_{side}"] if is_asked else []))
        self._view.input.bind(CHOOSE, *(["enter"] if is_asked else []))

    def _start(self) -> int:
        """Return the point that the cursor is first shown at: where it was, or the middle."""
        view = self._view
        if self._last is not None and self._last < view.size * view.rows:
            return self._last
        return (view.rows // 2) * view.size + view.size // 2

    def _step(self, side: str, request: AskedPoints) -> None:
        """Move the cursor to the next point in a direction of the picture.

        Args:
            side: "left", "right", "up" or "down".
            request: what the board is asked for.
        """
        view = self._view
        right = view.object.transform.direction_to_local(view.scene.camera.view.right)
        turned = 0 if any(view.facing) else quarter_turns(right)
        sides = list(STEPS)
        rows, columns = STEPS[sides[(sides.index(side) + turned) % 4]]
        row, column = divmod(self.point or 0, view.size)
        row, column = row + rows, column + columns
        if 0 <= row < view.rows and 0 <= column < view.size:
            self._show(row * view.size + column, request)

    def _show(self, point: int, request: AskedPoints) -> None:
        view = self._view
        self.point = point
        if self._mark is None or not self._mark.is_alive:
            self._mark = self._corners()
        offsets = zip(view.position_of(point), view.mark_offset, strict=True)
        self._mark.transform.position = tuple(base + offset for base, offset in offsets)
        choice = view.choice_at(point)
        is_free = choice in request.points
        view.hover(choice if is_free else None, request.color)
        self._tell(self._words(point, is_free=is_free))

    def _words(self, point: int, *, is_free: bool) -> str:
        view = self._view
        name = to_text(point, view.size, view.rows)
        if is_free:
            return tr("{point}: free, Enter chooses it").format(point=name)
        color = view.colors.get(point)
        if color is not None:
            return tr("{point}: {side}").format(point=name, side=view.sides[color])
        return tr("{point}: cannot be chosen").format(point=name)

    def _tell(self, text: str) -> None:
        if text == self._told:
            return
        self._told = text
        if text:
            self._view.status.set("cursor", text)
        else:
            self._view.status.clear("cursor")

    def _corners(self) -> SceneObject:
        """Create the cursor: the four corners of a square around a point."""
        view = self._view
        mark = view.scene.spawn("Cursor", parent=view.object, rotation=view.facing)
        color = list(view.look.cursor)
        inner = REACH - LENGTH / 2.0
        for x in (-1, 1):
            for y in (-1, 1):
                for place, size in (
                    ((x * inner, y * REACH, 0.0), [LENGTH + WIDTH, WIDTH, 0.02]),
                    ((x * REACH, y * inner, 0.0), [WIDTH, LENGTH + WIDTH, 0.02]),
                ):
                    part = view.scene.spawn(
                        "CursorCorner",
                        parent=mark,
                        model={"builtin": "box", "size": size},
                        position=place,
                        material={"color": color, "emission": GLOW},
                    )
                    part.casts_shadow = False
        return mark


def quarter_turns(right: Sequence[float]) -> int:
    """Return by how many quarter turns a camera goes around the board, from the side of row 1 on.

    Args:
        right: direction to the right of the picture, in the board's space; x goes along a row, y to
            the last row.
    """
    return round(math.atan2(right[1], right[0]) / (math.pi / 2.0)) % 4
