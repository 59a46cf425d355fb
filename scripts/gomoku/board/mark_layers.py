"""Marks on a board besides its stones: pictures, transparent stones, columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.overlay_picture import OverlayPicture, Rgb
from sim import SceneObject

GROUND, TOP = 0.012, 0.318  # metres: just above the wood, just above the stones
GHOST_WIDTH = 0.82
STONE_COLORS: dict[int, Rgb] = {1: (0.08, 0.08, 0.09), -1: (0.95, 0.94, 0.91)}
"""Colours of discs that stand for stones, by their side."""
Item = TypeVar("Item")


@dataclass(frozen=True)
class Ghost:
    """A transparent stone."""

    point: int
    color: int
    opacity: float


def draw_number(
    picture: OverlayPicture, point: int, number: int, color: int, radius: float
) -> None:
    """Draw the number of a move in a line as a disc in the colour of its side.

    Args:
        picture: picture above the stones.
        point: index of the move's point.
        number: the number, from 1.
        color: side of the move, 1 or -1.
        radius: radius of the disc, metres.
    """
    edge = STONE_COLORS[-color]
    picture.badge(point, str(number), radius, STONE_COLORS[color], edge=edge)


@dataclass(frozen=True)
class ShareColumn:
    """An upright column on a point of the board; its height shows a share.

    Attributes:
        point: index of the point.
        offset: distance (x, y) from the point's centre, metres.
        base: height of the column's foot above the board, metres.
        height: height of the column, metres.
        color: red, green and blue, 0 to 1.
        radius: radius of the column, metres.
    """

    point: int
    offset: tuple[float, float]
    base: float
    height: float
    color: Rgb
    radius: float


class MarkLayers:
    """Shows marks on a board. Objects are created when first needed, and reused."""

    def __init__(self, board: BoardView, name: str) -> None:
        """Create the layers, without marks.

        Args:
            board: board that shows the marks.
            name: name of the marks' objects in the scene.
        """
        self.planes: dict[float, SceneObject] = {}
        self.ghosts: list[SceneObject] = []
        self.columns: list[SceneObject] = []
        self._board = board
        self._name = name

    @property
    def is_shown(self) -> bool:
        """Whether any mark is visible."""
        return any(item.is_alive and item.visible for item in self._objects())

    def show(
        self,
        *,
        ground: OverlayPicture | None = None,
        top: OverlayPicture | None = None,
        ghosts: Sequence[Ghost] = (),
        columns: Sequence[ShareColumn] = (),
    ) -> None:
        """Replace the marks on the board.

        Args:
            ground: picture just above the wood; None for none.
            top: picture just above the stones; None for none.
            ghosts: transparent stones.
            columns: upright columns whose heights show shares.
        """
        for height, layer, picture in ((GROUND, 0, ground), (TOP, 3, top)):
            self._lay(height, layer, picture)
        self._fill(self.ghosts, ghosts, self._set_ghost)
        self._fill(self.columns, columns, self._set_column)

    def hide(self) -> None:
        """Hide all marks."""
        for item in self._objects():
            if item.is_alive:
                item.visible = False

    def destroy(self) -> None:
        """Remove the objects from the scene."""
        for item in self._objects():
            if item.is_alive:
                item.destroy()

    def _objects(self) -> tuple[SceneObject, ...]:
        return (*self.planes.values(), *self.ghosts, *self.columns)

    def _lay(self, height: float, layer: int, picture: OverlayPicture | None) -> None:
        plane = self.planes.get(height)
        if picture is None or picture.is_empty:
            if plane is not None:
                plane.visible = False
            return
        if plane is None or not plane.is_alive:
            plane = self.planes[height] = self._spawn(height, {"unlit": True, "layer": layer})
        model = {"builtin": "plane", "size": [picture.size, picture.rows]}
        if plane.model != model:
            plane.model = model
        plane.texture = picture.pixels
        plane.visible = True

    def _fill(
        self,
        objects: list[SceneObject],
        wanted: Sequence[Item],
        put: Callable[[SceneObject, Item], None],
    ) -> None:
        for index, item in enumerate(wanted):
            if index == len(objects):
                objects.append(self._spawn())
            put(objects[index], item)
            objects[index].visible = True
        for spare in objects[len(wanted) :]:
            spare.visible = False

    def _set_ghost(self, item: SceneObject, ghost: Ghost) -> None:
        item.model = dict(self._board.piece_of(ghost.color)["model"])
        item.material = {"opacity": ghost.opacity, "layer": 1}
        item.transform.position = self._board.position_of(ghost.point)
        item.transform.scale = (GHOST_WIDTH, GHOST_WIDTH, 1.0)

    def _set_column(self, item: SceneObject, column: ShareColumn) -> None:
        x, y, _ = self._board.position_of(column.point)
        item.model = {"builtin": "cylinder", "radius": column.radius, "height": 1.0}
        item.material = {"color": list(column.color), "opacity": 0.9, "layer": 2}
        item.transform.position = (x + column.offset[0], y + column.offset[1], column.base)
        item.transform.scale = (1.0, 1.0, column.height)

    def _spawn(self, height: float = 0.0, material: dict[str, object] | None = None) -> SceneObject:
        item = self._board.scene.spawn(
            self._name,
            parent=self._board.object,
            position=(0.0, 0.0, height),
            material=material or {},
        )
        item.casts_shadow = False
        return item
