"""A brain on two pipes, and as a file that managers start."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ai.game import Rules
from ai.protocol import serving
from ai.protocol.packaging import package
from ai.protocol.serving import loaded_once, serve
from tests.ai.protocol.talk import Fixed, Talk, spec_of, spec_with


def talk_on_pipes(spec, data: bytes) -> list[bytes]:
    """Return the replies to bytes that are written at once; the input then ends."""
    reading, told = os.pipe()
    heard, writing = os.pipe()
    os.write(told, data)
    os.close(told)
    thread = threading.Thread(target=serve, args=(spec, reading, writing))
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    os.close(writing)
    with os.fdopen(heard, "rb") as stream:
        return stream.read().splitlines(keepends=True)


def test_lines_end_as_they_like_and_replies_are_whole_lines() -> None:
    lines = talk_on_pipes(spec_of("random"), b"START 15\r\n\r\nHELLO\rABOUT\nSTART 1")
    assert lines[0] == b"OK\n"
    assert [line.split()[0] for line in lines[1:]] == [b"UNKNOWN", b'name="random"', b"ERROR"]


def test_end_leaves_at_once_whatever_comes_after_it() -> None:
    gate = threading.Event()
    assert talk_on_pipes(spec_with(Fixed(gate)), b"START 15\nBEGIN\nEND\nABOUT\n") == [b"OK\n"]
    gate.set()


def test_a_manager_that_is_gone_ends_the_brain() -> None:
    reading, told = os.pipe()
    heard, writing = os.pipe()
    os.close(heard)
    os.write(told, b"START 15\n")
    serve(spec_of("random"), reading, writing)
    os.close(told)
    os.close(writing)


@pytest.mark.parametrize(("system", "is_told"), [("nt", False), ("posix", True)])
def test_a_closed_pipe_has_windows_word_there_alone(
    system: str, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*words: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    reading = os.open(os.devnull, os.O_RDONLY)
    with monkeypatch.context() as patched:
        patched.setattr(serving.Brain, "run", gone)
        patched.setattr(os, "name", system)
        with pytest.raises(OSError, match="Invalid") if is_told else contextlib.nullcontext():
            serve(spec_of("random"), reading, 1)


def test_what_is_loaded_with_the_first_player_is_not_collected(monkeypatch) -> None:
    """A full collection of the kernels' compiler would make a move late."""
    frozen = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(len(made)))
    made: list[object] = []
    make = loaded_once(lambda rules: made.append(rules) or Fixed())
    make(Rules(15)), make(Rules(9))
    assert (len(made), frozen) == (2, [1])
    told = []
    monkeypatch.setattr("ai.protocol.serving.Brain", lambda spec, *_: told.append(spec) or Silent())
    serve(spec_of("random"), os.open(os.devnull, os.O_RDONLY), 1)
    told[0].make_player(Rules(9))
    assert len(frozen) == 2, "a brain that is served has it so"


class Silent:
    """A brain that says nothing."""

    def run(self) -> None:
        """End at once."""


@pytest.mark.parametrize("system", ["posix", "nt"])
def test_a_package_is_a_launcher_and_a_text_that_says_how(system: str, tmp_path: Path) -> None:
    words = [sys.executable, "/my games/main.py", "brain", "x", "--set", "a=100% $HOME"]
    *programs, readme = package(tmp_path / "new", "goishi x/y", "x", words, system=system)
    launcher = programs[-1]
    assert launcher.name == ("pbrain-goishi-x-y.bat" if system == "nt" else "pbrain-goishi-x-y.sh")
    text = readme.read_text()
    assert launcher.name in text
    assert "python main.py brain x --package DIR" in text
    started = launcher.read_bytes().decode()
    if system == "nt":
        assert started.endswith('"/my games/main.py" brain x --set "a=100%% $HOME"\r\n')
    else:
        assert shlex.split(started.splitlines()[1]) == ["exec", *words]
        assert os.access(launcher, os.X_OK)


def test_start_is_answered_before_the_player_is_made() -> None:
    """The manager's second begins at START: what takes longer is done while it waits for a move."""
    talk = Talk(spec_of("mcts"))
    began = time.monotonic()
    assert talk.ask("START 15") == "OK"
    assert time.monotonic() - began < 20.0, "a second where nothing else runs"
    talk.leave()


@pytest.mark.nightly
@pytest.mark.parametrize("player", ["mcts", "alpha-beta", "genetic"])
def test_a_brain_answers_start_soon_after_warm(player: str) -> None:
    words = [sys.executable, str(Path(__file__).parents[3] / "main.py"), "brain", player]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as brain:
        assert brain.stdin is not None
        assert brain.stdout is not None
        began = time.monotonic()
        brain.stdin.write(b"START 15\n")
        brain.stdin.flush()
        assert brain.stdout.readline() == b"OK\n"
        took = time.monotonic() - began
        brain.stdin.write(b"END\n")
        brain.stdin.flush()
        assert brain.wait(60) == 0
    assert took < 30.0, "a second where nothing else runs"


@pytest.mark.nightly
@pytest.mark.parametrize("player", ["pattern", "alpha-beta"])
def test_the_packaged_brain_says_nothing_but_replies(tmp_path: Path, player: str) -> None:
    """It is written by the command, moved, and started from a folder of its own."""
    root, elsewhere = Path(__file__).parents[3], tmp_path / "some where"
    words = [sys.executable, str(root / "main.py"), "brain", player, "--seed", "1"]
    done = subprocess.run(
        [*words, "--package", tmp_path / "new"], cwd=tmp_path, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    launcher = (tmp_path / "new").rename(tmp_path / "moved") / Path(done.stdout.split()[0]).name
    elsewhere.mkdir()
    with subprocess.Popen(
        [launcher], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=elsewhere,
    ) as brain:  # fmt: skip
        assert brain.stdin is not None
        assert brain.stdout is not None
        said = []
        for command in (b"START 15\r\n", b"BEGIN\r\n", b"TURN 0,0\r\n", b"nonsense\r\n"):
            brain.stdin.write(command)
            brain.stdin.flush()
            said.append(brain.stdout.readline())
        brain.stdin.write(b"END\r\n")
        brain.stdin.flush()
        assert brain.wait(30) == 0
        assert brain.stdout.read() == b""
    assert list(elsewhere.iterdir()) == []
    assert said[0] == b"OK\n"
    assert said[1].count(b",") == said[2].count(b",") == 1
    assert said[3].startswith(b"UNKNOWN ")
