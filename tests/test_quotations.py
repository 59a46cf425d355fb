"""One number is one number: each page says of it what is stored, and judges as its interval does."""

from __future__ import annotations

import re

import pytest

from tests.quotations import QUOTATIONS, Match, filled, match_of, one_line, path_of, plain_text

NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
SCORE = re.compile(
    rf"{NUMBER}(?:, {NUMBER})*(?: and {NUMBER})?(?: games)? of (?:its )?{NUMBER}|{NUMBER}(?: to {NUMBER})?%"
    rf"|{NUMBER} : {NUMBER}|{NUMBER} ± {NUMBER}|{NUMBER} (?:to {NUMBER} )?million"
)
"""A result, as pages write it."""
JUDGING = re.compile(
    r"\b(does not beat|beats?|does not help|help(?:s|ed)?|makes (?:no|a) difference|made (?:no|a) difference"
    r"|(?:wins|win|won) every game|nearly (?:always|every|all (?:games|of))|satisfactory)\b"
)
"""Words that judge results."""
GUIDES = (
    "docs/seeds.md", "docs/published_players.md", "docs/tree_search.md", "docs/alpha_beta.md",
    "docs/alphagomoku.md", "docs/engine.md", "docs/self_teaching.md", "docs/other_games.md",
    "docs/studies/seeds.md",
)  # fmt: skip
"""Pages that measure nothing themselves: each result in their text is a quotation."""
JUDGED = (
    *GUIDES, "docs/studies/published_players.md", "docs/studies/tree_search.md",
    "docs/studies/alpha_beta.md",
)  # fmt: skip
"""Pages whose words of judgement are quotations."""
ASIDE = (
    "5% error each way", "5% of the time on 15x15", "Scores have 95% intervals",
    "loses at most 5%", "retrains after nearly every game",
    "it wins every game from about the 525th on",
    "lost 12 of 12 games to one of about 1,900 Elo at Gomocup (share 0 to 24%, 0.15 s a move)",
    "The report has 0 : 12 against five of its twelve",
    "called \"far from satisfactory\"", "calls it \"far from satisfactory\"",
    "calls this player \"far from satisfactory\"", "Monte Carlo alone is not far from satisfactory",
)  # fmt: skip
"""What is no result of a game here: settings, and the documents' own words."""


def prose_of(page: str) -> str:
    """Return a page's text as one line, its tables left out."""
    text = re.sub(r"^```.*?^```", "", path_of(page).read_text("utf-8"), flags=re.S | re.M)
    text = re.sub(r"<!-- made: .*?<!-- end -->", "", text, flags=re.S)
    return one_line("\n".join(line for line in text.splitlines() if not line.startswith("|")))


def spans_of(page: str, text: str) -> list[tuple[int, int]]:
    """Return where the quotations of a page stand in its text."""
    quoted = [filled(words) for name, words in QUOTATIONS if name == page] + list(ASIDE)
    return [
        (found.start(), found.end())
        for words in quoted
        for found in re.finditer(re.escape(words), text)
    ]


def check_covered(page: str, kind: re.Pattern[str]) -> None:
    """Hold that what is found on a page stands within quotations."""
    text = prose_of(page)
    spans = spans_of(page, text)
    for found in kind.finditer(text):
        covered = any(begin <= found.start() and found.end() <= end for begin, end in spans)
        around = text[max(0, found.start() - 60) : found.end() + 40]
        assert covered, f"{page}: {found[0]!r} in {around!r}: add its line to tests/quotations.py"


@pytest.mark.parametrize(("page", "words"), QUOTATIONS, ids=lambda item: str(item)[:60])
def test_a_page_says_what_is_stored(page: str, words: str) -> None:
    expected = filled(words)
    assert expected in plain_text(page), (
        f"{page}: expected {expected!r}. Say it there, or mend the line in tests/quotations.py"
    )


@pytest.mark.parametrize("page", GUIDES)
def test_each_result_on_a_page_that_measures_nothing_is_a_quotation(page: str) -> None:
    check_covered(page, SCORE)


@pytest.mark.parametrize("page", JUDGED)
def test_each_judgement_is_a_quotation(page: str) -> None:
    check_covered(page, JUDGING)


def test_quotations_judge_by_their_numbers_alone() -> None:
    """A word that judges is a field, so that it changes where the interval does."""
    literal = [
        words
        for _, words in QUOTATIONS
        if JUDGING.search(re.sub(r"\{[^}]*\}", "", words)) and "satisf" not in words
    ]
    assert [words for words in literal if "won every game here" not in words] == []


@pytest.mark.parametrize(
    ("match", "beats", "difference", "satisfies"),
    [
        (match_of(58, 0, 42), "does not beat", "makes no difference", "that is open"),
        (match_of(90, 0, 10), "beats", "makes a difference", "it is not"),
        (match_of(2, 0, 98), "does not beat", "makes a difference", "it is"),
    ],
)
def test_words_follow_the_interval(
    match: Match, beats: str, difference: str, satisfies: str
) -> None:
    assert (match.beats, match.difference, match.satisfies) == (beats, difference, satisfies)
    assert match.points + match.other == match.games == match.won + match.drawn + match.lost
