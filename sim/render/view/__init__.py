"""Rendering of a scene: objects, cameras, picking."""
