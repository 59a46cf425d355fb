"""Physics: what moves bodies, through Panda3D's Bullet; needs no picture."""
