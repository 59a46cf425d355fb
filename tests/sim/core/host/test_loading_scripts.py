"""What Goishi loads for a script, and packages that it imports, are no time of the script."""

from __future__ import annotations

import shutil
import sys
import time

import pytest

from base.files import SHIPPED_ROOT
from sim.core.hangs.watchdog import is_importing
from sim.core.scene import building
from sim.core.scene.scene import SlotState
from tests.sim.core.stage import Stage

QUICK = {"script_timeout": 0.2}
SLOW = "import time; time.sleep({})"


def play(stage: Stage, text: str, frames: int = 3) -> None:
    stage.script("one", text)
    stage.open_one("scripts.one:One", settings=QUICK)
    stage.frames(frames)


@pytest.fixture
def packages(stage: Stage, monkeypatch):
    """A folder of packages, two of which take longer to import than a script may."""
    folder = stage.root / "site-packages"
    for name in ("slow_at_once", "slow_later"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(SLOW.format(0.5) + "\nANSWER = 42\n")
    monkeypatch.syspath_prepend(str(folder))
    yield
    for name in ("slow_at_once", "slow_later"):
        sys.modules.pop(name, None)


def test_packages_that_take_long_to_import_are_imported_whole(stage, packages):
    play(
        stage,
        """
        import slow_at_once
        class One(Script):
            def start(self):
                import slow_later
                self.log.info(f"{slow_at_once.ANSWER + slow_later.ANSWER}")
        """,
    )
    assert stage.lines() == []
    assert stage.lines("info") == ["84"]


def test_a_module_of_the_project_that_hangs_is_broken_off(stage):
    (stage.root / "scripts" / "slow.py").write_text(SLOW.format(30.0))
    begun = time.monotonic()
    play(stage, "from scripts import slow\n\n\nclass One(Script): pass\n")
    assert time.monotonic() - begun < 10.0
    (line,) = stage.lines()
    assert line.startswith("ScriptTimeout: did not finish within 0.2 s")


def test_what_a_function_of_a_package_computes_is_the_scripts_time(stage, packages):
    (stage.root / "site-packages" / "slow_later" / "__init__.py").write_text(
        "import time\ndef wait():\n    time.sleep(30)\n"
    )
    play(
        stage,
        "import slow_later\n\n\nclass One(Script):\n    start = lambda self: slow_later.wait()\n",
    )
    (line,) = stage.lines()
    assert line.startswith("ScriptTimeout: did not finish within 0.2 s")
    assert not is_importing(sys._getframe())


def test_a_robot_is_read_in_a_script_with_less_time_than_that_takes(stage):
    pytest.importorskip("mujoco")
    shutil.copytree(SHIPPED_ROOT / "assets" / "models" / "robots", stage.root / "assets" / "robots")
    play(
        stage,
        """
        class One(Script):
            def start(self):
                self.start_coroutine(self.build())
            async def build(self):
                arm = await self.scene.instantiate("assets/robots/arm.urdf")
                elbow = self.scene.find("fore").get(HingeJoint)
                self.log.info(f"{arm.name} {elbow.is_joined}")
        """,
        frames=5,
    )
    assert stage.lines() == []
    assert "arm True" in stage.lines("info")


def test_a_prefab_and_what_a_script_waits_for_below_it(stage, monkeypatch):
    """Reading it is Goishi's time; the await goes on where the scripts of the new object run."""
    (stage.root / "assets").mkdir()
    (stage.root / "assets" / "a.prefab.json").write_text(
        '{"format": "goishi.prefab/1", "name": "P", "components":'
        ' {"cmp_two": {"type": "scripts.two:Two"}}}'
    )
    stage.script("two", "class Two(Script):\n    def start(self): self.is_begun = True\n")
    checker = building.SceneChecker

    def slowly(*arguments):
        time.sleep(0.5)
        return checker(*arguments)

    monkeypatch.setattr(building, "SceneChecker", slowly)
    play(
        stage,
        """
        class One(Script):
            def start(self):
                self.start_coroutine(self.build())
            async def build(self):
                made = await self.scene.instantiate("assets/a.prefab.json")
                again = await made
                self.log.info(f"{made is again} {made.components[0].instance.is_begun}")
        """,
        frames=6,
    )
    assert stage.lines() == []
    assert stage.lines("info") == ["True True"]
    assert stage.slot("cmp_one").state is SlotState.READY
