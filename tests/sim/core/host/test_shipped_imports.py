"""`from goishi.scripts.… import …`: a project's script stands on a shipped one."""

from __future__ import annotations

import pytest


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
    stage.app.links.settle(30.0)
    stage.frames(1)
    assert slot.instance.found == "Template"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            "from scripts.gomoku.match import Match",
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
