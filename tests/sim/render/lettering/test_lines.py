"""Lines of many scripts as pixels: shaped, in order, with fonts run by run."""

from __future__ import annotations

import logging
from pathlib import Path

import cv2
import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from sim.render.lettering.faces import OutlineFace, PlainFace
from sim.render.lettering.lettering import Box, Lettering
from sim.render.lettering.system_fonts import SCRIPTS, SystemFonts, font_folders

SIZE = 40
FONTS = {
    "DejaVuSans.ttf": "fonts-dejavu-core",
    "DroidSansFallbackFull.ttf": "fonts-droid-fallback",
    "Lohit-Devanagari.ttf": "fonts-lohit-deva",
    "Loma.ttf": "fonts-tlwg-loma-ttf",
}


def font_file(name):
    found = [path for folder in font_folders() for path in folder.rglob(name)]
    if not found:
        pytest.skip(f"no {name}: needs the package {FONTS[name]}")
    return found[0]


@pytest.fixture(scope="module")
def lettering():
    """With the fonts of the packages that the README names, whatever else is installed."""
    return Lettering(SystemFonts([font_file(name).parent for name in FONTS]))


@pytest.fixture
def bare(tmp_path):
    """Without any font of the machine."""
    return Lettering(SystemFonts([tmp_path]))


def made_font(path, letters, *, colors=False):
    """A font in which each letter is a square, as wide as said; colours make it red."""
    names = {letter: f"g{ord(letter):x}" for letter in letters}
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names.values()])
    builder.setupCharacterMap({ord(letter): name for letter, name in names.items()})
    glyphs = {}
    for name, wide in ((".notdef", 500), *((names[one], letters[one]) for one in letters)):
        pen = TTGlyphPen(None)
        pen.moveTo((0, 0))
        for corner in ((0, 700), (wide - 100, 700), (wide - 100, 0)):
            pen.lineTo(corner)
        pen.closePath()
        glyphs[name] = pen.glyph()
    builder.setupGlyf(glyphs)
    widths = {".notdef": 500, **{names[one]: letters[one] for one in letters}}
    builder.setupHorizontalMetrics({name: (wide, 0) for name, wide in widths.items()})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Squares", "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=800)
    builder.setupPost()
    if colors:
        builder.setupCOLR({name: [(name, 0)] for name in names.values()})
        builder.setupCPAL([[(1.0, 0.0, 0.0, 1.0)]])
    builder.save(path)


def columns(letters):
    """First and last column of each piece of ink, between blank columns."""
    ink = np.flatnonzero(np.diff(np.pad((letters.all_cover > 60).any(axis=0), 1).astype(int)))
    return [(int(left), int(right)) for left, right in ink.reshape(-1, 2)]


def test_a_text_that_runs_to_the_left_is_the_mirror_of_its_letters(bare):
    """OpenCV draws Hebrew letters without a font of the machine, in reverse."""
    forth = bare.line("אב", SIZE)
    back = bare.line("\u202dבא\u202c", SIZE)  # as it stands, by an override
    plain = PlainFace()
    pieces, _ = plain.draw("בא", 0.0, SIZE, 400, is_rtl=False, script="Hebr")
    assert forth.cover.shape == pieces[0].cover.shape
    assert np.array_equal(forth.cover, pieces[0].cover)
    assert back.advance == pytest.approx(forth.advance)


def test_arabic_letters_join(lettering):
    """The letters of a word touch: one piece of ink, but for those that never join."""
    assert len(columns(lettering.line("سلسل", SIZE))) == 1
    assert len(columns(lettering.line("س\u200cل", SIZE))) == 2, "a non-joiner keeps them apart"


def test_devanagari_letters_form_conjuncts_and_the_short_i_comes_first(lettering):
    conjunct, apart = lettering.line("क्ष", SIZE), lettering.line("क\u094d\u200cष", SIZE)
    assert conjunct.advance < 0.8 * apart.advance
    i_form, base = lettering.line("कि", SIZE), lettering.line("क", SIZE)
    ink = (i_form.cover > 60).sum(axis=0)
    assert i_form.advance > base.advance
    third = len(ink) // 4
    assert 0 < ink[:third].sum() < ink[third:].sum() / 2, "the thin sign is on the left"


def test_thai_marks_stand_over_their_letters_and_take_no_width(lettering):
    with_marks, without = lettering.line("ที่นี่", SIZE), lettering.line("ทน", SIZE)
    assert with_marks.advance == pytest.approx(without.advance, abs=1.0)
    assert with_marks.top < without.top - 4
    assert len(columns(lettering.line("ที่", SIZE))) == len(columns(lettering.line("ท", SIZE)))


def test_hangul_syllables_are_composed_of_jamo(lettering):
    jamo, syllable = lettering.line("\u1112\u1161\u11ab", SIZE), lettering.line("한", SIZE)
    assert np.array_equal(jamo.cover, syllable.cover)


def test_marks_join_their_letters_where_one_character_has_both(lettering):
    assert np.array_equal(lettering.line("e\u0301", SIZE).cover, lettering.line("é", SIZE).cover)


@pytest.mark.parametrize(
    "text",
    [
        "Grüße",
        "Ωμέγα",
        "Привет",
        "שָׁלוֹם",
        "مرحبا",
        "हिन्दी",
        "ภาษาไทย",
        "漢字",
        "かなカナ",
        "한국어",
        "😀",
    ],
)
def test_each_script_is_drawn_and_no_letter_is_a_box(lettering, text, monkeypatch):
    monkeypatch.setattr(Box, "draw", lambda *args, **options: pytest.fail("a box"))
    fresh = Lettering(lettering._fonts)
    drawn = fresh.line(text, SIZE)
    assert (drawn.all_cover > 127).sum() > 60
    assert drawn.advance > 0.4 * SIZE


def test_parts_of_a_line_stand_beside_each_other_in_the_order_in_which_they_are_read(tmp_path):
    made_font(tmp_path / "squares.ttf", {"ש": 500, "ל": 1000, "ह": 1500})
    squares = Lettering(SystemFonts([tmp_path]))
    line = squares.line("हשל", 100)
    assert line.advance == pytest.approx(300.0, abs=1.0)
    expected = [(0, 140), (150, 240), (250, 290)]
    assert np.array(columns(line)) == pytest.approx(np.array(expected), abs=2)


def test_without_a_font_there_is_a_box_and_one_line_says_what_helps(bare, caplog):
    with caplog.at_level(logging.WARNING, logger="goishi"):
        drawn = bare.line("हि", SIZE)
        bare.line("न्दी", SIZE)
        bare.line("ไ", SIZE)
    assert drawn.cover[0].min() == drawn.cover[-1].min() == 255, "its upper and lower edge"
    assert drawn.cover[drawn.cover.shape[0] // 2, drawn.cover.shape[1] // 2] == 0
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert "no font for Devanagari (Deva): U+0939 U+093F is drawn as a box" in said[0]
    assert "fonts-lohit-deva" in said[0]
    assert "Thai" in said[1]


def test_bold_letters_are_thicker(lettering):
    plain, bold = (lettering.line("हिन्दी", SIZE, weight) for weight in (400, 700))
    assert 1.1 < bold.cover.astype(int).sum() / plain.cover.astype(int).sum() < 1.6


def test_coloured_letters_keep_their_colours_and_outlined_ones_come_from_another_font(tmp_path):
    made_font(tmp_path / "notocoloremoji.ttf", {"😀": 1000}, colors=True)
    made_font(tmp_path / "symbola.ttf", {"😀": 600})
    emoji = Lettering(SystemFonts([tmp_path]))
    drawn = emoji.line("😀", 100)
    assert drawn.colors is not None
    middle = drawn.colors[drawn.colors.shape[0] // 2, drawn.colors.shape[1] // 2]
    assert middle.tolist() == [0, 0, 255, 255], "premultiplied BGRA"
    assert drawn.advance == pytest.approx(100.0)
    outlined = emoji.line("😀", 100, is_outlined=True)
    assert outlined.colors is None
    assert outlined.advance == pytest.approx(60.0)


def test_of_a_sequence_that_no_font_has_its_parts_are_drawn(tmp_path):
    made_font(tmp_path / "symbola.ttf", {"👍": 1000, "👨": 1000, "👧": 1000})
    emoji = Lettering(SystemFonts([tmp_path]))
    assert emoji.line("👍🏽", 100).advance == pytest.approx(100.0), "without its tone"
    assert emoji.line("👨‍👧", 100).advance == pytest.approx(200.0), "side by side"


def test_a_line_is_kept_and_equal_fonts_give_equal_pixels(lettering):
    first = lettering.line("שלום 12", SIZE)
    assert lettering.line("שלום 12", SIZE) is first
    again = Lettering(lettering._fonts).line("שלום 12", SIZE)
    assert np.array_equal(again.cover, first.cover)


def test_what_is_no_font_is_passed_over(tmp_path, bare):
    (tmp_path / "lohit-devanagari.ttf").write_bytes(b"no font")
    (tmp_path / "empty.otf").touch()
    assert bare.line("ह", SIZE).advance > 0.0
    with pytest.raises(ValueError, match="expected a font"):
        OutlineFace(tmp_path / "lohit-devanagari.ttf")


def test_each_system_has_its_folders_of_fonts():
    windows = font_folders("win32", {"WINDIR": "C:/Windows", "LOCALAPPDATA": "C:/U/L"})
    assert windows == [Path("C:/Windows/Fonts"), Path("C:/U/L/Microsoft/Windows/Fonts")]
    assert Path("/System/Library/Fonts/Supplemental") in font_folders("darwin", {"HOME": "/U"})
    linux = font_folders("linux", {"HOME": "/h", "XDG_DATA_DIRS": "/a:/b"})
    assert linux == [
        Path(p) for p in ("/h/.local/share/fonts", "/h/.fonts", "/a/fonts", "/b/fonts")
    ]


def test_names_of_fonts_are_in_lower_case_as_they_are_looked_up():
    names = [name for known in SCRIPTS.values() for name in known.fonts]
    assert names == [name.lower() for name in names]


def test_plain_text_is_drawn_by_opencv_alone():
    face = PlainFace()
    assert all(map(face.covers_all, ("Hello 12", "Grüße Ωж", "漢字かな한글")))
    assert not any(map(face.covers_all, ("שלום", "مرحبا", "ह", "ไ", "😀")))
    pieces, advance = face.draw("Go", 3.0, SIZE, 400, is_rtl=False, script="Latn")
    picture = np.zeros((80, 120), np.uint8)
    end, _ = cv2.putText(picture, "Go", (3, 50), 255, face.font, SIZE, 400)
    piece = pieces[0]
    shown = np.zeros_like(picture)
    high, wide = piece.cover.shape
    shown[50 + piece.top : 50 + piece.top + high, piece.left : piece.left + wide] = piece.cover
    assert np.array_equal(shown, picture)
    assert advance == end[0] - 3
