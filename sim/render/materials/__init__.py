"""Textures, shaders and painted canvases."""
