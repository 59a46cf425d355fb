"""Packs a project as a game: a folder that plays on a machine without Goishi and without Python."""
