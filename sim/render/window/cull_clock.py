"""When the culling of a rendered frame ended: what comes after it is drawing."""

from __future__ import annotations

import time
from typing import Any

from panda3d.core import GraphicsEngine, PythonCallbackObject


class CullClock:
    """Renders a frame, and tells when the last of its regions was culled.

    Panda3D culls all regions of a frame, in the order of their buffers, before it draws the first.
    """

    def __init__(self) -> None:
        self._callback = PythonCallbackObject(self._cull)
        self._ended: float | None = None

    def render(self, engine: GraphicsEngine) -> float | None:
        """Render the active buffers.

        Returns:
            When the last region was culled, seconds of `time.perf_counter`; None where none was.
        """
        regions = [
            region
            for output in engine.get_windows()
            if output.is_active()
            for region in output.get_active_display_regions()
            if region.get_cull_callback() is None and not region.get_camera().is_empty()
        ]
        self._ended = None
        for region in regions:
            region.set_cull_callback(self._callback)
        try:
            engine.render_frame()
        finally:
            for region in regions:
                region.clear_cull_callback()
        return self._ended

    def _cull(self, data: Any) -> None:
        data.upcall()
        self._ended = time.perf_counter()
