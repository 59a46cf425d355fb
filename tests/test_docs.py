"""The documents say what is there: links, flags, hooks, keys, packages, and code that runs."""

from __future__ import annotations

import ast
import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from ai.registry.players import KEYS, PLAYERS
from base.files import SHIPPED_ROOT
from benchmarks.tutorial_pictures import read_steps
from docs.guides import anchor_of, plain
from sim.commands import preflight
from sim.commands.cli.application import build_application
from sim.core.files.scene_file import OBJECT_KEYS
from sim.core.host.scene_options import read_options
from sim.core.host.script_loader import ScriptLoader
from sim.core.project.run_options import FLAGS, RunOptions
from sim.core.script.script import HOOKS
from sim.core.tasks.waits import EASINGS
from tests.changed import OPTION as CHANGED
from tests.check import NIGHTLY
from tests.command_line import run_main
from tests.project_page import files_of_page

TUTORIAL_FILES = {edit.path for step in read_steps() for edit in step.edits} | {*files_of_page()}
TAUGHT_FILES = (
    "scripts/moth.py", "scenes/moth.scene.json", "scripts/seeker.py", "scenes/seeker.scene.json",
)  # fmt: skip
DOCUMENTS = [
    SHIPPED_ROOT / "README.md",
    *sorted((SHIPPED_ROOT / "docs").glob("*.md")),
    *sorted((SHIPPED_ROOT / "docs").glob("studies/*.md")),
]


def label(path: Path) -> str:
    """Return a page's path as the tests name it."""
    return path.relative_to(SHIPPED_ROOT).as_posix()


def text_of(name: str) -> str:
    return (SHIPPED_ROOT / name).read_text(encoding="utf-8")


def in_code(text: str) -> set[str]:
    """Return the words between backticks."""
    return set(re.findall(r"`([^`\n]+)`", text))


@pytest.mark.parametrize("document", DOCUMENTS, ids=label)
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    links = re.findall(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)", text)
    for link in (link for link in links if "://" not in link):
        path, _, heading = link.partition("#")
        target = (document.parent / path) if path else document
        assert target.exists(), link
        if heading:
            titles = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {anchor_of(plain(title)) for title in titles}, link


@pytest.mark.parametrize("document", DOCUMENTS, ids=label)
def test_files_that_are_named_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:sim|ai|tests|scripts|scenes)/[\w/.]+\.\w+)`", text):
        if name not in ("scripts/NAME.py", "scripts/x.py", *TUTORIAL_FILES, *TAUGHT_FILES):
            assert (SHIPPED_ROOT / name).is_file(), name


@functools.cache
def all_flags() -> frozenset[str]:
    """Return every flag of every command."""
    found = {"--help"}
    waiting: list[Any] = [typer.main.get_command(build_application())]
    while waiting:
        command = waiting.pop()
        waiting.extend(getattr(command, "commands", {}).values())
        for parameter in command.params:
            found |= {name for name in parameter.opts if name.startswith("--")}
    return frozenset(found)


@functools.cache
def scene_flags() -> frozenset[str]:
    """Return every option that a shipped scene has."""
    scenes = (SHIPPED_ROOT / "scenes").glob("*.scene.json")
    return frozenset(option.flag for scene in scenes for option in read_options(scene).values())


@functools.cache
def benchmark_flags() -> frozenset[str]:
    """Return every flag of the measuring programs."""
    found = set()
    release = SHIPPED_ROOT / "docs" / "release.py"
    for path in (*(SHIPPED_ROOT / "benchmarks").glob("*.py"), release):
        text = path.read_text("utf-8")
        found.update(re.findall(r'add_argument\(\s*"(--[a-z-]+)"', text))
        for call in ast.walk(ast.parse(text)):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "parser_of":
                names = [keyword.arg for keyword in call.keywords if keyword.arg]
                found.update(f"--{name.replace('_', '-')}" for name in names)
    return frozenset(found)


@pytest.mark.parametrize("document", DOCUMENTS, ids=label)
def test_flags_that_are_named_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    shown = {f"--{name}" for name in re.findall(r"(\w+): .+ = option\(", text)}
    known = all_flags() | scene_flags() | benchmark_flags() | shown | {"--strict", NIGHTLY, CHANGED}
    for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text):
        assert flag in known, flag


def test_the_command_line_page_describes_every_flag() -> None:
    table = text_of("docs/cli.md").partition("\n## run\n")[2].partition("\n## ")[0]
    for flag in FLAGS.values():
        shown = f"{flag.flag} {flag.metavar}".strip()
        assert shown in in_code(table), shown


def test_the_command_line_page_describes_the_options_of_every_scene() -> None:
    table = text_of("docs/cli.md").partition("option of the scene |")[2].partition("\n## ")[0]
    assert {shown.split()[0] for shown in in_code(table) if shown.startswith("--")} == scene_flags()


def test_the_command_line_page_says_the_defaults_and_bounds() -> None:
    rows = {
        row.split("|")[1].split()[0].strip("`,"): row
        for row in text_of("docs/cli.md").splitlines()
        if row.startswith("| `--")
    }
    for flag in FLAGS.values():
        if flag.choices and flag.flag in rows:
            assert all(str(choice) in rows[flag.flag] for choice in flag.choices)
        if isinstance(flag.default, str):
            assert rows[flag.flag].split("|")[3].strip() == flag.default
    width, height = RunOptions().window
    assert f"320x200 to 8192x8192 | {width}x{height} |" in rows["--window"]
    assert f"port {FLAGS['debug_port'].default}" in rows["--debug"]


def test_the_page_on_playing_lists_the_learners_and_their_settings() -> None:
    page = text_of("docs/playing.md")
    table = page.partition("## Who plays White")[2].partition("\n\nThe same")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows if "player-white" not in row] == [
        info.name for info in PLAYERS.values() if info.learner is not None
    ]
    known = {item.key: item.default for item in PLAYERS["cnn-ann"].settings}
    assert (
        f"`cnn-ann` begins with {known['records']} records, alpha {known['alpha']:g} and "
        f"{known['epochs']} epochs"
    ) in " ".join(page.split())


def test_the_page_on_projects_lists_what_an_entry_of_a_player_may_say() -> None:
    (row,) = (
        line
        for line in text_of("docs/projects.md").splitlines()
        if line.startswith("| `[players]`")
    )
    assert set(KEYS) == in_code(row.split("|")[2]) - {'"module:create"'}
    assert "`title`" in text_of("docs/projects.md").partition("The words that people")[2]


def test_the_readme_installs_what_the_message_names() -> None:
    readme = text_of("README.md")
    assert readme.count(preflight.LIBRARY_PACKAGES) == 2
    assert readme.count("pip install -r requirements.txt") == 2
    assert preflight.LIBRARY_PACKAGES in text_of("docs/troubleshooting.md")
    assert preflight.LIBRARY_PACKAGES in text_of(".ci/run")


def test_ci_runs_the_tests_of_the_readme() -> None:
    assert "python -m tests.check" in text_of("README.md")
    assert "-m tests.check" in text_of(".ci/run")


def test_the_scripting_page_lists_every_hook() -> None:
    section = text_of("docs/scripting.md").partition("## Hooks")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    named = {name for row in rows for name in re.findall(r"`(\w+)\(self", row)}
    assert named == set(HOOKS)


def test_the_scripting_page_knows_the_easings() -> None:
    line = re.search(r"Easings: (.+?)\.", text_of("docs/scripting.md"), re.DOTALL)
    assert line is not None
    kinds = line[1].replace("`", " ").split()
    for name in EASINGS:
        assert re.sub(r"_(in|out|in_out)$", "", name) in kinds


def test_the_scene_page_lists_every_key_of_an_object() -> None:
    section = text_of("docs/scene_format.md").partition("## Objects")[2].partition("\n## ")[0]
    assert set(OBJECT_KEYS) <= in_code(section)


def test_the_first_example_of_the_scripting_page_loads(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.+?)```", text_of("docs/scripting.md"), re.DOTALL)
    assert code is not None
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "stone.py").write_text(code[1], encoding="utf-8")
    loaded = ScriptLoader(tmp_path, SHIPPED_ROOT).load("scripts.stone:StoneDrop")
    assert loaded.__name__ == "StoneDrop"


def test_the_example_of_an_option_runs(tmp_path: Path) -> None:
    section = text_of("docs/scripting.md").partition("\n## Options")[2]
    code = re.search(r"```python\n(.+?)```", section, re.DOTALL)
    assert code is not None
    for name in ("scripts", "scenes"):
        (tmp_path / name).mkdir()
    (tmp_path / "scripts" / "lap.py").write_text(code[1], encoding="utf-8")
    scene = tmp_path / "scenes" / "lap.scene.json"
    component = {"type": "scripts.lap:Lap"}
    objects = {"obj_one": {"name": "One", "components": {"cmp_one": component}}}
    data = {"format": "goishi.scene/1", "id": "scn_one", "objects": objects}
    scene.write_text(json.dumps(data), encoding="utf-8")
    words = (
        "--trust",
        "--no-graphics",
        "--laps",
        "2",
        "--is-fast",
        "--speed",
        "64",
        "--on-error",
        "abort",
    )
    assert run_main("run", str(scene), *words)[0] == 0


def test_the_excerpt_in_the_readme_is_the_script() -> None:
    code = re.search(r"```python\n(.+?)```", text_of("README.md"), re.DOTALL)
    assert code is not None
    script = text_of("scripts/common/hello_stone.py")
    for line in code[1].splitlines():
        assert line.strip() in script


def test_the_changelog_names_every_player() -> None:
    assert set(PLAYERS) <= in_code(text_of("CHANGELOG.md"))
