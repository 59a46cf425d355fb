"""Trust in projects: whether a project's scripts may run, and the user's stored answers."""

from __future__ import annotations

from pathlib import Path

import tomli_w

from base.errors import UsageError
from base.files import atomic_write
from base.trust import PROJECTS, Trust, has_code, read_trust, trust_file, trust_of


class TrustError(UsageError):
    """A project's scripts would have to run, but the user has not allowed it."""


def require_trust(project: Path, *, is_given: bool = False, how: str = "--trust") -> None:
    """Check that the user allows a project's scripts to run.

    Args:
        project: the project's folder.
        is_given: whether the user allowed it on the command line.
        how: the option for it, to be named in the error message.

    Raises:
        TrustError: the user has not allowed it.
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
    """Store whether the user trusts a project folder.

    Args:
        project: the project's folder.
        answer: the user's answer.

    Returns:
        Why it could not be stored; empty on success.
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
    """Trust a project in which the user is about to create the first script.

    A project that has code already is not trusted by this.

    Returns:
        Why the trust could not be stored; empty otherwise.
    """
    return "" if has_code(project) else remember(project, Trust.TRUSTED)


__all__ = ["Trust", "TrustError", "remember", "require_trust", "trust_of", "trust_own"]
