"""Physics simulation of bodies, by Panda3D's Bullet; needs no graphics."""

from sim.core.reporting.heap import separate_heaps

separate_heaps()  # before any module of this package loads panda3d
