"""When a frame waits: for an answer that the scene awaits, and for nothing else."""

from __future__ import annotations

import gc
import math
import sys
from queue import SimpleQueue

import pytest

from base.worker.failure import TaskState
from sim.app import pacing
from sim.app.app import App
from sim.app.pacing import (
    EAGER_SECONDS,
    START_FRAMES,
    SWITCH_SECONDS,
    quick_turns,
    short_collections,
)
from sim.core.project.run_options import RunOptions
from sim.core.scene.scene import ComponentSlot
from sim.core.workers.link import Answer
from tests.sim.core.stage import Stage

ASKS = """
class Asks(Script):
    def start(self):
        self.answer = None

    async def ask(self):
        await self.answer
"""


class Inbox(SimpleQueue):
    """Keeps how long anybody waited for a message, and waits for none."""

    def __init__(self):
        self.waits = []

    def get(self, block=True, timeout=None):
        self.waits.append(timeout)
        return super().get_nowait()


class BusyLink:
    """A worker with a request that is not answered."""

    is_busy = True
    owner = None

    def say_goodbye(self):
        pass

    close = say_goodbye


@pytest.fixture
def stage(stage, monkeypatch):
    monkeypatch.setattr(pacing, "waited_of", lambda thread: 0.0)  # as on a machine with time
    stage.script("asks", ASKS)
    return stage


def opened(stage: Stage, speed: float) -> tuple[App, ComponentSlot, list[float]]:
    """Open a scene; return it, and how long each of its frames waits for workers."""
    options = {"instant": True} if math.isinf(speed) else {"speed": speed}
    slot = stage.open_one("scripts.asks:Asks", headless=True, **options)
    stage.app.clock.frame_step = None
    stage.frames(1)
    stage.app.world.links.mailbox.arrived = Inbox()
    return stage.app, slot, stage.app.world.links.mailbox.arrived.waits


def be_asked(app: App, slot: ComponentSlot) -> None:
    """Let a worker owe an answer that a coroutine awaits."""
    app.world.links._links.append(BusyLink())
    slot.instance.answer = Answer(TaskState.RUNNING)
    slot.instance.start_coroutine(slot.instance.ask())


@pytest.mark.parametrize("speed", [1.0, 64.0, math.inf])
@pytest.mark.parametrize("is_eager", [False, True])
def test_a_frame_waits_for_nothing_where_no_answer_is_outstanding(stage, speed, is_eager):
    app, _, waits = opened(stage, speed)
    app.world.links.is_eager = is_eager
    stage.frames(3)
    app.world.links._links.append(BusyLink())  # such as the compiler, for which no script waits
    stage.frames(3)
    assert waits == []


def test_a_scene_that_hurries_waits_for_the_answer_that_it_awaits(stage):
    app, slot, waits = opened(stage, 1.0)
    be_asked(app, slot)
    stage.frames(1)
    assert waits == [], "it does not hurry"
    app.world.links.is_eager = True
    stage.frames(2)
    assert waits == [pytest.approx(EAGER_SECONDS, rel=0.5)] * 2
    slot.instance.answer.finish(3)
    app.world.links._links.pop()
    stage.frames(1)
    assert len(waits) == 2


def test_maximum_speed_goes_on_while_an_answer_is_awaited(stage):
    app, slot, waits = opened(stage, math.inf)
    be_asked(app, slot)
    before = app.clock.time
    stage.frames(5)
    assert waits == []
    assert app.clock.time == pytest.approx(before + 5 * app.clock.fixed_dt)


def test_maximum_speed_waits_where_the_workers_would_get_no_processor(stage, monkeypatch):
    now, waited = [100.0], [0.0]
    app, slot, _ = opened(stage, math.inf)
    monkeypatch.setattr(pacing, "waited_of", lambda thread: waited[0])
    contention = pacing.Contention()
    contention._looked = now[0]
    app._pacing._contention = contention
    monkeypatch.setattr(pacing.time, "perf_counter", lambda: now[0])
    waited[0], now[0] = 0.2, now[0] + 1.0  # a fifth of the last second without a processor
    assert app._pacing.patience == 0.0, "nobody awaits an answer"
    be_asked(app, slot)
    assert app._pacing.patience == EAGER_SECONDS
    now[0] += pacing.RELIEF_SECONDS
    assert app._pacing.patience == 0.0, "a while later it is tried again"


def test_a_scene_that_hurries_for_no_answer_rests_like_any(stage, monkeypatch):
    app, slot, _ = opened(stage, 1.0)
    rests = []
    monkeypatch.setattr("sim.app.pacing.time.sleep", rests.append)
    app.world.links.is_eager = True
    app._pacing.rest(1e12)
    assert len(rests) == 1
    be_asked(app, slot)
    app._pacing.rest(1e12)
    assert len(rests) == 1


def test_other_threads_get_their_turn_sooner_for_as_long_as_it_runs():
    before = sys.getswitchinterval()
    with quick_turns():
        assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
    assert sys.getswitchinterval() == before


@pytest.mark.parametrize(("text", "found"), [
    ("", 0.012), ("step_milliseconds = 30", 0.03), ("step_milliseconds = 0", 0.012),
])  # fmt: skip
def test_a_window_bounds_the_steps_of_a_frame_by_the_setting(tmp_path, text, found, monkeypatch):
    """The part of the app that needs no window."""
    stage = Stage(tmp_path)
    scene = stage.root / "scenes" / "a.scene.json"
    scene.write_text('{"format": "goishi.scene/1", "id": "scn_stage", "objects": {}}')
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "settings.toml").write_text(text)
    monkeypatch.setattr(App, "_open_display", lambda self, given: None)
    for headless in (False, True):
        app = App(
            RunOptions(scene=scene, headless=headless, seconds=1.0, data_dir=tmp_path / "data")
        )
        assert app.clock.step_seconds == (math.inf if headless else pytest.approx(found))
        app.close()


def test_what_a_start_made_is_not_looked_through_again_until_the_run_ends():
    with short_collections() as after_frame:
        for _ in range(START_FRAMES - 1):
            after_frame()
        assert gc.get_freeze_count() == 0
        after_frame()
        frozen = gc.get_freeze_count()
        after_frame()
        assert gc.get_freeze_count() == frozen > 10_000
    assert gc.get_freeze_count() == 0
