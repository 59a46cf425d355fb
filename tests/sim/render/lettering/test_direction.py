"""The order of text that runs from right to left, and what belongs together in a text."""

from __future__ import annotations

import unicodedata

import pytest
from bidi import get_display
from hypothesis import given
from hypothesis import strategies as st

from sim.render.lettering import direction
from sim.render.lettering.clusters import (
    EMOJI,
    clusters,
    drawable,
    is_emoji,
    is_ignored,
    is_plain,
    script_of,
)
from sim.render.lettering.direction import Run, direction_runs, mirrored
from sim.render.lettering.lettering import script_parts

LETTERS = "abאבحخ12٣٤ +-#,.()[]!<>«»\u0301\u05b9\u064b"


def shown(line):
    """A line in visual order, without mirrored brackets, as python-bidi returns it."""
    pieces = ((line[start:stop], is_rtl) for start, stop, is_rtl in direction_runs(line))
    return "".join(piece[::-1] if is_rtl else piece for piece, is_rtl in pieces)


def test_each_digit_has_the_class_that_it_stands_for():
    for kind, digits in direction.DIGITS.items():
        assert len(digits) == direction.BASE
        assert {unicodedata.bidirectional(digit) for digit in digits} == {kind}
    assert len(direction.VALUES) == sum(map(len, direction.DIGITS.values())), "none is there twice"


@given(st.text(alphabet=LETTERS, max_size=90))
def test_the_runs_of_a_line_are_in_the_order_of_the_unicode_algorithm(line):
    assert shown(line) == (get_display(line) if direction.RIGHT_TO_LEFT.search(line) else line)
    parts = sorted(direction_runs(line))
    assert "".join(line[start:stop] for start, stop, _ in parts) == line, "each character once"


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("", []),
        ("left", [(0, 4, False)]),
        ("שלום", [(0, 4, True)]),
        ("ab שלום", [(0, 3, False), (3, 7, True)]),
        ("שלום ab", [(5, 7, False), (0, 5, True)]),
        ("a (שלום) ב", [(0, 3, False), (3, 7, True), (7, 9, False), (9, 10, True)]),
        ("שלום (abc) 12", [(11, 13, False), (9, 11, True), (6, 9, False), (0, 6, True)]),
        ("مرحبا 12", [(6, 8, False), (0, 6, True)]),
    ],
)
def test_known_lines(line, runs):
    assert list(direction_runs(line)) == [Run(*run) for run in runs]


def test_steering_characters_have_their_effect_and_are_in_no_part():
    line = "a\u2067ש 1\u2069b"
    assert [line[start:stop] for start, stop, _ in direction_runs(line)] == ["a", "1", "ש ", "b"]


def test_brackets_turn_round():
    assert mirrored("(a[b<«") == ")a]b>»"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", ["a", "b", "c"]),
        ("e\u0301x", ["e\u0301", "x"]),
        ("क्षि", ["क्षि"]),
        ("हिन्दी", ["हि", "न्दी"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("น้ำ", ["น้ำ"]),
        ("\u1112\u1161\u11ab\u1100\u1161", ["\u1112\u1161\u11ab", "\u1100\u1161"]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("👨‍👩‍👧!", ["👨‍👩‍👧", "!"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("❤️1️⃣", ["❤️", "1️⃣"]),
        ("🏴\U000e0067\U000e0062\U000e007f", ["🏴\U000e0067\U000e0062\U000e007f"]),
    ],
)
def test_what_is_seen_as_one_is_one_cluster(text, expected):
    assert list(clusters(text)) == expected


@given(st.text(max_size=40))
def test_clusters_are_the_text(text):
    assert "".join(clusters(text)) == text
    assert "".join(piece for _, piece in script_parts(drawable(text))) == drawable(text)


def test_scripts_and_kinds_of_characters():
    pairs = {"a": "Latn", "ж": "Cyrl", "ω": "Grek", "ש": "Hebr", "س": "Arab", "ह": "Deva"}
    assert {letter: script_of(letter) for letter in pairs} == pairs
    assert script_of("😀") == EMOJI
    assert is_emoji("👍🏽")
    assert not is_emoji("a")
    assert is_plain("Grüße Ωж 漢字 한글 → 12")
    assert not any(map(is_plain, ("שלום", "مرحبا", "हिन्दी", "ไทย", "😀", "e\u0301")))
    assert is_ignored("\u200d")
    assert drawable("a\tb\ud800") == "a b?"


def test_characters_without_a_script_belong_to_what_is_beside_them():
    parts = list(script_parts("12 हिन्दी, 3 ab 😀!"))
    assert parts == [("Deva", "12 हिन्दी, 3 "), ("Latn", "ab "), (EMOJI, "😀"), ("Latn", "!")]
