"""Glyphs are drawn anew where the atlas was packed anew, and only then."""

from __future__ import annotations

from types import SimpleNamespace

from sim.ui.shell import backend


def test_each_font_forgets_its_glyphs_once_after_the_atlas_was_packed_again():
    cleared = []
    fonts = [SimpleNamespace(clear_output_data=lambda n=n: cleared.append(n)) for n in (1, 2)]
    atlas = SimpleNamespace(tex_next_unique_id=5, fonts=fonts)
    owner = next(kind for kind in vars(backend).values() if hasattr(kind, "_renew_glyphs"))
    text = SimpleNamespace(forget=lambda: cleared.append("text"))
    shown = SimpleNamespace(io=SimpleNamespace(fonts=atlas), _packed=0, text=text)
    owner._renew_glyphs(shown)
    assert (cleared, shown._packed) == ([], 5), "the first time there is nothing to forget"
    atlas.tex_next_unique_id = 6
    for _ in range(2):
        owner._renew_glyphs(shown)
    assert (cleared, shown._packed) == ([1, 2, "text"], 6)
