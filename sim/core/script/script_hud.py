"""What a script finds behind `self.hud`: its canvases and menus over the view."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from base.closed import Closed
from sim.core.canvas.checks import checked_area, checked_choice, checked_color, checked_size
from sim.core.scene.scene import ComponentSlot
from sim.core.script.hud import ANCHORS, CLEAR, Draw, HudBoard, HudCanvas
from sim.core.script.hud_menu import HudMenu


class Hud(Closed):
    """The canvases and menus of one script over the view: `self.hud`."""

    __slots__ = ("_board", "_followed", "_slot")

    def __init__(
        self,
        slot: ComponentSlot,
        board: HudBoard,
        followed: Callable[[Callable[..., object]], Callable[..., object]],
    ) -> None:
        self._slot = slot
        self._board = board
        self._followed = followed  # makes a method follow its script's hot reload

    def canvas(
        self,
        name: str = "",
        *,
        size: tuple[int, int] = (240, 120),
        anchor: str = "top-right",
        margin: float = 12.0,
        share: Sequence[float] | None = None,
        draw: Draw | None = None,
        background: Sequence[float] = CLEAR,
    ) -> HudCanvas:
        """Return a new canvas over the view; it replaces the script's canvas of the same name.

        It is removed with the component. On hot reload a canvas with `draw` is redrawn by the new
        code; a canvas without `draw` is removed.

        Args:
            name: name of the canvas, unique within the script.
            size: width and height, in pixels at scale 1.
            anchor: top-left, top, top-right, left, center, right, bottom-left, bottom or
                bottom-right; several canvases at one anchor are stacked vertically.
            margin: distance to the view's edge, in pixels at scale 1.
            share: left, top, width and height as fractions of the view, 0 to 1, instead of `size`
                and `anchor`; None to use these.
            draw: called with the canvas when it is first shown, when it is resized and after
                `redraw`; it draws everything and adds the buttons. None if the script draws
                directly.
            background: fill colour; None for transparent.

        Raises:
            ValueError: an argument is invalid.
        """
        where = f"{self._slot.object.path}: hud.canvas"
        checked_choice(where, "anchor", anchor, tuple(ANCHORS))
        sides = checked_size(where, *size)
        shares: tuple[float, ...] | None = None
        if share is not None:
            shares = tuple(checked_area(where, "share", share).tolist())
            if min(shares) < 0.0 or shares[0] + shares[2] > 1.0 or shares[1] + shares[3] > 1.0:
                raise ValueError(f"{where}: share: expected an area from 0 to 1, found {share!r}")
        made = HudCanvas(
            self._slot,
            name,
            sides,
            anchor=anchor,
            margin=float(margin),
            share=shares,
            draw=None if draw is None else self._followed(draw),
            background=checked_color(where, "background", background),
        )
        self._board.add(made)
        return made

    def menu(
        self,
        title: str,
        *,
        keys: Sequence[str] = (),
        pauses: bool = True,
        can_close: bool = True,
    ) -> HudMenu:
        """Return a new menu over the view, to be filled; it replaces the script's of this title.

        For example a pause menu:

            menu = self.hud.menu("Pause", keys=("p", "pad_start"))
            menu.item("Go on", menu.close)
            menu.slider("Volume", lambda: self.sound.volume, self.set_volume)
            menu.item("Quit", self.run.finish)

        It is shown by `open`, or by its keys. It is removed with the component, and an error of
        the component closes it.

        Args:
            title: heading.
            keys: keys and buttons of gamepads that open it and close it again, as for
                `self.input.bind`.
            pauses: whether scene time stands still while it is open. The menu itself goes on.
            can_close: whether the user can close it; False for a menu from which a game is begun.

        Raises:
            ValueError: there is no such key.
        """
        made = HudMenu(
            self._slot, self._board, self._followed, title, keys=keys, pauses=pauses,
            can_close=can_close,
        )  # fmt: skip
        self._board.add_menu(self._slot, made)
        return made
