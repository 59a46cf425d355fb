"""The heads-up display (HUD): drawings and buttons of scripts on top of the 3D view.

Each `HudCanvas` is anchored at an edge or a corner of the view, or covers a fraction of it. Its
size follows the scale of the user interface. A canvas is visible while its component is active;
disabled, quarantined or destroyed components show nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from base.closed import Closed
from base.language.wording import translated
from base.spelling import nearest_first
from sim.core.canvas.canvas import Canvas, Picture
from sim.core.canvas.checks import checked_area
from sim.core.canvas.painter import Font, Painter, to_bgra
from sim.core.input.input_actions import InputEvent
from sim.core.reporting.python_text import called
from sim.core.scene.scene import ComponentSlot, SlotState
from sim.core.script.runtime import Handler

if TYPE_CHECKING:
    from sim.core.reporting.console import ConsoleRecord

TEXT: Final = (0.93, 0.91, 0.88, 1.0)
QUIET: Final = (0.62, 0.595, 0.56, 0.8)
FILLS: Final = {
    "plain": (0.17, 0.16, 0.15, 0.94),
    "hovered": (0.29, 0.27, 0.245, 0.97),
    "pressed": (0.55, 0.38, 0.14, 1.0),
}
ON: Final = (0.40, 0.28, 0.11, 0.96)
EDGES: Final = {
    "plain": (1.0, 1.0, 1.0, 0.16),
    "hovered": (0.94, 0.66, 0.26, 0.9),
    "pressed": (0.94, 0.66, 0.26, 1.0),
}
LARGEST_TEXT: Final = 16.0
WEIGHT: Final = 500


@dataclass(slots=True)
class Button(Closed):
    """A button on a HUD canvas.

    Attributes:
        label: its text.
        area: left, top, width and height on its canvas, pixels at scale 1.
        callback: called without arguments when the button is clicked.
        is_on: whether it looks switched on.
        is_enabled: whether it can be clicked.
        look: "plain", "hovered" or "pressed".
    """

    label: str
    area: tuple[float, float, float, float]
    callback: Callable[..., object]
    is_on: bool = False
    is_enabled: bool = True
    look: str = "plain"

    def covers(self, x: float, y: float) -> bool:
        """Return whether the button is enabled and contains a point of its canvas.

        Args:
            x: pixels at scale 1 from the canvas's left edge.
            y: pixels at scale 1 from its top edge.
        """
        left, top, width, height = self.area
        return self.is_enabled and left <= x < left + width and top <= y < top + height


def draw_button(painter: Painter, pixels: Picture, button: Button, scale: float) -> None:
    """Draw a button in its present state.

    Args:
        painter: draws shapes and text.
        pixels: picture of the canvas, drawn on in place.
        button: the button.
        scale: picture pixels per canvas pixel.
    """
    area = np.array(button.area) * scale
    look = button.look if button.is_enabled else "plain"
    fill = ON if button.is_on and look == "plain" else FILLS[look]
    edge = EDGES["hovered"] if button.is_on and look == "plain" else EDGES[look]
    bend = min(6.0 * scale, float(area[3]) / 3.0)
    painter.rectangle(pixels, area, to_bgra(fill), 0.0, bend)
    painter.rectangle(pixels, area, to_bgra(edge), max(1.0, scale), bend)
    font = Font(min(LARGEST_TEXT * scale, float(area[3]) * 0.52), WEIGHT)
    room = float(area[2]) - 10.0 * scale
    label = translated(button.label)
    wide = painter.text_width(label, font)
    if wide > room > 0.0:
        font = font._replace(size=font.size * (room / wide))
    ink = to_bgra(TEXT if button.is_enabled else QUIET)
    middle = area[:2] + area[2:] / 2.0 + (0.0, 0.355 * font.size)
    painter.text(pixels, label, middle, ink, font, "center")


Area = tuple[int, int, int, int]
ANCHORS: Final = {
    "top-left": (0.0, 0.0), "top": (0.5, 0.0), "top-right": (1.0, 0.0),
    "left": (0.0, 0.5), "center": (0.5, 0.5), "right": (1.0, 0.5),
    "bottom-left": (0.0, 1.0), "bottom": (0.5, 1.0), "bottom-right": (1.0, 1.0),
}  # fmt: skip
"""Where a canvas is placed, by the name of its anchor: a point (x, y) of the view.

The same point of the canvas lies there: for "bottom", the middle of its lower edge. Both numbers
are fractions from the top left, so (1, 1) is the bottom right.
"""
CLEAR: Final = (0.0, 0.0, 0.0, 0.0)
SPACE: Final = 8.0  # pixels between two canvases at one corner
WORKING = (SlotState.PENDING, SlotState.READY)


class HudCanvas(Canvas):
    """A canvas over the view, with buttons.

    Attributes:
        stays: whether it stays as it is over a hot reload of its script.
        slot: slot of the component that owns the canvas.
        anchor: name of an edge or corner of the view; ignored if `share` is set.
        share: left, top, width and height as fractions of the view; None to use `anchor`.
        buttons: its buttons in order of addition.
        place: present left, top, width and height in the view, pixels.
        error: the console's record of the error for which the drawing is set aside; None for none.
    """

    __slots__ = (
        "_is_wanted", "anchor", "buttons", "draw", "error", "is_removed", "key", "margin",
        "place", "share", "slot",
    )  # fmt: skip

    stays = False

    def __init__(
        self,
        slot: ComponentSlot,
        name: str,
        size: tuple[int, int],
        *,
        anchor: str,
        margin: float,
        share: tuple[float, ...] | None,
        draw: Callable[..., object] | None,
        background: Sequence[float],
    ) -> None:
        scene = slot.object.scene
        where = f"{slot.object.path}: hud {name}".rstrip()
        super().__init__(
            size,
            painter=lambda: scene.painter,
            background=background,
            name=where,
            loading=scene.uncounted,
        )
        self.slot = slot
        self.key = name
        self.anchor = anchor
        self.margin = margin
        self.share = share
        self.draw = draw
        self.buttons: list[Button] = []
        self.place: Area = (0, 0, 0, 0)
        self.error: ConsoleRecord | None = None
        self.is_removed = False
        self._is_wanted = draw is not None  # its drawing is

    @property
    def is_shown(self) -> bool:
        """Whether the canvas is visible.

        Its component must be active and not quarantined, and its drawing not be set aside.
        """
        slot = self.slot
        is_there = not self.is_removed and self.error is None
        return is_there and slot.state in WORKING and slot.is_active

    def redraw(self) -> None:
        """Request that `draw` be called on the cleared canvas before the next frame.

        If an error in `draw` has set the drawing aside, this waits until the script is saved.
        """
        self._is_wanted = self.draw is not None

    def retry(self) -> None:
        """Draw again after an error in `draw`; does nothing if there was none."""
        if self.error is not None:
            self.error = None
            self.redraw()

    def remove(self) -> None:
        """Remove the canvas permanently."""
        self.is_removed = True

    def button(
        self,
        label: str,
        area: Sequence[float],
        callback: Callable[[], object],
        *,
        is_on: bool = False,
        is_enabled: bool = True,
    ) -> Button:
        """Add a clickable button, or replace the button with the same label.

        Args:
            label: its text.
            area: left, top, width and height on this canvas, pixels at scale 1.
            callback: called without arguments when the button is clicked.
            is_on: whether it looks switched on.
            is_enabled: whether it can be clicked.

        Raises:
            ValueError: `area` or `callback` is invalid.
        """
        place = checked_area(f"{self.name}.button", "area", area)
        if not callable(callback):
            raise ValueError(
                f"{self.name}.button: callback: expected something to call, found {callback!r}"
            )
        left, top, width, height = map(float, place)
        instance: Any = self.slot.instance
        made = Button(
            label if isinstance(label, str) else str(label),
            (left, top, width, height),
            instance._followed(callback),
            is_on=is_on,
            is_enabled=is_enabled,
        )
        for known in [item for item in self.buttons if item.label == made.label]:
            made.look = known.look
            self.buttons.remove(known)
        self.buttons.append(made)
        self.changed()
        return made

    @property
    def picture(self) -> Picture:
        """Pixels of the drawing with its buttons; not to be changed."""
        if not self.buttons:
            return self._pixels
        pixels: Picture = self._pixels.copy()
        for item in self.buttons:
            draw_button(self._painter, pixels, item, self.scale)
        return pixels

    def settle(self, place: Area, scale: float) -> None:
        """Place the canvas in the view; redraw it if its size has changed.

        Args:
            place: left, top, width and height in the view, pixels.
            scale: scale of the user interface, 1 for the usual size.
        """
        _, _, width, height = place
        self.place = place
        if (height, width) != self._pixels.shape[:2] or scale != self.scale:
            old, self.scale = self._pixels, scale
            if self.share is not None:
                self.width, self.height = round(width / scale), round(height / scale)
            self._pixels = np.empty((height, width, old.shape[2]), np.uint8)
            self.clear()
            if self.draw is None:  # nobody draws it anew
                self._keep(old)
            self.redraw()
        if self._is_wanted and self.draw is not None:
            self._is_wanted = False
            looks = {item.label: item.look for item in self.buttons}
            self.buttons = []
            self.clear()
            self.error = self.slot.draw("hud draw", self.draw, self)
            for item in self.buttons:
                item.look = looks.get(item.label, item.look)

    def button_at(self, x: float, y: float) -> Button | None:
        """Return the enabled button at a pixel of the view; None if there is none.

        If buttons overlap, the one added last is returned.
        """
        left, top, width, height = self.place
        if not (left <= x < left + width and top <= y < top + height):
            return None
        at = ((x - left) / self.scale, (y - top) / self.scale)
        return next((item for item in reversed(self.buttons) if item.covers(*at)), None)

    def _keep(self, old: Picture) -> None:
        """After a change of size, fill the canvas with its old picture, stretched to the new size.

        A canvas that has a `draw` function is drawn anew instead.

        Args:
            old: pixels of the canvas before.
        """
        height, width = self._pixels.shape[:2]
        rows = np.arange(height) * old.shape[0] // max(1, height)
        columns = np.arange(width) * old.shape[1] // max(1, width)
        self._pixels[:] = old[rows[:, None], columns[None, :]]


Draw = Callable[[HudCanvas], object]


class Menu(Protocol):
    """A menu over the view, as the board knows it; `HudMenu` is one."""

    key: str

    @property
    def is_alive(self) -> bool:
        """Whether its component works, and it could be drawn."""

    @property
    def can_open(self) -> bool:
        """Whether its component works."""

    def open(self) -> None:
        """Show the menu."""

    def close(self) -> None:
        """Close the menu."""

    def opens_by(self, event: InputEvent) -> bool:
        """Return whether an input event is one of the keys that open the menu."""

    def handle(self, event: InputEvent, view: Area) -> bool:
        """Handle an input event while the menu is open; return whether nobody else may have it."""


class HudBoard:
    """All HUD canvases of a scene: arranges and draws them and handles the pointer on buttons.

    Attributes:
        view: left, top, width and height of the view in the window, pixels.
        scale: scale factor of the HUD.
        veil: opacity of a black veil over the view and its canvases, 0 to 1.
        menu: the menu that is open; None if none is.
    """

    def __init__(self) -> None:
        self.menu: Menu | None = None
        self._menus: list[tuple[ComponentSlot, Menu]] = []
        self._menu_canvas: HudCanvas | None = None
        self.veil = 0.0
        self.view: Area = (0, 0, 0, 0)
        self.scale = 1.0
        self._canvases: list[HudCanvas] = []
        self._over: Button | None = None
        self._pressed: tuple[HudCanvas, Button] | None = None

    def darken(self, veil: float) -> None:
        """Lay a black veil over the view.

        Args:
            veil: its opacity, 0 to 1; limited to that.
        """
        self.veil = min(1.0, max(0.0, veil))

    def add_menu(self, slot: ComponentSlot, menu: Menu) -> None:
        """Add a menu, which its keys open; it replaces that of the same title and component."""
        for owner, known in self._menus:
            if owner is slot and known.key == menu.key:
                known.close()
        self._menus = [
            item for item in self._menus if item[0] is not slot or item[1].key != menu.key
        ]
        self._menus.append((slot, menu))

    def show_menu(self, menu: Menu | None, canvas: HudCanvas | None) -> None:
        """Show a menu over all canvases; None for no menu.

        Args:
            menu: the menu.
            canvas: the canvas that it draws on.
        """
        self.menu, self._menu_canvas = menu, canvas
        self._pressed = self._over = None
        if canvas is not None:
            self._canvases.append(canvas)

    def list_rows(self, canvas: HudCanvas, rows: Sequence[Button]) -> None:
        """Set the buttons of a menu's canvas, before it is drawn.

        Args:
            canvas: the canvas.
            rows: the buttons.
        """
        canvas.buttons = list(rows)

    def add(self, canvas: HudCanvas) -> None:
        """Add a canvas; it replaces the canvas of the same name and component."""
        for item in self._canvases:
            if item.slot is canvas.slot and item.key == canvas.key:
                item.remove()
        at = len(self._canvases) - (self._menu_canvas in self._canvases)
        self._canvases.insert(at, canvas)  # below an open menu

    def unregister(self, slot: ComponentSlot) -> None:
        """Remove all canvases and menus of a component."""
        self._menus = [item for item in self._menus if item[0] is not slot]
        for item in self._canvases:
            if item.slot is slot:
                item.remove()

    def reloaded(self, slot: ComponentSlot) -> None:
        """After a hot reload, redraw a component's canvases and remove those without `draw`."""
        for item in self._canvases:
            if item.slot is not slot:
                continue
            draw = item.draw
            is_method = isinstance(draw, Handler) and hasattr(type(slot.instance), draw.__name__)
            if item.stays or is_method:
                item.redraw()
            else:
                item.remove()

    def retry_drawings(self, slot: ComponentSlot | None = None) -> None:
        """Draw canvases again that were set aside because their drawing failed.

        Args:
            slot: slot of the component whose canvases are meant; None for those of all.
        """
        for item in self._canvases:
            if slot in (None, item.slot):
                item.retry()

    def arrange(self, view: Area, scale: float) -> list[HudCanvas]:
        """Lay out and redraw all canvases for a view; return the visible ones, the topmost last.

        Args:
            view: left, top, width and height of the view in the window, pixels.
            scale: scale of the user interface, 1 for the usual size.
        """
        self.view, self.scale = view, scale
        self._canvases = [item for item in self._canvases if not item.is_removed]
        used: dict[str, float] = {}
        placed: list[Area] = []
        for item in self.shown():
            place = self._place_of(item, used)
            if item.share is None:
                place = self._clear_of(place, placed, is_low=ANCHORS[item.anchor][1] == 1.0)
                placed.append(place)
            item.settle(place, scale)
        return self.shown()

    def _clear_of(self, place: Area, others: list[Area], *, is_low: bool) -> Area:
        """Return the place of a canvas, moved up or down until it overlaps no other canvas.

        Args:
            place: left, top, width and height in the view, pixels.
            others: places of the canvases that were placed before.
            is_low: True to move up, for an anchor at the lower edge; False to move down.

        Returns:
            The moved place; `place` unchanged if the moved one would leave the view.
        """
        left, top, width, height = place
        gap = round(SPACE * self.scale)
        for other in sorted(others, key=lambda item: -item[1] if is_low else item[1]):
            x, y, across, down = other
            is_beside = left >= x + across or left + width <= x
            if not is_beside and top < y + down and top + height > y:
                top = y - gap - height if is_low else y + down + gap
        is_inside = top >= 0 and top + height <= self.view[3]
        return (left, top, width, height) if is_inside else place

    def shown(self) -> list[HudCanvas]:
        """Return the visible canvases, the topmost last."""
        return [item for item in self._canvases if item.is_shown]

    def find(self, label: str) -> tuple[HudCanvas, Button] | None:
        """Return the first visible button with this label and its canvas; None if there is none."""
        buttons = ((canvas, item) for canvas in self._reachable() for item in canvas.buttons)
        return next((found for found in buttons if found[1].label == label), None)

    def feed(self, events: Iterable[InputEvent]) -> list[InputEvent]:
        """Handle the pointer events on buttons; return the events that no button used."""
        if self.menu is not None and not self.menu.is_alive:
            self.menu.close()
        if not self._canvases and not self._menus:
            return list(events)
        return [event for event in events if not self._handle_event(event)]

    def _reachable(self) -> list[HudCanvas]:
        """Return the canvases whose buttons can be pressed: those of an open menu alone."""
        shown = self.shown()
        return shown if self.menu is None else [c for c in shown if c is self._menu_canvas]

    def _opened_by(self, event: InputEvent) -> Menu | None:
        """Return the menu that an input event opens; None if it opens none."""
        if self.menu is not None or event.kind not in ("key_down", "pad_down"):
            return None
        found = (menu for _, menu in reversed(self._menus) if menu.opens_by(event))
        return next((menu for menu in found if menu.can_open), None)

    def _handle_event(self, event: InputEvent) -> bool:
        if event.kind == "blur":
            self._pressed = None
            self._look_at(None)
        opened = self._opened_by(event)
        if opened is not None:
            opened.open()
            return True
        menu = self.menu
        if menu is not None and menu.handle(event, self.view):
            return True
        if event.kind not in ("pointer_move", "button_down", "button_up"):
            return False
        found = self._at(event.x - self.view[0], event.y - self.view[1])
        if event.kind == "button_down" and event.key == "mouse1" and found is not None:
            self._pressed = found
        elif event.kind == "button_up" and event.key == "mouse1" and self._pressed is not None:
            self._release(found)
            return True
        self._look_at(found)
        return event.kind == "button_down" and (found is not None or menu is not None)

    def _release(self, found: tuple[HudCanvas, Button] | None) -> None:
        pressed, self._pressed = self._pressed, None
        self._look_at(found)
        if pressed is None or found is None or found[0] is not pressed[0]:
            return
        if found[1].label == pressed[1].label:
            found[0].slot.host.console.python(called("host.hud.press", found[1].label))
            _run(*found)

    def press(self, label: str) -> None:
        """Run the callback of the visible button with this label.

        Raises:
            LookupError: no visible button has the label.
        """
        found = self.find(label)
        if found is None:
            shown = [item.label for canvas in self._reachable() for item in canvas.buttons]
            labels = nearest_first(shown, label)
            raise LookupError(f"expected a button over the view, one of {labels}, found {label!r}")
        _run(*found)

    def _at(self, x: float, y: float) -> tuple[HudCanvas, Button] | None:
        for canvas in reversed(self._reachable()):
            button = canvas.button_at(x, y)
            if button is not None:
                return canvas, button
        return None

    def _look_at(self, found: tuple[HudCanvas, Button] | None) -> None:
        """Set the look of every button: plain, hovered or pressed.

        Args:
            found: canvas and button under the pointer; None if no button is there.
        """
        for canvas in self._canvases:
            for button in canvas.buttons:
                is_over = found is not None and found[1] is button
                is_held = self._pressed is not None and self._pressed[1].label == button.label
                look = "plain"
                if is_over and (self._pressed is None or is_held):
                    look = "pressed" if is_held else "hovered"
                if button.look != look:
                    button.look = look
                    canvas.changed()

    def _place_of(self, item: HudCanvas, used: dict[str, float]) -> Area:
        _, _, across, down = self.view
        if item.share is not None:
            left, top, width, height = item.share
            x0, y0 = round(left * across), round(top * down)
            x1, y1 = round((left + width) * across), round((top + height) * down)
            return x0, y0, max(1, x1 - x0), max(1, y1 - y0)
        width, height = round(item.width * self.scale), round(item.height * self.scale)
        x, y = ANCHORS[item.anchor]
        margin, taken = item.margin * self.scale, used.get(item.anchor, 0.0)
        room = (across - width - 2 * margin, down - height - 2 * margin)
        below = -taken if y == 1.0 else taken
        used[item.anchor] = taken + height + SPACE * self.scale
        left, top = round(margin + x * room[0]), round(margin + y * room[1] + below)
        return left, top, max(1, width), max(1, height)


def _run(canvas: HudCanvas, button: Button) -> None:
    canvas.slot.host.call(canvas.slot, f"button {button.label}", button.callback)
