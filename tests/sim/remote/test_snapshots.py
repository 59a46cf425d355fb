"""Reading by remote control while a frame runs, batches, methods, and leaving the scene."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest

import goishi
from base.errors import GoneError
from sim.remote import publisher, snapshot
from sim.remote.reads import LOOKS, PLACES
from sim.testing import Pilot
from tests.sim.remote.beside_app import beside

PROBE = """
import numpy as np
from sim import Script, field


class Probe(Script):
    count: int = field(0, help="frames so far")
    twin: int = field(0, help="the same")
    label: str = field("a", help="some text")

    waits_for = None
    drawn = 0.0

    def start(self):
        self.numbers = self.rng.random(3)
        self.bag = [1]

    def update(self, dt):
        self.count += 1
        if self.waits_for is not None:
            self.waits_for.wait(30.0)
        self.object.transform.position = (self.count, 0, 0)
        self.bag.append(self.count)
        self.twin = self.count

    def fixed_update(self, dt):
        self.drawn = float(self.rng.random())

    @property
    def double(self):
        return 2 * self.count

    def add(self, number, *, times=1):
        return number * times + len(self.label)

    @staticmethod
    def mean(values):
        return float(np.mean(values))

    def thing(self):
        return self.object

    def fails(self):
        raise ValueError("never")

    async def later(self):
        return 1

    def _hidden(self):
        return 1
"""


def write_scene(folder: Path, name: str, number: int) -> Path:
    """Write a scene with an object that has a probe, and another one below it."""
    probe = {"type": "scripts.probe:Probe", "fields": {}}
    top = f"obj_probe0000{number}"
    data = {
        "format": "goishi.scene/1",
        "id": f"scn_probes000{number}",
        "settings": {"script_timeout": 60},
        "objects": {
            top: {
                "name": "Top",
                "rotation": [30, 20, 10],
                "scale": [2, 1, 1],
                "model": {"builtin": "box"},
                "components": {f"cmp_probe0000{number}": probe},
            },
            f"obj_below0000{number}": {
                "name": "Below", "parent": top, "position": [0, 1, 2], "rotation": [5, 6, 7],
            },
        },
    }  # fmt: skip
    path = folder / "scenes" / f"{name}.scene.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probes")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "probe.py").write_text(PROBE, encoding="utf-8")
    (folder / "goishi.toml").write_text("", encoding="utf-8")
    write_scene(folder, "second", 2)
    return folder


@pytest.fixture(scope="module")
def pilot(project):
    with Pilot(scene=write_scene(project, "first", 1), graphics=False, remote=True) as pilot:
        pilot.step(3)
        yield pilot


@pytest.fixture
def probe(pilot):
    return pilot.app.scene.find("Top").components[0].instance


@pytest.fixture
def app(pilot):
    remote = pilot.app.remote
    app = beside(pilot, lambda: goishi.connect(remote.address, remote.token))
    pilot.step(2)
    yield app
    app.close()


def test_nothing_is_built_while_nobody_is_connected(pilot, monkeypatch):
    pilot.wait_until(lambda: not pilot.app.remote._ends, frames=1_000_000)
    built = []
    monkeypatch.setattr(publisher, "freeze", lambda *given: built.append(given))
    pilot.step(5)
    assert built == []
    assert pilot.app.remote._scene.publisher.snapshot is None


def test_a_hundred_reads_wait_for_no_frame(pilot, probe, app, monkeypatch):
    """The frame that runs ends only when all of them are answered."""
    for share in ("SHARE", "READING_SHARE"):  # as much time as there is in slow frames
        monkeypatch.setattr(publisher, share, 1e9)
    top, below = (
        beside(pilot, lambda name=name: app.scene.find(name)) for name in ("Top", "Below")
    )
    part = beside(pilot, lambda: top.component("Probe"))
    beside(pilot, lambda: part.double)  # a property is kept once it was asked for
    pilot.step()
    gate, frames, begun = threading.Event(), set(), pilot.app.clock.frame
    probe.waits_for = gate

    def ask():
        try:
            for _ in range(20):
                for read in (
                    lambda: top.transform.position,
                    lambda: below.transform.world_position,
                    lambda: part.label,
                    lambda: part.double,
                    lambda: app.scene.find("Below").path,
                ):
                    read()
                    frames.add(app.frame)
            return app.read([(top, "name"), (part, "count"), (top, "model")])
        finally:
            gate.set()

    thread_found = []
    thread = threading.Thread(target=lambda: thread_found.append(ask()))
    thread.start()
    pilot.step()
    thread.join(30)
    probe.waits_for = None
    assert frames == {begun}
    assert thread_found[0][0] == "Top"
    assert thread_found[0].frame == begun
    assert pilot.app.clock.frame == begun + 1


def test_a_batch_is_of_one_frame(pilot, app):
    """While frames run, the values that a script sets one after the other always agree."""
    top = beside(pilot, lambda: app.scene.find("Top"))
    part = beside(pilot, lambda: top.component("Probe"))
    names = ("count", "twin", "double", "bag")

    def ask():
        pairs = [(top.transform, "position"), *((part, name) for name in names)]
        return [app.read(pairs) for _ in range(40)]

    readings = beside(pilot, ask)
    numbers = {reading.frame: reading[1] - reading.frame for reading in readings}
    assert len(set(numbers.values())) == 1, "the number of the frame is that of the values"
    for position, count, twin, double, bag in readings:
        assert position.tolist() == [count, 0, 0]
        assert (twin, double, bag[-1]) == (count, 2 * count, count)


def test_a_snapshot_reads_as_the_scene_does(pilot, app):
    calls, scene = pilot.app.remote._calls, pilot.app.scene
    frozen = snapshot.freeze(scene, None)
    kept = snapshot.Snapshot(0, frozen, calls.facts(), {})
    for obj in scene.objects.values():
        for key in (*PLACES, "name", "visible", "enabled", "path", "parent", "components"):
            live, found = calls.read_object(obj.id, key), kept.read_object(obj.id, key)
            assert np.array_equal(live, found)
            assert type(live) is type(found)
        assert kept.objects(parent=obj.id) == calls.objects(parent=obj.id)
        assert kept.find(obj.name) == calls.find(obj.name)
        assert kept.find(obj.path) == calls.find(obj.path)
        for look in LOOKS:
            with pytest.raises(snapshot.NotPublishedError):
                kept.read_object(obj.id, look)
    assert kept.objects() == calls.objects()
    assert kept.component("Probe") == calls.component("Probe")
    for name in ("Bottom", "Below/Top"):
        for reads in (kept, calls):
            with pytest.raises(GoneError, match=f"none called '{name}'"):
                reads.find(name)
    before = kept.read_object(calls.find("Top"), "position").copy()
    pilot.step()
    assert kept.read_object(calls.find("Top"), "position").tolist() == before.tolist()


def test_what_a_program_sets_it_reads(pilot, app):
    below = beside(pilot, lambda: app.scene.find("Below"))

    def ask():
        for height in range(20):
            below.transform.position = (0, 0, height)
            below.name = f"Below {height}"
            yield below.transform.position[2] == height and below.name == f"Below {height}"
        below.name = "Below"

    assert all(beside(pilot, lambda: list(ask())))


def test_a_batch_of_writes_is_set_whole_or_not_at_all(pilot, probe, app):
    below = beside(pilot, lambda: app.scene.find("Below"))
    part = beside(pilot, lambda: app.component("Probe"))
    good = [(below.transform, "position", np.array([1, 2, 3])), (part, "label", "set")]
    beside(pilot, lambda: app.write(good))
    assert beside(pilot, lambda: below.transform.position.tolist()) == [1, 2, 3]
    wrong = [(below.transform, "position", (9, 9, 9)), (below, "name", "Other"), (part, "label", 5)]
    with pytest.raises(goishi.FieldError, match=r"Probe\.label: expected .* found 5"):
        beside(pilot, lambda: app.write(wrong))
    found = beside(
        pilot, lambda: app.read([(below.transform, "position"), (below, "name"), (part, "label")])
    )
    assert found[0].tolist() == [1, 2, 3]
    assert found[1:] == ["Below", "set"]
    for items in ([(below, "name")], [(3, "name", "x")], [(below, 3, "x")]):
        with pytest.raises(goishi.UsageError, match=r"write: expected \(thing, name, value\)"):
            app.write(items)
    with pytest.raises(goishi.UsageError, match=r"object: expected position, .* found 'colour'"):
        beside(pilot, lambda: app.read([(below, "colour")]))


def test_a_scripts_methods_are_called(pilot, probe, app):
    part = beside(pilot, lambda: app.component("Probe"))
    beside(pilot, lambda: app.write([(part, "label", "four")]))
    assert beside(pilot, lambda: part.add(3)) == 7
    assert beside(pilot, lambda: part.add(3, times=2)) == 10
    assert beside(pilot, lambda: part.call("mean", np.arange(3))) == 1.0


@pytest.mark.parametrize(
    ("method", "given", "error"),
    [
        (
            "thing",
            (),
            "Probe.thing: result: expected numbers, texts, arrays, lists or dicts of them",
        ),
        ("fails", (), "Probe.fails: ValueError: never"),
        ("later", (), "Probe.later: expected a method that returns at once, found a coroutine"),
        ("add", (), "Probe.add: missing a required argument: 'number'"),
        ("update", (0.1,), "Probe.update: expected a public method of the script, found a hook"),
        ("spawn", (), "Probe.spawn: expected a public method of the script, found add, fails, "),
        ("_hidden", (), "Probe._hidden: expected a public method of the script, found "),
        ("count", (), "Probe.count: expected a public method of the script, found "),
    ],
)
def test_what_cannot_be_called_is_one_error(pilot, probe, app, method, given, error):
    part = beside(pilot, lambda: app.component("Probe"))
    with pytest.raises(goishi.GoishiError) as found:
        beside(pilot, lambda: part.call(method, *given))
    assert error in str(found.value)
    with pytest.raises(goishi.GoishiError, match=r"expected numbers, texts, .* found object"):
        part.call("add", object())
    assert probe.slot.error is None, "the script goes on"


def test_other_scenes_are_opened_and_the_scene_is_played_again(project):
    first = project / "scenes" / "first.scene.json"
    with goishi.launch(first, graphics=False, trust=True, seed=4) as app:
        app.step(5)
        top, part = app.scene.find("Top"), app.component("Probe")
        begun = [top.transform.position[0], part.numbers.tolist(), part.drawn]
        app.write([(top, "name", "Other")])
        app.reset()
        assert (app.time, app.is_paused, top.name) == (0.0, True, "Top")
        app.step(5)
        part = app.component("Probe")
        assert [top.transform.position[0], part.numbers.tolist(), part.drawn] == begun
        app.stop()
        with pytest.raises(
            goishi.UsageError, match="expected a scene that plays, found it stopped"
        ):
            app.step()
        app.play()
        assert not app.is_paused
        with pytest.raises(goishi.GoishiError, match=r"open: expected a scene file \(….scene.json"):
            app.open(project / "goishi.toml")
        with pytest.raises(goishi.GoishiError, match="open: expected a scene file, found none at"):
            app.open("scenes/third.scene.json")
        assert top.name == "Top"
        app.open("scenes/second.scene.json")
        assert app.scene.find("Top").id == "obj_probe00002"
        with pytest.raises(goishi.GoneError):
            top.name  # noqa: B018
        assert app.step(2) > 0
        app.open(first)
        assert app.scene.find("Top") == top


def test_a_scene_of_a_project_that_nobody_trusts_is_not_opened(project, tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "goishi.toml").write_text("", encoding="utf-8")
    (tmp_path / "scripts" / "probe.py").write_text(PROBE, encoding="utf-8")
    other = write_scene(tmp_path, "other", 3)
    with Pilot(
        scene=project / "scenes" / "second.scene.json", graphics=False, remote=True
    ) as pilot:
        remote = pilot.app.remote
        app = beside(pilot, lambda: goishi.connect(remote.address, remote.token))
        with pytest.raises(goishi.GoishiError, match="trust"):
            beside(pilot, lambda: app.open(other))
        assert pilot.app.run_context.next_scene is None
        app.close()
