"""`sim:Note`: words over the view."""

from __future__ import annotations

import json

import pytest

from sim.testing import Pilot

TEXT = "Title\nThe first line\n\nand the last"


@pytest.fixture
def pilot(tmp_path):
    (tmp_path / "scenes").mkdir()
    note = {"type": "sim:Note", "fields": {"text": TEXT, "anchor": "top-left"}}
    objects = {"obj_note": {"name": "Note", "components": {"cmp_note": note}}}
    path = tmp_path / "scenes" / "a.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_note", "objects": objects}
    path.write_text(json.dumps(data), encoding="utf-8")
    with Pilot(scene=path, panels=False, speed=1.0, quality="low", window=(480, 270)) as made:
        made.step(2)
        yield made


def card(pilot):
    (shown,) = pilot.app.host.hud.shown()
    return shown


def test_the_card_fits_its_words_and_lies_in_its_corner(pilot):
    picture = pilot.picture()
    left, top, width, height = card(pilot).place
    assert (left, top) == (12, 12)
    words = picture[top : top + height, left : left + width].max(axis=2) > 200
    columns, rows = words.any(axis=0).nonzero()[0], words.any(axis=1).nonzero()[0]
    assert 5 <= columns[0] < 20
    assert 5 <= width - columns[-1] < 25, "no word is cut, none far from the edge"
    assert 4 <= rows[0] < 25
    assert 4 <= height - rows[-1] < 25
    assert words.sum() > 200


def test_it_follows_its_fields(pilot):
    note = pilot.component("Note")
    before = card(pilot).place
    note.text = "Short"
    pilot.step(2)
    assert card(pilot).place[2] < before[2]
    assert card(pilot).place[3] < before[3]
    note.anchor = "bottom-right"
    pilot.step(2)
    left, top, width, height = card(pilot).place
    assert (left + width, top + height) == (480 - 12, 270 - 12)
    note.text = "  "
    pilot.step(2)
    assert pilot.app.host.hud.shown() == []
    assert pilot.app.host.error_count == 0
