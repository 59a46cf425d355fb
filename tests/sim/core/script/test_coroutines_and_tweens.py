"""Coroutines and tweens: what they wait for, how they end, and the laws of easing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.scene.scene import SlotState
from sim.core.script.user_code import steps_of
from sim.core.tasks.waits import EASINGS, NextFrame, Seconds, Tween, Until, as_wait, easing
from tests.sim.core.stage import Stage

names = st.sampled_from(sorted(EASINGS))
shares = st.floats(0.0, 1.0)
MONOTONE = [n for n in EASINGS if not n.startswith(("back", "elastic", "bounce"))]


# -- easing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EASINGS)
def test_a_curve_goes_from_0_to_1(name):
    assert easing(name)(0.0) == pytest.approx(0.0, abs=1e-9)
    assert easing(name)(1.0) == pytest.approx(1.0, abs=1e-9)


@given(names, shares)
def test_a_curve_is_finite_and_near_its_range(name, t):
    value = easing(name)(t)
    assert math.isfinite(value)
    assert -0.6 <= value <= 1.6


@given(st.sampled_from(MONOTONE), shares, shares)
def test_a_plain_curve_never_turns_back(name, a, b):
    low, high = sorted((a, b))
    assert easing(name)(low) <= easing(name)(high) + 1e-9


@given(st.sampled_from([n[:-3] for n in EASINGS if n.endswith("_in")]), shares)
def test_out_is_in_seen_from_the_end(name, t):
    assert easing(f"{name}_out")(t) == pytest.approx(1.0 - easing(f"{name}_in")(1.0 - t), abs=1e-9)


@given(st.sampled_from([n for n in EASINGS if n.endswith("_in_out")]), shares)
def test_in_out_is_symmetric(name, t):
    if t != 0.5:
        assert easing(name)(t) + easing(name)(1.0 - t) == pytest.approx(1.0, abs=1e-9)


def test_an_unknown_curve_names_the_known():
    with pytest.raises(ValueError, match="expected one of bounce_in, bounce_out, linear, quad_in"):
        easing("bouncy")


@given(
    names,
    st.floats(-1e3, 1e3),
    st.floats(-1e3, 1e3),
    st.floats(0.01, 10.0),
    st.lists(st.floats(0.0, 1.0), max_size=5),
)
def test_a_tween_begins_at_the_start_and_ends_at_the_end_exactly(name, start, end, length, asks):
    values: list[float] = []
    tween = Tween(values.append, start, end, length, name)
    assert not tween.ready(5.0, False)
    for share in sorted(asks):
        tween.ready(5.0 + share * length * 0.99, False)
    assert tween.ready(5.0 + length, False)
    assert values[0] == pytest.approx(start, abs=1e-6)
    assert values[-1] == end


def test_a_tween_of_vectors_and_one_without_a_length():
    values = []
    tween = Tween(values.append, (0, 0, 0), (2, 4, 6), 2.0)
    tween.ready(0.0, False)
    tween.ready(1.0, False)
    assert values[-1].tolist() == [1.0, 2.0, 3.0]
    assert Tween(values.append, 0.0, 8.0, 0.0).ready(0.0, False)
    assert values[-1] == 8.0


def test_with_less_motion_a_value_is_at_its_end_at_once_and_the_wait_lasts_as_long():
    values = []
    tween = Tween(values.append, 0.0, 8.0, 2.0, jumps=True)
    assert not tween.ready(0.0, False)
    assert not tween.ready(1.0, False)
    assert tween.ready(2.0, False)
    assert values == [8.0, 8.0, 8.0]


def test_instant_time_ends_every_timed_wait():
    values = []
    assert Seconds(100.0).ready(0.0, True)
    assert Tween(values.append, 0.0, 3.0, 100.0).ready(0.0, True)
    assert values == [3.0]
    assert not Until(lambda: False).ready(0.0, True)


# -- waits ------------------------------------------------------------------------------------


@given(st.floats(0.0, 100.0), st.floats(0.0, 100.0))
def test_seconds_count_from_the_first_ask(begin, duration):
    wait = Seconds(duration)
    assert wait.ready(begin, False) == (duration <= 1e-9) or duration < 1e-6
    assert wait.ready(begin + duration, False)


def test_what_can_be_waited_for():
    assert isinstance(as_wait(None), NextFrame)
    assert isinstance(as_wait(2), Seconds)
    wait = Seconds(1.0)
    assert as_wait(wait) is wait
    with pytest.raises(TypeError, match="expected a wait, seconds or None, got 'soon'"):
        as_wait("soon")
    with pytest.raises(TypeError, match="expected a coroutine or generator"):
        steps_of(test_what_can_be_waited_for)


# -- in a scene -------------------------------------------------------------------------------


def walker(stage: Stage, body: str, **options):
    """Open a scene whose one component runs `go`; its `seen` collects what it notes."""
    stage.script(
        "walk",
        "class Walk(Script):\n"
        "    def awake(self):\n        self.seen = []\n"
        "    def start(self):\n        self.task = self.start_coroutine(self.go())\n" + body,
    )
    return stage.open_one("scripts.walk:Walk", **options)


def test_seconds_pass_in_scene_time(stage):
    slot = walker(
        stage,
        "    async def go(self):\n"
        "        self.seen.append(self.time.now)\n"
        "        await self.seconds(0.5)\n"
        "        self.seen.append(self.time.now)\n",
    )
    stage.frames(20)
    assert len(slot.instance.seen) == 1
    stage.frames(20)
    begun, ended = slot.instance.seen
    assert ended - begun == pytest.approx(0.5, abs=2.5 / 60)
    assert slot.instance.task.done


def test_a_paused_clock_holds_coroutines(stage):
    slot = walker(
        stage,
        "    async def go(self):\n"
        "        while True:\n            await self.next_frame()\n            self.seen.append(1)\n",
    )
    stage.frames(3)
    count = len(slot.instance.seen)
    stage.app.clock.pause()
    stage.frames(5)
    assert len(slot.instance.seen) == count


def test_a_step_a_frame(stage):
    slot = walker(
        stage,
        "    async def go(self):\n"
        "        while True:\n"
        "            self.seen.append(self.time.frame)\n            await self.next_frame()\n",
    )
    stage.frames(6)
    later = slot.instance.seen[1:]
    assert later == list(range(later[0], later[0] + len(later)))


def test_generators_are_coroutines_too(stage):
    slot = walker(
        stage,
        "    def go(self):\n"
        "        yield\n        self.seen.append('frame')\n"
        "        yield 0.05\n        self.seen.append('seconds')\n"
        "        yield self.until(lambda: self.time.frame > 8)\n        self.seen.append('until')\n"
        "        return 7\n",
    )
    stage.frames(12)
    assert slot.instance.seen == ["frame", "seconds", "until"]
    assert slot.instance.task.value == 7


def test_one_coroutine_waits_for_another(stage):
    slot = walker(
        stage,
        "    async def go(self):\n"
        "        other = self.start_coroutine(self.inner())\n"
        "        self.seen.append(await other)\n"
        "    async def inner(self):\n        await self.seconds(0.05)\n        return 'done'\n",
    )
    stage.frames(10)
    assert slot.instance.seen == ["done"]


def test_move_to_arrives(stage):
    slot = walker(
        stage,
        "    async def go(self):\n"
        "        await self.move_to((1, 2, 3), seconds=0.1, ease='bounce_out')\n"
        "        await self.rotate_to((90, 0, 0), seconds=0.05)\n"
        "        await self.scale_to((2, 2, 2), seconds=0.05)\n",
    )
    stage.frames(25)
    transform = slot.object.transform
    assert list(transform.position) == pytest.approx([1, 2, 3])
    assert list(transform.scale) == pytest.approx([2, 2, 2])
    assert slot.instance.task.done
    assert stage.errors() == 0


def test_instant_time_ends_waits_at_their_first_ask(stage):
    slot = walker(
        stage,
        "    async def go(self):\n"
        "        await self.seconds(1000)\n        self.seen.append(1)\n"
        "        await self.move_to((5, 0, 0), seconds=1000)\n        self.seen.append(2)\n",
        instant=True,
    )
    assert stage.app.clock.instant
    stage.frames(4)
    assert slot.instance.seen == [1, 2]
    assert slot.object.transform.position[0] == pytest.approx(5.0)


FINALLY = (
    "    async def go(self):\n"
    "        try:\n            await self.seconds(1000)\n"
    "        finally:\n            self.seen.append('finally')\n"
)


def test_destroying_the_object_cancels_its_coroutines(stage):
    slot = walker(stage, FINALLY)
    stage.frames(2)
    instance = slot.instance
    stage.app.scene.destroy(slot.object)
    stage.frames(1)
    assert instance.seen == ["finally"]
    assert instance.task.done


def test_the_end_of_the_app_cancels_coroutines(stage):
    slot = walker(stage, FINALLY)
    stage.frames(2)
    stage.app.close()
    assert slot.instance.seen == ["finally"]


def test_a_cancelled_coroutine_does_not_go_on_and_twice_is_once(stage):
    slot = walker(stage, FINALLY)
    stage.frames(2)
    slot.instance.task.cancel()
    slot.instance.task.cancel()
    stage.frames(3)
    assert slot.instance.seen == ["finally"]
    assert slot.state is SlotState.READY


def test_an_error_in_a_finally_block_is_one_line(stage):
    slot = walker(stage, FINALLY.replace("self.seen.append('finally')", "1 / 0"))
    stage.frames(2)
    stage.app.scene.destroy(slot.object)
    stage.frames(2)
    assert stage.lines() == ["ZeroDivisionError: division by zero"]


def test_after_an_error_a_retry_starts_the_lost_coroutines_again(stage):
    slot = walker(
        stage,
        "    fail = True\n"
        "    async def go(self):\n"
        "        while True:\n            await self.next_frame()\n            self.seen.append(1)\n"
        "    def update(self, dt):\n        if Walk.fail: 1 / 0\n",
    )
    stage.frames(3)
    assert slot.state is SlotState.QUARANTINED
    assert slot.instance.task.done
    type(slot.instance).fail = False
    stage.app.host.retry(slot)
    stage.frames(4)
    assert slot.instance.seen
    assert not slot.instance.task.done


def test_an_error_in_a_predicate_belongs_to_the_component(stage):
    slot = walker(stage, "    async def go(self):\n        await self.until(lambda: 1 / 0)\n")
    stage.frames(3)
    assert slot.state is SlotState.QUARANTINED
    assert stage.errors() == 1
    assert slot.error.hook == "go"


def test_awaiting_nonsense_is_an_error_of_the_component(stage):
    slot = walker(stage, "    def go(self):\n        yield 'soon'\n")
    stage.frames(2)
    assert slot.state is SlotState.QUARANTINED
    assert "expected a wait, seconds or None" in stage.lines()[0]


AWAITS = """
class Waiting(Script):
    def start(self):
        self.first = self.second = self.third = None
        self.first = self.start_coroutine(self.a())
        self.second = self.start_coroutine(self.b())
        self.third = self.start_coroutine(self.c())

    async def a(self):
        await self.seconds(0.01)
        await self.{a}

    async def b(self):
        await self.seconds(0.02)
        await self.{b}

    async def c(self):
        await self.seconds(0.03)
        self.ended = True
"""


@pytest.mark.parametrize(
    ("a", "b", "circle"),
    [("first", "third", "a → a"), ("second", "first", "b → a → b"), ("second", "third", "")],
)
def test_coroutines_that_wait_for_each_other_are_one_error(stage, a, b, circle):
    stage.script("waiting", AWAITS.format(a=a, b=b))
    slot = stage.open_one("scripts.waiting:Waiting")
    stage.frames(20)
    if not circle:
        assert slot.instance.ended
        assert stage.errors() == 0
        return
    (line,) = stage.lines()
    said = f"await: expected a coroutine that can end, found a circle of waits: {circle}"
    assert f"DeadlockError: {said}" in line


def test_a_circle_of_waits_can_be_caught(stage):
    text = AWAITS.format(a="first", b="third").replace(
        "        await self.first\n",
        "        try:\n            await self.first\n        except RuntimeError:\n"
        "            await self.seconds(0.01)\n            self.is_caught = True\n",
    )
    stage.script("waiting", text)
    slot = stage.open_one("scripts.waiting:Waiting")
    stage.frames(20)
    assert slot.instance.is_caught
    assert stage.errors() == 0
