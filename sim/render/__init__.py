"""The picture: panda3d lives here and nowhere else. Knows `sim.core` only."""
