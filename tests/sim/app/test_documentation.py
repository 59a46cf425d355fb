"""Pages of the window_features in the browser: built once, opened as HTML, never lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sim.app import window_features
from sim.app.window_features import Documentation, build_site
from sim.core.reporting.console import Console


class Stage:
    """A folder of pages, and a browser that only notes what it is to open."""

    def __init__(self, root: Path) -> None:
        self.opened: list[str] = []
        self.builds = 0
        self.fault = ""
        self.has_browser = True
        self.console = Console(stderr=False)
        self.page = root / "docs" / "models.md"
        self.page.parent.mkdir()
        self.page.write_text("# Models\n", encoding="utf-8")
        self.shipped, self.cache = root / "site", root / "cache" / "site"
        self.documents = Documentation(
            self.console, open_address=self.open_address, build=self.build,
            folders=(self.shipped, self.cache),
        )  # fmt: skip

    def open_address(self, address: str) -> bool:
        self.opened.append(address)
        return self.has_browser

    def build(self, target: Path) -> None:
        self.builds += 1
        if self.fault:
            raise OSError(self.fault)
        (target / "pages").mkdir(parents=True, exist_ok=True)
        (target / "pages" / "models.html").write_text("<p>", encoding="utf-8")
        (target / "index.html").write_text("<p>", encoding="utf-8")

    def open(self) -> list[str]:
        """Open the page; return the console's lines."""
        self.documents.open(self.page)
        self.documents.wait(30.0)
        self.documents.report()
        return [record.text for record in self.console.records]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_a_page_is_built_once_and_opened_as_html(stage: Stage) -> None:
    html = (stage.cache / "pages" / "models.html").as_uri()
    lines = stage.open()
    assert lines == ["Documentation: the pages are being built, some seconds …"]
    assert stage.opened == [html]
    assert stage.open() == lines
    assert (stage.opened, stage.builds) == ([html, html], 1)
    later = stage.cache.joinpath("index.html").stat().st_mtime + 10.0
    os.utime(stage.page, (later, later))
    stage.open()
    assert stage.builds == 2, "the page was changed"


def test_a_site_that_the_user_built_is_used(stage: Stage) -> None:
    stage.build(stage.shipped)
    assert stage.open() == []
    assert stage.opened == [(stage.shipped / "pages" / "models.html").as_uri()]
    assert stage.builds == 1


def test_a_study_is_opened_and_makes_the_site_older(stage: Stage) -> None:
    study = stage.page.parent / "studies" / "models.md"
    study.parent.mkdir()
    study.write_text("# Models measured\n", encoding="utf-8")
    stage.build(stage.shipped)
    stage.documents.open(study)
    assert stage.opened == [(stage.shipped / "pages" / "studies" / "models.html").as_uri()]
    later = stage.shipped.joinpath("index.html").stat().st_mtime + 10.0
    os.utime(study, (later, later))
    stage.open()
    assert stage.builds == 2, "the study was changed"


def test_where_it_cannot_be_built_the_text_is_opened_and_said(stage: Stage) -> None:
    stage.fault = "No module named 'pdoc'"
    assert stage.open()[-1] == (
        "Documentation: not built (No module named 'pdoc'); models.md is opened"
    )
    assert stage.opened == [stage.page.as_uri()]


def test_without_a_browser_the_file_is_named(stage: Stage) -> None:
    stage.has_browser = False
    assert stage.open()[-1].endswith(f"expected a browser, found none; the page is {stage.page}")


def test_the_reason_of_a_build_that_fails_is_its_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window_features, "SHIPPED_ROOT", tmp_path)  # a folder without docs/
    with pytest.raises(OSError, match="No module named"):
        build_site(tmp_path / "cache" / "site")
    assert list((tmp_path / "cache").iterdir()) == []
