"""The server of remote control beside a running app: who gets in, and what a frame does for it."""

from __future__ import annotations

import contextlib
import inspect
import json
import math
import socket

import numpy as np
import pytest

import goishi
from base import wire
from base.errors import GoishiError, UsageError
from base.files import SHIPPED_ROOT
from benchmarks.corpus_files import is_clear
from sim.remote import server
from sim.remote.calls import CALLS, Calls
from sim.remote.server import GREETING, MOST_GREETINGS, _error
from sim.testing import Pilot
from tests.sim.remote.beside_app import outcome_beside

SCENE = SHIPPED_ROOT / "scenes" / "cart_pole.scene.json"


@pytest.fixture(scope="module")
def pilot():
    with Pilot(scene=SCENE, graphics=False, remote=True, paused=True, seed=1) as pilot:
        yield pilot


class Program:
    """A program that talks to the app by itself."""

    def __init__(self, pilot: Pilot, token: str | None = None) -> None:
        self.pilot = pilot
        self.end = socket.create_connection(("127.0.0.1", pilot.app.remote.port), 30)
        self.stream = self.end.makefile("rb")
        self.end.sendall(wire.encode({"token": pilot.app.remote.token if token is None else token}))

    def close(self) -> None:
        """Disconnect."""
        self.stream.close()
        self.end.close()

    def ask(self, call: object, **arguments: object) -> object:
        """Return the answer to a call; the app runs frames until it is there."""
        self.end.sendall(wire.encode({"call": call, "arguments": arguments}))
        return self.read()

    def read(self) -> object:
        return outcome_beside(self.pilot, lambda: wire.read(self.stream))


@pytest.fixture
def program(pilot):
    program = Program(pilot)
    assert program.read() == {"ok": None}
    yield program
    program.close()


def test_a_step_is_one_fixed_step_and_time_stands_still_between(pilot, program):
    clock = pilot.app.clock
    begun = clock.time
    answer = program.ask("step", count=5)
    assert answer["ok"] == pytest.approx(begun + 5 * clock.fixed_dt)
    assert answer["frame"] <= clock.frame
    pilot.step(3)
    assert clock.time == pytest.approx(begun + 5 * clock.fixed_dt)
    assert clock.paused


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "3", None, 10**9])
def test_a_wrong_number_of_steps_is_one_error(pilot, program, count):
    begun = pilot.app.clock.time
    kind, values, text = program.ask("step", count=count)["error"]
    assert (kind, values["field"]) == ("FieldError", "step")
    assert text.startswith("step: expected a whole number from 1 to 10000000, found ")
    assert pilot.app.clock.time == begun


def test_whoever_resumes_in_the_window_ends_the_steps(pilot, program):
    clock = pilot.app.clock
    program.end.sendall(wire.encode({"call": "step", "arguments": {"count": 10_000_000}}))
    pilot.wait_until(lambda: pilot.app.remote.is_stepping, frames=1_000_000)
    clock.resume()
    try:
        kind, _, text = program.read()["error"]
    finally:
        clock.pause()
    assert (kind, text) == (
        "UsageError", "step: expected a paused scene, found it resumed from elsewhere",
    )  # fmt: skip
    assert not pilot.app.remote.is_stepping


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_nobody_gets_in_without_the_token(pilot, token):
    program = Program(pilot, token)
    answer = program.read()
    assert answer["error"][2] == "connect: expected the token that it prints"
    assert isinstance(program.read(), EOFError)
    program.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        wire.LENGTH.pack(GREETING + 1) + bytes(GREETING + 1),
        wire.LENGTH.pack(2) + b"{]",
        wire.encode("token"),
        wire.encode({"token": 5}),
    ],
)
def test_what_speaks_another_language_is_sent_away(pilot, sent):
    with socket.create_connection(("127.0.0.1", pilot.app.remote.port), 30) as end:
        end.sendall(sent)
        answer = outcome_beside(pilot, lambda: end.recv(4096))
    assert isinstance(answer, OSError) or answer == b"" or b"expected the token" in answer


@pytest.mark.parametrize(
    ("call", "arguments", "error"),
    [
        ("eval", {}, "call: expected about, time,"),
        (None, {}, "call: expected about, time,"),
        ("find", {}, "find: missing a required argument: 'name'"),
        ("find", {"name": "Cart", "more": 1}, "find: got an unexpected keyword argument 'more'"),
        ("set_time", {"speed": "max"}, "speed: expected a number, found 'max'"),
        ("set_time", {"speed": 1000}, "speed: expected 1/32 to 64 or infinity, got 1000"),
        ("spawn", {"name": "x", "position": [0, 1]}, "spawn: position"),
        ("spawn", {"name": "x", "components": [3]}, "components: expected [type, values] of each"),
        ("spawn", {"name": 5}, "name: expected a text, found 5"),
        ("spawn", {"name": "x", "parent": None}, "parent: expected a text, found None"),
        ("spawn", {"name": "x", "model": {"builtin": "boxx"}}, "model: expected one of"),
        ("spawn", {"name": "x", "model": {"asset": "gone.glb"}}, "expected a file of the project"),
        ("spawn", {"name": "x", "model": {"asset": "../x"}}, "expected a path inside the project"),
        ("spawn", {"name": "x", "model": {}}, 'expected {"builtin": name} or {"asset": path}'),
        ("spawn", {"name": "x", "model": {"builtin": "box", "size": "x"}}, "model: expected"),
        ("spawn", {"name": "x", "material": {"color": "red"}}, "material.color: expected three"),
        ("spawn", {"name": "x", "position": 10**400}, "position: expected a list, found 1000"),
        ("spawn", {"name": "x", "components": ["/"]}, "components: expected a type like"),
        ("spawn", {"name": "x", "components": ["sim:Nothing"]}, "expected a component of the engine"),
        ("spawn", {"name": "x", "components": [["sim:RigidBody", {"mass": -1}]]},
         "RigidBody.mass: expected a number from 0.001"),
        ("spawn", {"name": "x", "components": [["sim:RigidBody", {"size_": 1}]]},
         "RigidBody.size_: expected a field, found none"),
        ("set_time", {"paused": "yes"}, "paused: expected true or false, found 'yes'"),
        ("set_time", {"paused": 1}, "paused: expected true or false, found 1"),
        ("image", {"width": "x"}, "width: expected a whole number, found 'x'"),
        ("console", {"last": 0}, "last: expected a whole number from 1 to 10000"),
        ("find", {"name": ["Cart"]}, "name: expected a text, found ['Cart']"),
        ("find", {"name": None}, "name: expected a text, found None"),
        ("read_object", {"id": {}, "key": "name"}, "id: expected a text, found {}"),
        ("metric", {"name": []}, "name: expected a text, found []"),
        ("console", {"last": True}, "last: expected a whole number, found True"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_one_error_and_the_next_one_is_answered(
    pilot, program, call, arguments, error
):
    count = len(pilot.app.scene.objects)
    assert error in program.ask(call, **arguments)["error"][2]
    assert program.ask("time")["ok"]["paused"] is True
    assert len(pilot.app.scene.objects) == count


@pytest.mark.parametrize("key", ["model", "material"])
@pytest.mark.parametrize(
    "value",
    [{"builtin": "nothing"}, {"builtin": []}, {"a": 1}, 5, "x", [1], {"asset": 3, "color": "red"}],
)
def test_a_wrong_look_is_refused_and_changes_nothing(pilot, program, key, value):
    obj = pilot.app.scene.find("Cart")
    before = (obj.model, obj.material)
    kind, _, text = program.ask("set_object", id=obj.id, key=key, value=value)["error"]
    assert kind in ("UsageError", "FieldError")
    assert "expected" in text
    assert (obj.model, obj.material) == before


STRANGE = [
    None, True, 0, -1, 1.5, 1e300, math.nan, 10**400, "", "x", "a" * 100_000, "a\nb", [], {}, [1],
    [1, 2, 3], [None] * 3, {"a": 1}, {"builtin": 3}, {"asset": "../x"}, np.zeros(3), np.zeros((2, 2)),
    np.array(3.0), np.zeros(0), [[1]], ["sim:Nope"], [["sim:Light"]], [["sim:Light", {"kind": 5}]],
]  # fmt: skip
"""Values that arguments of calls may have."""


@pytest.mark.parametrize("name", [name for name in CALLS if name not in ("quit", "open")])
def test_any_argument_is_taken_or_is_one_clear_error(pilot, name):
    obj = pilot.app.scene.find("Cart")
    slot = next(slot for slot in pilot.app.scene.components() if slot.instance is not None)
    good = {
        "name": "x", "id": obj.id, "key": "position", "component": slot.id, "value": [0, 0, 0],
        "kinds": "o", "ids": [obj.id], "keys": ["position"], "values": [[0, 0, 0]],
    }  # fmt: skip
    table = pilot.app.remote._calls.table
    for parameter in inspect.signature(getattr(Calls, name)).parameters:
        for value in STRANGE if parameter != "self" else ():
            arguments = {**good, parameter: value}
            known = inspect.signature(getattr(Calls, name)).parameters
            given = {key: item for key, item in arguments.items() if key in known}
            try:
                table.call(name, named=given)
            except GoishiError as error:
                text = json.loads(_error(error)[4:])["message"]["error"][2]
                assert is_clear(text), (parameter, value, text)
    pilot.step()
    pilot.app.clock.pause()
    for made in pilot.app.scene.find_all("x"):
        made.destroy()
    pilot.step()


# -- before the token ---------------------------------------------------------------------------


def connected(pilot):
    return socket.create_connection(("127.0.0.1", pilot.app.remote.port), 30)


def lines(pilot, words):
    pilot.step()
    return [item for item in pilot.app.console.records if words in item.text]


def test_silent_connections_keep_nobody_out(pilot):
    silent = [connected(pilot) for _ in range(3 * MOST_GREETINGS)]
    program = Program(pilot)
    assert program.read() == {"ok": None}
    assert silent[0].recv(1) == b"", "the oldest are closed"
    assert len(pilot.app.remote._greetings) <= MOST_GREETINGS
    assert lines(pilot, "found some that did not send it")
    program.close()
    for end in silent:
        end.close()


def test_the_listener_survives_what_the_system_refuses(pilot, monkeypatch):
    """Such as too many open files."""
    monkeypatch.setattr(server, "PAUSE_SECONDS", 0.01)
    listener, left = pilot.app.remote._listener, [OSError(24, "Too many open files")] * 3

    class Refusing:
        def accept(self):
            if left:
                raise left.pop()
            return listener.accept()

    pilot.app.remote._listener = Refusing()
    connected(pilot).close()  # the thread that waits in the real one takes it
    program = Program(pilot)
    assert program.read() == {"ok": None}
    assert left == []
    pilot.app.remote._listener = listener
    assert lines(pilot, "expected to accept a connection, found [Errno 24]")
    program.close()


@pytest.mark.parametrize("size", [256_000_000, 1])
def test_a_greeting_holds_no_arrays(pilot, size):
    header = {"message": {"token": {"$array": 0}}, "arrays": [{"dtype": "|u1", "shape": [size]}]}
    text = json.dumps(header).encode()
    with connected(pilot) as end:
        end.sendall(wire.LENGTH.pack(len(text)) + text)
        assert end.recv(1) == b"", "closed before an array is read"


def test_a_greeting_that_comes_in_drops_ends_in_time(pilot, monkeypatch):
    monkeypatch.setattr(server, "GREETING_SECONDS", 0.3)
    with connected(pilot) as end:
        end.settimeout(0.05)
        for _ in range(200):
            with contextlib.suppress(TimeoutError):
                end.sendall(b"\0")
                assert end.recv(1) == b""
                return
    pytest.fail("the connection was open for 10 s")


def test_one_program_too_many_is_told_so(pilot):
    programs = [Program(pilot) for _ in range(server.MOST_PROGRAMS)]
    assert [program.read() for program in programs] == [{"ok": None}] * len(programs)
    with pytest.raises(goishi.GoishiError, match="expected at most 16 programs at a time"):
        goishi.connect(pilot.app.remote.address, pilot.app.remote.token)
    assert lines(pilot, "expected at most 16 programs")
    for program in programs:
        program.close()
    pilot.wait_until(lambda: "remote" not in pilot.app.host.status.lines, frames=1_000_000)


def test_the_last_line_of_the_console_is_one(pilot, program):
    pilot.app.console.info("the newest")
    (line,) = program.ask("console", last=1)["ok"]
    assert (line["level"], line["count"]) == ("info", 1)
    assert line["text"].endswith("the newest")


def test_a_call_without_arguments_is_an_error(program):
    program.end.sendall(wire.encode({"call": "time"}))
    assert "expected a call with arguments" in program.read()["error"][2]


def test_the_status_bar_says_who_is_connected(pilot):
    first, second = Program(pilot), Program(pilot)
    assert first.read() == second.read() == {"ok": None}
    lines = pilot.app.host.status.lines
    pilot.step()
    assert lines["remote"].text == "Remote control: 2 programs connected"
    first.close()
    second.close()
    pilot.wait_until(lambda: "remote" not in lines, frames=1_000_000)


def test_the_steps_of_a_program_that_is_gone_end(pilot):
    gone = Program(pilot)
    assert gone.read() == {"ok": None}
    gone.end.sendall(wire.encode({"call": "step", "arguments": {"count": 10_000_000}}))
    pilot.wait_until(lambda: pilot.app.remote.is_stepping, frames=1_000_000)
    gone.close()
    pilot.wait_until(lambda: not pilot.app.remote.is_stepping, frames=1_000_000)


def test_a_port_that_is_taken_is_one_line(pilot):
    with pytest.raises(UsageError, match=f"expected a free port, found {pilot.app.remote.port}"):
        Pilot(scene=SCENE, graphics=False, remote_port=pilot.app.remote.port)


def test_only_this_machine_is_listened_to(pilot):
    assert pilot.app.remote._listener.getsockname()[0] == "127.0.0.1"


def test_closing_the_app_ends_the_connection():
    with Pilot(scene=SCENE, graphics=False, remote=True, seed=1) as other:
        program = Program(other)
        assert program.read() == {"ok": None}
    assert program.stream.read() == b""
    program.close()
