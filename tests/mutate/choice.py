"""Which edits are tried, and which tests are asked of each."""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path

from tests.check import WINDOWS
from tests.mutate.edits import Edit, edits_of

PRODUCT = ("base", "sim", "ai", "scripts")
MOST_IN_A_FILE = 2
MOST_FROM_ELSEWHERE = 8
SLOW_WORDS = frozenset({"Pilot", "subprocess", "run_cell"})
"""A test file that knows one of these opens the whole app or a process, and is asked later."""
LISTS = Path(__file__).parent


class ListError(ValueError):
    """An entry of a list is not found in the sources."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One edit and the tests that should tell.

    Attributes:
        name: what is printed.
        edit: what is done.
        tests: files or tests for pytest, those that tell soonest first.
        reason: why no test can tell; empty where one should.
    """

    name: str
    edit: Edit
    tests: tuple[str, ...]
    reason: str = ""


def files_of(root: Path) -> list[str]:
    """Return the files of a checkout that git knows or would take, in POSIX form."""
    words = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    said = subprocess.run(words, check=True, capture_output=True).stdout.decode()
    return sorted(name for name in said.split("\0") if name and (root / name).is_file())


def under(path: str, folders: Sequence[str]) -> bool:
    """Return whether a path is one of some files, or in one of some folders; True for none."""
    return not folders or any(
        path == folder or path.startswith(f"{folder.rstrip('/')}/") for folder in folders
    )


def sampled(root: Path, seed: int, count: int, only: Sequence[str] = ()) -> list[Trial]:
    """Return `count` edits of the product, drawn by `seed`: of each kind in turn.

    An edit's place in the draw is a hash of the seed and of what it does, so that a change of one
    file leaves those of the others where they were.
    """
    edits: list[Edit] = []
    for path in files_of(root):
        if path.endswith(".py") and under(path, PRODUCT) and under(path, only):
            edits += edits_of(path, (root / path).read_text(encoding="utf-8"))
    seen: Counter[str] = Counter()
    keyed = []
    for edit in edits:
        what = f"{seed}|{edit.path}|{edit.kind}|{edit.old}|{edit.new}"
        seen[what] += 1
        keyed.append((hashlib.sha256(f"{what}|{seen[what]}".encode()).hexdigest(), edit))
    drawn = _in_turn([edit for _, edit in sorted(keyed, key=lambda item: item[0])], count)
    known = equivalents(root)
    return [
        Trial(str(edit), edit, mirrored_tests(root, edit.path), known.get(key_of(root, edit), ""))
        for edit in drawn
    ]


def _in_turn(edits: Sequence[Edit], count: int) -> list[Edit]:
    """Return the first `count`, one of each kind in turn, few of one file."""
    waiting: dict[str, list[Edit]] = {}
    for edit in reversed(edits):
        waiting.setdefault(edit.kind, []).append(edit)
    kinds = sorted(waiting)
    of_file: Counter[str] = Counter()
    drawn: list[Edit] = []
    while kinds and len(drawn) < count:
        for kind in list(kinds):
            while waiting[kind] and of_file[waiting[kind][-1].path] >= MOST_IN_A_FILE:
                waiting[kind].pop()
            if not waiting[kind]:
                kinds.remove(kind)
            elif len(drawn) < count:
                drawn.append(waiting[kind].pop())
                of_file[drawn[-1].path] += 1
    return drawn


def named(root: Path, only: Sequence[str] = ()) -> list[Trial]:
    """Return the edits of `named.toml`, each with its tests.

    Raises:
        ListError: a text is not in its file, or is there more than once; a test's file is missing.
    """
    trials = []
    for entry in _entries("named"):
        path, old, new = entry["path"], entry["old"], entry["new"]
        if not under(path, only):
            continue
        source = (root / path).read_text(encoding="utf-8")
        if source.count(old) != 1:
            raise ListError(
                f"named.toml: {entry['name']}: expected its text once in {path}, "
                f"found it {source.count(old)} times: {old!r}"
            )
        missing = [test for test in entry["tests"] if not (root / test.split("::")[0]).is_file()]
        if missing:
            raise ListError(f"named.toml: {entry['name']}: expected the file {missing[0]}")
        start = source.index(old)
        line = source.count("\n", 0, start) + 1
        edit = Edit(path, "named", line, start, start + len(old), old, new)
        trials.append(Trial(f"{entry['name']} ({path}:{line})", edit, tuple(entry["tests"])))
    return trials


def equivalents(root: Path) -> dict[tuple[str, str, str], str]:
    """Return the reasons of `equivalent.toml` by path, line's text and edit.

    Raises:
        ListError: a line is no longer in its file.
    """
    reasons = {}
    for entry in _entries("equivalent"):
        path, line = entry["path"], entry["line"]
        if line not in _lines(root / path):
            raise ListError(f"equivalent.toml: expected in {path} the line {line!r}")
        reasons[path, line, entry["edit"]] = entry["reason"]
    return reasons


def key_of(root: Path, edit: Edit) -> tuple[str, str, str]:
    """Return how `equivalent.toml` names an edit: path, line's text, and what is done."""
    line = _lines(root / edit.path)[edit.line - 1]
    return edit.path, line, str(edit).split(" ", 1)[1]


def _lines(path: Path) -> list[str]:
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]


def _entries(name: str) -> list[dict[str, str]]:
    text = (LISTS / f"{name}.toml").read_text(encoding="utf-8")
    found: list[dict[str, str]] = tomllib.loads(text).get(name, [])
    return found


@cache
def mirrored_tests(root: Path, path: str) -> tuple[str, ...]:
    """Return the test files for a source file: those of its name, of its folder, of its words.

    Those of a folder's mirror all; of others those that name the most of what the file defines.
    Of equals those come first that are known to be quick.
    TensorFlow and OpenGL cannot share a process: tests of `ai` stay among themselves.
    """
    is_ai = path.startswith("ai/")
    texts = _texts(root)
    mirror = _mirror(root, path)
    names = _names(root / path)
    dotted = path.removesuffix(".py").replace("/", ".")
    users = _tests_of_users(root, dotted)
    near, far = [], []
    for test, text in texts.items():
        if test.startswith("tests/ai/") != is_ai or test in WINDOWS:
            continue
        told = len(names & text) + 3 * (dotted in text) + 2 * (Path(test).stem in users)
        is_own = Path(test).stem == f"test_{Path(path).stem}"
        is_slow = test.startswith("tests/drive/") or not text.isdisjoint(SLOW_WORDS)
        is_near = is_own or (mirror is not None and test.startswith(mirror))
        order = (not is_own, not told, is_slow, not is_near, -told, test)
        if is_near:
            near.append(order)
        elif told and test.count("/") > 1:
            far.append(order)
    return tuple(
        test for *_, test in sorted(near + sorted(far, key=itemgetter(4))[:MOST_FROM_ELSEWHERE])
    )


@cache
def _texts(root: Path) -> dict[str, frozenset[str]]:
    """Return each test file's words, dotted names among them."""
    return {
        path: _words((root / path).read_text(encoding="utf-8"))
        for path in files_of(root)
        if path.startswith("tests/") and Path(path).name.startswith("test_")
        and path.endswith(".py")
    }  # fmt: skip


def _tests_of_users(root: Path, dotted: str) -> frozenset[str]:
    """Return how the test files of those modules are called that import one, or import those."""
    users = _users(root, dotted)
    users |= {name for user in users for name in _users(root, user)}
    return frozenset(f"test_{user.rpartition('.')[2]}" for user in users)


@cache
def _users(root: Path, dotted: str) -> frozenset[str]:
    folder, _, name = dotted.rpartition(".")
    return frozenset(
        path.removesuffix(".py").replace("/", ".") for path, words in _product_words(root).items()
        if dotted in words or (folder in words and name in words)
    )  # fmt: skip


@cache
def _product_words(root: Path) -> dict[str, frozenset[str]]:
    """Return each product file's words, dotted names among them."""
    return {
        path: _words((root / path).read_text(encoding="utf-8"))
        for path in files_of(root) if path.endswith(".py") and under(path, PRODUCT)
    }  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_][\w.]*\w", text)) | set(re.findall(r"\w+", text))


def _mirror(root: Path, path: str) -> str | None:
    """Return the nearest folder of tests above a file's own place, with a slash; None for none."""
    parts = Path(path).parent.parts
    for depth in range(len(parts), 0, -1):
        folder = "/".join(("tests", *parts[:depth]))
        if any(test.startswith(f"{folder}/") for test in _texts(root)):
            return f"{folder}/" if depth > 1 or len(parts) == 1 else None
    return None


def _names(path: Path) -> frozenset[str]:
    """Return the public names that a file defines and that are long enough to mean something."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and len(node.name) > 5
        and not node.name.startswith("_")
    )  # fmt: skip
