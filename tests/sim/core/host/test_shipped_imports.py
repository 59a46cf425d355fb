"""`from goishi.scripts.… import …`: a project's script stands on a shipped one."""

from __future__ import annotations

import pytest

from base.files import SHIPPED_ROOT
from base.modules import MOVED_FILE, ScriptPackage, read_moved


def test_a_script_extends_a_shipped_one_beside_one_of_the_same_name(stage):
    (stage.root / "scripts" / "common").mkdir()
    (stage.root / "scripts" / "common" / "spin.py").write_text("NAME = 'mine'\n")
    stage.script(
        "whirl",
        """
        import goishi.scripts.common.follow
        import goishi.scripts.common.spin as shipped
        import scripts.common.spin as mine
        from goishi.scripts.common import orbit
        from goishi.scripts.common.spin import Spin

        class Whirl(Spin):
            def start(self):
                self.names = (mine.NAME, Spin.__module__, orbit.Orbit.__name__)
                self.follow = goishi.scripts.common.follow.Follow
                assert shipped.Spin is Spin
        """,
    )
    slot = stage.open_one("scripts.whirl:Whirl")
    stage.frames(3)
    assert stage.errors() == 0
    assert slot.instance.names == ("mine", "goishi_shipped.scripts.common.spin", "Orbit")
    assert slot.instance.follow.__module__ == "goishi_shipped.scripts.common.follow"
    shipped = stage.app.host.loader.load("goishi:scripts.common.spin:Spin")
    assert isinstance(slot.instance, shipped)
    assert tuple(slot.object.transform.rotation) != (0.0, 0.0, 0.0), "it spins"


def test_a_job_imports_a_shipped_script(stage):
    stage.script(
        "digger",
        """
        from goishi.scripts.common.template import Template

        @job
        def dig():
            return Template.__name__

        class Digger(Script):
            found = ""

            def start(self):
                self.start_coroutine(self.go())

            async def go(self):
                self.found = await self.background(dig())
        """,
    )
    slot = stage.open_one("scripts.digger:Digger")
    stage.frames(1)
    stage.app.world.links.settle(30.0)
    stage.frames(1)
    assert slot.instance.found == "Template"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            "from scripts.gomoku.game.match import Match",
            "scripts/gomoku.py, found none; what ships with Goishi: from goishi.scripts.gomoku import",
        ),
        ("import scripts.nothing", "scripts/nothing.py, found none"),
        ("from goishi.scripts.common.nothing import X", "expected the file"),
    ],
)
def test_what_is_not_there_is_told(stage, line, fault):
    stage.script("lost", f"{line}\n\nclass Lost(Script):\n    pass\n")
    slot = stage.open_one("scripts.lost:Lost")
    stage.frames(1)
    assert fault in slot.error.text
    assert ("what ships" in slot.error.text) == ("what ships" in fault)


@pytest.fixture
def moved(stage):
    """A project whose module `scripts.old.spin` stands in `scripts/new/spinning.py` now."""
    (stage.root / "scripts" / "new").mkdir()
    (stage.root / "scripts" / "new" / "spinning.py").write_text(
        "from sim import Script\n\nclass Spin(Script):\n    turns = 3\n"
    )
    (stage.root / MOVED_FILE).write_text('[modules]\n"scripts.old.spin" = "scripts.new.spinning"\n')
    (stage.root / "scripts" / "old").mkdir()
    return stage


def test_a_scene_that_names_the_former_module_opens_and_is_told_once(moved):
    slot = moved.open_one("scripts.old.spin:Spin")
    moved.frames(2)
    assert slot.instance.turns == 3
    told = [item.text for item in moved.app.console.records if "is now" in item.text]
    assert told == [
        "scripts.old.spin is now scripts.new.spinning; the old name still works"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    ["from scripts.old.spin import Spin", "from scripts.old import spin\nSpin = spin.Spin",
     "import scripts.old.spin as other\nSpin = other.Spin"],
)  # fmt: skip
def test_an_import_of_the_former_module_gives_the_one_there_is(moved, line):
    moved.script("user", f"{line}\nfrom scripts.new.spinning import Spin as Here\n"
                         "class User(Script):\n    same = Spin is Here\n")  # fmt: skip
    slot = moved.open_one("scripts.user:User")
    moved.frames(1)
    assert slot.error is None, slot.error
    assert slot.instance.same


def test_a_damaged_list_of_moved_modules_is_one_clear_error(moved):
    (moved.root / MOVED_FILE).write_text("[modules\n")
    slot = moved.open_one("scripts.nowhere:Spin")
    moved.frames(1)
    assert "scripts/moved.toml: expected a TOML file" in slot.error.text


def test_every_module_that_was_moved_stands_where_the_list_says():
    package = ScriptPackage(SHIPPED_ROOT, "goishi_moved_test")
    moved = read_moved(SHIPPED_ROOT)
    assert moved
    for former, present in moved.items():
        assert package.has(present), present
        assert not package.has(former), former
