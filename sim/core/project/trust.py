"""Asking whether a project's scripts may run, and keeping the answer."""

from __future__ import annotations

from pathlib import Path

import tomli_w

from base.errors import UsageError
from base.files import atomic_write
from base.trust import PROJECTS, Trust, has_code, read_trust, trust_file, trust_of


class TrustError(UsageError):
    """A project's scripts would have to run, and nobody said that they may."""


def require_trust(project: Path, *, is_given: bool = False, how: str = "--trust") -> None:
    """Check that a project's scripts may run.

    Args:
        project: the project's folder.
        is_given: the command line says so.
        how: the words that say so, for the error.

    Raises:
        TrustError: they may not.
    """
    trust = Trust.TRUSTED if is_given else trust_of(project)
    if trust is not Trust.TRUSTED:
        found = "a folder that was never opened"
        if trust is Trust.SAFE:
            found = "one that you opened safely"
        raise TrustError(
            f"{project.resolve()}: expected a project that you trust, found {found}; its scripts "
            f"run with all your rights: if you want that, add {how} (docs/security.md)"
        )


def remember(project: Path, answer: Trust) -> str:
    """Keep the user's answer about a project folder.

    Returns:
        Why it could not be kept, empty where it was.
    """
    path, tables = trust_file(), read_trust()
    known = tables.get(PROJECTS)
    answers = {**known} if isinstance(known, dict) else {}
    answers[str(project.resolve())] = answer.value
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, tomli_w.dumps({**tables, PROJECTS: dict(sorted(answers.items()))}))
    except (OSError, ValueError) as error:  # ValueError: a path that is no Unicode
        return f"{path}: expected to keep your answer about {project}, found: {error}"
    return ""


def trust_own(project: Path) -> str:
    """Trust a project whose first script is being made here; return why that was not kept."""
    return "" if has_code(project) else remember(project, Trust.TRUSTED)


__all__ = ["Trust", "TrustError", "remember", "require_trust", "trust_of", "trust_own"]
