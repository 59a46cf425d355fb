"""How this Goishi was installed, and what its user types to start it."""

from __future__ import annotations

from typing import Final

from base.files import IS_INSTALLED, SHIPPED_ROOT

IS_PACKED: Final = (SHIPPED_ROOT.parent / "game.json").is_file() and SHIPPED_ROOT.name == "goishi"
"""Whether it is part of a packed game (`pack`), which has one project and no studio."""
PROGRAM: Final = "goishi" if IS_INSTALLED else "python main.py"
"""The words before a command."""
INSTALL: Final = f"python -m pip install {'goishi' if IS_INSTALLED else '-r requirements.txt'}"
"""The command that installs the packages that Goishi needs and lacks."""
