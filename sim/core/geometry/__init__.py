"""Transforms, meshes, camera poses and collision shapes, as NumPy arrays."""
