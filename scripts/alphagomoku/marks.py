"""What a search looks like on a board: shares before it, visits, and the expected line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ai import BLACK, to_text
from ai.messages import SearchGrown
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.color_scale import Rgb, ink_on, scale_color
from scripts.gomoku.board.overlay_picture import OverlayPicture
from sim import SceneObject, Script

GROUND, TOP = 0.012, 0.318  # metres: just above the wood, just above the stones
GHOST_WIDTH = 0.82
TALLEST = 1.9  # metres: the column of the most visited point
LEAST = 0.02  # of the greatest share: less is not drawn
MOST_LINE = 4  # stones of the expected line
STONES: dict[int, Rgb] = {1: (0.08, 0.08, 0.09), -1: (0.95, 0.94, 0.91)}


class SearchMarks:
    """Draws a search on a board: plates, columns, ghost stones."""

    def __init__(self, script: Script, view: BoardView) -> None:
        self._script = script
        self._view = view
        self._planes: dict[float, SceneObject] = {}
        self._posts: list[SceneObject] = []
        self._ghosts: list[SceneObject] = []

    @property
    def posts(self) -> list[SceneObject]:
        """The columns that are seen."""
        return [post for post in self._posts if post.visible]

    def show(self, found: SearchGrown) -> None:
        """Draw what a search found so far."""
        size, color = self._view.size, BLACK if len(found.moves) % 2 == 0 else -BLACK
        ground, top = OverlayPicture(size), OverlayPicture(size)
        line, most = found.line[:MOST_LINE], float(found.prior.max())
        for point, share in enumerate(found.prior):
            if most > 0.0 and share > LEAST * most:
                shade = scale_color(float(share) / most)
                ground.plate(point, 0.24 + 0.22 * (float(share) / most) ** 0.5, shade, 0.95)
                if share >= 0.01 and point not in line:
                    ground.letters(point, f"{share:.0%}", 0.17, ink_on(shade), at=(0.0, 0.04))
        for index, point in enumerate(line):
            side = color * (-1) ** index
            top.badge(point, str(index + 1), 0.2, STONES[side], edge=STONES[-side])
        self._lay(GROUND, 0, ground)
        self._lay(TOP, 3, top)
        self._put_columns(found)
        self._put_ghosts(line, color)

    def hide(self) -> None:
        """Take everything off the board."""
        for item in (*self._planes.values(), *self._posts, *self._ghosts):
            item.visible = False

    def _lay(self, height: float, layer: int, picture: OverlayPicture) -> None:
        plane = self._planes.get(height)
        if plane is None:
            material = {"unlit": True, "layer": layer}
            plane = self._planes[height] = self._spawn((0.0, 0.0, height), material)
        model = {"builtin": "plane", "size": picture.size}
        if plane.model != model:
            plane.model = model
        plane.visible = not picture.is_empty
        if plane.visible:
            plane.texture = picture.pixels

    def _put_columns(self, found: SearchGrown) -> None:
        most = max(int(found.visits.max()), 1)
        shares = [(point, int(visits) / most) for point, visits in enumerate(found.visits)]
        wanted = [(point, share) for point, share in shares if share > LEAST]
        for index, (point, share) in enumerate(wanted):
            if index == len(self._posts):
                self._posts.append(self._spawn((0.0, 0.0, 0.0), {}))
            post, (x, y, _) = self._posts[index], self._view.position_of(point)
            post.model = {"builtin": "cylinder", "radius": 0.1, "height": 1.0}
            post.material = {"color": list(scale_color(share)), "opacity": 0.9, "layer": 2}
            post.transform.position = (x + 0.3, y + 0.3, 0.0)
            post.transform.scale = (1.0, 1.0, max(0.05, TALLEST * share))
            post.visible = True
        for spare in self._posts[len(wanted) :]:
            spare.visible = False

    def _put_ghosts(self, line: Sequence[int], color: int) -> None:
        for index, point in enumerate(line):
            if index == len(self._ghosts):
                self._ghosts.append(self._spawn((0.0, 0.0, 0.0), {}))
            ghost, is_black = self._ghosts[index], color * (-1) ** index == BLACK
            ghost.model = {"builtin": "stone", "color": "black" if is_black else "white"}
            ghost.material = {"opacity": 0.6, "layer": 1}
            ghost.transform.position = self._view.position_of(point)
            ghost.transform.scale = (GHOST_WIDTH, GHOST_WIDTH, 1.0)
            ghost.visible = True
        for spare in self._ghosts[len(line) :]:
            spare.visible = False

    def _spawn(self, position: tuple[float, float, float], material: dict[str, Any]) -> SceneObject:
        item = self._script.scene.spawn(
            "Search", parent=self._view.object, position=position, material=material
        )
        item.casts_shadow = False
        return item


def best_points(found: SearchGrown, count: int) -> list[tuple[str, float, float]]:
    """Return (point, share before, share after) of the most visited points."""
    size, total = round(len(found.visits) ** 0.5), max(int(found.visits.sum()), 1)
    order = sorted(range(len(found.visits)), key=lambda point: -int(found.visits[point]))
    return [
        (to_text(point, size), float(found.prior[point]), int(found.visits[point]) / total)
        for point in order[:count]
        if found.visits[point]
    ]
