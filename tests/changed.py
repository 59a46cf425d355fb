"""The test files that a change can reach: `python -m tests.check --changed [COMMIT]`.

For whoever is amid a change; the check of a change runs every test. A test file is chosen where a
changed module is among those that it imports, directly or through others, or that they name in a
string, as registries and workers do. Scenes name scripts: who runs scenes reaches all of them, and
who starts processes reaches everything. Every test file is chosen where anything but a module has
changed, or what all tests stand on.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from base.door import homes_of
from tests.architecture import modules_of, parsed

OPTION = "--changed"
TOPS = ("main", "base", "sim", "ai", "goishi", "scripts", "benchmarks", "docs", "tests")
DOORS = ("sim", "ai", "ai.messages", "goishi")
RUNS_SCENES = "sim.core.host.script_loader"
STARTS_PROCESSES = frozenset({"subprocess", "multiprocessing"})
UNDER_ALL = ("conftest.py", "check.py", "examples.py", "__init__.py")
DOTTED = re.compile(r"\b[a-z_]\w*(?:\.\w+)+")


def taken(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the commit after the option [HEAD], None without the option, and the other words."""
    if OPTION not in words:
        return None, list(words)
    place = words.index(OPTION)
    rest = list(words[place + 1 :])
    commit = rest.pop(0) if rest and not rest[0].startswith("-") else "HEAD"
    return commit, [*words[:place], *rest]


def since(root: Path, commit: str) -> frozenset[Path]:
    """Return the files, from the root, that differ from a commit or are new.

    Raises:
        subprocess.CalledProcessError: there is no such commit.
    """
    commands = (
        ("git", "diff", "--name-only", "-z", "--no-renames", "--relative", commit, "--"),
        ("git", "ls-files", "--others", "--exclude-standard", "-z"),
    )
    names = [
        name
        for command in commands
        for name in subprocess.run(
            command, cwd=root, stdout=subprocess.PIPE, text=True, check=True
        ).stdout.split("\0")
    ]
    return frozenset(Path(name) for name in names if name)


def test_files(root: Path, files: Iterable[Path]) -> frozenset[Path] | None:
    """Return the test files, from the root, that changed files can reach; None for every one."""
    modules = modules_of(root, TOPS)
    by_file = {path.relative_to(root): name for name, path in modules.items()}
    if any(file not in by_file or file.name in UNDER_ALL for file in files):
        return None
    users = _users_of(root, modules)
    reached = {by_file[file] for file in files}
    waiting = list(reached)
    while waiting:
        new = users[waiting.pop()] - reached
        reached |= new
        waiting += new
    return frozenset(
        file
        for file, name in by_file.items()
        if file.parts[0] == "tests" and file.name.startswith("test_") and name in reached
    )


def _users_of(root: Path, modules: Mapping[str, Path]) -> Mapping[str, set[str]]:
    """Return for each module those that import it or name it."""
    files = {door: root.joinpath(*door.split("."), "__init__.py") for door in DOORS}
    doors = {door: homes_of(file) for door, file in files.items() if file.is_file()}
    product = [name for name in modules if not name.startswith("tests.")]
    scripts = [name for name in modules if name.startswith("scripts.")]
    users: defaultdict[str, set[str]] = defaultdict(set)
    for module, path in modules.items():
        known = () if module in doors else modules  # a door's strings are of its former names
        # the product's trees are kept for other tests, which is too much for those of all tests
        tree = ast.parse(path.read_bytes()) if module.startswith("tests.") else parsed(path)
        names = set(_names_in(tree, doors, known))
        used = {name for text in names for name in _loaded_for(text, modules)}
        if module == RUNS_SCENES:
            used.update(scripts)
        if module.startswith("tests.") and names & STARTS_PROCESSES:
            used.update(product)
        for name in used:
            users[name].add(module)
    return users


def _names_in(
    node: ast.AST, doors: Mapping[str, Mapping[str, str]], known: Container[str]
) -> Iterator[str]:
    """Return the dotted names that code imports, and those of modules in its strings.

    A name of a public door is the module that it lives in. Docstrings name nothing.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield from (alias.name, *doors.get(alias.name, {}).values())
        elif isinstance(child, ast.ImportFrom) and child.module:
            homes = doors.get(child.module, {})
            yield child.module
            for alias in child.names:
                yield homes.get(alias.name, f"{child.module}.{alias.name}")
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield from (text for text in DOTTED.findall(child.value) if text in known)
        elif isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING":
            continue
        elif not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield from _names_in(child, doors, known)


def _loaded_for(text: str, modules: Mapping[str, Path]) -> Iterator[str]:
    """Return the modules that are loaded for a dotted name: its module and the folders above."""
    parts = text.split(".")
    names = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    return (name for name in names if name in modules)
