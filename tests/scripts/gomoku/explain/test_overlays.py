"""Which objects an overlay fills with its marks: with fakes, without an app."""

from __future__ import annotations

from types import SimpleNamespace

from scripts.gomoku.explain.overlays import Overlays


def test_ghosts_and_posts_are_filled_with_their_marks_and_empty_pictures_are_hidden():
    filled = []
    plane = SimpleNamespace(visible=True)
    drawn = SimpleNamespace(
        drawings=0, planes={}, ghosts=["ghost"], posts=["post"],
        _set_ghost="as a ghost", _set_post="as a post",
        _fill=lambda objects, marks, put: filled.append((objects, marks, put)),
        _plane=lambda height, layer, size: plane,
    )  # fmt: skip
    empty, full = SimpleNamespace(is_empty=True), SimpleNamespace(is_empty=False, pixels="pixels")
    marks = SimpleNamespace(ground=empty, top=full, size=7, ghosts=["g"], columns=["c"])
    Overlays._draw(drawn, marks)
    assert filled == [(["ghost"], ["g"], "as a ghost"), (["post"], ["c"], "as a post")]
    assert (plane.texture, plane.visible, drawn.drawings) == ("pixels", True, 1)
