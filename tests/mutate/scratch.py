"""A copy of the checkout in which an edit is tried: a kill leaves nothing in the working tree."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

from tests.mutate.choice import Trial, files_of

SECONDS = 60.0
A_TEST = 25  # seconds after which one hangs
COMPILING = 400.0
ATTEMPTS = 3  # each but the last leaves out a test that does not pass here without an edit either
CAUGHT, HUNG, SURVIVED = "caught", "timed out", "survived"
NO_TESTS = 5
KERNELS = "ai/kernels/"
COMPILE = "from ai.kernels.cache import compile_all; compile_all()"
PLACE = "from ai.kernels.cache import cache_directory; print(cache_directory())"


class ToolError(RuntimeError):
    """The tool cannot do its work."""


class Scratch:
    """The copy, with kernels compiled for it; each trial has a cache of its own.

    Args:
        root: the checkout; only read.
    """

    def __init__(self, root: Path) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="goishi-mutate-")
        self.root = Path(self._folder.name).resolve() / "copy"
        self._kept = Path(self._folder.name).resolve() / "kernels"
        self._told = Path(self._folder.name).resolve() / "told"
        self._temporary = Path(self._folder.name).resolve() / "tmp"  # what a hung test leaves
        self._temporary.mkdir()
        self._sound: dict[str, bool] = {}
        for name in files_of(root):
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target)
        self._cache = self.root / ".pytest_cache" / "user-cache"

    def __enter__(self) -> Scratch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._folder.cleanup()

    def compile(self) -> None:
        """Compile the kernels of the copy as it stands; trials begin with these.

        Raises:
            ToolError: they cannot be compiled.
        """
        if self._python(("-c", COMPILE), COMPILING) != 0:
            raise ToolError("expected kernels that compile")
        shutil.copytree(self._cache / "goishi" / "kernels", self._kept)

    def try_out(self, trial: Trial) -> tuple[str, str]:
        """Run a trial's tests with its edit made; return what came of it, and which test told."""
        if not trial.tests:
            return SURVIVED, "no tests"
        left = SECONDS
        for _ in range(ATTEMPTS):
            with self._edited(trial):
                if trial.edit.path.startswith(KERNELS) and not self._recompile(trial.edit.path):
                    return CAUGHT, "the compiler"
                begun = time.monotonic()
                state, test = self._run(self._sound_ones(trial.tests), max(1.0, left))
                left -= time.monotonic() - begun
            if state == SURVIVED or self._is_sound(test):
                return state, test
        return SURVIVED, f"tests fail here without it, too: {test}"

    def _is_sound(self, test: str) -> bool:
        """Return whether a test passes without any edit; known from the first time on."""
        if test not in self._sound:
            self._fresh_cache()
            self._sound[test] = self._run((test,))[0] == SURVIVED
        return self._sound[test]

    def _sound_ones(self, tests: Sequence[str]) -> tuple[str, ...]:
        broken = [test for test, is_sound in self._sound.items() if not is_sound]
        kept = tuple(test for test in tests if test not in broken)
        return (*kept, *(f"--deselect={test}" for test in broken))

    def _run(self, words: Sequence[str], seconds: float = SECONDS) -> tuple[str, str]:
        """Run pytest up to the first failure; return what came of it, and the test it was in."""
        self._told.write_text("", encoding="utf-8")
        code = self._python(
            ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.mutate.telling",
             "--hypothesis-seed=0", "-m", "not nightly", "--tb=no", f"--timeout={A_TEST}",
             "--timeout-method=thread", *words), seconds,
        )  # fmt: skip
        told = [line.split(" ", 1) for line in self._told.read_text("utf-8").splitlines()]
        failed = [test for kind, test in told if kind == "failed"]
        begun = [test for kind, test in told if kind == "begun"]
        if code in (0, NO_TESTS):
            return SURVIVED, "no tests" if code else ""
        if failed:
            return CAUGHT, failed[0]
        if code is None:
            return SURVIVED, f"{SECONDS:.0f} s were over in {begun[-1] if begun else 'the imports'}"
        return (HUNG if code == 1 else CAUGHT), begun[-1] if begun else words[0]

    def _python(self, words: Sequence[str], seconds: float) -> int | None:
        """Run Python in the copy and return its exit code; None after `seconds`."""
        hidden = {"PYTHONDONTWRITEBYTECODE", "DISPLAY"}
        given = {name: value for name, value in os.environ.items() if name not in hidden}
        process = subprocess.Popen(
            [sys.executable, *words], cwd=self.root, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**given, "TOLD": str(self._told), "XDG_CACHE_HOME": str(self._cache),
                 "TMPDIR": str(self._temporary)},
        )  # fmt: skip
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    @contextlib.contextmanager
    def _edited(self, trial: Trial) -> Iterator[None]:
        """Make an edit in the copy, with a cache of its own, and take it back."""
        path = self.root / trial.edit.path
        before, times = path.read_bytes(), path.stat()
        compiled = Path(importlib.util.cache_from_source(str(path)))
        self._fresh_cache()
        compiled.unlink(missing_ok=True)  # Python sees no change of the same size and second
        path.write_text(trial.edit.apply(before.decode()), encoding="utf-8")
        try:
            yield
        finally:
            path.write_bytes(before)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            compiled.unlink(missing_ok=True)

    def _fresh_cache(self) -> None:
        """Empty the cache of all but the kernels that were compiled first."""
        shutil.rmtree(self._cache, ignore_errors=True)
        if self._kept.exists():
            shutil.copytree(self._kept, self._cache / "goishi" / "kernels")

    def _recompile(self, path: str) -> bool:
        """Compile what an edited kernel file changes; return whether it compiles.

        The cache of an edited source is another folder; what does not import it is taken over.
        """
        found = subprocess.run(
            [sys.executable, "-c", PLACE], cwd=self.root, capture_output=True, text=True,
            env={**os.environ, "XDG_CACHE_HOME": str(self._cache)},
        )  # fmt: skip
        if found.returncode != 0:
            return False
        place = Path(found.stdout.strip())
        stale = dependents(self.root, path)
        for old in self._kept.iterdir():
            for compiled in old.rglob("*.nb?"):
                if compiled.name.split(".")[0] not in stale:
                    target = place / compiled.relative_to(old)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(compiled, target)
        return self._python(("-c", COMPILE), COMPILING) == 0


def dependents(root: Path, path: str) -> frozenset[str]:
    """Return the stems of a kernel file and of those that import it, by others too."""
    imported: dict[str, set[str]] = {}
    for file in (root / KERNELS).rglob("*.py"):
        dotted = ".".join(file.relative_to(root).with_suffix("").parts)
        imported[dotted] = set()
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported[dotted] |= {node.module, *(f"{node.module}.{n.name}" for n in node.names)}
    found = {path.removesuffix(".py").replace("/", ".")}
    while more := {name for name, others in imported.items() if others & found} - found:
        found |= more
    return frozenset(name.rsplit(".", 1)[-1] for name in found)
