"""The API reference: built from the docstrings, complete, its links lead somewhere."""

from __future__ import annotations

import functools
import html
import json
import re
import shutil
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest

import ai
import sim
from base.files import SHIPPED_ROOT
from docs.build import build, linked, short_types
from docs.doors import Door
from docs.faults import broken_links, shapeless, undocumented
from docs.guides import GUIDES, KINDS, STUDIES, WAYS, Page, read_pages, titled, ungrouped
from sim.core.components.components import ENGINE_TYPES


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole reference, built in a process of its own as a person does."""
    folder = tmp_path_factory.mktemp("reference") / "site ö"
    done = subprocess.run(
        [sys.executable, "-m", "docs.build", str(folder)], cwd=SHIPPED_ROOT, capture_output=True,
        text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr  # names without docstring, broken links
    return folder


def text_of(path: Path) -> str:
    """Return what a reader sees of a page's main part."""
    page = path.read_text(encoding="utf-8")
    main = re.sub(r"(?s)<script.*?</script>", "", page[page.index("<main") :])
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", main)).split())


@functools.cache
def page_text(path: Path) -> str:
    """Return a page's source."""
    return path.read_text(encoding="utf-8")


def places_of(path: Path) -> set[str]:
    return set(re.findall(r'id="([\w.]+)"', path.read_text(encoding="utf-8")))


def test_every_public_name_has_its_place(site: Path) -> None:
    assert set(sim.__all__) <= places_of(site / "sim.html")
    assert set(ai.__all__) <= places_of(site / "ai.html")
    assert set(ENGINE_TYPES) <= places_of(site / "sim/core/components/components.html")
    assert {"Pilot", "Pilot.wait_until"} <= places_of(site / "sim/testing.html")
    assert "Spin" in places_of(site / "scripts/common/spin.html")


def test_a_signature_and_its_docstring_are_readable(site: Path) -> None:
    page = text_of(site / "ai.html")
    tight = re.sub(r"\s*([(),:.\[\]])\s*", r"\1", page)
    assert "def estimate(self,stones:NDArray[int8],to_move:int)-> NDArray[float32]:" in tight
    assert "numpy.ndarray[" not in page
    assert "Arguments: stones: [A] 1 Black, -1 White, 0 empty" in page
    assert "Raises: IllegalMoveError:" in page


def test_a_component_tells_its_fields_and_links_to_script(site: Path) -> None:
    page = text_of(site / "scripts/common/hello_stone.html")
    assert "How high it hops; from 0 to 10 m." in page
    assert "= 1.5" in page
    source = (site / "scripts/common/hello_stone.html").read_text(encoding="utf-8")
    assert 'href="../../sim.html#Script">sim.Script</a>' in source
    assert "HelloStone.update" in places_of(site / "scripts/common/hello_stone.html")


def test_the_search_knows_names_and_words(site: Path) -> None:
    index = (site / "search.js").read_text(encoding="utf-8")
    for name in ("sim.Script.start_coroutine", "ai.create_player", "scripts.common.spin.Spin"):
        assert name in index, name
    assert "search.js" in (site / "index.html").read_text(encoding="utf-8")
    assert "../../search.js" in (site / "scripts/common/spin.html").read_text(encoding="utf-8")


def test_the_start_page_has_a_picture_ways_in_and_the_guides_by_group(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    assert '<img class="hero" src="pages/images/live_match.png"' in page
    main = page[page.index("<main") :]
    for way in WAYS:
        assert f'href="pages/{way.page}.html"' in main
        assert (site / "pages" / "images" / way.picture).is_file()
    places = [main.index(f"<h3>{group}</h3>") for group in (*GUIDES, STUDIES)]
    assert places == sorted(places)
    for guide in read_pages():
        row = main.partition(f'<dt><a href="pages/{guide.name}.html">')[2].partition("</dd>")[0]
        assert f"<dd><small>{guide.kind}</small> " in row, guide.name
        assert guide.line.endswith("."), guide.name
    assert all(f"<b>{kind.name}</b> {kind.text}" in main for kind in KINDS)


def test_every_page_has_the_search_and_needs_no_network(site: Path) -> None:
    for path in sorted(site.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        root = "../" * (len(path.relative_to(site).parts) - 1)
        assert text.count('<input type="search"') == 1, path
        assert f'const root = "{root}"' in text, path
        assert "fetch(" not in text, path
        assert not re.search(r'(src|<link[^>]+href)="https?:', text), path


def test_the_search_finds_sections_of_guides_and_names(site: Path) -> None:
    text = (site / "search.js").read_text(encoding="utf-8")
    entries = json.loads(text.removeprefix("window.goishiIndex = ").rstrip().rstrip(";"))
    found = {title: (where, address) for title, where, address, _ in entries}
    assert found["Clips and joints"] == ("Models from files", "pages/models.html#clips-and-joints")
    assert found["sim.Script.start_coroutine"] == ("Reference", "sim.html#Script.start_coroutine")
    for _, _, address, words in entries:
        file, _, place = address.partition("#")
        assert not place or f'id="{place}"' in page_text(site / file), address
        assert "](" not in words


def test_links_between_guides_show_titles(site: Path) -> None:
    for path in sorted((site / "pages").rglob("*.html")):
        shown = re.findall(
            r'<a href="[\w./]+\.html[^"]*">([^<]+)</a>', path.read_text(encoding="utf-8")
        )
        assert not [text for text in shown if text.endswith(".md")], path
    pages = read_pages()
    assert titled("[models.md](models.md)", pages) == "[Models from files](models.md)"
    section = titled("[models.md](models.md#clips-and-joints)", pages)
    assert section == "[Clips and joints](models.md#clips-and-joints)"
    assert titled("[below](models.md)", pages) == "[below](models.md)"


def test_pages_and_studies_link_to_each_other() -> None:
    study = Page(
        "studies/seeds", "Seeds measured", "# Seeds measured\n\nIt won. It lost.\n\n## A b\n"
    )
    guide = Page("seeds", "Seeds", "# Seeds\n")
    pages = [study, guide]
    assert (study.kind, study.line) == ("study", "It won.")
    assert titled("[seeds.md](../seeds.md)", pages, study.name) == "[Seeds](../seeds.md)"
    there = "[seeds.md](studies/seeds.md#a-b)"
    assert titled(there, pages, guide.name) == "[A b](studies/seeds.md#a-b)"
    for page, text, expected in (
        (guide, "[it](studies/seeds.md#a-b)", "[it](studies/seeds.html#a-b)"),
        (study, "[it](../seeds.md)", "[it](../seeds.html)"),
        (study, "[rows](seeds.json), [a folder](../../ai)", "rows, a folder"),
        (study, "![it](../images/review.png)", "![it](../images/review.png)"),
        (study, "[it](https://x.test/a.md) [it](#a-b)", "[it](https://x.test/a.md) [it](#a-b)"),
        (guide, "`rows[0](seeds)`", "`rows[0](seeds)`"),
    ):
        assert linked(replace(page, text=text), pages) == expected


def test_a_page_without_a_group_or_a_kind_is_a_fault() -> None:
    pages = [*read_pages(), Page("stray", "Stray", "# Stray\n")]
    assert ungrouped(pages) == [
        "docs/stray.md: expected a group in docs/guides.py, found none",
        "docs/stray.md: expected one kind in docs/guides.py, found none or several",
    ]
    placed = [page for page in pages[:-1] if not page.is_study]
    assert ungrouped(placed[1:])[0].startswith("docs/guides.py: expected a page, found ")


def test_the_pages_are_there_with_their_pictures(site: Path) -> None:
    for page in read_pages():
        assert (site / "pages" / f"{page.name}.html").is_file()
    text = (site / "pages/projects.html").read_text(encoding="utf-8")
    assert 'href="other_games.html"' in text
    assert ".md" not in " ".join(re.findall(r'href="([^"]+)"', text))
    assert '<span class="k">class</span>' in text, "code is coloured"
    assert "<table>" in text


@pytest.mark.nightly
def test_a_browser_runs_the_search_without_a_server(site: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no browser to show the pages with")
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
         "--dump-dom", f"{(site / 'index.html').as_uri()}?search=start_coroutine"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    shown = done.stdout[done.stdout.index("<main") :].partition("<script")[0]
    assert "sim.html#Script.start_coroutine" in shown


def test_every_page_of_the_reference_says_something(site: Path) -> None:
    for path in sorted(site.rglob("*.html")):
        text = text_of(path)
        assert len(text) > 100, path
        assert not re.search(r"\{\{|\{%|\bUndefined\b", text), path
    assert "`" not in text_of(site / "index.html")


def test_a_broken_link_is_found(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    shutil.copy(site / "index.html", folder / "other.html")
    (folder / "index.html").write_text(
        '<a href="gone.html">a</a> <a href="#here">b</a> <a id="there" href="#there">c</a>'
        '<a href="https://x.test/">d</a> <a href="page.html#none">e</a> <img src="gone.png">',
        encoding="utf-8",
    )
    (folder / "page.html").write_text("<p id='some'>", encoding="utf-8")
    (folder / "other.html").unlink()
    found = [re.search(r"'(.+)'", fault)[1] for fault in broken_links(folder)]  # type: ignore[index]
    assert found == ["gone.html", "#here", "page.html#none", "gone.png"]


def test_a_name_without_docstring_is_found() -> None:
    module = types.ModuleType("planted", "A module.")
    code = (
        "__all__ = ['Told', 'silent', 'NUMBER']\n"
        "NUMBER = 3\n"
        "def silent():\n    pass\n"
        "class Told:\n    'Told.'\n"
        "    def method(self):\n        pass\n"
        "    def _own(self):\n        pass\n"
        "    @property\n    def size(self):\n        return 1\n"
        "    def said(self):\n        'Said.'\n"
    )
    exec(compile(code, "planted.py", "exec", dont_inherit=True), module.__dict__)
    for value in (module.silent, module.Told):
        value.__module__ = "planted"
    found = {fault.partition(":")[0] for fault in undocumented({"p": Door(module)})}
    assert found == {"planted.silent", "planted.NUMBER", "planted.Told.method", "planted.Told.size"}


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="expected a new folder or an earlier reference"):
        build(tmp_path)
    assert (tmp_path / "precious.txt").read_text(encoding="utf-8") == "mine"


def test_types_are_shown_as_one_writes_them() -> None:
    array = "numpy.ndarray[tuple[typing.Any, ...], numpy.dtype[numpy.int8]]"
    assert short_types(f"{array} | None") == "NDArray[int8] | None"
    assert short_types("collections.abc.Sequence[pathlib.Path]") == "Sequence[Path]"


def test_an_array_without_a_shape_is_found() -> None:
    module = types.ModuleType("sim", "A module.")
    code = (
        "import numpy as np\nfrom numpy.typing import NDArray\n__all__ = ['told', 'vague']\n"
        "def told(points: NDArray[np.int8]) -> None:\n    'Take `[n, 3]`.'\n"
        "def vague(points: NDArray[np.int8]) -> None:\n    'Take points.'\n"
    )
    exec(compile(code, "planted.py", "exec", dont_inherit=True), module.__dict__)
    (fault,) = shapeless({"sim": Door(module)})
    assert fault == "sim.vague: expected the shapes of its arrays as in `[n, 3]`, found none"
