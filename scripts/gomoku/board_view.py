"""The board that people see: points, stones, marks, and which point was clicked."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyrr import geometric_tests, plane, ray

from sim import SceneObject, Script, Wait, field, signal

STONE_MATERIALS = {1: "black", -1: "white"}
MARK_COLOR = (0.93, 0.36, 0.16)
HINT_COLOR = (0.25, 0.58, 0.98)
TOUCHES = ((1 / 2.75, "stone", 1.0), (2 / 2.75, "tap", 0.28), (2.5 / 2.75, "tap", 0.09))
"""When a falling stone meets the board, as a share of its fall; what is heard, how loud."""
FASTEST_HEARD = 8.0  # times the usual speed: beyond it there would be a rattle


class BoardView(Script):
    """Shows a position on a board; knows no rules."""

    drop_height: float = field(2.6, min=0.0, max=20.0, unit="m", help="Where a stone falls from")
    drop_seconds: float = field(0.42, min=0.0, max=5.0, unit="s")
    loudness: float = field(0.8, min=0.0, max=1.0, help="Of the stones that land")
    tilt: float = field(1.6, min=0.0, max=20.0, unit="°", help="How crooked a stone may lie")
    clicked = signal(int)
    landed = signal(int)

    def awake(self) -> None:
        self.size = 0
        self.stones: dict[int, SceneObject] = {}
        self.marks: list[SceneObject] = []
        self.ghost: SceneObject | None = None
        self.hint: SceneObject | None = None

    def show_board(self, size: int) -> None:
        """Show an empty board of `size` x `size` points."""
        if size != self.size:
            self.size = size
            self.object.model = {"builtin": "goban", "size": size, "labels": True}
        self.clear()

    def position_of(self, move: int) -> tuple[float, float, float]:
        """Return where a point lies, in metres in the board's space."""
        row, col = divmod(move, self.size)
        middle = (self.size - 1) / 2.0
        return (col - middle, middle - row, 0.0)

    def point_under(self, origin: Any, direction: Any) -> int | None:
        """Return the point that a ray in world space hits, None beside the board."""
        transform = self.object.transform
        local = ray.create(transform.to_local(origin), transform.direction_to_local(direction))
        surface = plane.create(np.array([0.0, 0.0, 1.0]), 0.0)
        hit = geometric_tests.ray_intersect_plane(local, surface, front_only=False)
        if hit is None or self.size == 0:
            return None
        middle = (self.size - 1) / 2.0
        col, row = round(float(hit[0]) + middle), round(middle - float(hit[1]))
        if 0 <= row < self.size and 0 <= col < self.size:
            return row * self.size + col
        return None

    def place(self, move: int, color: int) -> SceneObject:
        """Put a stone down at once; one that lies there already gives way."""
        self.mark_hint(None)
        before = self.stones.pop(move, None)
        if before is not None:
            before.destroy()
        x, y, z = self.position_of(move)
        turn = self.rng.uniform(-self.tilt, self.tilt, 2)
        stone = self.scene.spawn(
            f"Stone_{move}",
            model={"builtin": "stone", "color": STONE_MATERIALS[color]},
            parent=self.object,
            position=(x, y, z),
            rotation=(float(self.rng.uniform(0.0, 360.0)), float(turn[0]), float(turn[1])),
        )
        self.stones[move] = stone
        return stone

    async def drop(self, move: int, color: int) -> None:
        """Let a stone fall onto its point, bounce and settle."""
        stone = self.place(move, color)
        if self.time.instant:
            return
        transform = stone.transform
        end = transform.position
        start = (end[0], end[1], end[2] + self.drop_height)
        transform.position = start
        place = self.object.transform.to_world(self.position_of(move))
        self.start_coroutine(self._knock(place))
        await self._fall(stone, start, end)
        if stone.is_alive:
            self.landed.emit(move)

    async def _knock(self, place: Any) -> None:
        """Be heard each time a falling stone meets the board: `bounce_out` does so three times."""
        before = 0.0
        for share, name, volume in TOUCHES:
            await self.seconds(self.drop_seconds * (share - before))
            before = share
            if self.time.speed <= FASTEST_HEARD:
                self.sound.play(name, volume=volume * self.loudness, position=place)

    def _fall(self, stone: SceneObject, start: Any, end: Any) -> Wait:
        def move_to(position: Any) -> None:
            if stone.is_alive:  # another position may be shown meanwhile
                stone.transform.position = position

        return self.tween(
            move_to,
            start,
            end,
            seconds=self.drop_seconds,
            ease="bounce_out",
        )

    def mark_last(self, move: int) -> None:
        """Mark the last move."""
        self._clear_marks()
        x, y, _ = self.position_of(move)
        self.marks.append(
            self.scene.spawn(
                "LastMove",
                model={"builtin": "ring", "radius": 0.17, "width": 0.07},
                parent=self.object,
                position=(x, y, 0.31),
                material={"color": list(MARK_COLOR), "emission": 0.6},
            )
        )

    def mark_hint(self, move: int | None) -> None:
        """Mark a point as advice until the next stone; None takes the mark away."""
        if self.hint is not None:
            self.hint.destroy()
            self.hint = None
        if move is None:
            return
        x, y, _ = self.position_of(move)
        self.hint = self.scene.spawn(
            "Hint",
            model={"builtin": "ring", "radius": 0.3, "width": 0.09},
            parent=self.object,
            position=(x, y, 0.05),
            material={"color": list(HINT_COLOR), "emission": 0.8},
        )

    def show_line(self, moves: tuple[int, ...]) -> None:
        """Show the winning line: a ring on each of its stones."""
        self._clear_marks()
        for move in moves:
            x, y, _ = self.position_of(move)
            self.marks.append(
                self.scene.spawn(
                    "WinningStone",
                    model={"builtin": "ring", "radius": 0.3, "width": 0.09},
                    parent=self.object,
                    position=(x, y, 0.31),
                    material={"color": [0.98, 0.76, 0.18], "emission": 0.8},
                )
            )

    def show_position(self, moves: tuple[int, ...]) -> None:
        """Show a whole position at once; Black began."""
        self.mark_hint(None)
        self._clear_marks()
        wanted = {move: 1 if ply % 2 == 0 else -1 for ply, move in enumerate(moves)}
        for move in [move for move in self.stones if move not in wanted]:
            self.stones.pop(move).destroy()
        for move, color in wanted.items():
            stone = self.stones.get(move)
            if stone is not None and (stone.model or {}).get("color") != STONE_MATERIALS[color]:
                self.stones.pop(move).destroy()
                stone = None
            if stone is None:
                self.place(move, color)
        if moves:
            self.mark_last(moves[-1])

    def show_game(self, size: int, moves: tuple[int, ...], line: tuple[int, ...] = ()) -> None:
        """Show a position on a board of `size`, with its winning line where it has one."""
        if size != self.size:
            self.show_board(size)
        self.show_position(moves)
        if line:
            self.show_line(line)

    def clear(self) -> None:
        """Take all stones and marks away."""
        self.mark_hint(None)
        self._clear_marks()
        for stone in self.stones.values():
            stone.destroy()
        self.stones.clear()

    def hover(self, move: int | None, color: int) -> None:
        """Show a see-through stone where a person points; None takes it away."""
        if move is None or move in self.stones:
            if self.ghost is not None:
                self.ghost.visible = False
            return
        if self.ghost is None or not self.ghost.is_alive:
            self.ghost = self.scene.spawn("Ghost", parent=self.object)
            self.ghost.casts_shadow = False
            self.ghost.material = {"opacity": 0.45}
        model = {"builtin": "stone", "color": STONE_MATERIALS[color]}
        if self.ghost.model != model:
            self.ghost.model = model
        self.ghost.transform.position = self.position_of(move)
        self.ghost.visible = True

    def update(self, dt: float) -> None:
        for click in self.input.clicks:
            if click.button == "mouse1" and click.origin is not None:
                move = self.point_under(click.origin, click.direction)
                if move is not None:
                    self.clicked.emit(move)

    def _clear_marks(self) -> None:
        for mark in self.marks:
            mark.destroy()
        self.marks.clear()
