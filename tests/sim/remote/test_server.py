"""The server of remote control beside a running app: who gets in, and what a frame does for it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

import pytest

from base import wire
from base.errors import UsageError
from base.files import SHIPPED_ROOT
from sim.remote.server import GREETING
from sim.testing import Pilot

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
        return while_running(self.pilot, lambda: wire.read(self.stream))


def while_running(pilot: Pilot, function: Callable[[], object]) -> object:
    """Return what a function returns in a thread while the app runs frames."""
    found: list[object] = []

    def call() -> None:
        try:
            found.append(function())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    pilot.wait_until(lambda: not thread.is_alive(), frames=1_000_000)
    return found[0]


@pytest.fixture
def program(pilot):
    program = Program(pilot)
    assert program.read() == {"ok": None}
    yield program
    program.close()


def test_a_step_is_one_fixed_step_and_time_stands_still_between(pilot, program):
    clock = pilot.app.clock
    begun = clock.time
    assert program.ask("step", count=5) == {"ok": pytest.approx(begun + 5 * clock.fixed_dt)}
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
        answer = while_running(pilot, lambda: end.recv(4096))
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
        ("spawn", {"name": 5}, "spawn: name"),
        ("console", {"last": 0}, "last: expected a whole number from 1 to 10000"),
        ("find", {"name": ["Cart"]}, "found none called ['Cart']"),
        ("read_object", {"id": {}, "key": "name"}, "TypeError: "),
        ("metric", {"name": []}, "TypeError: "),
        ("console", {"last": True}, "last: expected a whole number from 1 to 10000"),
    ],
)
def test_a_wrong_call_is_one_error_and_the_next_one_is_answered(
    pilot, program, call, arguments, error
):
    count = len(pilot.app.scene.objects)
    assert error in program.ask(call, **arguments)["error"][2]
    assert program.ask("time")["ok"]["paused"] is True
    assert len(pilot.app.scene.objects) == count


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
