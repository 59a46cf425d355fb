"""Scripts of one folder under a name of their own: imports, circles, former names, failures."""

from __future__ import annotations

import pickle
import sys

import pytest

from base.errors import ScriptLoadError
from base.modules import (
    ScriptPackage,
    class_of_name,
    link_out_of,
    name_of_class,
    place_of,
    read_moved,
)


@pytest.fixture
def write(tmp_path):
    def write(files):
        for name, text in files.items():
            path = tmp_path / "scripts" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def package(tmp_path):
    package = ScriptPackage(tmp_path, "private_here")
    yield package
    package.close()
    assert not [name for name in sys.modules if name.startswith("private_here")]


def test_each_form_of_import_gives_the_same_module(write, package):
    write({
        "a": "import scripts.room.b\nimport scripts.room.b as b\nfrom scripts.room import b as c\n"
             "from .room.b import VALUE\nfrom . import room\n"
             "same = b is c is scripts.room.b is room.b and VALUE is b.VALUE\n",
        "room/b": "VALUE = object()\n",
    })  # fmt: skip
    module = package.module_within("scripts.a")
    assert module.same
    assert module.__name__ == "private_here.scripts.a"
    assert package.modules["scripts.room.b"] is sys.modules["private_here.scripts.room.b"]


def test_a_script_of_a_scene_that_is_opened_again_is_not_compiled_again(write, package):
    root = write({"a": "def value():\n    return 1\n"})
    first, other = package.module_within("scripts.a"), ScriptPackage(root, "private_there")
    second = other.module_within("scripts.a")
    assert second.value.__code__ is first.value.__code__
    assert second.value.__globals__ is not first.value.__globals__
    write({"a": "def value():\n    return 2\n"})
    assert other.run("scripts.a").value() == 2
    other.close()


def test_all_of_a_package_is_what_it_names(write, package):
    write({
        "a": "from scripts.room import *\n",
        "room/__init__": "__all__ = ['b', 'NAME']\nNAME = 'room'\nHIDDEN = 1\n",
        "room/b": "",
    })  # fmt: skip
    module = package.module_within("scripts.a")
    assert (module.NAME, module.b) == ("room", package.modules["scripts.room.b"])
    assert not hasattr(module, "HIDDEN")


def test_modules_may_import_each_other(write, package):
    write({
        "a": "from scripts import b\nfrom scripts.b import of_b\ndef of_a():\n    return 'a'\n",
        "b": "import scripts.a\nfrom scripts import a\ndef of_b():\n    return a.of_a()\n",
    })  # fmt: skip
    assert package.module_within("scripts.a").of_b() == "a"
    assert package.modules["scripts.b"].a is package.modules["scripts.a"]


def test_a_script_can_do_without_another(write, package):
    write({"a": "try:\n    import scripts.gone\nexcept ImportError as error:\n    said = error\n"})
    said = package.module_within("scripts.a").said
    assert str(said).endswith("gone.py, found none")
    assert str(pickle.loads(pickle.dumps(said))) == str(said)


def test_without_a_folder_the_file_is_named_that_is_wanted(tmp_path, package):
    with pytest.raises(ScriptLoadError, match=r"expected the file .*a\.py, found none"):
        package.module_within("scripts.a")


def test_a_failed_module_is_tried_again_and_one_that_replaces_another_is_not_lost(write, package):
    write({"a": "VALUE = 1\nraise ValueError\n"})
    with pytest.raises(ValueError):
        package.module_within("scripts.a")
    write({"a": "VALUE = 2\n"})
    old = package.module_within("scripts.a")
    write({"a": "VALUE = 3\n1 / 0\n"})
    with pytest.raises(ZeroDivisionError) as caught:
        package.run("scripts.a")
    assert sys.modules["private_here.scripts.a"] is old
    assert place_of(caught.value, package.root) == "scripts/a.py:2"
    write({"a": "VALUE = 4\n"})
    package.install("scripts.a", package.run("scripts.a"))
    assert package.module("scripts.a").VALUE == 4


def test_a_place_is_that_of_a_syntax_error_or_none(write, package):
    write({"a": "x = 1\ndef f(:\n"})
    with pytest.raises(SyntaxError) as caught:
        package.module_within("scripts.a")
    assert place_of(caught.value, package.root) == "scripts/a.py:2"
    assert place_of(ValueError(), package.root) == ""


@pytest.mark.parametrize(("private", "name"), [("", "scripts.a"), ("goishi", "goishi.scripts.a")])
def test_names_may_be_public(write, monkeypatch, private, name):
    root = write({"a": "from .b import VALUE\nfrom scripts import b\n", "b": "VALUE: Gone = 1\n"})
    for known in [known for known in sys.modules if known.startswith(("scripts", "goishi."))]:
        monkeypatch.delitem(sys.modules, known)
    package = ScriptPackage(root, private)
    module = package.module_within("scripts.a")
    assert (module.__name__, module.VALUE) == (name, 1)
    assert sys.modules[name] is module
    package.close()
    assert name not in sys.modules


def test_annotations_are_evaluated_where_that_is_wanted(write, package):
    root = write({"a": "value: int = 1\n"})
    assert package.module_within("scripts.a").__annotations__ == {"value": "int"}
    plain = ScriptPackage(root, "private_there", has_text_annotations=False)
    assert plain.module_within("scripts.a").__annotations__ == {"value": int}
    plain.close()


def test_a_class_is_found_by_the_name_that_it_has_in_every_process(write, package):
    write({"a": "class Outer:\n    class Inner:\n        pass\n"})
    kind = package.module_within("scripts.a").Outer.Inner
    assert name_of_class(kind, [package]) == "scripts.a:Outer.Inner"
    assert class_of_name("scripts.a:Outer.Inner", [package]) is kind
    assert class_of_name("pathlib:Path", [package]).__name__ == "Path"
    for name in ("scripts.a:Other", "scripts.b:Outer", "scripts.a"):
        with pytest.raises(LookupError):
            class_of_name(name, [package])


def test_a_former_name_is_told_once_and_gives_the_module(write, package):
    write({"room/new": "VALUE = 1\n", "a": "from scripts.old import VALUE\nimport scripts.old\n"})
    (package.root / "scripts" / "moved.toml").write_text(
        '[modules]\n"scripts.old" = "scripts.room.new"\n'
    )
    told = []
    package.on_moved = lambda *names: told.append(names)
    assert package.module_within("scripts.a").VALUE == 1
    assert package.module_within("scripts.old") is package.modules["scripts.room.new"]
    assert told == [("scripts.old", "scripts.room.new")]
    assert package.had("scripts.old")
    assert not package.has("scripts.old")


@pytest.mark.parametrize("text", ["[modules\n", "modules = 3", "[modules]\na = 1"])
def test_a_damaged_list_of_moved_modules_is_one_error(tmp_path, text):
    (tmp_path / "scripts").mkdir()
    assert read_moved(tmp_path) == {}
    (tmp_path / "scripts" / "moved.toml").write_text(text)
    with pytest.raises(ScriptLoadError, match=r"scripts/moved.toml.*: expected"):
        read_moved(tmp_path)


@pytest.mark.parametrize(
    "files",
    [
        {"x": "import scripts.b\ny = 1\n", "b": "import scripts.x\n"},
        {"x": "import scripts.b as b\ny = 1\n", "b": "import scripts.x as x\n"},
        {"x": "from scripts import b\ny = 1\n", "b": "from scripts import x\n"},
        {"x": "y = 1\nfrom scripts.b import z\n", "b": "from scripts.x import y\nz = 2\n"},
        {"x": "y = 1\nfrom .b import z\n", "b": "from .x import y\nz = 2\n"},
        {"x": "import scripts.x\ny = 1\n"},
        {"x": "y = 1\nimport scripts.x as me\nassert me.y\n"},
        {"x": "from scripts import x\ny = 1\n"},
    ],
)
def test_circles_that_python_allows(files, write, package):
    write(files)
    assert package.module_within("scripts.x").y == 1


@pytest.mark.parametrize("what", ["file", "folder", "package", "all"])
def test_a_link_that_leads_out_of_the_project_is_refused(
    what, tmp_path, tmp_path_factory, monkeypatch
):
    outside = tmp_path_factory.mktemp("outside") / "shared"
    outside.mkdir()
    for name in ("x", "__init__"):
        (outside / f"{name}.py").write_text("ran = True\n", encoding="utf-8")
    root = tmp_path / "project"
    links = {
        "file": ("scripts/x.py", outside / "x.py", "scripts.x"),
        "folder": ("scripts/room", outside, "scripts.room.x"),
        "package": ("scripts/room/__init__.py", outside / "__init__.py", "scripts.room"),
        "all": ("scripts", outside, "scripts.x"),
    }
    name, target, module = links[what]
    (root / name).parent.mkdir(parents=True)
    (root / name).symlink_to(target)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    package = ScriptPackage(root, "private_here")
    with pytest.raises(ScriptLoadError, match=r"^expected a script inside the project, found a li"):
        package.module_within(module)
    package.close()
    (tmp_path / "goishi").mkdir()
    (tmp_path / "goishi" / "trust.toml").write_text(f'linked_folders = ["{outside}"]\n')
    package = ScriptPackage(root, "private_here")
    assert package.module_within(module).ran
    package.close()


def test_what_follows_links_itself_is_told_of_one_that_leads_out(write, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    root = write({"room/x": "ran = True\n"})
    (root / "scripts" / "y.py").symlink_to(root / "scripts" / "room" / "x.py")
    assert link_out_of(root) is None
    (root / "scripts" / "room" / "z.py").symlink_to(__file__)
    assert link_out_of(root) == root / "scripts" / "room" / "z.py"


def test_a_link_inside_the_project_is_none_that_leads_out(write, package, tmp_path):
    write({"room/x": "ran = True\n"})
    (tmp_path / "scripts" / "y.py").symlink_to(tmp_path / "scripts" / "room" / "x.py")
    assert package.module_within("scripts.y").ran
