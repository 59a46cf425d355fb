"""The picture of a world: its view, the HUD, and the panels of a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.app.pacing import FRAME_SECONDS
from sim.core.profiling.spans import Label, Phase
from sim.core.project.settings import SettingsFile, usual_scale

if TYPE_CHECKING:
    from sim.core.profiling.profiler import Profiler
    from sim.render.view.hud_layer import HudLayer
    from sim.render.view.scene_view import SceneView
    from sim.render.window.display import Display
    from sim.ui.shell.shell import Shell

PANELS = Label("panels", Phase.PANELS)
HUD = Label("HUD", Phase.DRAWING)
CHANGES = Label("the scene's changes", Phase.DRAWING)
PICTURE = Label("drawing", Phase.DRAWING)


@dataclass(eq=False)
class Picture:
    """Draws what changed of a world.

    Args:
        display: the window, or the buffer in its place.
        view: the scene's view.
        hud_layer: what scripts draw over it.
        settings: the user's: the HUD's scale.
        profiler: told how long each part takes.
        shell: the panels; None without any.
    """

    display: Display
    view: SceneView
    hud_layer: HudLayer
    settings: SettingsFile
    profiler: Profiler
    shell: Shell | None = None

    def draw(self, wall: float) -> bool:
        """Draw what changed; return whether there is anything new to show.

        Args:
            wall: seconds since the frame before.
        """
        is_new, mark = False, self.profiler.mark
        if self.shell is not None:
            is_new = self.shell.draw(wall)
            self.view.set_viewport(*self.shell.viewport)
            mark(PANELS)
        is_new = self._draw_hud() or is_new
        mark(HUD)
        self.view.follow(wall)
        self.view.sync()
        mark(CHANGES)
        is_new = bool(self.view.render()) or is_new
        mark(PICTURE)
        return is_new

    def present(self) -> None:
        """Show what was drawn."""
        self.display.present(self.profiler)
        self.view.presented()
        self.hud_layer.presented()
        self.profiler.mark(PICTURE)

    def draw_now(self) -> None:
        """Draw everything in full quality at once, and show it."""
        if self.shell is not None:
            self.shell.draw(FRAME_SECONDS, force=True)
            self.view.set_viewport(*self.shell.viewport)
        self._draw_hud(force=True)
        self.view.follow(FRAME_SECONDS)
        self.view.sync()
        self.view.finish()
        self.display.present()

    def _draw_hud(self, *, force: bool = False) -> bool:
        """Draw the HUD canvases that changed; return whether the HUD looks different."""
        if self.shell is not None:
            scale = self.shell.theme.scale
        else:
            scale = self.settings.values.scale or usual_scale(self.display.size[1])
        return self.hud_layer.update(self.view.viewport_size, scale, force=force)
