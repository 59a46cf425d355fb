"""`Trainer`: trains the agents of the scene by PPO or SAC while one watches."""

from __future__ import annotations

import hashlib
import json
from itertools import cycle
from typing import Any, Literal

import numpy as np

from ai.messages import ChangePpo, OpenPpo, PausePpo, PolicyLearnt, TrainingStopped
from scripts.learning.panel_parts import (
    Chart,
    FieldSliders,
    Series,
    Slider,
    add_pause_command,
    draw_charts,
    draw_pause,
)
from sim import Agent, Script, Ui, field, tr

ENVIRONMENTS = "sim.app.vector_world:open_vector_world"
LIVE = ("rate", "clip")
SLIDERS = (
    Slider("rate", 1e-5, 1e-2, label=tr("learning rate"), is_logarithmic=True),
    Slider("clip", 0.02, 0.5, label=tr("clip range"), is_logarithmic=True),
)
STATES = {
    "starting": tr("starting"), "learning": tr("learning"), "paused": tr("paused"),
    "done": tr("done"),
}  # fmt: skip
COLORS = ("green", "blue", "amber")
CHART = 130.0


class Trainer(Script):
    """Trains agents in another process, on copies of the scene; the agents here show the result.

    Put it on any object of a scene with agents: all of them learn. Training continues where it
    stopped at the next start. PPO is proximal policy optimisation, SAC is soft actor-critic: two
    methods of reinforcement learning.
    """

    agent: Agent = field(None, help=tr("Who learns, or one of them; none: nobody does"))
    learner: Literal["ppo", "sac"] = field(
        "ppo", help=tr("sac: one agent whose actions are bounded numbers; it needs fewer steps")
    )
    policies: Literal["shared", "teams", "agents"] = field(
        "shared", help=tr("Several agents: all share a policy, each team, or each has its own")
    )
    self_play: bool = field(False, help=tr("Two teams that share a policy: it plays its past, too"))
    steps: int = field(60_000, min=1, max=10**9, help=tr("Decisions to learn from, of all copies"))
    seed: int = field(1, min=0, help=tr("Random seed of weights, actions and episodes"))
    more: str = field(
        "",
        title=tr("More settings"),
        help=tr("As in: gamma=0.98, epochs=4 (`train ppo --set help`, or sac)"),
    )
    rate: float = field(
        1e-3,
        min=1e-7,
        max=1.0,
        title=tr("Learning rate"),
        help=tr("Takes effect at the next update"),
    )
    clip: float = field(
        0.2,
        min=0.001,
        max=1.0,
        help=tr("PPO: how far an update may go; takes effect at the next one"),
    )
    is_paused: bool = field(False, help=tr("Pause the learning; the scene goes on"))
    nice: int = field(
        10,
        min=0,
        max=19,
        title=tr("Niceness"),
        help=tr("0: as important as the rest; 19: yields to it"),
    )

    def awake(self) -> None:
        self.link: Any = None
        self.agents: list[Agent] = []
        self.lines: list[dict[str, Any]] = []
        self.marks: list[tuple[float, str]] = []
        self.state = "starting"
        self.sliders = FieldSliders()
        self.said = ""
        self._known = self.wanted

    @property
    def live(self) -> dict[str, float]:
        """The settings, by name, that may change during training."""
        return {key: float(getattr(self, key)) for key in LIVE}

    @property
    def wanted(self) -> tuple[object, ...]:
        """The live settings and whether training is paused; a change is sent to the worker."""
        return self.rate, self.clip, self.is_paused

    def start(self) -> None:
        if self.run.is_environment or self.agent is None:
            return  # a copy of the scene, in which somebody else learns
        self.agents = [
            slot.instance
            for slot in self.scene.components()
            if isinstance(slot.instance, Agent) and slot.is_active
        ]
        for agent in self.agents:
            agent.slot.enabled = False  # nothing is learnt yet
        add_pause_command(self, "training_pause")
        self.panel(tr("Training"), self.draw, dock="right", icon="chart-line")
        own = {"nice": self.nice}
        self.link = self.workers.open(
            "PPO", "ai.workers.ppo:main", own, on_restart=self._open, owner=self.slot
        )
        self.link.on_message = self.handle
        self._open(self.link)
        self.status.set("training", tr("Loading TensorFlow"), busy=True)

    def _open(self, link: Any) -> None:
        """Ask a new or restarted worker process to learn."""
        pairs = (item.partition("=") for item in self.more.split(",") if item.strip())
        settings = {key.strip(): value.strip() for key, _, value in pairs}
        plan: list[object] = [self.steps, self.seed, settings]
        who: dict[str, Any] = {}
        if len(self.agents) > 1:
            who = {"policies": self.policies, "is_self_play": self.self_play}
            plan.append(who)
        if self.learner != "ppo":
            who["method"] = self.learner
            plan.append(self.learner)
        digest = hashlib.sha256(json.dumps(plan).encode()).hexdigest()[:8]
        folder = self.run.scene_dir / f"{self.learner}_{digest}"
        if self.is_paused:
            link.send(PausePpo(True))
        scene = str(self.run.scene_path.resolve())
        order = (self.steps, self.seed, settings, self.live, str(folder))
        link.send(OpenPpo(scene, ENVIRONMENTS, *order, **who))

    def toggle_pause(self) -> None:
        """Pause or resume the learning."""
        self.slot.host.set_field(self.slot, "is_paused", not self.is_paused)

    def validate(self) -> None:
        if self.link is None or self.wanted == self._known:
            return
        before, self._known = self._known, self.wanted
        if before[2] != self.is_paused:
            self.link.send(PausePpo(self.is_paused))
        if before[:2] != self.wanted[:2]:
            self.link.send(ChangePpo(self.live))
            pairs = zip(LIVE, before, self.wanted, strict=False)
            words = [f"{key} {new:g}" for key, old, new in pairs if old != new]
            self.marks.append((float(self.learnt), ", ".join(words)))

    @property
    def learnt(self) -> int:
        """Number of decisions learnt from so far."""
        return int(self.lines[-1]["steps"]) if self.lines else 0

    # -- what the worker tells -------------------------------------------------------------------

    def handle(self, message: Any) -> None:
        """Process one message of the worker."""
        if isinstance(message, TrainingStopped):
            self.state = tr("stopped: ") + message.reason
            self.status.clear("training")
            self.log.error(f"the training stopped: {message.reason}")
        elif isinstance(message, PolicyLearnt):
            self._play(message)
            known = self.learnt
            self.lines = [
                line
                for line in self.lines
                if not message.lines or line["steps"] < message.lines[0]["steps"]
            ]
            self.lines += message.lines
            for line in message.lines:
                if line["return"] is not None and line["steps"] > known:
                    self.metrics.log(tr("trained return"), line["return"])
            self.state = "done" if message.is_done else "learning"
            text = tr("{learner}: {learnt:,} of {steps:,} steps").format(
                learner=self.learner.upper(), learnt=self.learnt, steps=self.steps
            )
            if message.is_done:
                self.status.clear("training")
            else:
                self.status.set("training", text, busy=True)
            self.stats.update(learnt_steps=self.learnt)
        else:
            self.log.error(f"the training process: {message!r:.300}")

    def _play(self, message: PolicyLearnt) -> None:
        """Let the agents of the scene follow the newly learnt policies.

        Agents whose components were disabled are enabled.

        Args:
            message: the policies, and for each the numbers of the agents that follow it.
        """
        for policy, members in message.policies:
            for number in members:
                self.agents[number].follow_policy(policy)
        for agent in self.agents:
            agent.slot.enabled = True

    # -- the panel -------------------------------------------------------------------------------

    def series(self, key: str, group: str = "") -> tuple[Any, Any]:
        """Return how one value developed over the training's updates.

        Updates without this value are left out.

        Args:
            key: name of the value, such as "return" or "entropy".
            group: name of the team or agent whose policy is meant, if there are several; empty for
                all.

        Returns:
            The number of steps at each update `[n]`, and the values `[n]`.
        """
        lines = [(line["steps"], line["policies"][group] if group else line) for line in self.lines]
        known = [(steps, line[key]) for steps, line in lines if line[key] is not None]
        rows = np.array(known, float).reshape(-1, 2)
        return rows[:, 0], rows[:, 1]

    def draw(self, ui: Ui) -> None:
        """Draw the panel: the state, sliders of the settings that may change, and curves."""
        ui.heading(self.learner.upper())
        state = "paused" if self.is_paused and self.state == "learning" else self.state
        ui.key_value(tr("State"), STATES.get(state, state))
        ui.key_value(
            tr("Learnt from"),
            tr("{learnt:,} of {steps:,} steps").format(learnt=self.learnt, steps=self.steps),
        )
        draw_pause(ui, self)
        self.sliders.draw(ui, self, SLIDERS if self.learner == "ppo" else SLIDERS[:1])
        groups = list(self.lines[-1].get("policies", ())) if self.lines else []
        returns = [
            (group, color, *self.series("return", group))
            for group, color in zip(groups, cycle(COLORS), strict=False)
        ]
        curve = self._curve(tr("return"), "return", "green")
        self._draw_updates(ui, tr("Return of an episode"), returns or curve)
        self._draw_episodes(ui)
        self._draw_updates(ui, tr("Entropy"), self._curve(tr("entropy"), "entropy", "blue"))
        if self.learner == "ppo":
            curve = self._curve(tr("divergence"), "divergence", "amber")
            self._draw_updates(ui, tr("Divergence of an update"), curve)
        else:
            curve = self._curve(tr("temperature"), "temperature", "amber")
            self._draw_updates(ui, tr("Temperature"), curve)

    def _curve(self, label: str, key: str, color: str) -> list[Series]:
        return [(label, color, *self.series(key))]

    def _draw_updates(self, ui: Ui, title: str, curves: list[Series]) -> None:
        chart = Chart(
            title, curves, least=2, x_name=tr("steps"), empty=tr("from the second update on")
        )
        ends = (0.0, 1.1 * self.steps)
        draw_charts(ui, [chart], height=CHART, marks=self.marks, x_limits=ends)

    def _draw_episodes(self, ui: Ui) -> None:
        """Draw the returns of the episodes shown here; a click on one replays it."""
        ended = np.array(list(self.slot.host.agents.ended), np.float64).reshape(-1, 2)
        shown = Chart(
            tr("Episodes shown here"),
            [(tr("return"), "green", *ended.T)],
            least=2,
            x_name=tr("episode"),
            empty=tr("from the second episode on"),
        )
        clicked = draw_charts(ui, [shown], height=CHART)
        if len(ended) > 1:
            ui.muted_text(self.said or tr("Click on a point to see that episode again."))
        if clicked is not None:
            nearest = min(ended[:, 0].tolist(), key=lambda number: abs(number - clicked))
            self.by_hand("show_episode", int(nearest))

    def show_episode(self, episode: int) -> None:
        """Replay an episode of this run, from the recorded seconds or from its file.

        If neither has the episode, the panel shows a message.
        """
        show, self.said = self.slot.host.agents.show, ""
        if show is None:
            return
        try:
            show(episode)
        except LookupError as error:
            self.said = tr("{error}. The timeline's menu can save episodes.").format(error=error)
