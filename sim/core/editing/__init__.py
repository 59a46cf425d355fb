"""Editing a scene through one `Editor`, with undo, redo and play / pause / stop."""

from base.errors import EditError
from sim.core.editing.editor import Edit, Editor, PlaySession, PlayState
from sim.core.editing.prompt import prompt_names

__all__ = ["Edit", "EditError", "Editor", "PlaySession", "PlayState", "prompt_names"]
