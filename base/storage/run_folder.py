"""The folder of a training or tournament run: configuration, lock and result lines.

    run.json        {"format", "config", …}: what the run is; written first, compared on resuming
    run.lock        while a process writes into the folder
    *.jsonl         a line for each thing that is done; a line cut by a kill is removed

Killing a run cannot damage its folder. A folder that the user names is written to only if it is
empty or holds a run to be resumed. Anything else is refused before anything in it is changed, with
the same errors in all commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from base.errors import UsageError
from base.locks import RUN_LOCK, FolderLock
from base.storage.json_file import LinesFile, cut_lines, read_json, read_lines, write_json
from base.values import JsonObject

RUN_FILE: Final = "run.json"

Check = Callable[[JsonObject], object]
"""Type of a function that checks a line's object; raises ValueError or KeyError if invalid."""


class RunFolderError(UsageError):
    """A folder does not hold the run that is to be written there, but something else."""


class RunFolder:
    """The folder of a run that can be resumed; as a context manager it holds the folder's lock.

    Args:
        path: the folder; it need not exist yet.
        kind: format name and version of the run, such as "goishi.ppo/1".
        noun: word for such a run in errors, such as "training".
        lock: the folder's lock if the caller already holds it; None to make one.
    """

    def __init__(self, path: Path, kind: str, noun: str, *, lock: FolderLock | None = None) -> None:
        self.path = path
        self.kind = kind
        self.noun = noun
        self._lock = lock or FolderLock(path)

    def __enter__(self) -> RunFolder:
        self._lock.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def __truediv__(self, name: str) -> Path:
        """Return the path of a file in the folder."""
        return self.path / name

    def claim(self) -> FolderLock:
        """Create the folder and lock it, before the run's first work; return the lock.

        Raises:
            FolderBusyError: another process writes there.
            RunFolderError: the folder holds something other than a run of this kind.
            UsageError: the folder cannot be written.
        """
        return claim(self.path, lambda _: (self / RUN_FILE).exists() and bool(self.config()))

    # -- the configuration -----------------------------------------------------------------------

    def open(
        self,
        config: JsonObject,
        *,
        resume: bool,
        difference: Callable[[JsonObject], str] | None = None,
        **more: object,
    ) -> JsonObject | None:
        """Begin a run in the folder, or resume the run that the folder holds.

        Args:
            config: configuration of this run, as plain values.
            resume: whether a run in the folder may be resumed.
            difference: called with the stored configuration. It returns in words how that differs
                from this run's, or "" if the run can be resumed. None: all values must be equal.
            more: further values that a new `run.json` gets.

        Returns:
            The stored configuration if a run is resumed; None for a new run.

        Raises:
            RunFolderError: the folder holds something else; or it holds a run, and `resume` is
                False.
            OSError: the folder cannot be read or written.
        """
        found = self.check(config, resume=resume, difference=difference)
        if found is None:
            self.path.mkdir(parents=True, exist_ok=True)
            self.write(config, **more)
        return found

    def check(
        self,
        config: JsonObject,
        *,
        resume: bool,
        difference: Callable[[JsonObject], str] | None = None,
    ) -> JsonObject | None:
        """Check whether `open` would start or resume a run, without writing anything.

        Args:
            config: as for `open`.
            resume: as for `open`.
            difference: as for `open`.

        Returns:
            As for `open`.

        Raises:
            RunFolderError: as for `open`.
            OSError: as for `open`.
        """
        if not (self / RUN_FILE).exists():
            require_empty(self.path)
            return None
        found = self.config()
        try:
            differing = difference(found) if difference else difference_of(found, config)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._foreign(f"{self / RUN_FILE}: {error}") from None
        if differing:
            raise RunFolderError(
                f"--out: expected this {self.noun}'s folder, found another in {self.path}: "
                f"{differing}"
            )
        if not resume:
            raise RunFolderError(
                f"--out: expected an empty folder, found a {self.noun} in {self.path}; add --resume"
            )
        return found

    def config(self) -> JsonObject:
        """Return the stored configuration.

        Raises:
            RunFolderError: the folder holds no run of this kind, or its file is damaged.
        """
        path = self / RUN_FILE
        try:
            values = read_json(path)
        except (OSError, ValueError) as error:
            raise self._foreign(str(error)) from None
        config = values.get("config")
        if values.get("format") != self.kind:
            stored = values.get("format")
            raise self._foreign(f"{path}: format: expected {self.kind!r}, found {stored!r:.60}")
        if not isinstance(config, dict):
            raise self._foreign(f"{path} without a configuration")
        return config

    def write(self, config: Mapping[str, object], **more: object) -> None:
        """Replace the stored configuration.

        Args:
            config: the configuration, as plain values.
            more: further values of `run.json`.

        Raises:
            OSError: the file cannot be written; the old file is untouched.
        """
        write_json(self / RUN_FILE, {"format": self.kind, "config": dict(config), **more})

    def _foreign(self, found: str) -> RunFolderError:
        return RunFolderError(f"--out: expected a {self.noun}'s folder, found {found}")

    # -- the lines -------------------------------------------------------------------------------

    def lines(self, name: str, check: Check | None = None) -> list[JsonObject]:
        """Return the objects of a file's complete lines; see `read_lines`."""
        return read_lines(self / name, check)

    def appending(self, name: str) -> LinesFile:
        """Open a file to append lines; an incomplete last line is removed first.

        Raises:
            OSError: the file cannot be opened or created.
        """
        return LinesFile(self / name)

    def cut(self, name: str, key: str, last: int, check: Check | None = None) -> int:
        """Remove the lines of a file that were written after a checkpoint; return how many remain.

        Args:
            name: name of the file in the folder.
            key: key under which each line's object has its number.
            last: largest number to keep.
            check: called with each object, as in `read_lines`.

        Raises:
            LinesFileError: a complete line is damaged.
            OSError: the file cannot be written; it is unchanged.
        """
        return cut_lines(self / name, key, last, check)


def difference_of(found: JsonObject, wanted: JsonObject) -> str:
    """Return a description of the first value that differs between two configurations; "" for none.

    The values under "settings" are compared one by one.

    Args:
        found: the stored configuration.
        wanted: the configuration that it is compared with.

    >>> difference_of({"seed": 1, "settings": {"rate": 2}}, {"seed": 1, "settings": {"rate": 3}})
    'rate: 2, not 3'
    """
    stored, asked = ({**config, **dict(config.get("settings", {}))} for config in (found, wanted))
    for key in (*asked, *stored):
        if key != "settings" and stored.get(key) != asked.get(key):
            return f"{key}: {stored.get(key)!r}, not {asked.get(key)!r}"
    return ""


def require_empty(
    folder: Path,
    flag: str = "--out",
    *,
    holds: Callable[[Path], bool] | None = None,
) -> None:
    """Check that a folder may be written to: it is missing, empty, or accepted by `holds`.

    A lock file and a temporary `run.json` left by a killed process count as empty.

    Args:
        folder: the folder that the user named.
        flag: the option or argument that named it, for the error.
        holds: called with a folder that is not empty; returns whether it holds a run that may be
            resumed or replaced. None: the folder must be empty.

    Raises:
        RunFolderError: `folder` is a file, or holds something else.
        OSError: the folder cannot be read.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise RunFolderError(f"{flag}: expected a folder, found the file {folder}")
    if any(map(is_foreign, folder.iterdir())) and not (holds is not None and holds(folder)):
        raise RunFolderError(f"{flag}: expected an empty folder, found files in {folder}")


def is_foreign(entry: Path) -> bool:
    """Whether a file is neither the lock nor a temporary file that a killed process left."""
    name = entry.name
    return name != RUN_LOCK and not (name.startswith(f".{RUN_FILE}.") and name.endswith(".tmp"))


def claim(folder: Path, holds: Callable[[Path], bool]) -> FolderLock:
    """Create and lock the folder of `--out`; return the lock.

    Args:
        folder: the folder that the user named.
        holds: called with the folder if it is not empty; returns whether it holds a run that may be
            resumed.

    Raises:
        FolderBusyError: another process writes there.
        RunFolderError: the folder holds something else.
        UsageError: the folder cannot be written.
    """
    lock = FolderLock(folder)
    with writing_out():
        lock.acquire()
        try:
            require_empty(folder, holds=holds)
        except BaseException:
            lock.release()
            raise
    return lock


@contextmanager
def writing_out() -> Iterator[None]:
    """Context manager that turns an `OSError` into a usage error about `--out`.

    Raises:
        UsageError: the block raised an `OSError`.
    """
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"--out: expected a folder that can be written, found {error.filename or ''}: "
            f"{error.strerror or error}"
        ) from error


__all__ = [
    "RUN_FILE",
    "RunFolder",
    "RunFolderError",
    "claim",
    "difference_of",
    "is_foreign",
    "require_empty",
    "writing_out",
]
