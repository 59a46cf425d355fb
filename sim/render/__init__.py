"""The picture: panda3d lives here and nowhere else. Knows `sim.core` only."""

from sim.core.heap import separate_heaps

separate_heaps()  # before any module of this package loads panda3d
