"""Physics: what moves bodies, through Panda3D's Bullet; needs no picture."""

from sim.core.reporting.heap import separate_heaps

separate_heaps()  # before any module of this package loads panda3d
