"""What `tests.coupling` measures: a planted case of each kind is found, and what is sound is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.coupling import Coupling

ROOT = Path(__file__).resolve().parents[1]
ALONE = frozenset(
    {
        "ai.kernels.greedy",  # kernels stand in their room, where they are compiled
        "scripts.examples.solar_system.planet",  # a component of a scene, to be copied
    }
)
"""Short modules with one importer, each with its reason."""
HOLDERS = frozenset(
    {
        "BoardMoves holds Board",  # a view of a board
        "BoundSignal holds Signal",  # a signal of one object
        "MovedBodies holds BodyList",
        "GameEvaluation holds Replay",
        "GameEvaluation holds Timeline",
        "JobCall holds JobFunction",  # a call knows its function
        "LegalMoves holds Position",  # a view of a position
        "Loaded holds Animation",
        "MoveExplainer holds GameViewer",
        "ObservedDict holds SceneObject",  # tells its object that it changed
        "Pending holds WorkerLink",  # a request knows where it was asked
        "PlayerWorker holds Comparison",
        "PlayerWorker holds HumanControls",
        "PlayerWorker holds Seat",
        "PlayerWorker holds SideGame",
        "PlayerWorker holds TournamentBoard",
        "SceneObject holds Scene",  # an object knows its scene
        "SpeakerVoice holds Speaker",
        "TappedVoice holds RecordingAudio",
        "TeacherLink holds PositionEditor",
        "TeacherLink holds Puzzles",
    }
)
"""Parts that keep their owner: on purpose where the reason stands there, else still."""
ROOT_REACHES = 0
"""Functions that use the data of `App`, `Match` and the like from outside, at most."""

APP = (
    "class App:\n    def __init__(self):\n        self.scene = 1\n        self._clock = 2\n"
    "        self.parts = Parts()\n    def run(self): ...\n"
    "class Parts:\n    def __init__(self):\n        self.view = 1\n"
)
USES = {
    "reads data": ("def f(app: App):\n    return app.scene\n", {"scene"}),
    "reads what is private": ("def f(app: App):\n    return app._clock\n", {"_clock"}),
    "writes": ("def f(app: App):\n    app.scene = 3\n", {"scene"}),
    "one that may be missing": ("def f(app: App | None):\n    return app and app.scene\n", {"scene"}),
    "in quotes": ("def f(app: 'App'):\n    return app.scene\n", {"scene"}),
    "through self": (
        "class A:\n    def __init__(self, app: App):\n        self.app = app\n"
        "    def f(self):\n        return self.app.scene\n", {"scene"}),
    "a bag counts to its holder": (
        "def f(app: App):\n    return app.parts.view\n", {"parts", "parts.view"}),
}  # fmt: skip


def plant(root: Path, files: dict[str, str]) -> Coupling:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Coupling(root)


@pytest.mark.parametrize("kind", USES)
def test_each_use_of_another_class_is_found(tmp_path: Path, kind: str) -> None:
    text, data = USES[kind]
    head = "from sim.app.app import App\n"
    found = plant(tmp_path, {"sim/app/app.py": APP, "sim/app/a.py": head + text}).root_reaches()
    assert {one for reach in found for one in reach.data} == data


def test_who_only_calls_or_is_at_home_reaches_nothing(tmp_path: Path) -> None:
    calls = "from sim.app.app import App\ndef f(app: App):\n    return app.run()\n"
    home = APP + "def g(app: App):\n    return app.scene\n"
    assert plant(tmp_path, {"sim/app/app.py": home, "sim/app/a.py": calls}).reaches() == []


def test_what_is_frozen_cannot_be_reached_into(tmp_path: Path) -> None:
    frozen = (
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Move:\n    x: int = 0\n"
    )
    reads = "from ai.game.move import Move\ndef f(move: Move):\n    return move.x\n"
    assert plant(tmp_path, {"ai/game/move.py": frozen, "ai/a.py": reads}).reaches() == []


def test_a_part_that_keeps_its_owner_is_found(tmp_path: Path) -> None:
    part = "class Part:\n    def __init__(self, owner, size):\n        self._owner = owner\n"
    whole = (
        "from sim.part import Part\nclass Whole:\n    def f(self):\n        return Part(self, 3)\n"
    )
    by_name = whole.replace("Part(self, 3)", "Part(size=3, owner=self)")
    lends = part.replace("self._owner = owner", "self.size = size")
    for text in (whole, by_name):
        found = plant(tmp_path, {"sim/part.py": part, "sim/whole.py": text}).held_owners()
        assert found == ["Part holds Whole (sim.part)"]
    assert plant(tmp_path, {"sim/part.py": lends}).held_owners() == []


def test_circles_are_found_also_of_types_alone(tmp_path: Path) -> None:
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from sim import a\n"
    files = {
        "sim/a.py": "from sim import b\n",
        "sim/b.py": "from sim import c\n",
        "sim/c.py": typed,
    }
    assert plant(tmp_path, files).circles() == [["sim.a", "sim.b", "sim.c"]]
    assert plant(tmp_path, {"sim/c.py": "x = 1\n"}).circles() == []


def test_a_short_module_that_one_other_needs_is_found(tmp_path: Path) -> None:
    files = {"sim/a.py": "from sim import b\n", "sim/b.py": "x = 1\n" * 39}
    assert plant(tmp_path, files).lone() == ["sim.b (39): sim.a"]
    assert plant(tmp_path, {"sim/b.py": "x = 1\n" * 40}).lone() == []
    assert plant(tmp_path, {"sim/b.py": "", "sim/c.py": "from sim import b\n"}).lone() == []


def test_public_classes_with_one_name_are_found(tmp_path: Path) -> None:
    files = {
        "sim/a.py": "class A: ...\nclass _B: ...\n",
        "ai/b.py": "class A: ...\nclass _B: ...\n",
    }
    assert plant(tmp_path, files).namesakes() == {"A": ["sim.a", "ai.b"]}


@pytest.fixture(scope="module")
def house() -> Coupling:
    return Coupling(ROOT)


def test_no_files_need_each_other(house: Coupling) -> None:
    assert house.circles() == []


def test_no_short_module_has_one_importer(house: Coupling) -> None:
    assert {line.partition(" ")[0] for line in house.lone()} == ALONE


def test_a_part_keeps_its_owner_only_for_a_reason(house: Coupling) -> None:
    assert {line.partition(" (")[0] for line in house.held_owners()} <= HOLDERS


def test_what_owns_a_whole_is_used_by_its_methods(house: Coupling) -> None:
    found = house.root_reaches()
    assert len(found) <= ROOT_REACHES, "\n".join(map(str, found))
