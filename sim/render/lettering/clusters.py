"""What belongs together in a text: clusters of characters, and their scripts."""

from __future__ import annotations

import functools
import re
import unicodedata

import uharfbuzz as hb

JOINER = "\u200d"
VIRAMA = 9  # combining class of the sign that joins two consonants of an Indic script
MARKS = frozenset({"Mn", "Mc", "Me"})
SPACING_VOWELS = frozenset("\u0e33\u0eb3")  # of Thai and Lao; they combine with the letter before
COMMON = "Zyyy"
EMOJI = "Zsye"
"""Script code of emoji in ISO 15924; Unicode counts them as common characters."""
UNSHAPED = frozenset(
    {"Latn", "Grek", "Cyrl", "Armn", "Hani", "Hira", "Kana", "Hang", "Bopo", COMMON}
)
"""Scripts whose letters stand side by side, each with one shape."""
PLAIN = re.compile(
    "[\x00-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u200a\u2010-\u2027\u202f-\u205f\u2070-\u20cf"
    "\u2100-\u2bff\u2c60-\u2c7f\u2e00-\u2e7f\u2e80-\u3029\u3030-\u3098\u309b-\u312f\u3131-\u4dbf"
    "\u4dc0-\u9fff\ua720-\ua7ff\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uffef]*"
)
_PICTURED = re.compile("[\u231a-\u2bff\U0001f000-\U0001faff]")
_EMOJI = re.compile("[\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff]|\ufe0f|\u20e3")
_TONE = re.compile("[\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
_IGNORED = re.compile(
    "[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)


def is_plain(text: str) -> bool:
    """Return whether a text runs from left to right and needs no shaping."""
    return text.isascii() or PLAIN.fullmatch(text) is not None


def drawable(text: str) -> str:
    """Return a text with control characters and lone surrogates replaced; none can draw those."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(letter if letter >= " " else " " for letter in plain)


def is_ignored(letter: str) -> bool:
    """Return whether a character only steers how others are drawn, so that no font needs it."""
    return _IGNORED.match(letter) is not None


@functools.lru_cache(maxsize=1024)
def clusters(text: str) -> tuple[str, ...]:
    """Split a text into clusters of characters that are seen as one.

    Source: Unicode Standard Annex 29, section 3 (extended grapheme clusters), rules GB6 to GB13.
    """
    found: list[str] = []
    for letter in text:
        if found and _continues(found[-1], letter):
            found[-1] += letter
        else:
            found.append(letter)
    return tuple(found)


def _continues(cluster: str, letter: str) -> bool:
    """Return whether a character belongs to the cluster before it."""
    last = cluster[-1]
    if letter in (JOINER, "\u200c") or letter in SPACING_VOWELS or _TONE.match(letter):
        return not last.isspace()
    if unicodedata.category(letter) in MARKS:
        return True
    if last == JOINER:
        return _PICTURED.match(letter) is not None or VIRAMA in map(unicodedata.combining, cluster)
    if unicodedata.combining(last) == VIRAMA:
        return unicodedata.category(letter) == "Lo"
    if _FLAG.match(letter):
        return _FLAG.fullmatch(cluster) is not None
    return _is_jamo_joined(last, letter)


def _is_jamo_joined(before: str, letter: str) -> bool:
    """Return whether two Hangul jamo belong to one syllable (rules GB6 to GB8)."""
    is_lead, is_vowel = "\u1100" <= before <= "\u115f", "\u1160" <= before <= "\u11a7"
    if "\u1100" <= letter <= "\u11a7":
        return is_lead or (is_vowel and letter >= "\u1160")
    return "\u11a8" <= letter <= "\u11ff" and (is_vowel or "\u11a8" <= before <= "\u11ff")


def is_emoji(cluster: str) -> bool:
    """Return whether a cluster is drawn as a picture."""
    return _EMOJI.search(cluster) is not None


@functools.lru_cache(maxsize=4096)
def script_of(cluster: str) -> str:
    """Return the ISO 15924 code of a cluster's script; `COMMON` where it belongs to none."""
    if is_emoji(cluster):
        return EMOJI
    buffer = hb.Buffer()
    buffer.add_str(cluster)
    buffer.guess_segment_properties()
    return str(buffer.script or COMMON)
