"""Rendering: the only package that imports panda3d. Depends on `sim.core` only."""

from sim.core.canvas.picture_limit import limit_pictures
from sim.core.reporting.heap import separate_heaps

separate_heaps()  # before any module of this package loads panda3d
limit_pictures()  # before any module of this package loads cv2
