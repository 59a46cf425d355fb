"""State of scripts after a save: values of the old module's classes are those of the new one."""

from __future__ import annotations

import textwrap

import pytest

from sim.core.host.import_uses import ImportedSource
from sim.core.scene.scene import SlotState
from tests.sim.core.stage import thing

STATES = """
import collections, dataclasses, enum, functools, typing

class State(enum.Enum):
    IDLE = 0
    WALK = 1
    RUN = 2

class Ways(enum.Flag):
    LEFT = 1
    RIGHT = 2

class Foe:
    def __init__(self, name): self.name = name
    def call(self): return "old " + self.name

class Boss(Foe):
    __slots__ = ("rank",)

@dataclasses.dataclass(frozen=True)
class Plan:
    state: State
    steps: tuple = ()

class Pair(typing.NamedTuple):
    one: State
    two: Foe

def act(): return "old"
def again(f): return lambda: f()

class Walker(Script):
    class Mood(enum.StrEnum):
        GOOD = "good"

    def start(self):
        self.foe = Foe("orc")
        self.state = State.WALK
        self.ways = Ways.LEFT | Ways.RIGHT
        self.mood = Walker.Mood.GOOD
        self.plan = Plan(State.RUN, (State.IDLE, (State.WALK, self.foe)))
        self.pair = Pair(State.RUN, self.foe)
        self.kept = {
            "list": [State.IDLE, [State.WALK]],
            "set": {State.RUN},
            "frozen": frozenset({State.RUN}),
            "deque": collections.deque([State.WALK], maxlen=3),
            State.WALK: {"deep": [{"state": State.RUN}]},
            (State.IDLE, 1): self.foe,
        }
        self.made = collections.defaultdict(Foe)
        self.kind, self.act, self.own = Foe, act, self.step
        self.bound = self.foe.call
        self.part = functools.partial(act)
        state = State.WALK
        self.closed = lambda: state
        boss = Boss("b"); boss.rank = State.RUN; self.boss = boss
        self.numbers = list(range(1000))
        self.start_coroutine(self.wait())

    async def wait(self):
        while self.state is State.WALK:
            await self.next_frame()
        self.ended = self.state

    def step(self): return "old step"

    def check(self):
        k = self.kept
        return {
            "enum": self.state is State.WALK,
            "flags": self.ways is (Ways.LEFT | Ways.RIGHT),
            "nested": self.mood is Walker.Mood.GOOD,
            "instance": type(self.foe) is Foe,
            "dataclass": type(self.plan) is Plan and self.plan.state is State.RUN,
            "tuple": self.plan.steps[0] is State.IDLE and self.plan.steps[1][0] is State.WALK,
            "the same": self.plan.steps[1][1] is self.foe is k[State.IDLE, 1],
            "namedtuple": type(self.pair) is Pair and self.pair.one is State.RUN,
            "list": k["list"][0] is State.IDLE and k["list"][1][0] is State.WALK,
            "set": k["set"] == {State.RUN} and k["frozen"] == {State.RUN},
            "deque": k["deque"][0] is State.WALK and k["deque"].maxlen == 3,
            "key": k[State.WALK]["deep"][0]["state"] is State.RUN,
            "order": list(k)[:4] == ["list", "set", "frozen", "deque"],
            "factory": self.made.default_factory is Foe,
            "class": self.kind is Foe,
            "function": self.act is act and self.part.func is act,
            "method": self.own() == "new step" and self.bound() == "new orc",
            "closure": self.closed() is State.WALK,
            "subclass": type(self.boss) is Boss and self.boss.rank is State.RUN,
        }
"""
NEW = STATES.replace('"old', '"new')


def failed(slot):
    return [name for name, is_right in slot.instance.check().items() if not is_right]


def test_what_a_script_holds_is_of_the_new_module(stage):
    stage.script("walk", STATES)
    slot = stage.open_one("scripts.walk:Walker")
    stage.frames(2)
    assert failed(slot) == ["method"], "it is new only after the save"
    for _ in range(3):
        assert stage.save("walk", NEW)
        stage.frames(2)
        assert failed(slot) == []
    assert stage.lines("warning") == []
    assert stage.errors() == 0
    slot.instance.state = type(slot.instance.state).RUN
    stage.frames(2)
    assert slot.instance.ended is slot.instance.state, "the running coroutine knows the new members"


def test_what_other_scripts_hold_is_of_the_new_module_too(stage):
    stage.script("states", "import enum\nclass State(enum.Enum):\n    WALK = 1\nclass Foe: pass\n")
    stage.script(
        "user",
        """
        from scripts import states
        from scripts.states import State
        KNOWN = []
        class User(Script):
            rung = signal()
            def start(self):
                self.state, self.foe = State.WALK, states.Foe()
                KNOWN.append(self.foe)
            def is_right(self):
                is_state = self.state is State.WALK is states.State.WALK
                return is_state and type(self.foe) is type(KNOWN[0]) is states.Foe
        """,
    )
    stage.script(
        "other",
        """
        class Other(Script):
            user: Script = field(None)
            def update(self, dt):
                user = self.scene.find("U").get("User")
                self.state = getattr(self, "state", None) or user.state
                self.is_right = self.state is user.state
        """,
    )
    stage.open({"obj_user": thing("U", {"cmp_user": "scripts.user:User"}),
                "obj_other": thing("O", {"cmp_other": "scripts.other:Other"})})  # fmt: skip
    stage.frames(2)
    assert stage.save(
        "states",
        "import enum\nclass State(enum.Enum):\n    STAY = 0\n    WALK = 1\nclass Foe: pass",
    )
    assert stage.slot("cmp_user").instance.is_right()
    stage.frames(1)
    assert stage.slot("cmp_other").instance.is_right
    assert stage.lines("warning") == []


CHANGED = {
    "member": ("class S(enum.Enum):\n    A = 1\n    B = 2\n", "class S(enum.Enum):\n    A = 1\n",
               "S.B", "S.B is gone: 1 value stays as before"),
    "class": ("class S: pass\n", "", "S()", "S is gone: 1 value stays as before"),
    "layout": ("class S(list):\n    __slots__ = ('a',)\n", "class S(list): pass\n", "S()",
               "S: its __slots__ or its bases are others: 1 value stays as before"),
    "fields": ("S = collections.namedtuple('S', 'a')\n", "S = collections.namedtuple('S', 'b a')\n",
               "S(1)", "S: its fields are others: 1 value stays as before"),
    "function": ("def f(): pass\n", "", "f", "f is gone: 1 value stays as before"),
    "required": ("@dataclasses.dataclass\nclass S:\n    a: int = 1\n",
                 "@dataclasses.dataclass\nclass S:\n    b: int\n    c: list = "
                 "dataclasses.field(default_factory=list)\n", "S()",
                 "S.b has no value yet: 1 value stays as before"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_what_cannot_be_moved_is_one_line(stage, name):
    before, after, value, line = CHANGED[name]
    head = "import collections, dataclasses, enum\n"
    keeper = "class Keeper(Script):\n    def start(self): self.kept = {}\n"
    stage.script("kept", head + before + keeper.format(value))
    slot = stage.open_one("scripts.kept:Keeper")
    stage.frames(2)
    assert stage.save("kept", head + after + keeper.format("None"))
    stage.frames(1)
    assert stage.lines("warning") == [f"scripts/kept.py: {line}"]
    assert (slot.state, stage.errors()) == (SlotState.READY, 0)
    assert name != "required" or slot.instance.kept.c == []


def test_an_instance_with_other_slots_is_made_anew_with_what_it_held(stage):
    text = """
        class Foe:
            __slots__ = {slots}
        class Keeper(Script):
            def start(self):
                self.foe = Foe()
                self.foe.a, self.foe.b = 1, self
                self.kept = [self.foe, {{self.foe: (self.foe,)}}]
            def is_right(self):
                ((key, (held,)),) = self.kept[1].items()
                is_one = self.foe is self.kept[0] is key is held
                return is_one and type(self.foe) is Foe and (self.foe.a, self.foe.b) == (1, self)
        """
    stage.script("kept", text.format(slots='("a", "b")'))
    slot = stage.open_one("scripts.kept:Keeper")
    stage.frames(2)
    for slots in ('("a", "b", "c")', '("b", "a")', '("a", "b", "__dict__")'):
        assert stage.save("kept", text.format(slots=slots))
        assert slot.instance.is_right()
    assert stage.lines("warning") == []


def test_a_variable_of_a_running_coroutine_that_is_of_before_is_one_line(stage):
    text = """
        import enum
        class State(enum.Enum):
            WALK = 1
        class Walker(Script):
            def start(self): self.start_coroutine(self.go())
            async def go(self):
                state = State.WALK
                await self.seconds(60)
                self.log.info(str(state))
        """
    stage.script("walk", text)
    stage.open_one("scripts.walk:Walker")
    stage.frames(2)
    assert stage.save("walk", text)
    assert stage.lines("warning") == [
        "scripts/walk.py: the variable state of Walker.go, which is running: "
        "1 value stays as before"
    ]


def test_values_that_raise_or_go_round_in_circles_hurt_nobody(stage):
    text = """
        class Foe:
            def __getattribute__(self, name): raise RuntimeError(name)
            def __hash__(self): raise RuntimeError("hash")
        class Ring:
            pass
        class Keeper(Script):
            def start(self):
                self.foe, self.ring, self.chain = Foe(), Ring(), None
                self.ring.me = [self.ring, self, {"me": self.ring}]
                for _ in range(5000):
                    self.chain = [self.chain, Ring()]
        """
    stage.script("kept", text)
    slot = stage.open_one("scripts.kept:Keeper")
    stage.frames(2)
    assert stage.save("kept", text)
    assert stage.errors() == 0
    assert type(slot.instance.ring) is type(slot.instance.chain[1])
    assert type(slot.instance.ring).__module__.endswith("scripts.kept")
    assert stage.save("kept", text), "and again"
    assert stage.lines("warning") == []


def test_what_waits_and_what_listens_calls_the_new_methods(stage):
    text = """
        class Bell(Script):
            rung = signal()
            def start(self):
                self.heard = []
                self.rung.connect(self.hear)
                self.start_coroutine(self.wait())
            async def wait(self):
                await self.until(self.is_ready)
                self.heard.append("ready")
            def is_ready(self): return {}
            def hear(self): self.heard.append({})
        """
    stage.script("bell", text.format(False, 1))
    slot = stage.open_one("scripts.bell:Bell")
    stage.frames(2)
    assert stage.save("bell", text.format(True, 2))
    stage.frames(2)
    slot.instance.rung.emit()
    slot.instance.rung.disconnect(slot.instance.hear)
    slot.instance.rung.emit()
    assert slot.instance.heard == ["ready", 2]


def test_more_than_is_looked_at_is_one_line(stage, monkeypatch):
    text = """
        class Foe: pass
        class Keeper(Script):
            def start(self):
                self.numbers = [0.5] * 100_000
                self.foes = [Foe() for _ in range({})]
        """
    stage.script("kept", text.format(30))
    slot = stage.open_one("scripts.kept:Keeper")
    stage.frames(2)
    monkeypatch.setattr("sim.core.host.renewal.MOST_VALUES", 5000)
    assert stage.save("kept", text.format(30))
    assert stage.lines("warning") == [], "many numbers count as few values"
    slot.instance.foes *= 400
    assert stage.save("kept", text.format(30))
    assert stage.lines("warning") == [
        "scripts/kept.py: the scripts hold more than is looked at: some values may be of before"
    ]
    assert stage.errors() == 0


# -- what was computed at import ------------------------------------------------------------------


def computing(stage, head, *, uses="TABLE"):
    stage.script("tuning", "SPEED = 2\ndef make(n): return [n] * SPEED\nclass Base: size = 1\n")
    stage.script(
        "user",
        textwrap.dedent(head)
        + f"class User(Script):\n    def update(self, dt): self.found = {uses}\n",
    )
    slot = stage.open_one("scripts.user:User")
    stage.frames(1)
    return slot


COMPUTED = {
    "from": ("from scripts.tuning import SPEED, make\nTABLE = make(SPEED)\n", "TABLE", [3, 3, 3]),
    "module": ("from scripts import tuning\nTABLE = tuning.make(1)\n", "TABLE", [1, 1, 1]),
    "relative": ("from .tuning import SPEED as fast\nTABLE = fast * 2\n", "TABLE", 6),
    "whole name": ("import scripts.tuning\nTABLE = scripts.tuning.SPEED\n", "TABLE", 3),
    "star": ("from scripts.tuning import *\nTABLE = SPEED + 1\n", "TABLE", 4),
    "own function": ("from scripts import tuning\ndef own(): return tuning.SPEED * 5\n"
                     "TABLE = own()\n", "TABLE", 15),
    "default": ("from scripts.tuning import SPEED\ndef f(n=SPEED): return n\n", "f()", 3),
    "class": ("from scripts.tuning import SPEED\nclass A:\n    n = [SPEED]\n", "A.n", [3]),
    "base": ("from scripts.tuning import Base\nclass A(Base): pass\n", "A.size", 9),
    "plain name": ("from scripts.tuning import SPEED\n", "SPEED", 3),
    "in a function": ("from scripts.tuning import make\ndef f(): return make(7)\n", "f()",
                      [7, 7, 7]),
    "late": ("def f():\n    from scripts.tuning import SPEED\n    return SPEED\n", "f()", 3),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPUTED)
def test_what_was_computed_from_a_saved_module_is_computed_again(stage, name):
    head, uses, wanted = COMPUTED[name]
    slot = computing(stage, head, uses=uses)
    assert stage.save(
        "tuning", "SPEED = 3\ndef make(n): return [n] * SPEED\nclass Base: size = 9\n"
    ) or name in ("late",)  # fmt: skip
    stage.frames(1)
    assert slot.instance.found == wanted
    assert stage.errors() == 0
    runs = name not in ("plain name", "in a function", "late")
    assert ("with scripts/user.py" in stage.lines("info")[-1]) is runs


def test_a_module_between_is_followed_and_each_runs_once(stage):
    stage.script("tuning", "SPEED = 2\n")
    stage.script("middle", "from scripts.tuning import SPEED\nimport builtins\nTWICE = SPEED * 2\n")
    stage.script("handed", "from scripts.tuning import SPEED\n")
    stage.script(
        "user",
        """
        from scripts.handed import SPEED
        from scripts.middle import TWICE
        from scripts.tuning import SPEED as fast
        RUNS = []
        TABLE = [SPEED, TWICE, fast]
        class User(Script):
            def start(self): self.count = 0
            def update(self, dt): self.found, self.count = list(TABLE), self.count + 1
            def reloaded(self, old): self.times = getattr(self, "times", 0) + 1
        """,
    )
    slot = stage.open_one("scripts.user:User")
    stage.frames(1)
    assert stage.save("tuning", "SPEED = 5\n")
    stage.frames(1)
    assert (slot.instance.found, slot.instance.count) == ([5, 10, 5], 2)
    assert slot.instance.times == 1
    assert "with scripts/middle.py, scripts/user.py" in stage.lines("info")[-1]
    assert stage.save("tuning", "SPEED = 5  # said again\n")
    assert slot.instance.times == 1, "what is equal is computed from once"


def test_a_module_that_cannot_follow_is_one_line_and_goes_on(stage):
    slot = computing(stage, "from scripts.tuning import SPEED\nTABLE = 6 // SPEED\n")
    assert stage.save("tuning", "SPEED = 0\n")
    stage.frames(1)
    assert slot.instance.found == 3
    assert stage.errors() == 1
    assert "ZeroDivisionError" in stage.lines()[0]
    assert stage.save("tuning", "SPEED = 6\n")
    stage.frames(1)
    assert slot.instance.found == 1


def test_a_name_that_is_gone_is_one_line(stage):
    slot = computing(stage, "from scripts.tuning import SPEED\n", uses="SPEED")
    assert stage.save("tuning", "PACE = 3\n")
    stage.frames(1)
    assert slot.instance.found == 2
    assert stage.lines("warning") == [
        "scripts/user.py: SPEED is gone from scripts/tuning.py: the value of before is kept"
    ]


@pytest.mark.parametrize("default", ["State.IDLE", "None"])
def test_a_field_of_an_enum_of_a_saved_module_goes_on(stage, default):
    states = "import enum\nclass State(enum.Enum):\n    IDLE = 'idle'\n    WALK = 'walk'\n"
    stage.script("states", states)
    stage.script(
        "user",
        f"""
        from scripts.states import State
        class User(Script):
            state: State | None = field({default})
            def is_walking(self): return self.state is State.WALK
        """,
    )
    slot = stage.open_one("scripts.user:User", fields={"state": "walk"})
    stage.frames(1)
    assert stage.save("states", states + "    RUN = 'run'\n")
    stage.frames(1)
    assert slot.instance.is_walking()
    slot.instance.state = type(slot.instance.state).RUN
    assert stage.errors() == 0


def test_what_a_source_takes_is_read_from_it():
    text = """
from typing import TYPE_CHECKING
from scripts.b import one, two as deux, three, four, five
from scripts import b, c
if TYPE_CHECKING:
    from scripts.b import six
    seven = six
def f(x=one): return deux
g = lambda: three
class A(four):
    x: five
"""
    found = ImportedSource(text.encode(), "scripts").use_of(["scripts.b"])
    assert found is not None
    assert found.names == {
        "one": "one", "deux": "two", "three": "three", "four": "four", "five": "five", "b": ""
    }  # fmt: skip
    assert found.computed == {"one"}
    assert (found.bases, found.annotated) == ({"four"}, {"five"})
    assert ImportedSource(text.encode(), "scripts").use_of(["scripts.d"]) is None
