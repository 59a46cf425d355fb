"""The board in the scene: its model, stones and marks, and the user's clicks on its points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import radians, sin
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from pyrr import geometric_tests, plane, ray

from scripts.gomoku.board.board_camera import Points, block_corners
from scripts.gomoku.board.board_cursor import BoardCursor
from scripts.gomoku.board.board_menu import draw_board_menu
from scripts.gomoku.board.board_stage import BoardStage
from scripts.gomoku.board.picture_clipboard import ClipboardError, copy_png
from scripts.gomoku.board.view_state import ViewState
from scripts.pieces.board_themes import COORDINATES, THEMES, WOOD, BoardTheme, shares_of
from sim import Scene, SceneObject, Script, Ui, Wait, WorkerError, field, on, preference, signal, tr

OWN = "scene's own"
"""The choice of a user who leaves a scene's boards as they are."""
TOUCHES = ((1 / 2.75, "stone", 1.0), (2 / 2.75, "tap", 0.28), (2.5 / 2.75, "tap", 0.09))
"""Sounds of a landing stone: time as a fraction of its fall, sound name, and volume 0 to 1."""
REPORT_SECONDS = 6.0  # that the status bar says what became of a picture
FASTEST_HEARD = 8.0  # times the usual speed: beyond it there would be a rattle


class NoPointError(WorkerError):
    """No point was chosen: the request for a click was cancelled."""


@dataclass(eq=False)
class PointRequest:
    """A pending request for a person's click on a point."""

    points: frozenset[int]
    """The points that may be clicked."""
    color: int
    """Color of the transparent stone under the pointer."""
    may_use: Callable[[], bool]
    """Called without arguments; returns whether clicks belong to this request at present."""
    clicked: int | None = None


class BoardView(Script):
    """Shows the states of a game on a board and handles clicks on its points.

    Subclasses for other games change how the board looks.
    """

    sides: ClassVar[Mapping[int, str]] = {1: tr("Black"), -1: tr("White")}
    pieces: ClassVar[Mapping[int, Mapping[str, Any]]] = {
        1: {"model": {"builtin": "stone", "color": "black"}},
        -1: {"model": {"builtin": "stone", "color": "white"}},
    }
    facing: ClassVar[tuple[float, float, float]] = (0.0, 0.0, 0.0)
    mark_offset: ClassVar[tuple[float, float, float]] = (0.0, 0.0, 0.31)
    last_radius: ClassVar[float] = 0.17
    line_radius: ClassVar[float] = 0.3
    turn_height: ClassVar[float] = 0.6
    turn_seconds: ClassVar[float] = 0.4
    turns: ClassVar[bool] = True
    falls: ClassVar[bool] = False
    place_word: ClassVar[str] = tr("point")
    drop_height: float = field(
        2.6, min=0.0, max=20.0, unit="m", help=tr("Height of a stone's fall")
    )
    drop_seconds: float = field(0.42, min=0.0, max=5.0, unit="s")
    loudness: float = field(0.8, min=0.0, max=1.0, help=tr("How loud a stone lands"))
    tilt: float = field(1.6, min=0.0, max=20.0, unit="°", help=tr("How far a stone may lie tilted"))
    theme: str = field(
        "wood", choices=tuple(THEMES), help=tr("Colours, unless the user has chosen others")
    )
    chosen_theme: str = preference(
        OWN,
        key="board_theme",
        title=tr("Board theme"),
        group=tr("Boards"),
        choices=(OWN, *THEMES),
        help=tr("Colours of all boards, their stones and marks"),
    )
    chosen_coordinates: str = preference(
        OWN,
        key="board_coordinates",
        title=tr("Coordinates"),
        group=tr("Boards"),
        choices=(OWN, *COORDINATES),
        help=tr("Where a board has letters and numbers"),
    )
    is_top_down: bool = preference(
        False,
        key="board_top_down",
        title=tr("Top-down view"),
        group=tr("Boards"),
        help=tr("See boards from straight above"),
    )
    clicked = signal(int)
    answered = signal(int, bool)
    landed = signal(int)
    fitted = signal(float, float)

    def awake(self) -> None:
        model = self.object.model or {}
        columns = int(model.get("size", 0) or model.get("columns", 0))
        self.planned_size = columns  # as the scene is set up
        self.planned_rows = int(model.get("rows", 0)) or columns
        self.size = 0
        self.rows = 0
        self.state = ViewState.empty(1)
        self.stage = BoardStage(self)
        self._dressed: tuple[str, str] = ("", "")  # names of theme and coordinates that are shown
        self._has_begun = False
        self._hinted: int | None = None
        self.colors: dict[int, int] = {}
        self.stones: dict[int, SceneObject] = {}
        self.marks: list[SceneObject] = []
        self.ghost: SceneObject | None = None
        self.hint: SceneObject | None = None
        self._requests: list[PointRequest] = []
        self.cursor = BoardCursor(self, self._click)
        self._position = 0  # which is shown: another number for each that was put there at once
        self._turning: set[int] = set()  # points whose stones are in the air

    def show(self, state: ViewState) -> None:
        """Show a state at once: stones that lie there already stay as they are."""
        if (state.size, state.rows) != (self.size, self.rows):
            self.size, self.rows = state.size, state.rows
            self.object.model = self._dressed_model()
            self.clear()
            self.fit()
        self.state = state
        self._position += 1
        self.mark_hint(None)
        wanted = state.placed
        for point in [point for point in self.stones if point not in wanted]:
            self.stones.pop(point).destroy()
        for point, color in wanted.items():
            is_same = self.colors.get(point) == color and point not in self._turning
            if point not in self.stones or not is_same:
                self.place(point, color)
        self._turning.clear()
        if state.line:
            self.mark_line(state.line)
        else:
            self.mark_last(state.last)

    async def play(self, state: ViewState, pause: float = 0.0) -> None:
        """Drop the last stone of a state onto the board with an animation, then show the state.

        Once the stone has landed it is marked, and stones that change color are turned over. After
        the pause the winning line, if any, is marked. If `show` is called during the animation, the
        state of that call stays.

        Args:
            state: state to show; if its last move is a pass, there is only the pause.
            pause: seconds to wait after the stone has landed; skipped in an instant run.
        """
        point, position = state.last, self._position
        self.state = state
        if point is not None:
            self._clear_marks()
            await self.drop(point, -state.to_move)
            if position == self._position:
                self.mark_last(point)
                await self.turn_over(state.stones)
        if not self.time.instant:
            await self.seconds(pause)
        if state.line and position == self._position:
            self.mark_line(state.line)

    # -- former ways to show a game, which work in this version -------------------------------

    def show_board(self, size: int, rows: int | None = None, stones: Sequence[int] = ()) -> None:
        """Show a board before a game: the former way to call `show`.

        Args:
            size: number of columns.
            rows: number of rows; None for as many as columns.
            stones: `[A]` color of each point; () for an empty board.
        """
        self._report_former("show_board", "show")
        empty = ViewState.empty(size, rows)
        self.clear()
        self.show(replace(empty, stones=tuple(stones) or empty.stones))

    def show_position(self, moves: tuple[int, ...], stones: Sequence[int] = ()) -> None:
        """Show a position on a board of the present size: the former way to call `show`.

        Args:
            moves: moves from the start of the game.
            stones: `[A]` color of each point; () if Black and White have played the moves in turn.
        """
        self._report_former("show_position", "show")
        self.show(_state_of(self.size, self.rows, moves, stones))

    def show_game(
        self,
        size: int,
        moves: tuple[int, ...],
        line: tuple[int, ...] = (),
        stones: Sequence[int] = (),
        rows: int | None = None,
    ) -> None:
        """Show a position with its winning line: the former way to call `show`.

        Args:
            size: number of columns.
            moves: moves from the start of the game.
            line: points of the winning stones; () for none.
            stones: `[A]` color of each point; () if Black and White have played the moves in turn.
            rows: number of rows; None for those of the present board.
        """
        self._report_former("show_game", "show")
        height = (self.rows if size == self.size else size) if rows is None else rows
        self.show(replace(_state_of(size, height, moves, stones), line=tuple(line)))

    def show_line(self, moves: tuple[int, ...]) -> None:
        """Mark the winning line: the former name of `mark_line`.

        Args:
            moves: points of the winning stones.
        """
        self._report_former("show_line", "mark_line")
        self.mark_line(moves)

    async def show_move(
        self, move: int, color: int, pause: float, stones: Sequence[int] = ()
    ) -> None:
        """Drop the stone of a move onto the present position: the former way to call `play`.

        Args:
            move: the point.
            color: color of the stone.
            pause: seconds to wait after the stone has landed.
            stones: `[A]` color of each point after the move; () if the move only adds its stone.
        """
        self._report_former("show_move", "play")
        after = {point: self.colors[point] for point in self.stones} | {move: color}
        empty = ViewState.empty(self.size, self.rows)
        there = tuple(after.get(point, 0) for point in range(len(empty.stones)))
        state = replace(empty, stones=tuple(stones) or there, moves=(move,), to_move=-color)
        await self.play(state, pause)

    def _report_former(self, former: str, present: str) -> None:
        self.slot.host.console.renamed(f"BoardView.{former}", present)

    def board_model(self) -> dict[str, Any]:
        """Return the model of a board of the present size."""
        return {"builtin": "goban", "size": self.size, "labels": True}

    # -- look ---------------------------------------------------------------------------------

    @property
    def look(self) -> BoardTheme:
        """The theme that is shown: the user's choice, or else the scene's."""
        return THEMES[self.theme if self.chosen_theme == OWN else self.chosen_theme]

    @property
    def has_look(self) -> bool:
        """Whether themes and coordinates change this board."""
        return bool(self.board_model().get("builtin") == "goban")

    def piece_of(self, color: int) -> dict[str, Any]:
        """Return the look of a piece, as arguments of `Scene.spawn`."""
        piece = dict(self.pieces[color])
        style = self.look.stone(color)
        if piece["model"].get("builtin") == "stone":
            piece["model"] = dict(piece["model"])
            if style.color:
                piece["model"]["color"] = style.color
            if style.edge is not None:
                piece["model"]["edge"] = list(shares_of(style.edge))
        return piece

    def _dressed_model(self) -> dict[str, Any]:
        """Return the board's model with the theme and the coordinates that are wanted."""
        model, look = self.board_model(), self.look
        self._dressed = (look.name, self.chosen_coordinates)
        if model.get("builtin") != "goban":
            return model
        if self.rows != self.size:
            model["rows"] = self.rows
        if look.name != "wood":
            model["theme"] = look.name
        if self.chosen_coordinates != OWN:
            model["labels"] = self.chosen_coordinates != COORDINATES[0]
            model["coordinates"] = self.chosen_coordinates
        return model

    def _follow_look(self) -> None:
        """Show another theme or other coordinates, if the user has chosen them."""
        if not self.size or self._dressed == (self.look.name, self.chosen_coordinates):
            return
        has_theme = self._dressed[0] != self.look.name
        self.object.model = self._dressed_model()
        if not has_theme:
            return
        if self.hint is not None:
            self.mark_hint(self._hinted)
        for point, stone in self.stones.items():
            stone.model = self.piece_of(self.colors[point])["model"]
        if self.ghost is not None and self.ghost.is_alive:
            self.ghost.destroy()
        self.ghost = None
        names = {mark.name for mark in self.marks}
        if "WinningStone" in names:
            self.mark_line(self.state.line)
        elif names:
            self.mark_last(self.state.last)

    def choose_theme(self, name: str) -> None:
        """Choose the theme of all boards: its name, or "scene's own"; kept for the user."""
        self.chosen_theme = name

    def choose_coordinates(self, place: str) -> None:
        """Choose where boards have coordinates, one of `COORDINATES`; kept for the user."""
        self.chosen_coordinates = place

    def toggle_top_down(self) -> None:
        """Switch between the view from straight above and the view from the side."""
        self.is_top_down = not self.is_top_down

    # -- pictures -----------------------------------------------------------------------------

    def picture(self) -> npt.NDArray[np.uint8]:
        """Return a picture of the position from above, `[rows, columns, 3]`: blue, green, red."""
        from scripts.gomoku.board.board_painter import position_picture

        place = COORDINATES[1] if self.chosen_coordinates == OWN else self.chosen_coordinates
        return position_picture(self.state, self.look, place)

    def save_picture(self) -> None:
        """Ask where to save a picture of the position, and write it there."""
        label, suffixes = tr("Save a picture of the position"), (".png", ".jpg")
        self.ask_save(self.write_picture, label, suffixes, name="position.png")

    def write_picture(self, path: str) -> None:
        """Write a picture of the position to a PNG or JPEG file.

        Raises:
            OSError: the file cannot be written.
        """
        suffix = Path(path).suffix.lower()
        Path(path).write_bytes(self._encoded(suffix if suffix in (".jpg", ".jpeg") else ".png"))
        self._report(tr("The picture is saved as {name}").format(name=Path(path).name))

    def copy_picture(self) -> None:
        """Put a picture of the position on the clipboard."""
        try:
            copy_png(self._encoded(".png"))
        except ClipboardError as error:
            self._report(tr("Not copied: {error}").format(error=error))
        else:
            self._report(tr("The picture is on the clipboard"))

    def _encoded(self, suffix: str) -> bytes:
        from scripts.gomoku.board.board_painter import encoded

        return encoded(self.picture(), suffix)

    def _report(self, text: str) -> None:
        """Show a text in the status bar for some seconds."""
        self.status.set("board", text)
        self.start_coroutine(self._clear_report(text))

    async def _clear_report(self, text: str) -> None:
        await self.seconds(REPORT_SECONDS)
        line = self.status.lines.get("board")
        if line is not None and line.text == text:
            self.status.clear("board")

    # -- its view -----------------------------------------------------------------------------

    def corners(self, columns: int, rows: int) -> Points:
        """Return the corners `[8, 3]` of a board of some size in the board's space, metres."""
        return block_corners(columns, rows, is_flat=not any(self.facing))

    def fit(self) -> None:
        """Move the camera, the bowls and what else stands beside the board to suit its size."""
        planned = self.planned_size or self.size, self.planned_rows or self.rows
        self.stage.is_leading = self._leads()
        self.stage.fit(planned)
        self.fitted.emit(*self.stage.factors)

    def destroy(self) -> None:
        self.stage.release()

    def _leads(self) -> bool:
        """Return whether this is the first board of the scene."""
        scripts = (slot.instance for slot in self.scene.components())
        return next((item for item in scripts if isinstance(item, BoardView)), self) is self

    def late_update(self, dt: float) -> None:  # also while the scene is paused
        if not self._has_begun:
            self.stage.is_leading = self._leads()
            if self.stage.is_leading and not any(self.facing):
                self._offer_view()
        self._follow_look()
        self.stage.follow(is_first=not self._has_begun)
        self._has_begun = True

    def _offer_view(self) -> None:
        """Add the commands of the board's look."""
        self.command(
            "top_down",
            tr("Top-down view"),
            self.toggle_top_down,
            key="d",
            icon="table-cells",
            checked=lambda: self.is_top_down,
        )
        self.menu("board_menu", tr("Board"), self.draw_menu, icon="palette")

    def draw_menu(self, ui: Ui) -> None:
        """Draw the menu of the board's look."""
        draw_board_menu(ui, self)

    def position_of(self, move: int) -> tuple[float, float, float]:
        """Return the position of a point in the board's space, metres."""
        row, col = divmod(move, self.size)
        return (col - (self.size - 1) / 2.0, (self.rows - 1) / 2.0 - row, 0.0)

    def point_under(self, origin: Any, direction: Any) -> int | None:
        """Return the point of the board that a ray hits; None if the ray misses the board.

        Args:
            origin: start of the ray, world coordinates.
            direction: direction of the ray, world coordinates.
        """
        transform = self.object.transform
        local = ray.create(transform.to_local(origin), transform.direction_to_local(direction))
        surface = plane.create(np.array([0.0, 0.0, 1.0]), 0.0)
        hit = geometric_tests.ray_intersect_plane(local, surface, front_only=False)
        if hit is None or self.size == 0:
            return None
        col = round(float(hit[0]) + (self.size - 1) / 2.0)
        row = round((self.rows - 1) / 2.0 - float(hit[1]))
        if 0 <= row < self.rows and 0 <= col < self.size:
            return row * self.size + col
        return None

    def place(self, move: int, color: int) -> SceneObject:
        """Place a stone at once, replacing one on the same point."""
        self.mark_hint(None)
        before = self.stones.pop(move, None)
        if before is not None:
            before.destroy()
        turn = self.rng.uniform(-self.tilt, self.tilt, 2)
        heading = float(self.rng.uniform(0.0, 360.0))
        facing = self.facing
        stone = self.scene.spawn(
            f"Stone_{move}",
            **self.piece_of(color),
            parent=self.object,
            position=self.position_of(move),
            rotation=(heading, float(turn[0]), float(turn[1])) if self.turns else facing,
        )
        self.stones[move], self.colors[move] = stone, color
        return stone

    async def drop(self, move: int, color: int) -> None:
        """Drop a stone onto its point with an animation."""
        stone = self.place(move, color)
        if self.time.instant:
            return
        transform = stone.transform
        end = transform.position
        place = self.object.transform.to_world(self.position_of(move))
        if self.run.reduces_motion:
            self.start_coroutine(self._knock(place, 0.0))
            self.landed.emit(move)
            return
        start = (end[0], end[1], end[2] + self.fall_of(move))
        seconds = self.drop_seconds * (self.fall_of(move) / max(self.drop_height, 1e-6)) ** 0.5
        transform.position = start
        self.start_coroutine(self._knock(place, seconds))
        await self._fall(stone, start, end, seconds)
        if stone.is_alive:
            self.landed.emit(move)

    async def turn_over(self, stones: Sequence[int]) -> None:
        """Turn over the stones whose color has changed, and remove those that are gone.

        Args:
            stones: `[A]` color of each point.
        """
        turned = {
            point: (stone, stone.transform.rotation, stone.transform.position)
            for point, stone in self.stones.items()
            if point < len(stones) and self.colors[point] != stones[point]
        }
        for point in [point for point in turned if not stones[point]]:
            turned.pop(point)
            self.stones.pop(point).destroy()

        position = self._position

        def show(degrees: float) -> None:
            if position != self._position:
                return  # another one is shown meanwhile
            for point, (stone, (heading, pitch, roll), (x, y, z)) in turned.items():
                if degrees >= 90.0 and self.colors[point] != stones[point]:
                    stone = self.place(point, stones[point])  # its other side
                    turned[point] = (stone, *turned[point][1:])
                side = 0.0 if degrees < 90.0 else 180.0
                stone.transform.rotation = (heading, pitch, roll + degrees - side)
                stone.transform.position = (x, y, z + self.turn_height * sin(radians(degrees)))

        if self.time.instant or self.run.reduces_motion:
            show(180.0)
        elif turned:
            self._turning = set(turned)
            await self.tween(show, 0.0, 180.0, seconds=self.turn_seconds)
            if position == self._position:
                self._turning.clear()

    def fall_of(self, move: int) -> float:
        """Return the height from which a stone falls onto a point, metres."""
        return self.drop_height

    async def _knock(self, place: Any, seconds: float) -> None:
        """Play the sounds of a landing stone, which touches the board three times.

        Args:
            place: where the stone lands, world coordinates.
            seconds: duration of the fall.
        """
        before = 0.0
        for share, name, volume in TOUCHES:
            await self.seconds(seconds * (share - before))
            before = share
            if self.time.speed <= FASTEST_HEARD:
                caption = tr("a stone is put") if name == TOUCHES[0][1] else ""
                volume *= self.loudness
                self.sound.play(name, volume=volume, position=place, caption=caption)

    def _fall(self, stone: SceneObject, start: Any, end: Any, seconds: float) -> Wait:
        def move_to(position: Any) -> None:
            if stone.is_alive:  # another position may be shown meanwhile
                stone.transform.position = position

        return self.tween(
            move_to,
            start,
            end,
            seconds=seconds,
            ease="bounce_out",
        )

    def mark_last(self, point: int | None) -> None:
        """Mark the last move and remove the other marks; None marks nothing."""
        self._clear_marks()
        if point is not None:
            ring = {"builtin": "ring", "radius": self.last_radius, "width": 0.07}
            self.marks.append(self._mark("LastMove", point, ring, self.look.last, 0.6))

    def mark_line(self, points: Sequence[int]) -> None:
        """Mark the winning line, in place of another mark, with a ring on each of its stones."""
        self._clear_marks()
        ring = {"builtin": "ring", "radius": self.line_radius, "width": 0.09}
        for point in points:
            self.marks.append(self._mark("WinningStone", point, ring, self.look.line, 0.8))

    def _mark(
        self, name: str, move: int, model: Mapping[str, Any], color: Any, glow: float
    ) -> SceneObject:
        """Create a mark above a point, at the height of a stone's top.

        Args:
            name: name of the new object.
            move: the point.
            model: shape of the mark.
            color: colour of the mark.
            glow: strength of the light that the mark emits.

        Returns:
            The new object.
        """
        place = zip(self.position_of(move), self.mark_offset, strict=True)
        return self.scene.spawn(
            name,
            model=dict(model),
            parent=self.object,
            position=tuple(base + offset for base, offset in place),
            rotation=self.facing,
            material={"color": list(color), "emission": glow},
        )

    def _clear_marks(self) -> None:
        for mark in self.marks:
            mark.destroy()
        self.marks.clear()

    def mark_hint(self, move: int | None) -> None:
        """Mark a point as a hint until the next stone; None removes the mark."""
        if self.hint is not None:
            self.hint.destroy()
            self.hint = None
        self._hinted = move
        if move is None:
            return
        x, y, z = self.position_of(move)
        self.hint = self.scene.spawn(
            "Hint",
            model={"builtin": "ring", "radius": 0.3, "width": 0.09},
            parent=self.object,
            position=(x, y, z + 0.05) if self.turns else (x, y + self.mark_offset[1], z),
            rotation=self.facing,
            material={"color": list(self.look.hint), "emission": 0.8},
        )

    def clear(self) -> None:
        """Remove all stones and marks."""
        self._position += 1
        self.mark_hint(None)
        self._clear_marks()
        for stone in self.stones.values():
            stone.destroy()
        self.stones.clear()
        self.colors.clear()

    def hover(self, move: int | None, color: int) -> None:
        """Show a transparent stone on a point, under the pointer; None hides it."""
        if move is None or move in self.stones:
            if self.ghost is not None:
                self.ghost.visible = False
            return
        if self.ghost is None or not self.ghost.is_alive:
            self.ghost = self.scene.spawn("Ghost", parent=self.object)
            self.ghost.casts_shadow = False
        piece = self.piece_of(color)
        if self.ghost.model != piece["model"] or not self.ghost.material:
            self.ghost.model = dict(piece["model"])
        material = {**piece.get("material", {}), "opacity": 0.45}
        if self.ghost.material != material:
            self.ghost.material = material
        self.ghost.transform.position = self.position_of(move)
        self.ghost.transform.rotation = self.facing
        self.ghost.visible = True

    async def ask_point(
        self,
        points: frozenset[int],
        color: int,
        *,
        is_wanted: Callable[[], bool] = lambda: True,
        may_use: Callable[[], bool] = lambda: True,
    ) -> int:
        """Wait for a person's click on a point and return the point.

        If several requests are pending, a click belongs to the latest one whose `may_use` is True.

        Args:
            points: the points that may be clicked.
            color: color of the transparent stone under the pointer.
            is_wanted: called while waiting; returning False cancels the request.
            may_use: called without arguments; returns whether clicks belong to this request now.

        Raises:
            NoPointError: `is_wanted` returned False.
        """
        request = PointRequest(points, color, may_use)
        self._requests.append(request)
        try:
            await self.until(lambda: request.clicked is not None or not is_wanted())
        finally:
            self._requests.remove(request)
            self.hover(None, color)
        if request.clicked is None:
            raise NoPointError("the person gave no move")
        return request.clicked

    def _asking(self) -> PointRequest | None:
        """Return the request that receives clicks now; None if there is no request."""
        return next((item for item in reversed(self._requests) if item.may_use()), None)

    @on("clicked")
    def take_click(self, move: int) -> None:
        """Pass a click to the current request, and emit whether it was allowed."""
        request = self._asking()
        is_taken = request is not None and move in request.points
        if request is not None and is_taken:
            request.clicked = move
        self.answered.emit(move, is_taken)

    def choice_at(self, point: int) -> int:
        """Return the point that Enter chooses while the cursor is at a point.

        Where pieces fall, it is the point of this column that may be chosen.
        """
        request = self._asking()
        if not self.falls or request is None:
            return point
        column = (place for place in request.points if (place - point) % self.size == 0)
        return next(column, point)

    def _click(self, move: int) -> None:
        """Report a click on a point, as by the mouse."""
        self.log.python(f"{self.expression}.clicked.emit({move})")
        self.clicked.emit(move)

    def update(self, dt: float) -> None:
        for click in self.input.clicks:
            if click.button == "mouse1" and click.origin is not None:
                move = self.point_under(click.origin, click.direction)
                if move is not None:
                    self._click(move)
        request = self._asking()
        self.cursor.follow(request)
        if self.cursor.point is not None:
            return
        if request is not None and self.input.pointer_ray is not None:
            move = self.point_under(*self.input.pointer_ray)
            self.hover(move if move in request.points else None, request.color)


def _state_of(size: int, rows: int, moves: Sequence[int], stones: Sequence[int]) -> ViewState:
    """Return the state that shows a position.

    Args:
        size: number of columns.
        rows: number of rows.
        moves: moves from the start of the game.
        stones: `[A]` color of each point; () if Black and White have played the moves in turn.
    """
    played = {move: 1 - 2 * (ply % 2) for ply, move in enumerate(moves)}
    laid = tuple(stones) or tuple(played.get(point, 0) for point in range(size * rows))
    return ViewState(size, rows, laid, tuple(moves), to_move=1 - 2 * (len(moves) % 2))


def look_of(scene: Scene) -> Callable[[], BoardTheme]:
    """Return a function that returns the theme of a scene's board with stones.

    Args:
        scene: the scene; without such a board the theme is wood.
    """
    found = (slot.instance for slot in scene.components())
    view = next((script for script in found if isinstance(script, BoardView)), None)
    return lambda: WOOD if view is None else view.look
