"""Which modules a script leads to, read from its source."""

from __future__ import annotations

from pathlib import Path

from sim.export.import_graph import ImportGraph, find_module


def graph_of(root: Path, files: dict[str, str], start: str = "start") -> ImportGraph:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    graph = ImportGraph((root,))
    graph.follow(start)
    return graph


def test_imports_are_followed_everywhere_but_for_type_checkers(tmp_path: Path) -> None:
    graph = graph_of(
        tmp_path,
        {
            "start.py": (
                "import a.b, json\n"
                "from typing import TYPE_CHECKING\n"
                "if TYPE_CHECKING:\n    import unseen\n    from other import Unseen\n"
                "else:\n    import seen\n"
                "def f():\n    from c import thing\n"
            ),
            "a/__init__.py": "", "a/b.py": "from . import d\nfrom .e import x", "a/d.py": "",
            "a/e.py": "import start", "c.py": "from importlib import import_module\n"
            "import_module('late')\nimport_module(name)", "late.py": "", "seen.py": "", "unseen.py": "",
        },
    )  # fmt: skip
    assert set(graph.own) == {"start", "a", "a.b", "a.d", "a.e", "c", "late", "seen"}
    assert graph.others == {"json", "typing", "importlib"}


def test_a_lazy_door_is_followed_for_the_names_asked_for(tmp_path: Path) -> None:
    door = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from door.one import One\n    from door.two import Two as Second\n"
        "def __getattr__(name): ...\n"
    )
    files = {
        "start.py": "from door import One",
        "second.py": "from door import Second",
        "all.py": "from door import *",
        "door/__init__.py": door, "door/one.py": "", "door/two.py": "",
    }  # fmt: skip
    assert set(graph_of(tmp_path, files).own) == {"start", "door", "door.one"}
    assert set(graph_of(tmp_path, files, "second").own) == {"second", "door", "door.two"}
    assert set(graph_of(tmp_path, files, "all").own) == {"all", "door", "door.one", "door.two"}


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    before = graph_of(tmp_path, {"start.py": "import one", "one.py": "", "second.py": ""})
    after = graph_of(tmp_path, {"start.py": "import one, second, third", "third.py": ""})
    assert set(before.own) == {"start", "one"}
    assert set(after.own) == {"start", "one", "second", "third"}


def test_folders_without_init_and_broken_files_do_not_stop_it(tmp_path: Path) -> None:
    files = {"start.py": "import plain.inner, broken, none.at_all", "plain/inner.py": "import math",
             "broken.py": "def (:"}  # fmt: skip
    graph = graph_of(tmp_path, files)
    assert set(graph.own) == {"start", "plain.inner", "broken"}
    assert graph.others == {"math", "none.at_all"}


def test_the_first_root_wins(tmp_path: Path) -> None:
    for root in ("one", "two"):
        (tmp_path / root).mkdir()
        (tmp_path / root / "same.py").write_text("")
    (tmp_path / "two" / "other.py").write_text("")
    roots = (tmp_path / "one", tmp_path / "two")
    assert find_module("same", roots) == tmp_path / "one" / "same.py"
    assert find_module("other", roots) == tmp_path / "two" / "other.py"
    assert find_module("third", roots) is None


def test_shipped_scripts_are_those_of_the_last_folder_and_in_them_scripts_are_too(
    tmp_path: Path,
) -> None:
    files = {
        "mine/start.py": "from goishi.scripts.a import one\nimport scripts.a.two",
        "mine/scripts/a/two.py": "",
        "mine/scripts/a/one.py": "import never",
        "theirs/scripts/a/__init__.py": "",
        "theirs/scripts/a/one.py": "from scripts.a import two\nfrom . import three",
        "theirs/scripts/a/two.py": "import goishi.scripts.b.four",
        "theirs/scripts/a/three.py": "",
        "theirs/scripts/b/four.py": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    graph = ImportGraph((tmp_path / "mine", tmp_path / "theirs"))
    graph.follow("start")
    found = {name: path.relative_to(tmp_path).as_posix() for name, path in graph.own.items()}
    assert found == {
        "start": "mine/start.py",
        "scripts.a.two": "mine/scripts/a/two.py",
        "goishi.scripts.a": "theirs/scripts/a/__init__.py",
        "goishi.scripts.a.one": "theirs/scripts/a/one.py",
        "goishi.scripts.a.two": "theirs/scripts/a/two.py",
        "goishi.scripts.a.three": "theirs/scripts/a/three.py",
        "goishi.scripts.b.four": "theirs/scripts/b/four.py",
        "scripts.a": "theirs/scripts/a/__init__.py",
    }
    assert graph.others == set()
