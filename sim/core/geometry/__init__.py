"""Transforms, meshes and shapes as arrays; pyrr is the mathematics of one."""
