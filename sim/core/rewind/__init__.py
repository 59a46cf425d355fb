"""Rewind: records the last seconds of a scene, to show them or continue from any moment."""
