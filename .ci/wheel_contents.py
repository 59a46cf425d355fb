"""What the wheel has beside the package `goishi`: the whole program, inside of it.

`base`, `sim`, `ai` and `scripts` are folders beside the package in a clone. In a wheel they lie in
`goishi/shipped`, so that nothing but `goishi` and its command stands at the top of an environment.
An editable install leaves them in the clone.
"""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMMAND = {"goishi/command.py": "goishi_command.py"}
SHIPPED = (
    "main.py", "goishi.toml", "pyproject.toml", "requirements.txt",
    "base", "sim", "ai", "scripts", "scenes", "assets", "docs",
)  # fmt: skip


class WheelContents(BuildHookInterface):
    """Adds the program's files to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to be added, with their places in the wheel.

        Args:
            version: "editable" for `pip install -e`, otherwise "standard".
            build_data: takes the names.
        """
        shipped = {name: f"goishi/shipped/{name}" for name in SHIPPED}
        build_data["force_include"].update(COMMAND | shipped)
        build_data["force_include_editable"].update(COMMAND)
