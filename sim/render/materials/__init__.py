"""Textures, shaders and the canvas painter."""
