"""Command lines: what is joined is split again, by the rules of either system."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from base.command_line import join_words, split_words

WORDS = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n\v\f"), max_size=12)
)


@given(WORDS, st.booleans())
def test_splitting_undoes_joining(words: list[str], is_windows: bool) -> None:
    plain = [
        word for word in words if word.isspace() or not set(word) & set("\x1c\x1d\x1e\x1f\x85\xa0")
    ]
    plain = [word for word in plain if not any(c.isspace() and c not in " \t" for c in word)]
    line = join_words(plain, is_windows=is_windows)
    assert split_words(line, is_windows=is_windows) == plain


def test_a_path_of_windows_keeps_its_backslashes() -> None:
    line = r'C:\engines\pbrain-x.exe --book "D:\my books\\" ""'
    found = [r"C:\engines\pbrain-x.exe", "--book", "D:\\my books\\", ""]
    assert split_words(line, is_windows=True) == found


@pytest.mark.parametrize("is_windows", [False, True])
def test_a_quotation_without_an_end_is_refused(is_windows: bool) -> None:
    with pytest.raises(ValueError, match="closing quotation"):
        split_words('"a b', is_windows=is_windows)
