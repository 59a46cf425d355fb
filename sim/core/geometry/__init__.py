"""Transforms, meshes and collision shapes as arrays; pyrr is used for single transforms."""
