"""Models as Panda3D draws them."""
