"""Pages are plain: short sentences with a verb each. Names the page and the sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plain import MEAN, pages, plainness_of, sentences


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.name)
def test_a_page_is_plain(page: Path) -> None:
    faults = plainness_of(page).faults()
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\n\nOne two. Three!\n", ["One two.", "Three!"]),
        ("It is 1.5 m, e.g. here. So it is.\n", ["It is 1.5 m, e.g. here.", "So it is."]),
        ("It opens `a.b` now.\n\n```sh\ncode. More.\n```\n", ["It opens code now."]),
        ("| a. b | c. |\n|---|---|\n\n- An item. Two.\n- Three.\n", []),
        ("It holds [a page](x.md). **Bold.** It ends.\n", ["It holds a page.", "It ends."]),
        ("It does this:\n\n- an item\n", ["It does this."]),
        ("In `x.py`:\n\n    code\n", []),
        ("By J. Kim and A. Lee (2014). It works.\n", ["By J. Kim and A. Lee (2014).", "It works."]),
        ("Text runs.\n- an item. Not text.\n", ["Text runs."]),
    ],
)
def test_sentences_are_told_apart(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected


def test_each_kind_of_fault_is_named(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    long = "It is " + "very " * 30 + "long."
    page.write_text(f"Short and sweet. {long} {long} {long}\n", encoding="utf-8")
    found = plainness_of(page)
    assert found.fragments == ("Short and sweet.",)
    assert found.long == (long, long, long)
    assert found.mean > MEAN
    assert len(found.faults()) == 5
    page.write_text("It is short. You read it.\n", encoding="utf-8")
    assert plainness_of(page).faults() == []
