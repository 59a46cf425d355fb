"""How plainly a page is written: the length of its sentences, and fragments without a verb.

    python -m tests.plain [PAGES]        mean and share of long sentences of each page, worst first

Sentences end at `.`, `!` and `?`. Left out are code, tables, lists, headings, pictures and the dots
of abbreviations and numbers. What stands in backticks counts as one word.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from base.files import SHIPPED_ROOT

MEAN: Final = 16.0
"""Words a sentence of a page has in the mean, at most."""
LONG: Final = 30
"""A sentence with more words is long."""
SHARE: Final = 0.04
"""Of a page's sentences so many are long, at most; one may always be."""
ABBREVIATIONS: Final = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "et al.", "approx.", "no.", "p.")
VERBS: Final = frozenset((SHIPPED_ROOT / "tests" / "verbs.txt").read_text("utf-8").split())
FENCE: Final = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
ITEM: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s")
END: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\S)")
WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True)
class Plainness:
    """What was found on a page.

    Attributes:
        page: its path.
        sentences: how many there are.
        mean: words of one in the mean.
        long: those that are too long.
        fragments: those without a verb.
    """

    page: Path
    sentences: int
    mean: float
    long: tuple[str, ...]
    fragments: tuple[str, ...]

    def faults(self) -> list[str]:
        """Return what keeps the page from being plain, a line each."""
        name = self.page.name
        found = [f"{name}: a sentence without a verb: {text}" for text in self.fragments]
        if self.mean > MEAN:
            found.append(
                f"{name}: expected at most {MEAN:g} words a sentence, found {self.mean:.1f}"
            )
        if len(self.long) > max(1, SHARE * self.sentences):
            found += [f"{name}: more than {LONG} words: {text}" for text in self.long]
        return found


def plainness_of(page: Path) -> Plainness:
    """Return how plainly a page is written."""
    found = list(sentences(page.read_text(encoding="utf-8")))
    lengths = [len(WORD.findall(text)) for text in found]
    return Plainness(
        page,
        len(found),
        sum(lengths) / max(1, len(lengths)),
        tuple(text for text, length in zip(found, lengths, strict=True) if length > LONG),
        tuple(text for text in found if not has_verb(text)),
    )


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a page in Markdown."""
    for paragraph in paragraphs(text):
        for sentence in END.split(paragraph):
            if set(WORD.findall(sentence)) - {"code"}:
                yield sentence.replace("\0", ".").strip()


def paragraphs(text: str) -> Iterator[str]:
    """Yield the running text of a page, a paragraph each, markup and code taken out."""
    bare = re.sub(r"<!--.*?-->", "", FENCE.sub("", text), flags=re.S)
    for block in re.split(r"\n\s*\n", bare):
        lines = block.strip("\n").splitlines()
        if not lines or lines[0].startswith((" ", "\t", "|", "#", ">", "<", "![")):
            continue
        kept: list[str] = []
        for line in lines:
            if ITEM.match(line) or line.startswith("|"):
                break
            kept.append(line)
        joined = " ".join(kept)
        joined = re.sub(r"\*\*[^*]+[.:]\*\*", "", joined)  # a bold title in the line
        joined = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", joined)
        joined = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", joined)
        joined = re.sub(r"`[^`]*`", "code", joined).replace("**", "").replace("*", "")
        for short in ABBREVIATIONS:
            joined = re.sub(rf"(?<!\w){re.escape(short)}", short.replace(".", "\0"), joined)
        joined = re.sub(r"(?<=\d)\.(?=\d)|(?<=\b[A-Z])\.(?= [A-Z])", "\0", joined)
        if joined.endswith(":"):  # what leads to code or a list, and may be a bare label
            head, _, label = joined[:-1].rpartition(". ")
            joined = joined[:-1] + "." if has_verb(label) else f"{head}."
        if joined.strip():
            yield joined.strip()


def has_verb(sentence: str) -> bool:
    """Whether a sentence has a word that can be a verb."""
    words = [word.lower() for word in WORD.findall(sentence)]
    return any(
        word in VERBS or word.removesuffix("s") in VERBS or word.endswith(("ed", "n't", "'s", "’s"))
        for word in words
    )


def pages() -> list[Path]:
    """Return the pages that are to be plain."""
    docs = SHIPPED_ROOT / "docs"
    return [
        SHIPPED_ROOT / "README.md",
        *sorted(docs.glob("*.md")),
        *sorted(docs.glob("studies/*.md")),
    ]


if __name__ == "__main__":
    chosen = [Path(word) for word in sys.argv[1:]] or pages()
    for found in sorted(map(plainness_of, chosen), key=lambda item: -item.mean):
        share = 100 * len(found.long) / max(1, found.sentences)
        sys.stdout.write(
            f"{found.page.name:24} {found.sentences:5} sentences  {found.mean:5.1f} words  "
            f"{share:4.1f} % long  {len(found.fragments)} fragments\n"
        )
        if len(sys.argv) > 1:
            sys.stdout.write("".join(f"  {line}\n" for line in found.faults()))
