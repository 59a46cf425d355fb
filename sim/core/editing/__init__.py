"""Editing a scene: one door for every edit, with undo and redo."""

from sim.core.editing.editor import Edit, Editor
from sim.core.errors import EditError

__all__ = ["Edit", "EditError", "Editor"]
