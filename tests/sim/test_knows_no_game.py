"""The engine has no words of games; its commands name them for the scripts that have them."""

from __future__ import annotations

import re
from pathlib import Path

from base.files import SHIPPED_ROOT

WORDS = ("goban", "gomoku", "bowl", "rack", "chime", "stone", "stones", "player_white",
         "player_black", "plays_games", "plies", "opponent")  # fmt: skip
COMMANDS = SHIPPED_ROOT / "sim" / "commands"
"""The layer of main, which beside the engine may know what plays."""
PATTERN = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)


def found_in(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)}:{number}: {match[0]}"
        for path in sorted(root.rglob("*.py"))
        if COMMANDS not in path.parents
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        for match in PATTERN.finditer(line)
    ]


def test_the_engine_has_no_word_of_a_game() -> None:
    assert found_in(SHIPPED_ROOT / "sim") == []


def test_a_planted_word_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("SIZE = 1\nif builtin == 'goban':\n    pass\n", encoding="utf-8")
    assert found_in(tmp_path) == ["a.py:2: goban"]
