"""Text of every script in panels: glyphs, their order, and boxes."""

from __future__ import annotations

import numpy as np
import pytest
from imgui_bundle import imgui, implot

from sim.render.lettering.lettering import Lettering
from sim.render.lettering.system_fonts import SystemFonts
from sim.ui.theme import text_calls
from sim.ui.theme.panel_glyphs import BOLD, CODES, EM, FIRST_CODE
from sim.ui.theme.panel_text import PanelText
from sim.ui.theme.theme import Theme

SIZE = 15.0


class Stage:
    """An ImGui context without a window."""

    def __init__(self, fonts):
        self.before, self.current = imgui.get_current_context(), PanelText.current
        self.context = imgui.create_context()
        imgui.set_current_context(self.context)
        self.plots = implot.create_context()
        io = imgui.get_io()
        io.set_ini_filename("")
        io.backend_flags |= int(imgui.BackendFlags_.renderer_has_textures)
        io.display_size = imgui.ImVec2(800, 600)
        text_calls.install()
        self.lettering = Lettering(SystemFonts(fonts))
        self.text = PanelText(io.fonts, self.lettering)
        self.theme = Theme()

    def frame(self, draw, font=None):
        self.text.begin_frame()
        imgui.new_frame()
        imgui.set_next_window_size(imgui.ImVec2(400, 500))
        imgui.begin("stage")
        imgui.push_font(font or self.theme.text, 0.0)
        found = draw()
        imgui.pop_font()
        imgui.end()
        imgui.render()
        for item in imgui.get_draw_data().textures:
            item.set_tex_id(1)
            item.set_status(imgui.ImTextureStatus.ok)
        return found

    def cover(self, letter, font=None):
        """What the font texture has of a letter, and its width."""

        def look():
            glyph = (font or self.theme.text).get_font_baked(SIZE).find_glyph(ord(letter))
            atlas = imgui.get_io().fonts.tex_data
            pixels = np.asarray(atlas.get_pixels_array()).reshape(atlas.height, atlas.width, 4)
            left, right = round(glyph.u0 * atlas.width), round(glyph.u1 * atlas.width)
            top, low = round(glyph.v0 * atlas.height), round(glyph.v1 * atlas.height)
            return pixels[top:low, left:right].copy(), glyph.advance_x

        return self.frame(look, font)

    def close(self):
        implot.destroy_context(self.plots)
        imgui.destroy_context(self.context)
        if self.before is not None:
            imgui.set_current_context(self.before)
        PanelText.current = self.current


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    made = Stage([tmp_path_factory.mktemp("no fonts")])
    yield made
    made.close()


def words(stage, shown):
    """What each character of a shown text stands for."""
    known = {chr(code): word for word, code in stage.text._glyphs.codes.items()}
    return [known.get(letter, letter) for letter in shown]


def test_letters_that_a_font_lacks_become_glyphs_of_their_own(stage):
    for font, letter, weight in (
        (stage.theme.text, "漢", 400), (stage.theme.bold, "한", BOLD), (stage.theme.text, "か", 400),
    ):  # fmt: skip
        assert stage.frame(lambda letter=letter: stage.text.shown(letter), font) == letter
        pixels, advance = stage.cover(letter, font)
        drawn = stage.lettering.line(letter, EM * SIZE, weight)
        assert np.array_equal(pixels[..., 3], drawn.cover)
        assert advance == pytest.approx(drawn.advance)


@pytest.mark.parametrize("letter", "Ωжαя")
def test_letters_that_only_the_font_of_icons_has_blank_are_drawn_in_the_mono_font(stage, letter):
    stage.frame(lambda: imgui.text(letter), stage.theme.mono)
    pixels, advance = stage.cover(letter, stage.theme.mono)
    assert (pixels[..., 3] > 127).sum() > 10
    assert advance == stage.frame(lambda: imgui.calc_text_size("x").x, stage.theme.mono)


def test_wide_letters_take_two_cells_of_the_mono_font(stage):
    widths = stage.frame(
        lambda: [imgui.calc_text_size(text).x for text in ("xx", "漢", "한", "Ωж")],
        stage.theme.mono,
    )
    assert len(set(widths)) == 1


def test_words_that_run_to_the_left_stand_in_the_order_in_which_they_are_read(stage):
    shown = stage.frame(lambda: stage.text.shown("ab שלום עולם, 12 cd"))
    assert words(stage, shown) == [*"ab ", *"12 ", "עולם,", " ", "שלום", *" cd"]
    brackets = stage.frame(lambda: stage.text.shown("שלום (ab)"))
    assert words(stage, brackets) == [*"(ab) ", "שלום"]
    icon = stage.frame(lambda: stage.text.shown("\uf1b2 שלום 3##name"))
    assert words(stage, icon) == ["\uf1b2", " ", *"3 ", "שלום", *"##name"]


def test_words_that_must_be_shaped_are_one_glyph_each(stage):
    shown = stage.frame(lambda: stage.text.shown("ab हिन्दी क्षत्रिय"))
    assert words(stage, shown) == [*"ab ", "हिन्दी", " ", "क्षत्रिय"]
    assert stage.frame(lambda: imgui.calc_text_size("मम").x) == pytest.approx(
        stage.lettering.line("मम", EM * SIZE).advance
    )
    assert FIRST_CODE <= ord(shown[3]) < FIRST_CODE + CODES


def test_texts_of_the_fonts_own_letters_stay_the_same_object(stage):
    for text in ("plain", "Grüße Ωж", "\uf015 Home"):
        assert stage.frame(lambda text=text: stage.text.shown(text)) is text or text.isascii()


def test_a_wrapped_text_that_runs_to_the_left_begins_on_the_first_line(stage):
    text = " ".join(f"שלום{letter}" for letter in "אבגדהוזחטיכלמנסעפצקרשת")
    lines = stage.frame(lambda: stage.text.wrapped(text)).split("\n")
    assert len(lines) > 2
    found = [list(reversed(words(stage, line))) for line in lines]
    assert [word for line in found for word in line if word != " "] == text.split(" ")


def test_a_letter_that_was_asked_for_too_early_is_there_in_the_next_frame(stage):
    letter = "龍"

    def too_early():
        baked = stage.theme.text.get_font_baked(SIZE)
        return baked.find_glyph(ord(letter)).get_codepoint(), stage.text.shown(letter)

    assert stage.frame(too_early)[0] != ord(letter)
    assert stage.text.is_stale
    stage.frame(lambda: imgui.text(letter))
    assert not stage.text.is_stale
    assert (stage.cover(letter)[0][..., 3] > 127).sum() > 20


def test_typed_letters_are_there_in_the_frame_that_shows_them(stage):
    stage.frame(lambda: imgui.text("x"))
    assert stage.text.typed("鳥") == "鳥"
    assert (stage.cover("鳥")[0][..., 3] > 127).sum() > 20
    assert not stage.text.is_stale


def test_more_words_than_there_are_codes_begin_anew(stage):
    stage.frame(
        lambda: [stage.text._glyphs.code_of(f"word {number}") for number in range(CODES + 10)]
    )
    assert stage.text.is_stale
    stage.frame(lambda: imgui.text("שלום"))
    assert not stage.text.is_stale
    assert len(stage.text._glyphs.codes) < 10


def test_a_box_stands_for_what_no_font_has(stage):
    stage.frame(lambda: imgui.text("ह"))
    box, _ = stage.cover(chr(stage.text._glyphs.codes["ह"]))
    assert (box[0, :, 3] == 255).all(), "the upper edge of the box"


def test_all_functions_that_show_text_let_it_pass_here():
    names = [*text_calls.SHOWN[imgui], *text_calls.EDITED, "text_wrapped"]
    text_calls.install()
    assert all(hasattr(getattr(imgui, name), "__wrapped__") for name in names)
    assert not hasattr(imgui.button.__wrapped__, "__wrapped__"), "once"


def test_an_input_field_at_rest_shows_its_text_as_it_is_read_and_the_letters_while_it_is_edited(
    stage,
):
    """Where the letters stand: those of ImGui's own field are clear, what lies over them is not."""

    def field(hint=""):
        if hint:
            return imgui.input_text_with_hint("##field", hint, "")[1]
        return imgui.input_text("##field", "שלום ab")[1]

    assert stage.frame(field) == "שלום ab", "what is edited stays as it was typed"
    field_texts = []
    before = stage.text.shown

    def noted(text, *rest):
        field_texts.append(text)
        return before(text, *rest)

    stage.text.shown = noted
    stage.frame(field)
    assert field_texts[0] == "שלום ab"
    stage.frame(lambda: field(hint="חיפוש"))
    assert field_texts[-1] == "חיפוש"
    del stage.text.shown


def test_a_text_in_a_font_of_its_own_gets_the_glyphs_of_that_font(stage):
    bold = stage.theme.bold

    def draw():
        imgui.get_window_draw_list().add_text(bold, 30.0, imgui.ImVec2(0, 0), 0xFFFFFFFF, "字")
        glyph = bold.get_font_baked(30.0).find_glyph(ord("字"))
        return glyph.get_codepoint(), glyph.advance_x

    assert stage.frame(draw) == (
        ord("字"), pytest.approx(stage.lettering.line("字", EM * 30.0, BOLD).advance),
    )  # fmt: skip


def test_two_halves_of_a_letter_become_one(stage):
    high, low = "😀".encode("utf-16-be").hex()[:4], "😀".encode("utf-16-be").hex()[4:]
    assert stage.text.typed(chr(int(high, 16))) == ""
    assert stage.text.typed(chr(int(low, 16)) + "a") == "😀a"
    assert stage.text.typed(chr(int(low, 16))) == "\ufffd", "a half alone"
    assert stage.text.typed("b") == "b"


def test_docks_have_no_button_beside_their_tabs_at_any_scale(stage):
    for scale in (1.0, 2.0, 1.0):
        stage.theme.apply("dark", scale)
        assert imgui.get_style().window_menu_button_position == imgui.Dir.none


def test_a_private_character_of_a_text_is_not_taken_for_the_word_that_has_its_code(stage):
    stage.frame(lambda: imgui.text("שלום"))
    code = chr(stage.text._glyphs.codes["שלום"])
    shown = stage.frame(lambda: stage.text.shown(f"a {code}"))
    assert shown != f"a {code}"
    assert words(stage, shown) == [*"a ", code]
    stage.frame(lambda: imgui.input_text("##private", code))
    assert np.array_equal(
        stage.cover(code)[0][..., 3], stage.lettering.line("שלום", EM * SIZE).cover
    )
