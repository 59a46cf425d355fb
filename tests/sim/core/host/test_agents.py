"""Agents in the app: who is asked when, what counts, and what a fault does."""

from __future__ import annotations

import numpy as np
import pytest

from base.policies.policy import Policy, save_policy
from base.storage.card_file import CardFileError
from sim.core.script.spaces import Box, Spaces, plain_space
from tests.sim.core.stage import thing

WALKER = """
class Walker(Agent):
    action_space = Discrete(2)
    observation_space = Box(-1000, 1000, (1,))

    def awake(self):
        self.x, self.log_of = 0, []

    def reset(self, rng):
        self.x = int(rng.integers(5))
        self.log_of.append(("reset", self.x))

    def observe(self):
        return [self.x]

    def decide(self, observation):
        self.log_of.append(("decide", int(observation[0])))
        return 1

    def act(self, action):
        self.log_of.append(("act", action))

    def fixed_update(self, dt):
        self.x += 1
        self.reward += 0.5
        self.done = self.x >= 9
"""


def test_without_a_learner_an_agent_decides_itself_and_episodes_follow_each_other(stage) -> None:
    stage.script("a", WALKER)
    slot = stage.open_one("scripts.a:Walker", instant=True, fields={"decision_every": 2})
    stage.frames(40)
    log = slot.instance.log_of
    starts = [x for what, x in log if what == "reset"]
    assert len(starts) > 4
    assert len(set(starts)) > 1
    first = log[: log.index(("reset", starts[1]), 1)]
    begin = starts[0]
    decisions = range(begin, 9, 2)
    wanted = [("reset", begin)]
    for x in decisions:
        wanted += [("decide", x), ("act", 1)]
    assert first == wanted
    returns = stage.app.world.metrics.series("return")[1]
    assert returns[0] == (9 - begin) * 0.5, "each decision sets the reward to 0 before it counts"


def test_the_fixed_steps_are_the_same_at_every_speed(stage) -> None:
    stage.script("a", WALKER)
    logs = []
    for instant, speed in ((True, None), (False, 1.0), (False, 16.0)):
        stage.open(
            {"obj_one": thing("A", {"cmp_one": "scripts.a:Walker"})}, instant=instant,
            **({} if speed is None else {"speed": speed}),
        )  # fmt: skip
        stage.frames(120)
        logs.append(stage.slot("cmp_one").instance.log_of)
    shortest = min(map(len, logs))
    assert shortest > 50
    assert logs[0][:shortest] == logs[1][:shortest] == logs[2][:shortest]


def test_compute_reward_sees_the_bodies_after_their_step(stage) -> None:
    stage.script(
        "a",
        """
        class Faller(Agent):
            action_space = Discrete(1)
            observation_space = Box(-100, 100, (1,))

            def awake(self):
                self.before, self.after = [], []

            def observe(self):
                return [self.object.transform.position[2]]

            def fixed_update(self, dt):
                self.before.append(float(self.object.transform.position[2]))

            def compute_reward(self):
                self.after.append(float(self.object.transform.position[2]))
    """,
    )
    ball = thing(
        "Ball", {"cmp_body": "sim:RigidBody", "cmp_one": "scripts.a:Faller"},
        model={"builtin": "sphere", "radius": 0.5}, position=[0, 0, 9],
    )  # fmt: skip
    stage.open({"obj_ball": ball}, instant=True)
    stage.frames(10)
    faller = stage.slot("cmp_one").instance
    assert faller.after[:-1] == faller.before[1:]
    assert faller.after[-1] < faller.before[0]


def test_the_former_name_of_compute_reward_goes_on_working_with_one_line(stage) -> None:
    stage.script(
        "a",
        """
        class Old(Agent):
            action_space = Discrete(1)
            observation_space = Box(-100, 100, (1,))

            def observe(self):
                return [0.0]

            def judge(self):
                super().judge()
                self.reward += 2.0

        class New(Old):
            def compute_reward(self):
                self.reward += 3.0

        class Older(New):
            def judge(self):
                super(Old, self).judge()
    """,
    )
    classes = {"old": "Old", "two": "Old", "new": "New", "older": "Older"}
    stage.open({
        f"obj_{name}": thing(name, {f"cmp_{name}": f"scripts.a:{cls}"})
        for name, cls in classes.items()
    }, instant=True)  # fmt: skip
    stage.frames(3)
    rewards = {run.slot.id: run.reward for run in stage.app.host.agents.running}
    assert rewards == {"cmp_old": 2.0, "cmp_two": 2.0, "cmp_new": 3.0, "cmp_older": 3.0}
    told = [str(one) for one in stage.app.host.console.records if "judge" in str(one)]
    assert len(told) == 2
    assert "Old.judge is now compute_reward; the old name still works" in told[0]


def test_the_observed_fields_are_the_observation(stage) -> None:
    stage.script(
        "a",
        """
        class Fields(Agent):
            action_space = Discrete(2)
            height: float = field(1.5, min=0, max=4, observed=True)
            place: tuple[float, float, float] = field((1.0, 2.0, 3.0), observed=True)
            other: float = field(7.0)
            lit: bool = field(True, observed=True)
    """,
    )
    slot = stage.open_one("scripts.a:Fields", instant=True)
    stage.frames(2)
    (seat,) = stage.app.host.agents.running
    assert seat.observation.tolist() == [1.5, 1.0, 2.0, 3.0, 1.0]
    assert seat.observation_space.low.tolist() == [0.0, *[float("-inf")] * 3, 0.0]
    assert seat.observation_space.high.tolist() == [4.0, *[float("inf")] * 3, 1.0]
    slot.instance.height = 2.5
    stage.frames(1)
    assert seat.observation[0] == 2.5


def test_an_episode_is_cut_off_after_so_many_decisions(stage) -> None:
    stage.script("a", WALKER.replace("self.x >= 9", "False"))
    stage.open_one("scripts.a:Walker", instant=True, fields={"most_decisions": 3})
    stage.frames(10)
    log = stage.slot("cmp_one").instance.log_of
    assert [what for what, _ in log][:8] == ["reset", *["decide", "act"] * 3, "reset"]


def test_agents_wait_for_each_other_before_the_next_episode(stage) -> None:
    stage.script("a", WALKER)
    stage.open({
        "obj_aaa": thing("A", {"cmp_aaa": ("scripts.a:Walker", {})}),
        "obj_bbb": thing("B", {"cmp_bbb": ("scripts.a:Walker", {"most_decisions": 2})}),
    }, instant=True)  # fmt: skip
    stage.frames(30)
    resets = [
        sum(what == "reset" for what, _ in stage.slot(name).instance.log_of)
        for name in ("cmp_aaa", "cmp_bbb")
    ]
    assert resets[0] == resets[1] > 2
    assert stage.app.host.agents.episodes == resets[0]
    assert set(stage.app.world.metrics.names()) == {"return: A", "return: B"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "observe(self):\n        return [float('nan')]",
            "Walker.observe: expected finite numbers",
        ),
        ("observe(self):\n        return [1, 2]", "Walker.observe: expected finite numbers [1]"),
        ("decide(self, o):\n        return 5", "Walker.act: expected a whole number from 0 to 1"),
        ("judge(self):\n        self.reward = float('nan')", "Walker.reward: expected a finite"),
        ("judge(self):\n        self.reward = 'much'", "Walker.reward: expected a finite number"),
        ("act(self, action):\n        1 / 0", "division by zero"),
        (
            "__setattr__(self, name, value):\n        super().__setattr__(name, value)\n"
            "        if name == 'info' and any(what == 'act' for what, _ in self.log_of):\n"
            "            1 / 0",
            "division by zero",
        ),
        ("reset(self, rng):\n        1 / 0", "division by zero"),
    ],
)
def test_a_fault_sets_one_agent_aside_with_one_line_and_the_other_goes_on(
    stage, text, line
) -> None:
    stage.script("a", f"{WALKER}\n    def {text}\n\nclass Sound(Agent):\n"
                 "    action_space = Discrete(2)\n    observation_space = Discrete(1)\n    n = 0\n"
                 "    def observe(self):\n        return 0\n"
                 "    def act(self, action):\n        self.n += 1\n")  # fmt: skip
    stage.open({
        "obj_aaa": thing("A", {"cmp_aaa": "scripts.a:Walker"}),
        "obj_bbb": thing("B", {"cmp_bbb": "scripts.a:Sound"}),
    }, instant=True)  # fmt: skip
    stage.frames(10)
    assert len(stage.lines()) == 1
    assert line in stage.lines()[0]
    assert stage.slot("cmp_bbb").instance.n >= 9


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("action_space = 5", "A.action_space: expected Box, Discrete"),
        ("pass", "A.action_space: expected Box, Discrete, MultiDiscrete, MultiBinary or a dict"),
        ("action_space = Discrete(2)", "A.observation_space: expected a space, or fields with"),
        ("action_space = Discrete(2)\n    name_of: str = field('x', observed=True)",
         "A.name_of: expected an observed field of numbers"),
        ("action_space = Discrete(2)\n    observation_space = Box(0, 1)\n"
         "    def act(self): ...", "A.act: expected the parameters (self, action)"),
    ],
)  # fmt: skip
def test_a_wrong_declaration_is_told_when_the_script_is_loaded(stage, body, line) -> None:
    stage.script("a", f"class A(Agent):\n    {body}\n")
    slot = stage.open_one("scripts.a:A", instant=True)
    assert slot.instance is None
    assert any(line in text for text in stage.lines()), stage.lines()


def test_a_saved_file_takes_over_and_the_episode_goes_on(stage) -> None:
    stage.script("a", WALKER.replace("self.x >= 9", "False"))
    slot = stage.open_one("scripts.a:Walker", instant=True)
    stage.frames(5)
    changed = WALKER.replace("self.x >= 9", "False").replace("return 1", "return 0")
    assert stage.save("a", changed)
    stage.frames(3)
    log = slot.instance.log_of
    assert log[-1] == ("act", 0)
    assert ("act", 1) in log


def always(action: int, sees: Spaces, count: int = 2) -> Policy:
    """Return a policy that does the same whatever it sees."""
    size = int(np.prod(sees.shape))
    layer = np.zeros((size, count), np.float32), np.eye(count, dtype=np.float32)[action]
    return Policy(
        plain_space(sees), ("discrete", count, 0), np.zeros(size, np.float32),
        np.ones(size, np.float32), (layer,),
    )  # fmt: skip


def test_a_trained_policy_decides_in_place_of_the_script_until_it_is_taken_away(stage) -> None:
    stage.script("a", WALKER)
    file = stage.root / "assets" / "walks.npz"
    file.parent.mkdir(exist_ok=True)
    save_policy(file, always(0, Box(-1000, 1000, (1,))))
    slot = stage.open_one(
        "scripts.a:Walker", instant=True, fields={"policy_file": "assets/walks.npz"}
    )
    stage.frames(5)
    log = slot.instance.log_of
    assert ("act", 0) in log
    assert not any(what == "decide" for what, _ in log)
    stage.app.host.set_field(slot, "policy_file", "")
    log.clear()
    stage.frames(5)
    assert {part for part in log if part[0] == "act"} == {("act", 1)}
    slot.instance.follow_policy(always(0, Box(-1000, 1000, (1,))))
    log.clear()
    stage.frames(3)
    assert {part for part in log if part[0] == "act"} == {("act", 0)}
    with pytest.raises(
        CardFileError, match=r"Walker: expected a policy for the action space Discr"
    ):
        slot.instance.follow_policy(always(0, Box(-1000, 1000, (1,)), 3))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "assets/none.npz",
            "none.npz: expected a policy that `train ppo` or `train sac` has written, found No s",
        ),
        (
            "../out.npz",
            "Walker.policy_file: expected a path inside the project, found '../out.npz'",
        ),
        ("other.npz", "Walker.policy_file: other.npz: expected a policy for the observation space"),
        (
            "a.txt",
            "a.txt: expected a policy that `train ppo` or `train sac` has written, found BadZipFile",
        ),
    ],
)
def test_a_file_that_holds_no_policy_for_the_agent_is_one_error(stage, name, text) -> None:
    stage.script("a", WALKER)
    save_policy(stage.root / "other.npz", always(0, Box(-1, 1, (3,))))
    (stage.root / "a.txt").write_text("words")
    slot = stage.open_one("scripts.a:Walker", instant=True, fields={"policy_file": name})
    stage.frames(5)
    (error,) = [str(item) for item in stage.app.console.records if item.level == "error"]
    assert text in error
    assert not any(what in ("act", "decide") for what, _ in slot.instance.log_of)
