"""Panels drawn with Dear ImGui. They know no game."""

from sim.core.heap import separate_heaps

separate_heaps()  # before any module of this package loads panda3d
