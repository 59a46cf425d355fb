"""ImGui's vectors are read by number: on Windows all of them share one iterator."""

from __future__ import annotations

import re
from pathlib import Path

from sim.ui.theme.vectors import items_of

ROOT = Path(__file__).resolve().parents[4]
VECTORS = "cmd_lists|cmd_buffer|vtx_buffer|idx_buffer|textures|fonts|sources|glyphs|config_data"
ITERATED = re.compile(
    rf"\bin (?:\w+\.)*(?:io|data|fonts|_fonts|item|baked|list)\.(?:{VECTORS})\b(?!\()"
)


class Vector:
    """What imgui-bundle's vectors can do on Windows."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, number: int) -> int:
        return number * 10

    def __iter__(self) -> None:
        raise AssertionError("expected to be read by number")


def test_items_are_read_by_number() -> None:
    assert list(items_of(Vector())) == [0, 10, 20]


def test_no_vector_of_imgui_is_iterated() -> None:
    assert ITERATED.search("for font in fonts.fonts:")
    assert ITERATED.search("for item in data.cmd_lists")
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in (ROOT / "sim" / "ui").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if ITERATED.search(line)
    ]
    assert found == []
