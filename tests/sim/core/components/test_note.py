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


def test_a_long_line_is_wrapped_where_the_view_is_narrow(pilot):
    pilot.component("Note").text = "Title\nnothing"
    pilot.step(2)
    before = card(pilot).place[3]
    pilot.component("Note").text = "Title\n" + "nothing of it is cut " * 6
    pilot.step(2)
    left, _, width, height = card(pilot).place
    assert left + width <= 480 - 12
    assert height > before
    assert pilot.component("Note")._wrapped[0] == "Title"
    assert " ".join(pilot.component("Note")._wrapped[1:]) == ("nothing of it is cut " * 6).strip()


def test_no_letter_touches_the_edge_at_another_scale(pilot):
    pilot.component("Note").text = "Title\nClick on a ball to kick it, anywhere else."
    board = pilot.app.host.hud
    pilot.step(1)
    for scale in (1.0, 1.5, 2.0):
        for _ in range(2):  # a paused scene: no update
            board.arrange((0, 0, 1280, 600), scale)
        shown = card(pilot)
        words = shown.picture[..., :3].max(axis=2) > 150
        columns = words.any(axis=0).nonzero()[0]
        assert shown.place[2] - columns[-1] > 8 * scale, scale


def test_two_canvases_at_the_lower_edge_lie_above_one_another_where_it_is_narrow(pilot):
    note = pilot.component("Note")
    note.anchor = "bottom-left"
    pilot.step(2)
    other = note.hud.canvas(
        "other", size=(400, 40), anchor="bottom-right", draw=lambda canvas: None
    )
    pilot.step(2)
    low, high = sorted((other.place, card_of(pilot, "note").place), key=lambda place: -place[1])
    assert low[1] + low[3] == 270 - 12
    assert high[1] + high[3] <= low[1] - 8
    other.remove()
    small = note.hud.canvas("small", size=(40, 40), anchor="bottom-right", draw=lambda canvas: None)
    pilot.step(2)
    assert small.place[1] + small.place[3] == 270 - 12, "beside it there is room"


def card_of(pilot, key):
    return next(item for item in pilot.app.host.hud.shown() if item.key == key)
