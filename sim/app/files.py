"""Files that the user drops onto the window, or names in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from base.files import path_of_uri
from sim.app.windows import open_scene
from sim.core.project.recent_scenes import SUFFIX

if TYPE_CHECKING:
    from sim.app.app import App
    from sim.ui.shell.shell import Shell


def path_of(text: str) -> Path:
    """Return the path that a text means: plain, quoted, from the home folder, or a file's URI.

    >>> path_of("'a b.sgf' ").as_posix(), path_of("file:///tmp/a%20b.sgf").as_posix()
    ('a b.sgf', '/tmp/a b.sgf')
    """
    plain = text.strip()
    if len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "'\"":
        plain = plain[1:-1]
    if plain.startswith("file:"):
        plain = path_of_uri(plain) or unquote(plain)
    return Path(plain).expanduser()


def open_file(app: App, text: str) -> str:
    """Open a file by its name: a scene, or what a script of this one opens.

    Returns:
        What was wrong; "" where somebody took the file.
    """
    path = path_of(text)
    if path.name.endswith(SUFFIX):
        open_scene(app, path)
        return ""
    opener = app.panels.opener_of(path.name)
    if opener is not None and not path.is_file():
        fault = f"{path}: expected a file, found none"
        app.console.error(fault)
        return fault
    if opener is not None:
        app.host.call(opener.slot, "open_file", opener.callback, str(path))
        return ""
    known = [suffix for item in app.panels.openers for suffix in item.suffixes]
    wanted = ", ".join(dict.fromkeys((*known, SUFFIX)))
    fault = f"{path}: expected a file that this scene opens ({wanted}), found {path.name!r}"
    app.console.error(fault)
    return fault


def add_dialog(app: App, shell: Shell) -> None:
    """Add the dialog that asks for a file."""
    from sim.ui.widgets.open_file import OpenFileDialog

    dialog = OpenFileDialog(app.panels, lambda text: open_file(app, text))
    shell.windows.append(dialog.draw_window)
    shell.on_escape.append(dialog.cancel)
