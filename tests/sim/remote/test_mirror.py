"""Single values that are read in shared memory: what a message would say, or the message."""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import goishi
from base.errors import GoishiError
from base.files import SHIPPED_ROOT
from base.value_table import LARGEST
from sim.remote import mirror
from sim.testing import Pilot
from tests.sim.remote.beside_app import beside

CART_POLE = SHIPPED_ROOT / "scenes" / "cart_pole.scene.json"
PROBE = """
import numpy as np
from sim import Script, field


class Probe(Script):
    count: int = field(0, help="frames so far")
    label: str = field("a", help="some text")
    is_on: bool = field(True, help="a switch")
    speed: float = field(1.5, help="a number")

    waits_for = None
    thing = 1

    def start(self):
        self.numbers = np.arange(3.0)
        self.whole = np.arange(3)
        self.bag = [1.0, 2.0]
        self.mixed = {"a": [1, "b", None], "c": float("inf")}

    def update(self, dt):
        self.count += 1
        if self.waits_for is not None:
            self.waits_for.wait(30.0)
        self.object.transform.position = (self.count, 0, 0)

    @property
    def fails(self):
        raise ValueError("never")

    def add(self, number):
        return self.count + number
"""
TOP = ("position", "rotation", "scale", "world_position", "world_rotation")
OWN = ("name", "path", "visible", "enabled", "model", "material", "components")
FIELDS = ("count", "label", "is_on", "speed", "thing", "numbers", "whole", "bag", "mixed")


def write_scene(folder: Path, name: str) -> Path:
    """Write a scene with an object that has a probe, and another one below it."""
    probe = {"type": "scripts.probe:Probe", "fields": {}}
    objects = {
        "obj_probe00001": {
            "name": "Top", "rotation": [30, 20, 10], "scale": [2, 1, 1],
            "components": {"cmp_probe00001": probe},
        },
        "obj_below00001": {"name": "Below", "parent": "obj_probe00001", "position": [0, 1, 2]},
    }  # fmt: skip
    data = {"format": "goishi.scene/1", "id": f"scn_{name}00001", "objects": objects}
    path = folder / "scenes" / f"{name}.scene.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mirrored")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "probe.py").write_text(PROBE, encoding="utf-8")
    (folder / "goishi.toml").write_text("", encoding="utf-8")
    write_scene(folder, "second")
    return folder


@pytest.fixture(scope="module")
def pilot(project):
    with Pilot(scene=write_scene(project, "first"), graphics=False, remote=True) as pilot:
        pilot.step(3)
        yield pilot


@pytest.fixture(autouse=True)
def unlimited(monkeypatch):
    """Frames of a Pilot are too short for values to be written at the end of each."""
    monkeypatch.setattr(mirror, "READING_SHARE", 1e9)


@pytest.fixture(autouse=True)
def probe(pilot):
    """The script as it was at first."""
    probe = pilot.app.scene.find("Top").components[0].instance
    probe.label, probe.speed, probe.is_on, probe.thing, probe.waits_for = "a", 1.5, True, 1, None
    return probe


def connected(pilot):
    remote = pilot.app.remote
    return beside(pilot, lambda: goishi.connect(remote.address, remote.token))


@pytest.fixture
def app(pilot):
    app = connected(pilot)
    assert app._line._reader is not None
    yield app
    app.close()


@pytest.fixture
def messages(pilot):
    """A connection that reads by messages alone."""
    app = connected(pilot)
    app._line._reader.close()
    app._line._reader = None
    yield app
    app.close()


@pytest.fixture
def top(pilot, app):
    return beside(pilot, lambda: app.scene.find("Top"))


@pytest.fixture
def part(pilot, top):
    return beside(pilot, lambda: top.component("Probe"))


@pytest.fixture
def asked(monkeypatch):
    """The questions that are sent while a test runs."""
    found = []
    say = goishi.remote._Line._say

    def noted(line, message, *note):
        found.append(message)
        return say(line, message, *note)

    monkeypatch.setattr(goishi.remote._Line, "_say", noted)
    return found


def read_twice(pilot, read):
    """Read a value, which mirrors it, and read it again after a frame; return that."""
    beside(pilot, read)
    pilot.step()
    return read()


def test_what_has_been_read_is_read_without_a_message(pilot, app, top, part, asked):
    reads = (
        lambda: top.transform.position,
        lambda: top.name,
        lambda: part.count,
        lambda: app.time,
    )
    for read in reads:
        beside(pilot, read)
    pilot.step()
    asked.clear()
    for _ in range(50):
        pilot.step()
        position, name, count, seconds = (read() for read in reads)
        assert (position.tolist(), name) == ([count, 0.0, 0.0], "Top")
        assert (seconds, app.frame) == (pilot.app.clock.time, pilot.app.clock.frame)
    assert asked == []


def test_it_is_what_a_message_says(pilot, probe, app, top, part, messages, asked):
    other = beside(pilot, lambda: messages.scene.find("Top"))
    twin = beside(pilot, lambda: other.component("Probe"))
    pairs = [
        *((top.transform, other.transform, name) for name in TOP),
        *((top, other, name) for name in OWN),
        *((part, twin, name) for name in FIELDS),
    ]
    for own, _, name in pairs:
        read_twice(pilot, lambda own=own, name=name: getattr(own, name))
    for own, theirs, name in pairs:
        asked.clear()
        found = getattr(own, name)
        assert asked == [], name
        said = beside(pilot, lambda theirs=theirs, name=name: getattr(theirs, name))
        pilot.step()
        if name not in ("position", "world_position", "count"):
            assert repr(found) == repr(said)
        assert type(found) is type(said)
        if isinstance(found, np.ndarray):
            assert (found.dtype, found.shape) == (said.dtype, said.shape)
            found[0] = 9  # it is the program's own
    assert 1 < beside(pilot, lambda: part.add(1)) <= probe.count + 1


def test_errors_are_those_of_messages(pilot, app, top, part, messages):
    twin = beside(pilot, lambda: messages.component("Probe"))
    for name in ("fails", "colour"):
        said = []
        for one in (part, twin, part):
            with pytest.raises(goishi.UsageError) as found:
                beside(pilot, lambda one=one, name=name: getattr(one, name))
            said.append(str(found.value))
        assert len(set(said)) == 1


def test_what_a_program_sets_it_reads(pilot, app, top, part, asked):
    """Whatever the app does meanwhile: no read gives what was before the latest set."""
    below = beside(pilot, lambda: app.scene.find("Below"))
    read_twice(pilot, lambda: (below.transform.position, below.name, part.speed))

    def ask():
        for number in range(40):
            below.transform.position = (0, 0, number)
            assert below.transform.position[2] == number
            below.name = f"Below {number}"
            assert (below.name, below.path) == (f"Below {number}", f"Top/Below {number}")
            part.speed = number
            assert part.speed == number
            app.write([(part, "speed", -number)])
            assert part.speed == -number
        below.name = "Below"

    beside(pilot, ask)
    read_twice(pilot, lambda: below.name)
    asked.clear()
    assert below.name == "Below"
    assert asked == []


def test_what_another_program_sets_is_read(pilot, app, part, messages):
    read_twice(pilot, lambda: part.label)
    other = beside(pilot, lambda: messages.component("Probe"))

    def ask():
        for number in range(100):
            other.label = str(number)
            assert part.label == str(number)

    beside(pilot, ask)


def test_the_number_of_the_frame_is_that_of_the_value(pilot, app, part):
    """While frames run: a script counts them, and what is read is of the frame that is named."""
    beside(pilot, lambda: part.count)
    pilot.step()
    begun = part.count - app.frame

    def ask():
        found, latest = set(), time.monotonic() + 20.0
        while len(found) < 10 and time.monotonic() < latest:
            count = part.count
            found.add((count - app.frame, app.frame))
        return found

    found = beside(pilot, ask)
    assert {difference for difference, _ in found} == {begun}
    assert len(found) == 10, "frames ran meanwhile"


def test_a_value_is_read_while_a_frame_runs(pilot, probe, app, part, asked):
    read_twice(pilot, lambda: part.count)
    begun = pilot.app.clock.frame
    probe.waits_for = gate = threading.Event()
    found = []

    def ask():
        time.sleep(0.05)
        asked.clear()
        found.extend(part.count for _ in range(100))
        found.append(app.frame)
        gate.set()

    thread = threading.Thread(target=ask)
    thread.start()
    pilot.step()
    thread.join(30)
    probe.waits_for = None
    assert len(set(found[:-1])) == 1
    assert found[-1] == begun
    assert asked == []


def test_other_kinds_of_values_follow_each_other(pilot, probe, part):
    assert read_twice(pilot, lambda: part.thing) == 1
    for value in ("text", 1.5, True, None, [1.0], [1], {}, -(2**70), np.float32(2), "é" * 99):
        probe.thing = value
        pilot.step()
        assert beside(pilot, lambda: part.thing) == value
    probe.thing = 1


def test_a_value_that_grows_too_large_is_asked_for(pilot, probe, part, asked):
    read_twice(pilot, lambda: part.thing)
    for value in ("x" * (LARGEST + 1), ["x" * LARGEST], list(range(10_000))):
        probe.thing = value
        pilot.step()
        for _ in range(3):
            asked.clear()
            assert beside(pilot, lambda: part.thing) == value
            assert len(asked) == 1
    probe.thing = 1
    pilot.step()
    assert read_twice(pilot, lambda: part.thing) == 1


def test_what_is_gone_is_an_error_at_once(pilot, app, messages):
    made = beside(pilot, lambda: app.scene.spawn("Made"))
    other = beside(pilot, lambda: messages.scene.find("Made"))
    read_twice(pilot, lambda: (made.name, made.transform.position))
    beside(pilot, other.destroy)
    for _ in range(3):
        with pytest.raises(goishi.GoneError, match="found it gone"):
            beside(pilot, lambda: made.name)
        with pytest.raises(goishi.GoneError, match="found it gone"):
            beside(pilot, lambda: made.transform.position)
    by_script = beside(pilot, lambda: app.scene.spawn("Made"))
    read_twice(pilot, lambda: by_script.name)
    pilot.app.scene.destroy(pilot.app.scene.find("Made"))
    pilot.step()
    with pytest.raises(goishi.GoneError, match="found it gone"):
        beside(pilot, lambda: by_script.name)


def test_what_nobody_reads_is_given_up(pilot, part, asked, monkeypatch):
    mirrored = pilot.app.remote._mirror
    read_twice(pilot, lambda: (part.label, part.speed))
    monkeypatch.setattr(mirror, "KEPT_SECONDS", 0.3)
    monkeypatch.setattr(mirror, "CHECK_SECONDS", 0.05)
    kept = ("read_field", "cmp_probe00001", "label")
    latest = time.monotonic() + 1.0
    while time.monotonic() < latest:
        pilot.step()
        assert part.label == "a"
    assert set(mirrored._rows) == {kept}
    monkeypatch.setattr(mirror, "KEPT_SECONDS", -1.0)
    time.sleep(0.06)
    pilot.step()
    assert not mirrored._rows
    monkeypatch.setattr(mirror, "KEPT_SECONDS", 60.0)
    asked.clear()
    assert read_twice(pilot, lambda: part.label) == "a"
    assert len(asked) == 1


def test_rows_are_used_again(pilot, app, top, part, monkeypatch):
    """A row that is given up gets another value. Who read the former one is not misled."""
    mirrored = pilot.app.remote._mirror
    read_twice(pilot, lambda: part.label)
    monkeypatch.setattr(mirrored, "_free", [])
    monkeypatch.setattr(mirror, "KEPT_SECONDS", -1.0)
    mirrored._checked = 0.0
    pilot.step()
    monkeypatch.setattr(mirror, "KEPT_SECONDS", 60.0)
    assert read_twice(pilot, lambda: top.name) == "Top"
    assert len(mirrored._free) < 20
    assert beside(pilot, lambda: part.label) == "a"
    monkeypatch.setattr(mirrored, "_free", [])
    for _ in range(2):
        assert beside(pilot, lambda: part.is_on) is True, "there is no row: it is asked for"


def test_nothing_is_shared_until_a_program_asks(project):
    with Pilot(
        scene=project / "scenes" / "second.scene.json", graphics=False, remote=True
    ) as pilot:
        remote = pilot.app.remote
        pilot.step(3)
        assert remote._mirror._table is None
        app = connected(pilot)
        pilot.step(3)
        assert remote._mirror._rows == {}
        part = beside(pilot, lambda: app.component("Probe"))
        beside(pilot, lambda: part.label)
        assert len(remote._mirror._rows) == 1
        app.close()
        pilot.wait_until(lambda: not remote._ends, frames=1_000_000)
        pilot.step()
        assert remote._mirror._rows == {}
    assert remote._mirror.offer() is None, "it is closed"


def test_where_memory_cannot_be_shared_messages_are_sent(pilot, monkeypatch):
    def refused(*given):
        raise PermissionError("mapped")

    def full():
        raise GoishiError("shared memory: expected room")

    for module, name, made in (
        (mirror, "is_supported", lambda: False),
        (mirror, "ValueTable", full),
        (goishi.remote, "ValueReader", refused),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, made)
            if name == "ValueTable":
                patch.setattr(pilot.app.remote, "_mirror", mirror.Mirror())
            app = connected(pilot)
            assert app._line._reader is None
            part = beside(pilot, lambda app=app: app.component("Probe"))
            for _ in range(2):
                assert beside(pilot, lambda part=part: part.label) == "a"
            app.close()


def test_values_that_cost_too_much_time_are_asked_for(pilot, part, asked, monkeypatch):
    read_twice(pilot, lambda: part.count)
    monkeypatch.setattr(mirror, "READING_SHARE", 0.0)
    for _ in range(3):
        pilot.step()
        asked.clear()
        beside(pilot, lambda: part.count)
        assert len(asked) == 1


def test_threads_read_at_once(pilot, app, top, part):
    read_twice(pilot, lambda: (top.name, part.label, part.speed))
    wrong = []

    def ask():
        for _ in range(2000):
            found = top.name, part.label
            if found != ("Top", "a"):
                wrong.append(found)

    def all_of_them():
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    beside(pilot, all_of_them)
    assert wrong == []


def test_another_scene_has_other_values(project, asked):
    first = project / "scenes" / "first.scene.json"
    with goishi.launch(first, graphics=False, trust=True) as app:
        part, top = app.component("Probe"), app.scene.find("Top")
        app.step(5)
        for _ in range(3):
            assert (part.count, top.transform.position[0]) == (5, 5.0)
        asked.clear()
        app.step(1)
        assert part.count == 6
        assert [message["call"] for message in asked] == ["step"]
        app.open("scenes/second.scene.json")  # with the same ids
        app.pause()
        assert part.count < 5
        app.reset()
        assert part.count == 0
        app.step(2)
        assert (part.count, app.frame > 0) == (2, True)
        app.open(CART_POLE)
        with pytest.raises(goishi.GoneError):
            part.count  # noqa: B018
        with pytest.raises(goishi.GoneError):
            top.name  # noqa: B018


@pytest.mark.parametrize("is_killed", [True, False])
def test_an_app_that_has_ended_is_told_in_time(is_killed):
    """Its values can be read still, but a program must not go on with them."""
    app = goishi.launch(CART_POLE, graphics=False)
    process, cart = app._process, app.scene.find("Cart").transform
    cart.position  # noqa: B018
    time.sleep(0.2)
    assert app._line._reader.read(("read_object", cart._id, "position")) is not None
    if is_killed:
        process.kill()
    else:
        app._line.ask("quit")
    process.wait()
    begun = time.monotonic()

    def read_on():
        while time.monotonic() - begun < 20.0:
            cart.position  # noqa: B018

    with pytest.raises(goishi.AppLostError, match="found that the app has ended"):
        read_on()
    assert time.monotonic() - begun < 2.0
    with pytest.raises(goishi.AppLostError):
        cart.position  # noqa: B018
    app.close()
    if sys.platform == "linux":  # elsewhere a later process removes what was left
        left = [Path(folder).glob(f"goishi-*-{process.pid}-*") for folder in ("/dev/shm", "/tmp")]
        assert [path for paths in left for path in paths if path.is_file()] == []
