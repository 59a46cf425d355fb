"""Changes of the user's `engines.toml`: adds, renames and removes engines.

Everything else in the file stays as it is, comments included. The file is replaced in one step, so
that it is whole at any moment.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Final

import tomli_w

from ai.registry.engines import (
    NAME,
    NAME_WORDS,
    EngineEntry,
    EngineFileError,
    declared_engines,
    engine_of,
    engines_file,
)
from base.command_line import split_words
from base.files import atomic_write, read_regular
from base.values import JsonObject

HEADER: Final = re.compile(r"\s*\[")
LONGEST_NAME: Final = 40
PREFIXES: Final = ("pbrain-", "pbrain_")
"""What the file names of Gomocup's engines begin with."""


def add_engine(name: str, table: JsonObject) -> EngineEntry:
    """Declare an engine in the user's `engines.toml`.

    Args:
        name: a new name.
        table: the entry: `command`, and any other key of an engine.

    Returns:
        The engine as it is declared.

    Raises:
        EngineFileError: the name is taken or invalid, a value is invalid, the file is invalid or
            cannot be written. The file is then as it was.
    """
    _check_new(name)
    entry = engine_of(name, table)
    text, tables = _read()
    block = tomli_w.dumps({name: table})
    before = text.rstrip()
    _write(f"{before}\n\n{block}" if before else block, {**tables, name: table})
    return entry


def rename_engine(name: str, new: str) -> None:
    """Rename an engine in the user's `engines.toml`.

    Args:
        name: its present name.
        new: its new name.

    Raises:
        EngineFileError: the engine is not declared in the file, the new name is taken or invalid,
            the file is invalid or cannot be written. The file is then as it was.
    """
    text, tables = _read()
    _check_declared(name, tables)
    if new == name:
        return
    _check_new(new)
    lines = text.splitlines(keepends=True)
    begin, _ = _block_of(name, lines)
    header = lines[begin]
    lines[begin] = f"[{_key(new)}]{header[header.index(']', header.index(name)) + 1 :]}"
    wanted = {new if key == name else key: value for key, value in tables.items()}
    _write("".join(lines), wanted)


def remove_engine(name: str) -> None:
    """Remove an engine from the user's `engines.toml`.

    Args:
        name: name of the engine.

    Raises:
        EngineFileError: the engine is not declared in the file, the file is invalid or cannot be
            written. The file is then as it was.
    """
    text, tables = _read()
    _check_declared(name, tables)
    lines = text.splitlines(keepends=True)
    begin, end = _block_of(name, lines)
    del lines[begin:end]
    _write("".join(lines), {key: value for key, value in tables.items() if key != name})


def engine_command(program: Path, arguments: str = "") -> list[str]:
    """Return the command that starts a program file.

    A Python script is run by this Python, a Windows program on another system by Wine.

    Args:
        program: path of the file.
        arguments: its arguments, as on a command line of this system.

    Raises:
        EngineFileError: the arguments have a quotation without an end.

    >>> engine_command(Path("engines/pbrain-x"))
    ['engines/pbrain-x']
    """
    try:
        more = split_words(arguments)
    except ValueError:
        raise EngineFileError(
            f"expected arguments with whole quotations, found {arguments!r}"
        ) from None
    suffix = program.suffix.lower()
    if suffix == ".py":
        return [sys.executable, str(program), *more]
    if suffix == ".exe" and sys.platform != "win32":
        return ["wine", str(program), *more]
    return [str(program), *more]


def free_engine_name(program: Path) -> str:
    """Return a free name for an engine, made of its program's file name.

    Args:
        program: path of the file.

    Raises:
        EngineFileError: the user's file is invalid.
    """
    stem = program.stem
    for prefix in PREFIXES:
        stem = stem.removeprefix(prefix)
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[: LONGEST_NAME - 4] or "engine"
    declared, number, name = declared_engines(), 1, plain
    while name in declared:
        number += 1
        name = f"{plain}-{number}"
    return name


def _check_new(name: str) -> None:
    if not NAME.fullmatch(name):
        raise EngineFileError(f"expected {NAME_WORDS}, found {name[:100]!r}")
    if name in declared_engines():
        raise EngineFileError(f"expected a name that no engine has, found {name!r}")


def _check_declared(name: str, tables: JsonObject) -> None:
    if name not in tables:
        known = ", ".join(tables) or "none"
        raise EngineFileError(
            f"{engines_file()}: expected one of its engines ({known}), found {name!r}"
        )


def _read() -> tuple[str, JsonObject]:
    """Return the text of the user's file and its entries; empty if there is no file.

    Raises:
        EngineFileError: the file is invalid.
    """
    declared_engines()  # raises an error for what is invalid
    path = engines_file()
    try:
        text = read_regular(path).decode("utf-8-sig") if path.exists() else ""
        return text, tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise EngineFileError(f"{path}: expected engines in TOML, found: {error}") from None


def _write(text: str, wanted: JsonObject) -> None:
    """Replace the user's file.

    Args:
        text: its new text.
        wanted: the entries that the text must have.

    Raises:
        EngineFileError: the text has other entries, or the file cannot be written.
    """
    path = engines_file()
    try:
        is_right = tomllib.loads(text) == wanted
    except ValueError:
        is_right = False
    if not is_right:
        raise EngineFileError(
            f"{path}: expected each engine as [NAME] with a line for each key, found another form; "
            "change it in an editor"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, text)
    except (OSError, UnicodeEncodeError) as error:
        raise EngineFileError(
            f"{path}: expected a file that can be written, found: {error}"
        ) from None


def _block_of(name: str, lines: list[str]) -> tuple[int, int]:
    """Return where an engine's entry begins and ends.

    Comments directly above the next entry belong to that one.

    Args:
        name: name of the engine.
        lines: lines of the file.

    Returns:
        Index of the line of its header, and of the line after its last one.

    Raises:
        EngineFileError: no line is its header.
    """
    own = re.compile(rf"\s*\[\s*([\"']?){re.escape(name)}\1\s*\]\s*(#.*)?\s*")
    begin = next((place for place, line in enumerate(lines) if own.fullmatch(line)), None)
    if begin is None:
        raise EngineFileError(
            f"{engines_file()}: expected a line [{_key(name)}], found none; change it in an editor"
        )
    following = range(begin + 1, len(lines))
    end = next((place for place in following if HEADER.match(lines[place])), len(lines))
    if end < len(lines):
        while end > begin + 1 and lines[end - 1].lstrip().startswith("#"):
            end -= 1
    return begin, end


def _key(name: str) -> str:
    """Return a name as a key of TOML, quoted if it has a dot."""
    return f'"{name}"' if "." in name else name


__all__ = ["add_engine", "engine_command", "free_engine_name", "remove_engine", "rename_engine"]
