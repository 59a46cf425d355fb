"""Remote control of an app that runs, from a Python program or a notebook on the same machine.

    python main.py run scenes/bouncing_balls.scene.json --remote     # prints the line to connect

    app = goishi.connect("127.0.0.1:52731", "…")
    ball = app.scene.find("Ball")
    app.step(60)
    print(ball.transform.position, app.image().shape)

The calls are those of a script: `scene.find`, `transform.position`, fields as attributes, and the
public methods of scripts. Reading does not wait for the frame that runs: it gives what was so at
the end of the frame before, whose number is `app.frame`. What has been read once is then read from
memory that the app shares with this program, without a message (`base/value_table.py`).
"""

from __future__ import annotations

import contextlib
import functools
import re
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from base import wire
from base.errors import GoishiError, UsageError
from base.value_table import ValueReader
from base.worker.calls import START_SECONDS, error_of
from base.worker.starting import usual_environment
from goishi.internal_imports import ROOT

LINE: Final = re.compile(r'goishi\.connect\("([\d.]+:\d+)", "([\w-]+)"\)')
Array = npt.NDArray[np.float64]


class AppLostError(GoishiError):
    """The connected app has ended."""


class Reading(list[Any]):
    """Values that were read at once, in the order in which they were asked for.

    Attributes:
        frame: number of the app's frame at whose end all of them were so.
    """

    def __init__(self, values: Iterable[object], frame: int) -> None:
        super().__init__(values)
        self.frame = frame


class RunningApp:
    """A connection to an app that runs in its own process and can be read, changed and stepped.

    Attributes:
        scene: the open scene with its objects.
    """

    def __init__(self, address: str, token: str) -> None:
        self._line = _Line(address, token)
        self.scene = RemoteScene(self._line)
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> RunningApp:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<goishi.RunningApp {self._line.address}>"

    # -- many values at once ------------------------------------------------------------------

    @property
    def frame(self) -> int:
        """Number of the app's frame that the latest answer is of; 0 before the first answer."""
        return self._line.frame

    def read(self, items: Iterable[tuple[Readable, str]]) -> Reading:
        """Read many values in one request; all are of the end of the same frame.

        Args:
            items: pairs of a thing and the name of its attribute, such as
                `(ball.transform, "position")`, `(ball, "name")` or `(counter, "count")`.

        Raises:
            GoishiError: one of them cannot be read.
        """
        kinds, ids, keys = _columns("read", items, 2)
        found = self._line.ask("read_many", kinds=kinds, ids=ids, keys=keys)
        values = found["values"]
        for indices, rows in found["rows"].values():
            for index, row in zip(indices, rows, strict=True):
                values[index] = row
        return Reading(values, self._line.frame)

    def write(self, items: Iterable[tuple[Readable, str, object]]) -> int:
        """Set many values in one request, between two frames: all of them, or none on an error.

        Args:
            items: a thing, the name of its attribute and the new value, such as
                `(ball.transform, "position", (0, 0, 3))` or `(counter, "count", 5)`.

        Returns:
            Number of the frame after which they were set.

        Raises:
            GoishiError: one of them cannot be set; nothing was changed.
        """
        items = list(items)
        kinds, ids, keys = _columns("write", items, 3)
        values = [_sent(item[2]) for item in items]
        self._line.ask("set_many", kinds=kinds, ids=ids, keys=keys, values=values)
        return self._line.frame

    # -- the scene ----------------------------------------------------------------------------

    def open(self, path: str | Path) -> None:
        """Open another scene in place of this one, and wait until it is open.

        The connection stays. Objects and components of the former scene are gone.

        Args:
            path: path of the scene file. If there is no such file here, a relative path begins at
                the folder of the app's project.

        Raises:
            GoishiError: the scene cannot be opened, its project is not trusted, or the window has
                changes that are not saved. The former scene goes on.
        """
        here = Path(path)
        self._line.ask("open", path=str(here.absolute() if here.exists() else here))

    def play(self) -> None:
        """Play the scene: begin it after a stop, or resume it after a pause."""
        self._line.ask("play")

    def stop(self) -> None:
        """Stop the scene and restore it as it was before it played; `play` begins it again.

        Changes by scripts and by programs are lost. Edits in the window are kept.
        """
        self._line.ask("stop")

    def reset(self) -> None:
        """Restore the scene as it was before it played, and pause it at its beginning."""
        self._line.ask("reset")

    # -- time ---------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Seconds of scene time."""
        return float(self._line.read("time", "", "")["time"])

    @property
    def is_paused(self) -> bool:
        """Whether the scene is paused."""
        return bool(self._line.read("time", "", "")["paused"])

    @property
    def speed(self) -> float:
        """Scene seconds per wall second: 1/32 to 64, or infinity. Can be set."""
        return float(self._line.read("time", "", "")["speed"])

    @speed.setter
    def speed(self, value: float) -> None:
        self._line.ask("set_time", speed=value)

    def pause(self) -> None:
        """Pause the scene."""
        self._line.ask("set_time", paused=True)

    def resume(self) -> None:
        """Resume the scene."""
        self._line.ask("set_time", paused=False)

    def step(self, count: int = 1) -> float:
        """Pause, and run fixed steps as fast as possible; return the scene time in seconds.

        Args:
            count: number of fixed steps.

        Raises:
            UsageError: the scene is stopped, or was resumed in the window meanwhile.
            AppLostError: the app has ended.
        """
        return float(self._line.ask("step", count=count))

    def run_until(self, predicate: Callable[[], object], *, steps: int = 3600) -> int:
        """Run fixed steps one by one until `predicate()` is true; return the number of steps.

        Args:
            predicate: called without arguments.
            steps: maximum number of steps.

        Raises:
            TimeoutError: `predicate()` is still false after that many steps.
        """
        for done in range(steps + 1):
            if predicate():
                return done
            if done < steps:
                self.step()
        raise TimeoutError(f"expected within {steps} steps, still not so: {predicate}")

    # -- what can be seen ---------------------------------------------------------------------

    def image(self, width: int = 640, height: int = 360) -> npt.NDArray[np.uint8]:
        """Return the picture of the scene's camera: RGB `[height, width, 3]` uint8.

        Args:
            width: pixels.
            height: pixels.

        Raises:
            GoishiError: the app draws nothing, or the size is invalid.
        """
        picture: npt.NDArray[np.uint8] = self._line.ask("image", width=width, height=height)
        return picture

    def component(self, name: str) -> RemoteComponent:
        """Return the first component of a class in the scene, by class name.

        Raises:
            GoneError: the scene has no such component.
        """
        return RemoteComponent(self._line, self._line.ask("component", name=name), name)

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics logged so far."""
        return list(self._line.ask("metrics"))

    def metric(self, name: str) -> Array:
        """Return the logged values of a metric, `[n, 2]`: the step and the value in each row."""
        values: Array = self._line.ask("metric", name=name)
        return values

    def console(self, last: int = 100) -> list[str]:
        """Return the latest lines of the console, at most `last` of them."""
        return [line["text"] for line in self._line.ask("console", last=last)]

    # -- the end ------------------------------------------------------------------------------

    def quit(self) -> None:
        """End the app and disconnect."""
        with contextlib.suppress(AppLostError):
            self._line.ask("quit")
        self.close()

    def close(self) -> None:
        """Disconnect; also ends the app if `launch` started it. May be called twice."""
        if self._process is not None and not self._line.is_closed:
            with contextlib.suppress(GoishiError):
                self._line.ask("quit")
        self._line.close()
        if self._process is not None:
            self._process.wait(START_SECONDS)


class RemoteScene:
    """The scene that the connected app has open."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    def find(self, name: str) -> RemoteObject:
        """Return the first object with this name, or with this path such as "Board/Stone".

        Raises:
            GoneError: there is no such object.
        """
        return RemoteObject(self._line, self._line.ask("find", name=name))

    def find_all(self, name: str = "") -> list[RemoteObject]:
        """Return all objects with a name; without a name, all objects."""
        return [RemoteObject(self._line, one) for one in self._line.ask("objects", name=name)]

    def spawn(
        self,
        name: str,
        *,
        model: Mapping[str, object] | None = None,
        parent: RemoteObject | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        scale: Sequence[float] = (1.0, 1.0, 1.0),
        material: Mapping[str, object] | None = None,
        components: Sequence[tuple[str, Mapping[str, object]]] = (),
    ) -> RemoteObject:
        """Create an object in the scene and return it.

        Args:
            name: name of the object.
            model: its model, as in the scene file; None for no model.
            parent: object to place it under; None for the top level.
            position: `[3]`, metres, relative to the parent.
            rotation: heading, pitch and roll, degrees.
            scale: scale factors along the three axes.
            material: its material, as in the scene file; None for the default one.
            components: class name and field values of each component.

        Raises:
            GoishiError: a value is invalid, or there are too many objects; nothing was created.
        """
        made = self._line.ask(
            "spawn",
            name=name,
            model=model,
            parent="" if parent is None else getattr(parent, "id", parent),
            position=_listed(position),
            rotation=_listed(rotation),
            scale=_listed(scale),
            material=material,
            components=_listed(components),
        )
        return RemoteObject(self._line, made)

    def destroy(self, obj: RemoteObject) -> None:
        """Destroy an object and all its descendants."""
        self._line.ask("destroy", id=getattr(obj, "id", obj))


class RemoteObject:
    """An object of the scene; reading or setting an attribute sends a request to the app."""

    def __init__(self, line: _Line, object_id: str) -> None:
        self._line = line
        self.id = object_id
        self.transform = RemoteTransform(line, object_id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemoteObject) and (other._line, other.id) == (self._line, self.id)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<goishi.RemoteObject {self.id}>"

    @property
    def name(self) -> str:
        """Name of the object. Can be set."""
        return str(self._read("name"))

    @name.setter
    def name(self, value: str) -> None:
        self._set("name", value)

    @property
    def path(self) -> str:
        """Names from the root down to this object, joined by slashes, as in "Board/Stone"."""
        return str(self._read("path"))

    @property
    def visible(self) -> bool:
        """Whether the object is shown. Can be set."""
        return bool(self._read("visible"))

    @visible.setter
    def visible(self, value: bool) -> None:
        self._set("visible", value)

    @property
    def enabled(self) -> bool:
        """Whether the object's scripts run. Can be set."""
        return bool(self._read("enabled"))

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._set("enabled", value)

    @property
    def model(self) -> Any:
        """Model of the object, as in the scene file. Can be set."""
        return self._read("model")

    @model.setter
    def model(self, value: Mapping[str, object] | None) -> None:
        self._set("model", value)

    @property
    def material(self) -> Any:
        """Material of the object, as in the scene file. Can be set."""
        return self._read("material")

    @material.setter
    def material(self, value: Mapping[str, object]) -> None:
        self._set("material", value)

    @property
    def parent(self) -> RemoteObject | None:
        """Parent object; None at the top level."""
        found = self._read("parent")
        return None if found is None else RemoteObject(self._line, found)

    @property
    def children(self) -> list[RemoteObject]:
        """Its direct child objects."""
        found = self._line.ask("objects", parent=self.id)
        return [RemoteObject(self._line, one) for one in found]

    @property
    def components(self) -> list[str]:
        """Class names of the object's components."""
        return list(self._read("components"))

    def component(self, name: str) -> RemoteComponent:
        """Return the object's first component of a class, by class name.

        Raises:
            GoneError: the object has no such component.
        """
        found = self._line.ask("component", name=name, id=self.id)
        return RemoteComponent(self._line, found, name)

    def destroy(self) -> None:
        """Destroy the object and all its descendants."""
        self._line.ask("destroy", id=self.id)

    def _read(self, key: str) -> Any:
        return self._line.read("read_object", self.id, key)

    def _set(self, key: str, value: object) -> None:
        self._line.ask("set_object", id=self.id, key=key, value=value)


class RemoteTransform:
    """Position, rotation and scale of an object, as attributes that can be read and set.

    Each has shape `[3]`. Positions are in metres, rotations (heading, pitch, roll) in degrees;
    scales are factors.
    """

    _line: _Line
    _id: str

    def __init__(self, line: _Line, object_id: str) -> None:
        object.__setattr__(self, "_line", line)
        object.__setattr__(self, "_id", object_id)

    @property
    def position(self) -> Array:
        """Position in the parent's space. Can be set."""
        found: Array = self._line.read("read_object", self._id, "position")
        return found

    @property
    def rotation(self) -> Array:
        """Rotation in the parent's space. Can be set."""
        found: Array = self._line.read("read_object", self._id, "rotation")
        return found

    @property
    def scale(self) -> Array:
        """Scale along the object's axes. Can be set."""
        found: Array = self._line.read("read_object", self._id, "scale")
        return found

    @property
    def world_position(self) -> Array:
        """Position in the world. Can be set."""
        found: Array = self._line.read("read_object", self._id, "world_position")
        return found

    @property
    def world_rotation(self) -> Array:
        """Rotation in the world. Can be set."""
        found: Array = self._line.read("read_object", self._id, "world_rotation")
        return found

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_"):
            raise AttributeError(name)
        found: Array = self._line.read("read_object", self._id, name)
        return found

    def __setattr__(self, name: str, value: Sequence[float] | Array) -> None:
        self._line.ask("set_object", id=self._id, key=name, value=_listed(value))


class RemoteComponent:
    """A component; its fields are attributes that can be read and set, as in the Inspector.

    Other public attributes of its script can only be read, and its public methods can be called:
    `counter.add(3)`. A field that refers to another component or object reads as `{"$ref": id}`.
    """

    def __init__(self, line: _Line, component_id: str, name: str) -> None:
        for key, value in (("_line", line), ("_id", component_id), ("_name", name)):
            object.__setattr__(self, key, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._line.read("read_field", self._id, name)
        if isinstance(found, dict) and set(found) == {"$method"}:
            return functools.partial(self.call, name)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        self._line.ask("set_field", component=self._id, name=name, value=value)

    def __dir__(self) -> list[str]:
        return list(self._line.ask("fields", component=self._id))

    def __repr__(self) -> str:
        return f"<goishi.RemoteComponent {self._name}>"

    def call(self, method: str, /, *arguments: object, **named: object) -> Any:
        """Call a public method of the script between two frames, and return its result.

        Args:
            method: name of the method.
            arguments: its arguments: numbers, texts, arrays, and lists and dicts of these.
            named: its keyword arguments.

        Raises:
            GoishiError: there is no such method, it failed, or its result cannot be sent.
            AppLostError: the app has ended.
        """
        return self._line.ask(
            "call_method",
            component=self._id,
            name=method,
            arguments=[_sent(item) for item in arguments],
            named={key: _sent(item) for key, item in named.items()},
        )


Readable: TypeAlias = RemoteObject | RemoteTransform | RemoteComponent
"""Whose attributes a program can read."""
LETTERS: Final = {RemoteObject: "o", RemoteTransform: "o", RemoteComponent: "c"}
"""What a value of a batch belongs to, as it is sent."""


class _Line:
    """The connection to the app; several threads may use it, and their questions take turns."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.frame = 0
        host, _, port = str(address).rpartition(":")
        if not host or not port.isdecimal():
            raise UsageError(f'connect: expected "127.0.0.1:PORT", found {address!r:.80}')
        try:
            self._socket = socket.create_connection((host, int(port)), START_SECONDS)
        except (OSError, OverflowError) as error:
            raise AppLostError(
                f"connect: expected an app with --remote at {address}, found none ({error})"
            ) from None
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream: IO[bytes] = self._socket.makefile("rb")
        self._end = weakref.finalize(self, _close, self._socket, self._stream)
        self._lock = threading.Lock()
        self._reader: ValueReader | None = None
        try:
            self._say({"token": token})
            self._open_reader()
        except BaseException:
            self.close()
            raise

    @property
    def is_closed(self) -> bool:
        """Whether this program has closed the connection."""
        return not self._end.alive

    def ask(self, call: str, **arguments: object) -> Any:
        """Call a function of the app by name and return its result.

        Args:
            call: name of the function.
            arguments: its arguments, by name.

        Raises:
            GoishiError: the function raised it in the app.
            AppLostError: the app has ended.
        """
        return self._say({"call": call, "arguments": arguments})

    def read(self, call: str, item: str, key: str) -> Any:
        """Return a value, from shared memory if the app has put it there.

        Args:
            call: "read_object", "read_field" or "time".
            item: id of the object or component; empty for "time".
            key: name of the property or field; empty for "time".

        Raises:
            GoishiError: it cannot be read.
            AppLostError: the app has ended.
        """
        reader = self._reader
        if reader is None:
            return self._say({"call": call, "arguments": _named(call, item, key)})
        name = call, item, key
        found = reader.read(name)
        if found is not None:
            value, self.frame = found
            return value
        question = {"call": call, "arguments": _named(call, item, key), "kept": True}
        return self._say(question, lambda row: reader.note(name, *row))

    def close(self) -> None:
        """Close the connection. May be called twice."""
        reader, self._reader = self._reader, None
        self._end()
        if reader is not None:
            reader.close()

    def _open_reader(self) -> None:
        """Open the memory that the app shares, if it is to be had here: else messages are sent."""
        offer = self._say({"call": "memory", "arguments": {}})
        if offer is not None:
            with contextlib.suppress(OSError, ValueError):  # this program cannot map it
                is_alive = functools.partial(_is_alive, self._socket, self._lock)
                self._reader = ValueReader(offer, is_alive)

    def _say(self, message: object, note: Callable[[Sequence[int]], object] | None = None) -> Any:
        """Send a message and return the answer.

        Args:
            message: the message.
            note: called with the place of the value in shared memory, if it gets one.

        Raises:
            GoishiError: the app raised it.
            AppLostError: the app has ended.
        """
        data = wire.encode(message, "argument")
        try:
            with self._lock:
                self._socket.sendall(data)
                answer = wire.read(self._stream)
        except (OSError, EOFError, ValueError) as error:
            self.close()
            if isinstance(error, wire.WireError):
                raise
            raise AppLostError(
                f"{self.address}: expected an answer, found that the app has ended"
            ) from None
        except BaseException:  # such as Ctrl+C: the next answer would be that of this question
            self.close()
            raise
        self.frame = answer.get("frame", self.frame)
        if note is not None and "row" in answer:
            note(answer["row"])
        if "ok" in answer:
            return answer["ok"]
        raise error_of(("error", *answer["error"]))


def _is_alive(end: socket.socket, lock: threading.Lock) -> bool:
    """Return whether the app lives; True while another thread waits for its answer.

    Args:
        end: the connection.
        lock: held by the thread that waits for an answer.
    """
    if not lock.acquire(blocking=False):
        return True  # that thread is told
    try:
        return not wire.has_ended(end)
    finally:
        lock.release()


def _named(call: str, item: str, key: str) -> dict[str, str]:
    """Return the arguments of a call that reads a single value, by name; see `_Line.read`."""
    match call:
        case "read_object":
            return {"id": item, "key": key}
        case "read_field":
            return {"component": item, "name": key}
        case _:
            return {}


def _columns(name: str, items: Iterable[object], length: int) -> tuple[str, list[str], list[str]]:
    """Return the kinds, ids and names of the values of a batch.

    Args:
        name: name of the call, for the error message.
        items: tuples of a thing, a name, and whatever follows.
        length: length of each tuple.

    Raises:
        UsageError: an item is something else.
    """
    letters, ids, keys = [], [], []
    for item in items:
        thing, key = item[:2] if type(item) is tuple and len(item) == length else (None, None)
        letter = LETTERS.get(type(thing))
        if letter is None or type(key) is not str:
            form = "(thing, name)" if length == 2 else "(thing, name, value)"
            expected = f"{name}: expected {form} of each, such as (ball.transform, 'position')"
            raise UsageError(f"{expected}, found {item!r:.80}")
        letters.append(letter)
        ids.append(getattr(thing, "id" if type(thing) is RemoteObject else "_id"))
        keys.append(key)
    return "".join(letters), ids, keys


def _sent(value: object) -> object:
    """Return a value as it is sent: vectors and tuples as lists or arrays."""
    return value if isinstance(value, np.ndarray | np.generic) else _listed(value)


def _listed(value: object) -> object:
    """Return several values as a list; anything else as it is, which the app then refuses."""
    is_several = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    return list(cast("Iterable[object]", value)) if is_several else value


def _close(end: socket.socket, stream: IO[bytes]) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    stream.close()
    end.close()


def connect(address: str, token: str) -> RunningApp:
    """Connect to an app on this machine that runs with `--remote`.

    Args:
        address: "127.0.0.1:PORT", as the app prints it.
        token: secret word that the app prints beside the address.

    Raises:
        AppLostError: there is no such app.
        UsageError: the address or the token is wrong.
    """
    return RunningApp(address, token)


def launch(
    scene: str | Path, *, window: bool = False, graphics: bool = True, **options: object
) -> RunningApp:
    """Start an app in its own process with a scene, paused at its beginning, and connect to it.

    Args:
        scene: path of the scene file.
        window: whether to open a window; otherwise the app draws offscreen and runs as fast as it
            can.
        graphics: whether the app without a window draws; if False there are no images.
        options: further options of the command `run`, such as `seed=1`, `trust=True` or
            `data_dir="…"`, and options that the scene's scripts declare.

    Raises:
        GoishiError: the scene cannot be opened; the message is the app's.
    """
    words = [sys.executable, str(ROOT / "main.py"), "run", str(scene), "--remote", "--paused"]
    if not window:
        words += ["--headless"] if graphics else ["--no-graphics"]
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        words += [flag] if value is True else [] if value is False else [flag, str(value)]
    process = subprocess.Popen(
        words,
        env=usual_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    said = cast("IO[str]", process.stderr)  # a pipe was asked for
    timer = threading.Timer(START_SECONDS, process.kill)
    timer.start()
    lines: list[str] = []
    try:
        for text in said:
            lines.append(text.rstrip())
            found = LINE.search(text)
            if found:
                app = RunningApp(found[1], found[2])
                app._process = process
                threading.Thread(target=_pass_on, args=(said,), daemon=True).start()
                return app
    except BaseException:
        process.kill()
        process.wait()
        said.close()
        raise
    finally:
        timer.cancel()
    said.close()
    process.wait()
    said_last = lines[-1].removeprefix("goishi: ") if lines else "it ended without a word"
    raise GoishiError(f"launch: expected {scene} to open, found: {said_last}")


def _pass_on(stream: IO[str]) -> None:
    """Copy the app's output to the program's stderr until the app ends.

    Args:
        stream: the app's output.
    """
    with stream:
        for text in stream:
            sys.stderr.write(text)
