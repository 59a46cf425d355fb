"""A copy of the checkout in which an edit is tried: a kill leaves nothing in the working tree."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

from tests.mutate.choice import Trial, files_of
from tests.mutate.spending import run_within

SECONDS = 60.0  # of processors
A_TEST = 25  # seconds by the clock after which one hangs
PATIENCE = 2  # times as long is it given alone, before that is believed
COMPILING = 400.0
ASKED_FIRST = 2  # files: reading those of a whole folder takes longer than most of them run
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

    Its place is the same each time, as compiled kernels belong to the path of their source.

    Args:
        root: the checkout; only read, but for the kernels that are kept in its `.pytest_cache`.
        number: of this copy among those that are used at a time.
    """

    def __init__(self, root: Path, number: int = 0) -> None:
        place = hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:12]
        self._folder = Path(tempfile.gettempdir()).resolve() / f"goishi-mutate-{place}-{number}"
        shutil.rmtree(self._folder, ignore_errors=True)  # what one that was killed has left
        self._folder.mkdir(mode=0o700)
        self.root = self._folder / "copy"
        self._kept = root / ".pytest_cache" / f"mutation-kernels-{number}"
        self._told = self._folder / "told"
        self._temporary = self._folder / "tmp"  # what a hung test leaves
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
        shutil.rmtree(self._folder, ignore_errors=True)

    def compile(self) -> None:
        """Compile the kernels of the copy as it stands, if need be; trials begin with these.

        Raises:
            ToolError: they cannot be compiled.
        """
        self._fresh_cache()
        if self._python(("-c", COMPILE), COMPILING)[0] != 0:
            raise ToolError("expected kernels that compile")
        shutil.rmtree(self._kept, ignore_errors=True)
        shutil.copytree(self._place(), self._kept / self._place().name)

    def try_out(self, trial: Trial, likely: Sequence[str] = ()) -> tuple[str, str]:
        """Run a trial's tests with its edit made; return what came of it, and which test told.

        Args:
            trial: the edit and its tests.
            likely: tests that are asked before all others.
        """
        if not trial.tests:
            return SURVIVED, "no tests"
        left, unsure = SECONDS, set[str]()
        for _ in range(ATTEMPTS):
            with self._edited(trial):
                if trial.edit.path.startswith(KERNELS) and not self._recompile(trial.edit.path):
                    return CAUGHT, "the compiler"
                state, test, spent = self._ask(trial.tests, likely, unsure, max(1.0, left))
                if state == HUNG and self._run((test,), SECONDS, PATIENCE * A_TEST)[0] == SURVIVED:
                    unsure.add(test)  # slow here and now
                    continue
            left -= spent
            if state == SURVIVED or self._is_sound(test):
                return state, test
        return SURVIVED, f"tests fail here without it, too: {test}"

    def _ask(
        self, tests: Sequence[str], likely: Sequence[str], unsure: set[str], seconds: float
    ) -> tuple[str, str, float]:
        """Run the likely tests, the first files, and where none of them tells the others."""
        broken = {test for test, is_sound in self._sound.items() if not is_sound} | unsure
        without = tuple(f"--deselect={test}" for test in sorted(broken))
        first = [test for test in (*likely, *tests[:ASKED_FIRST]) if test not in broken]
        rest = [test for test in tests[ASKED_FIRST:] if test not in broken]
        state, test, spent = SURVIVED, "no tests", 0.0
        for files in filter(None, (list(dict.fromkeys(first)), rest)):
            if state == SURVIVED and spent < seconds:
                state, test, more = self._run((*files, *without), max(1.0, seconds - spent))
                spent += more
        return state, test, spent

    def _is_sound(self, test: str) -> bool:
        """Return whether a test passes without any edit; known from the first time on."""
        if test not in self._sound:
            self._fresh_cache()
            alone = self._run((test,), SECONDS, PATIENCE * A_TEST)
            self._sound[test] = alone[0] == SURVIVED
        return self._sound[test]

    def _run(
        self, words: Sequence[str], seconds: float = SECONDS, a_test: float = A_TEST
    ) -> tuple[str, str, float]:
        """Run pytest up to the first failure.

        Returns:
            What came of it, the test that it was in, and the processor seconds it took.
        """
        self._told.write_text("", encoding="utf-8")
        code, spent = self._python(
            ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.mutate.telling",
             "--hypothesis-seed=0", "-m", "not nightly", "--tb=no", f"--timeout={a_test}",
             "--timeout-method=thread", *words), seconds,
        )  # fmt: skip
        told = [line.split(" ", 1) for line in self._told.read_text("utf-8").splitlines()]
        failed = [test for kind, test in told if kind == "failed"]
        begun = [test for kind, test in told if kind == "begun"]
        if code in (0, NO_TESTS):
            return SURVIVED, "no tests" if code else "", spent
        if failed:
            return CAUGHT, failed[0], spent
        if code is None:
            where = begun[-1] if begun else "the imports"
            return SURVIVED, f"{SECONDS:.0f} s were over in {where}", max(spent, seconds)
        return (HUNG if code == 1 else CAUGHT), begun[-1] if begun else words[0], spent

    def _python(self, words: Sequence[str], seconds: float) -> tuple[int | None, float]:
        """Run Python in the copy; return its exit code, None after `seconds`, and what it took."""
        hidden = {"PYTHONDONTWRITEBYTECODE", "DISPLAY"}
        given = {name: value for name, value in os.environ.items() if name not in hidden}
        own = {"TOLD": str(self._told), "XDG_CACHE_HOME": str(self._cache),
               "TMPDIR": str(self._temporary)}  # fmt: skip
        return run_within(
            [sys.executable, *words], seconds, folder=self.root, environment={**given, **own}
        )

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
        try:
            place = self._place()
        except subprocess.CalledProcessError:
            return False
        stale = dependents(self.root, path)
        for old in self._kept.iterdir():
            for compiled in old.rglob("*.nb?"):
                if compiled.name.split(".")[0] not in stale:
                    target = place / compiled.relative_to(old)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(compiled, target)
        return self._python(("-c", COMPILE), COMPILING)[0] == 0

    def _place(self) -> Path:
        """Return where the kernels of the copy as it stands are compiled to.

        Raises:
            CalledProcessError: the copy cannot be asked.
        """
        found = subprocess.run(
            [sys.executable, "-c", PLACE], cwd=self.root, capture_output=True, text=True, check=True,
            env={**os.environ, "XDG_CACHE_HOME": str(self._cache)},
        )  # fmt: skip
        return Path(found.stdout.strip())


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
