"""What a copy is called."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.core.editing import planning


@pytest.mark.parametrize(
    ("name", "others", "copy"),
    [
        ("Lamp", (), "Lamp 2"), ("Lamp 2", ("Lamp",), "Lamp 3"), ("Lamp 7", (), "Lamp 8"),
        ("Lamp", ("Lamp 2", "Lamp 3"), "Lamp 4"), ("7", (), "7 2"), ("Lamp x", (), "Lamp x 2"),
        ("Lamp ²", (), "Lamp ² 2"), ("L" * 40, (), "L" * 29 + " 2"),
    ],
)  # fmt: skip
def test_a_copys_name_counts_on_and_no_sibling_has_it(monkeypatch, name, others, copy):
    siblings = [SimpleNamespace(name=item) for item in (name, *others)]
    monkeypatch.setattr(planning, "siblings_of", lambda obj: siblings)
    assert planning.copy_name(siblings[0], 40) == copy
