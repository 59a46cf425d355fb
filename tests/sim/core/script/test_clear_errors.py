"""What a script does wrong is said in the line that does it: expected, found, where."""

from __future__ import annotations

import pytest

from sim.core.assets.animation.rig import AnimationError
from sim.core.geometry.builtin_models import ModelRegistry
from sim.core.scene.fields import FieldError
from sim.core.scene.look_check import look_faults
from tests.sim.core.stage import thing


@pytest.fixture
def script(stage):
    stage.script(
        "plain",
        """
        class Plain(Script):
            told = signal(int)

            def start(self):
                self.kept = []
        """,
    )
    slot = stage.open_one("scripts.plain:Plain")
    stage.frames(1)
    return slot.instance


WRONG = {
    "self.object.model = 'sphere'": (ValueError, 'model: expected {"builtin": name, …}'),
    "self.object.material = 3": (ValueError, "material: expected a map"),
    "self.object.add('sim:RigidBody', mas=1)": (FieldError, "expected the fields kind, mass"),
    "self.scene.destroy('Ball')": (TypeError, "destroy: expected an object of the scene"),
    "self.metrics.log('x', 'a')": (ValueError, "metric x: expected a finite number, got 'a'"),
    "self.run.finish('x')": (ValueError, "finish: expected an exit code from 0 to 255"),
    "self.told.connect(3)": (TypeError, "connect: expected a function to call, found 3"),
    "self.panel('Mine', 3)": (TypeError, "expected a function to call later, found 3"),
    "self.command('go', 'Go', 'start')": (TypeError, "expected a function to call later"),
    "self.background(3)": (TypeError, "expected a @job function's call or a worker's request"),
    "self.background(len)": (TypeError, "call it: self.background"),
    "self.seconds('a')": (ValueError, "seconds: expected a number, found 'a'"),
    "self.move_to((0, 1), seconds=1)": (ValueError, "position: expected three finite numbers"),
    "self.move_to((0, 1, 2), seconds='x')": (ValueError, "seconds: expected a finite number"),
    "self.tween(3, 0, 1, seconds=1)": (ValueError, "tween: expected a function to call"),
    "self.tween(print, 0, (1, 2), seconds=1)": (ValueError, "expected an end like 0"),
    "self.scene.camera.fly_to((0, 0, 0))": (ValueError, "view: expected a CameraView"),
    "self.scene.camera.lead('x')": (ValueError, "view: expected a CameraView"),
    "self.hud.canvas('s', draw=3)": (TypeError, "expected a function to call later, found 3"),
}


@pytest.mark.parametrize("code", WRONG)
def test_a_wrong_call_says_what_was_expected(script, code):
    kind, text = WRONG[code]
    with pytest.raises(kind) as caught:
        exec(code, {"self": script})
    assert text in str(caught.value)


def test_a_builtin_model_has_no_clips_and_nobody_waits_for_them(stage, script):
    script.object.model = {"builtin": "box"}
    animation = script.object.animation
    for call in (
        lambda: animation.play("walk"),
        lambda: animation.pose("walk"),
        lambda: animation.joint("head"),
        lambda: animation.drive("head", (0, 0, 0)),
        lambda: animation.duration("walk"),
    ):
        with pytest.raises(AnimationError, match="expected a model from a file, found the builtin"):
            call()
    wait = animation.loaded()
    assert wait.ready(0.0, False)
    assert wait.result() is False
    script.object.model = None
    assert not animation.loaded().ready(0.0, False), "one may still be assigned"
    with pytest.raises(ValueError, match="speed: expected a finite number, found 'fast'"):
        animation.play("walk", speed="fast")


@pytest.mark.parametrize(
    ("model", "material", "faults"),
    [
        ({"builtin": "sphere", "radius": 1}, {"color": [1, 0.5, 0], "roughness": 0.2}, []),
        ({"asset": "assets/x.glb", "more": 1}, {"layer": 2, "unlit": True, "emission": 4}, []),
        ({"size": 1}, {}, ["model: expected either builtin or asset, found size"]),
        ({"builtin": "sphare"}, {}, ["model: expected one of sphere, bar, "]),
        ({"builtin": "sphere", "radus": 1}, {}, ["model: expected the keys radius, origin beside"]),
        ({}, {"rougness": 0.3}, ["material: expected the keys color, "]),
        ({}, {"color": "red"}, ["material.color: expected three numbers from 0 to 1, found 'red'"]),
        ({}, {"color": [2, 0, 0]}, ["material.color: "]),
        ({}, {"opacity": "x", "roughness": 7}, ["material.roughness: ", "material.opacity: "]),
    ],
)
def test_a_misspelt_look_is_found(model, material, faults):
    found = look_faults(model, material, ModelRegistry())
    assert len(found) == len(faults)
    for text, begin in zip(found, faults, strict=True):
        assert text.startswith(begin)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("a: int = field('x')", "T.a: expected a whole number, found 'x'"),
        ("a: int = field(5, max=3)", "T.a: expected a whole number of at most 3, found 5"),
        ("a: set = field(None)", "T.a: expected a type that docs/scripting.md lists under Fields"),
        ("a: Nothing = field(None)", "T.a: expected a known type"),
        ("async def update(self, dt): pass", "T.update: expected a plain function"),
        ("def start(self):\n        yield 1", "start that by self.start_coroutine"),
    ],
)
def test_a_wrong_declaration_is_told_when_the_script_is_loaded(stage, body, fault):
    stage.script("wrong", f"class T(Script):\n    {body}\n")
    slot = stage.open_one("scripts.wrong:T")
    assert fault in slot.error.text


def test_components_that_are_added_take_objects_paths_and_tuples(stage):
    stage.script(
        "taker",
        """
        class Taker(Script):
            other: SceneObject = field(None)
            mate: Script = field(None)
            picture: Asset = field(None)
            tint: Color = field((1, 1, 1))
        """,
    )
    stage.script(
        "giver",
        """
        class Giver(Script):
            def start(self):
                made = self.scene.spawn("Made")
                made.add("scripts.taker:Taker", other=self.object, mate=self,
                         picture="assets/x.png", tint=(1, 0, 0))
                self.taker = made.get("Taker")
        """,
    )
    slot = stage.open_one("scripts.giver:Giver")
    stage.frames(2)
    assert stage.errors() == 0
    taker = slot.instance.taker
    assert taker.other is slot.object
    assert taker.mate is slot.instance
    assert (taker.picture, taker.tint) == ("assets/x.png", (1.0, 0.0, 0.0))


def test_what_is_made_and_destroyed_in_one_frame_never_wakes(stage):
    stage.script(
        "brief",
        """
        class Brief(Script):
            def awake(self):
                self.log.error("awake")
        """,
    )
    stage.script(
        "maker",
        """
        class Maker(Script):
            def start(self):
                made = self.scene.spawn("Made", model={"builtin": "box"})
                made.add("scripts.brief:Brief")
                made.add("sim:RigidBody")
                made.destroy()
        """,
    )
    stage.open({"obj_maker1": thing("Maker", {"cmp_maker1": ("scripts.maker:Maker", {})})})
    stage.frames(3)
    assert stage.errors() == 0
    assert stage.app.scene.find("Made") is None


def test_asyncio_in_a_coroutine_is_told_what_to_await(stage):
    stage.script(
        "sleeper",
        """
        import asyncio

        class Sleeper(Script):
            def start(self):
                self.start_coroutine(self.sleep())

            async def sleep(self):
                await asyncio.sleep(0.1)
        """,
    )
    slot = stage.open_one("scripts.sleeper:Sleeper")
    stage.frames(2)
    assert "await self.seconds(...)" in slot.error.text
