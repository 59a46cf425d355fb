"""CITATION.cff names Goishi and the five documents that it follows, and invents nothing."""

from __future__ import annotations

import re

import yaml

from base.files import SHIPPED_ROOT

CITATION = yaml.safe_load((SHIPPED_ROOT / "CITATION.cff").read_text(encoding="utf-8"))
REFERENCES = CITATION["references"]
TYPES = {"article", "generic", "report", "thesis"}


def test_it_names_the_project() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert (CITATION["title"], CITATION["type"], CITATION["license"]) == (
        "Goishi",
        "software",
        "MIT",
    )
    assert CITATION["message"]
    (author,) = CITATION["authors"]
    licence = (SHIPPED_ROOT / "LICENSE").read_text(encoding="utf-8")
    assert re.search(rf"Copyright \(c\) \d+ {author['name']}", licence)


def test_it_names_the_five_documents() -> None:
    assert len(REFERENCES) == len({item["title"] for item in REFERENCES}) == 5
    assert {item["type"] for item in REFERENCES} <= TYPES
    families = [item["authors"][0]["family-names"] for item in REFERENCES if "authors" in item]
    assert families == ["Xie", "Muzika", "Yan"]


def test_each_document_says_which_page_follows_it_and_the_page_names_it() -> None:
    for item in REFERENCES:
        pages = re.findall(r"docs/\w+\.md", item["notes"])
        assert pages, item["title"]
        texts = [" ".join((SHIPPED_ROOT / page).read_text("utf-8").split()) for page in pages]
        if not item["title"].startswith("["):
            assert any(item["title"] in text for text in texts), item["title"]
        if "year" in item:
            assert any(str(item["year"]) in text for text in texts), item["title"]
