"""Overlays on the board: explanations of each side's last move."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ai import BLACK
from scripts.gomoku.board.overlay_marks import Column, Ghost, Marks, Shown
from scripts.gomoku.explain.choice_reading import ChoiceReading, latest, read_choices
from scripts.gomoku.game.match import Match
from sim import SceneObject, Script, field, on

KINDS: Final = (
    ("heat_map", "Heat map"),
    ("columns", "Columns"),
    ("ranks", "Ranks"),
    ("population", "Evolution"),
    ("threats", "Threats"),
)
"""Fields, in the order of their keys 1 to 5, and what their buttons say."""

GROUND, TOP = 0.012, 0.318  # metres: just above the wood, just above the stones
GHOST_WIDTH = 0.82


class Overlays(Script):
    """Shows explanations of the last moves on the board. Costs nothing while all are off."""

    match: Match = field(None)
    heat_map: bool = field(False, help="1: shares of the points as colours")
    columns: bool = field(False, help="2: the same as columns")
    ranks: bool = field(False, help="3: the best points by number; occupied ones are crossed out")
    population: bool = field(False, help="4: the population's first stones and its best line")
    threats: bool = field(False, help="5: fives and open fours of both sides, remembered answers")

    def awake(self) -> None:
        self.planes: dict[float, SceneObject] = {}
        self.ghosts: list[SceneObject] = []
        self.posts: list[SceneObject] = []
        self.drawings = 0
        self._seen: object = None

    def start(self) -> None:
        for number, (name, label) in enumerate(KINDS, start=1):
            self.command(
                f"overlay_{name}", label, partial(self.toggle, name), key=str(number),
                checked=partial(getattr, self, name),
            )  # fmt: skip
        self.show()

    @property
    def shown(self) -> Shown:
        """Which overlays are on."""
        return Shown(**{name: getattr(self, name) for name, _ in KINDS})

    def toggle(self, name: str) -> None:
        """Switch one overlay on or off by name."""
        setattr(self, name, not getattr(self, name))
        self.show()

    def validate(self) -> None:
        self.show()

    @on("match.stone_placed")
    def follow(self, move: int, color: int) -> None:
        """Update to the new position, if any overlay is on."""
        if self.shown.count:
            self.show()

    @on("match.game_started")
    def begin(self, game: int) -> None:
        """Clear all overlays: the board is empty."""
        if not self.match.is_other_shown:
            self.hide()

    @on("match.held")
    def rest(self, is_held: bool) -> None:
        """Hide while the board is used for something else; return with the live game."""
        self.hide()
        if not is_held:
            self.show()

    @on("match.shown_changed")
    def look_again(self) -> None:
        """Update to another position on the board: of a past game, or of a side game."""
        self.show()

    def show(self) -> None:
        """Redraw the overlays that are on, if anything has changed."""
        shown, match = self.shown, self.match
        if match is None or not shown.count:
            self.hide()
            return
        is_live_seen = match.is_shown and not match.is_held
        position = match.shown if match.is_other_shown or is_live_seen else None
        board = position.board if position is not None else None
        if position is None or board is None or not board.ply:
            self.hide()
            return
        position.ask()
        seen = (position.key, board.ply, board.size, shown)
        if seen == self._seen:
            return
        self._seen = seen
        readings = latest(read_choices(board, position.choices, position.players))
        self._draw(
            Marks(
                shown,
                board.stones,
                choice=choice_with_shares(readings),
                lines=next((item for item in readings if item.view.first_moves), None),
                threats=readings[0].threats_after if shown.threats and readings else (),
            )
        )

    def hide(self) -> None:
        """Remove all overlays from the board."""
        self._seen = None
        for item in (*self.planes.values(), *self.ghosts, *self.posts):
            item.visible = False

    def destroy(self) -> None:
        for item in (*self.planes.values(), *self.ghosts, *self.posts):
            if item.is_alive:
                item.destroy()

    # -- drawing ------------------------------------------------------------------------------

    def _draw(self, marks: Marks) -> None:
        self.drawings += 1
        for height, layer, picture in ((GROUND, 0, marks.ground), (TOP, 3, marks.top)):
            if picture.is_empty:
                if height in self.planes:
                    self.planes[height].visible = False
                continue
            plane = self._plane(height, layer, marks.size)
            plane.texture = picture.pixels
            plane.visible = True
        self._fill(self.ghosts, marks.ghosts, self._set_ghost)
        self._fill(self.posts, marks.columns, self._set_post)

    def _plane(self, height: float, layer: int, size: int) -> SceneObject:
        plane = self.planes.get(height)
        if plane is None:
            material = {"unlit": True, "layer": layer}
            plane = self.planes[height] = self._spawn("Overlay", material, (0.0, 0.0, height))
        model = {"builtin": "plane", "size": size}
        if plane.model != model:
            plane.model = model
        return plane

    def _fill(self, objects: list[SceneObject], wanted: list[Any], put: Any) -> None:
        """Put up as many objects as wanted; those left over are kept, unseen."""
        for index, item in enumerate(wanted):
            if index == len(objects):
                objects.append(self._spawn("Overlay", {}, (0.0, 0.0, 0.0)))
            put(objects[index], item)
            objects[index].visible = True
        for spare in objects[len(wanted) :]:
            spare.visible = False

    def _set_ghost(self, item: SceneObject, ghost: Ghost) -> None:
        item.model = {"builtin": "stone", "color": "black" if ghost.color == BLACK else "white"}
        item.material = {"opacity": ghost.opacity, "layer": 1}
        item.transform.position = self.match.board.position_of(ghost.point)
        item.transform.scale = (GHOST_WIDTH, GHOST_WIDTH, 1.0)

    def _set_post(self, item: SceneObject, column: Column) -> None:
        x, y, _ = self.match.board.position_of(column.point)
        item.model = {"builtin": "cylinder", "radius": column.radius, "height": 1.0}
        item.material = {"color": list(column.color), "opacity": 0.9, "layer": 2}
        item.transform.position = (x + column.offset[0], y + column.offset[1], column.base)
        item.transform.scale = (1.0, 1.0, column.height)

    def _spawn(
        self, name: str, material: dict[str, Any], position: tuple[float, float, float]
    ) -> SceneObject:
        item = self.scene.spawn(
            name, parent=self.match.board.object, position=position, material=material
        )
        item.casts_shadow = False
        return item


def choice_with_shares(readings: list[ChoiceReading]) -> ChoiceReading | None:
    """Return the latest answer that rates any point, else the latest with shares or scores."""
    nets = [item for item in readings if item.view.is_any_point_rated]
    rated = [item for item in readings if item.view.shares or item.view.scores]
    return next(iter(nets or rated), None)
