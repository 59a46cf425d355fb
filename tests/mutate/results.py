"""What earlier runs found, a line of `.pytest_cache/mutations.jsonl` for each edit."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.mutate.choice import Trial


class Results:
    """The results, each with the digests of the edited file and of the test that told.

    Args:
        root: the checkout.
        path: the file; it need not exist.
    """

    def __init__(self, root: Path, path: Path) -> None:
        self._root = root
        self._path = path
        self._states: dict[str, tuple[str, str]] = {}
        self._tellers: dict[str, str] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                key, name, state, test, digest = json.loads(line)
            except ValueError:
                continue  # one that was cut
            if digest == self._digest_of(test):
                self._states[key] = state, test
            if digest:
                self._tellers[name] = test

    def of(self, trial: Trial) -> tuple[str, str] | None:
        """Return what came of an edit, and which test told; None where that is not known."""
        return self._states.get(self._key(trial))

    def tellers(self, trial: Trial) -> tuple[str, ...]:
        """Return the test that told of the same edit, whatever has changed since then."""
        test = self._tellers.get(_name(trial), "")
        return (test,) if self._digest_of(test) else ()

    def keep(self, trial: Trial, state: str, test: str) -> None:
        """Keep what came of an edit."""
        self._path.parent.mkdir(exist_ok=True)
        line = [self._key(trial), _name(trial), state, test, self._digest_of(test)]
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _key(self, trial: Trial) -> str:
        """Return what a result belongs to: the source, the edit, and who is asked."""
        source = (self._root / trial.edit.path).read_text(encoding="utf-8")
        return hashlib.sha256(f"{trial.edit.apply(source)}|{trial.name}".encode()).hexdigest()

    def _digest_of(self, test: str) -> str:
        """Return the digest of a test's file, empty where it names none."""
        path = self._root / test.split("::")[0]
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else ""


def _name(trial: Trial) -> str:
    """Return what stays the same of an edit when its line moves."""
    edit = trial.edit
    return f"{edit.path}|{edit.kind}|{edit.old}|{edit.new}"
