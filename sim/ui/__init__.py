"""Panels drawn with Dear ImGui. They know no game."""

from sim.core.heap import separate_heaps
from sim.core.picture_limit import limit_pictures

separate_heaps()  # before any module of this package loads panda3d
limit_pictures()  # before any module of this package loads cv2
