"""How large a note's card is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.core.components.note import EDGE, LEADING, TITLE, Note


def test_a_card_is_as_wide_as_its_widest_line():
    canvas = SimpleNamespace(text_size=lambda line, size, weight: (len(line) * size, size))
    note = SimpleNamespace(
        size=10.0,
        _titles=1,
        _wrapped=["Ho", "a longer line", "short"],
        _font=lambda *, is_title: Note._font(note, is_title=is_title),
        _width=lambda canvas, line, *, is_title: Note._width(note, canvas, line, is_title=is_title),
    )
    wide, high = Note._extent(note, canvas)
    assert wide == pytest.approx(13 * 10.0 + 2 * EDGE)
    assert high == pytest.approx(10.0 * (1.25 + 2 * LEADING) + 2 * EDGE)
    note._wrapped = ["A title over", "a"]
    assert Note._extent(note, canvas)[0] == pytest.approx(12 * TITLE * 10.0 + 2 * EDGE)
