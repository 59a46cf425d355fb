"""How this Goishi was installed, and what its user types to start it."""

from __future__ import annotations

from typing import Final

from base.files import SHIPPED_ROOT

IS_INSTALLED: Final = SHIPPED_ROOT.name == "shipped" and SHIPPED_ROOT.parent.name == "goishi"
"""Whether it comes from a wheel (`pip install goishi`), not from a clone."""
PROGRAM: Final = "goishi" if IS_INSTALLED else "python main.py"
"""The words before a command."""
