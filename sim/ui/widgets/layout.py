"""Layouts of the panels: docks around the 3D view, two arrangements of them, and their files."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from imgui_bundle import imgui

from base.files import atomic_write, read_regular, set_aside
from sim.ui.theme.theme import Theme

SPACE: Final = "studio"
HEADER: Final = "; goishi layout "
SUM: Final = "sum"
SETTLED: Final = 5  # frames
PASSES_OF_A_TAB: Final = 2
LARGEST_FILE: Final = 1 << 20
FLOATING: Final = "floating"  # titles in the file's first line
MOST_TRIES: Final = 4  # to put a panel back into its dock
FRONT: Final = re.compile(r"Selected=0x([0-9A-Fa-f]+)")  # of a dock, the number of a tab
NARROW: Final = 900.0  # unscaled pixels: a window less wide has one side panel at a time
MOST_BELOW: Final = 0.55  # of the height, for a dock below the view that needs room
LOW: Final = 420.0  # unscaled pixels: one less high has the panels below the view closed
DOCK: Final = int(
    imgui.DockNodeFlags_.passthru_central_node | imgui.DockNodeFlags_.no_docking_over_central_node
)
PLAIN: Final = imgui.internal.DockNodeFlagsPrivate_.no_close_button  # each tab has its own


def _kind_of(panels: Iterable[str]) -> str:
    """Return the end of the name of the file for scenes with these panels, "" without any."""
    titles = "\n".join(sorted(panels))
    return f"-{hashlib.sha256(titles.encode()).hexdigest()[:8]}" if titles else ""


def _sum_of(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Area:
    """A rectangle of the window, pixels from its top left corner."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True)
class Arrangement:
    """The initial sizes of the docks around the view, in unscaled pixels, and their panels.

    Attributes:
        name: name of the arrangement, "watch" or "studio".
        label: its name for the user.
        left: width of the left dock.
        right: width of the right dock.
        bottom: height of the bottom dock.
        closed: titles of panels that are closed at first.
        fronts: titles of panels whose tabs are in front at first.
        closed_low: titles of panels that are also closed at first in a low window.
    """

    name: str
    label: str
    left: float
    right: float
    bottom: float
    closed: frozenset[str] = frozenset()
    fronts: tuple[str, ...] = ()
    closed_low: frozenset[str] = frozenset({"Console", "Script", "Assets"})


ARRANGEMENTS: Final = {
    "watch": Arrangement(
        "watch", "Watch", 266, 336, 176,
        frozenset({"Hierarchy", "Assets", "Inspector", "Script", "Keys", "Recording", "Games",
                   "Console", "Rewind", "Profiler", "Preferences"}),
        ("Training", "Console"),
    ),
    "studio": Arrangement(
        "studio", "Studio", 266, 336, 200,
        frozenset({"Keys", "Recording", "Profiler", "Preferences"}),
        ("Hierarchy", "Inspector", "Console"),
    ),
}  # fmt: skip


class PanelLayout:
    """Arranges the panels in docks around the view, and saves and loads the arrangement.

    Args:
        theme: its scale is that of the docks' sizes.
        folder: folder of the saved layouts; None to save nothing.
        tell: called with a line for the user.

    Attributes:
        name: name of the arrangement in use, "watch" or "studio".
        nodes: ImGui's node number of each dock, by its name.
        places: dock of each panel, by title.
        floating: titles of the panels that a person has pulled out of the docks.
        center: rectangle that the docks leave to the view; None before the first drawing.
        is_narrow: whether the window is too narrow for docks at both sides and has only one.
        is_low: whether the window is so low that the panels below the view are closed.
    """

    def __init__(
        self,
        theme: Theme,
        folder: Path | None = None,
        *,
        tell: Callable[[str], object] = bool,
    ) -> None:
        self.theme = theme
        self.folder = folder
        self._tell = tell
        self.name = "watch"
        self.nodes: dict[str, int] = {}
        self.places: dict[str, str] = {}
        self.floating: set[str] = set()
        self.center: Area | None = None
        self._together: dict[tuple[int, ...], list[str]] = {}  # titles, by dock and all docks
        self.is_narrow = False
        self.is_low = False
        self._kind = ""  # of the scenes that have the same panels, "" for those without any
        self._docked: set[str] = set()  # titles of panels that were seen in a dock
        self._lost: dict[str, int] = {}  # tries to put a panel back, by title
        self._is_fresh = True
        self._is_reset = False
        self._fronts: list[str] = []
        self._loaded_fronts: frozenset[int] = frozenset()  # numbers of tabs, as the file has them
        self._passes_left = 0  # until the last tab that was brought to the front is there
        self._frames = 0  # since it was built; windows are docked in the first ones
        self._needed: tuple[str, float] | None = None  # a dock, and the pixels that it is to have

    @property
    def arrangement(self) -> Arrangement:
        """The arrangement in use."""
        return ARRANGEMENTS[self.name]

    @property
    def closed(self) -> frozenset[str]:
        """Titles of panels that are initially closed, in a window as large as this one."""
        low = self.arrangement.closed_low if self.is_low else frozenset()
        return self.arrangement.closed | low

    @property
    def is_settling(self) -> bool:
        """Whether windows or tabs have not reached their final places yet."""
        is_lost = any(tries < MOST_TRIES for tries in self._lost.values())
        is_moving = self._is_fresh or is_lost or bool(self._fronts or self._loaded_fronts)
        return is_moving or self._passes_left > 0

    def choose(self, name: str) -> None:
        """Switch to another arrangement, in the state in which it was last saved.

        Args:
            name: "watch" or "studio"; nothing happens for other names.
        """
        if name in ARRANGEMENTS and name != self.name:
            self.save()
            self.name = name
            self.nodes = {}
            self._is_fresh = True

    def rebuild(self) -> None:
        """Reset every panel to its initial dock."""
        path = self._path()
        if path is not None:
            path.unlink(missing_ok=True)
        self.nodes = {}
        self._is_fresh = self._is_reset = True

    def draw(self, area: Area, panels: Iterable[str] = ()) -> None:
        """Draw the docks and set `center` to the rectangle that they leave free.

        Scenes with the same panels share an arrangement. One that has none of its own yet begins
        with the arrangement of the scenes without panels.

        Args:
            area: rectangle of the window to fill, pixels.
            panels: titles of the panels that the scene's scripts have docked.
        """
        space = imgui.get_id(SPACE)
        self._measure(area)
        if self._is_fresh:
            self._open(space, area, panels)
        self._mend(space, area)
        self._make_room(area)
        imgui.dock_space(space, imgui.ImVec2(0, 0), DOCK)
        self._bring_to_front()
        node = imgui.internal.dock_builder_get_central_node(space)
        if node is not None:
            left, top = max(0, round(node.pos.x)), max(0, round(node.pos.y))
            self.center = Area(left, top, round(node.size.x), round(node.size.y))

    def _open(self, space: int, area: Area, panels: Iterable[str]) -> None:
        """Load or build the docks."""
        self._kind = _kind_of(panels)
        self._fronts, self._loaded_fronts, self._frames = [], frozenset(), 0
        self._docked, self._lost, self.floating = set(), {}, set()
        saved = [] if self._is_reset else [self._path(), self._path_of_all()]
        self._is_fresh = self._is_reset = False
        if not any(self._load(space, path) for path in saved):
            self._build(space, area)
            self._fronts = list(self.arrangement.fronts)

    def need(self, dock: str, height: float) -> None:
        """Make the dock below the view higher at the next drawing, if it is lower than needed.

        Args:
            dock: name of the dock, "bottom".
            height: needed height, unscaled pixels; limited, so that the view keeps its share.
        """
        self._needed = (dock, self.theme.px(height))

    def _make_room(self, area: Area) -> None:
        if self._needed is None or self.is_settling:
            return
        dock, height = self._needed
        self._needed = None
        node = imgui.internal.dock_builder_get_node(self.node_for(dock))
        height = min(height, MOST_BELOW * area.height)
        if node is not None and node.size.y < height:
            imgui.internal.dock_builder_set_node_size(node.id_, imgui.ImVec2(node.size.x, height))

    def _measure(self, area: Area) -> None:
        """Record the window's size; switch between the narrow and the wide layout if needed.

        Args:
            area: rectangle of the window, pixels.
        """
        self.is_low = area.height < self.theme.px(LOW)
        is_narrow = area.width < self.theme.px(NARROW)
        if is_narrow != self.is_narrow:
            self.save()
            self.is_narrow = is_narrow
            self.nodes = {}
            self._is_fresh = True

    def place(self, title: str, dock: str) -> None:
        """Set the dock where the next ImGui window appears if it is new, or has lost its dock.

        Args:
            title: title of the panel.
            dock: name of the dock.
        """
        if self.places.get(title) != dock:
            self.places[title] = dock
            self._together.clear()
        node = self.node_for(dock)
        if node and 0 <= self._lost.get(title, -1) < MOST_TRIES:
            self._lost[title] += 1
            imgui.set_next_window_dock_id(node, imgui.Cond_.always)
        elif node:
            imgui.set_next_window_dock_id(node, imgui.Cond_.first_use_ever)

    def keep_docked(self, title: str) -> None:
        """See whether the ImGui window that was just begun is docked.

        One that lost its dock, because the docks were loaded or built anew, is put back at the
        next drawing. One that a person pulls out floats, also after the next start.

        Args:
            title: title of the panel.
        """
        if imgui.is_window_docked():
            self._docked.add(title)
            self._lost.pop(title, None)
            self.floating.discard(title)
        elif title in self._docked and imgui.is_mouse_down(imgui.MouseButton_.left):
            self._docked.discard(title)
            self.floating.add(title)
        elif title not in self.floating:
            self._lost.setdefault(title, 0)

    def _bring_to_front(self) -> None:
        """Bring the default or saved tabs to the front, once the windows are docked."""
        if not self._fronts and not self._loaded_fronts:
            self._passes_left = max(0, self._passes_left - 1)
            return
        self._passes_left = PASSES_OF_A_TAB
        self._frames += 1
        if self._frames < SETTLED:
            return
        if self._loaded_fronts:
            self._fronts = [title for title in self.places if self._was_in_front(title)]
            self._loaded_fronts = frozenset()
        if self._fronts:
            imgui.set_window_focus(f"###{self._fronts.pop(0)}")  # one a frame is heard

    def _was_in_front(self, title: str) -> bool:
        """Return whether a panel was in front of its dock when the layout was saved."""
        window = imgui.internal.find_window_by_name(f"###{title}")
        return window is not None and window.tab_id in self._loaded_fronts

    def node_for(self, dock: str) -> int:
        """Return ImGui's node number of a dock; 0 if the docks are not built yet.

        Args:
            dock: name of the dock; unknown names mean "bottom".
        """
        side = dock if dock in ("left", "right", "bottom") else "bottom"
        return self.nodes.get(side, 0)

    def beside(self, dock: str) -> tuple[list[str], float, str]:
        """Return the panels and the width of a dock.

        Args:
            dock: name of the dock.

        Returns:
            Titles of its panels, its width in pixels, and the title of the panel in front. For a
            dock that does not exist, the width is infinity and the title "".
        """
        number = self.node_for(dock)
        known = (number, *self.nodes.values())
        titles = self._together.get(known)
        if titles is None:
            titles = [name for name, where in self.places.items() if self.node_for(where) == number]
            self._together[known] = titles
        node = imgui.internal.dock_builder_get_node(number)
        if node is None:
            return titles, float("inf"), ""
        front = node.visible_window
        return titles, node.size.x, "" if front is None else front.name.partition("###")[2]

    def save(self) -> str:
        """Save the arrangement, unless it is not final yet.

        Returns:
            Error message; empty on success.
        """
        path = self._path()
        if path is None or not self.nodes or self.is_settling:
            return ""
        head = " ".join(f"{side}={node}" for side, node in self.nodes.items())
        head += f" {FLOATING}={quote(','.join(sorted(self.floating)), safe=',')}"
        body = imgui.save_ini_settings_to_memory()
        text = f"{HEADER}{head} {SUM}={_sum_of(body)}\n{body}"
        try:
            atomic_write(path, text)
        except OSError as error:
            return f"{path}: expected to write the layout, found: {error.strerror}"
        return ""

    def _path(self) -> Path | None:
        """Return the file of this arrangement for scenes like this one; None to save nothing."""
        path = self._path_of_all()
        return path and path.with_stem(f"{path.stem}{self._kind}")

    def _path_of_all(self) -> Path | None:
        """Return the file of this arrangement for scenes without panels of their own."""
        form = "-narrow" if self.is_narrow else ""
        return None if self.folder is None else self.folder / f"layout-{self.name}{form}.ini"

    def _load(self, space: int, path: Path | None) -> bool:
        """Load the docks from a file; one that cannot be used is kept aside, and this is told.

        Args:
            space: ImGui's node number of all docks.
            path: the file; None for none.

        Returns:
            Whether there are docks now.
        """
        if path is None or not path.exists():
            return False
        if self._read(space, path):
            return True
        with contextlib.suppress(OSError):  # it is tried again at the next start
            kept = set_aside(path)
            self._tell(
                f"{path}: expected a saved layout, found something else: the panels stand in their "
                f"usual places; the file is kept as {kept}"
            )
        return False

    def _read(self, space: int, path: Path) -> bool:
        try:
            if path.stat().st_size > LARGEST_FILE:
                return False
            head, _, body = read_regular(path).decode().partition("\n")
            pairs = dict(item.split("=") for item in head.removeprefix(HEADER).split())
            nodes = {side: int(pairs[side]) for side in ("left", "right", "bottom")}
            if pairs[SUM] != _sum_of(body):
                return False  # ImGui crashes, or raises, where a line of it is not its own
        except (OSError, ValueError, KeyError):
            return False
        imgui.load_ini_settings_from_memory(body)
        if imgui.internal.dock_builder_get_node(space) is None:
            return False
        self.nodes = nodes
        self.floating = set(unquote(pairs.get(FLOATING, "")).split(",")) - {""}
        self._loaded_fronts = frozenset(int(tab, 16) for tab in FRONT.findall(body))
        return True

    def _build(self, space: int, area: Area) -> None:
        builder = imgui.internal
        builder.dock_builder_remove_node(space)
        builder.dock_builder_add_node(space, int(builder.DockNodeFlagsPrivate_.dock_space))
        builder.dock_builder_set_node_pos(space, imgui.ImVec2(area.left, area.top))
        builder.dock_builder_set_node_size(space, imgui.ImVec2(area.width, area.height))
        rest = space
        for side in self._sides():
            self.nodes[side], rest = self._split(rest, side, area)
        self.nodes.setdefault("left", self.nodes["right"])  # narrow: tabs beside the right's
        for title, dock in self.places.items():
            builder.dock_builder_dock_window(f"###{title}", self.node_for(dock))
        for node in (*self.nodes.values(), rest):
            found = builder.dock_builder_get_node(node)
            found.set_local_flags(found.local_flags | int(PLAIN))
        builder.dock_builder_finish(space)

    def _sides(self) -> tuple[str, ...]:
        return ("right", "bottom") if self.is_narrow else ("right", "bottom", "left")

    def _split(self, node: int, side: str, area: Area) -> tuple[int, int]:
        """Split a dock off a node; return its number and that of the rest.

        Args:
            node: number of the node.
            side: "left", "right" or "bottom".
            area: rectangle of all docks, pixels.
        """
        wanted, px = self.arrangement, self.theme.px
        right = min(px(wanted.right), max(px(252), 0.34 * area.width))
        left = min(px(wanted.left), 0.25 * area.width)
        bottom = min(px(wanted.bottom), (0.6 if self.is_low else 0.36) * area.height)
        direction, share = {
            "right": (imgui.Dir.right, right / area.width),
            "bottom": (imgui.Dir.down, bottom / area.height),
            "left": (imgui.Dir.left, left / max(1.0, area.width - right)),
        }[side]
        parts = imgui.internal.dock_builder_split_node(node, direction, min(0.45, share))
        return parts.id_at_dir, parts.id_at_opposite_dir

    def _mend(self, space: int, area: Area) -> None:
        """Split off anew each dock that is gone: ImGui removes one whose last panel is pulled out.

        Args:
            space: ImGui's node number of all docks.
            area: rectangle of all docks, pixels.
        """
        builder = imgui.internal
        for side in self._sides():
            if builder.dock_builder_get_node(self.nodes[side]) is None:
                middle = builder.dock_builder_get_central_node(space)
                gone = self.nodes[side]
                self.nodes[side], _ = self._split(middle.id_, side, area)
                if self.nodes["left"] == gone:
                    self.nodes["left"] = self.nodes[side]
                found = builder.dock_builder_get_node(self.nodes[side])
                found.set_local_flags(found.local_flags | int(PLAIN))
