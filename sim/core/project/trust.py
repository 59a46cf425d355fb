"""Trust in projects: whether a project's scripts may run, and the user's stored answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final, TextIO

import tomli_w

from base.errors import TrustError
from base.files import atomic_write, set_aside
from base.trust import (
    PROJECTS,
    Trust,
    has_code,
    holds_code,
    is_trusted,
    read_trust,
    refusal_of,
    trust_fault,
    trust_file,
    trust_for_this_run,
    trust_of,
)

YES: Final = ("t", "trust", "y", "yes")
SAFELY: Final = ("s", "safe", "safely")


def require_trust(project: Path, *, is_given: bool = False, how: str = "--trust") -> None:
    """Check that the user allows a project's code to run, before a command runs some of it.

    Args:
        project: the project's folder.
        is_given: whether the user allowed it on the command line. Then it is allowed in this
            process and its children.
        how: the option for it, to be named in the error message.

    Raises:
        TrustError: the user has not allowed it.
    """
    if is_given:
        trust_for_this_run(project)
    elif not is_trusted(project):
        raise TrustError(refusal_of(project, how))


def require_no_unknown_code(project: Path, *, is_given: bool = False, how: str = "--trust") -> None:
    """Check that the user allows a project's code to run, if the folder seems to hold any.

    This is for commands that open what may be data alone. What the check has not seen is refused
    when it is imported (`base.trust.check_import`).

    Args:
        project: the project's folder.
        is_given: whether the user allowed it on the command line, as for `require_trust`.
        how: the option for it, to be named in the error message.

    Raises:
        TrustError: there is code, and the user has not allowed it.
    """
    if is_given or trust_of(project) is not Trust.TRUSTED:
        require_trust(project, is_given=is_given, how=how)


QUESTION = (
    "{project}: a project that was never opened here. Its scripts run with all your rights\n"
    "(docs/security.md). Trust it: t    Open it without its scripts: s    Neither: Enter  [t/s] "
)


def ask_on_terminal(project: Path) -> Trust | None:
    """Ask on the terminal whether to trust a project, and store the answer.

    Args:
        project: the project's folder, about which there is no answer yet.

    Returns:
        The answer; None if there is no terminal to ask on, or the user has chosen neither.
    """
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
        return None
    sys.stderr.write(QUESTION.format(project=project.resolve()))
    sys.stderr.flush()
    word = sys.stdin.readline().strip().lower()
    answer = Trust.TRUSTED if word in YES else Trust.SAFE if word in SAFELY else None
    if answer is not None and (fault := remember(project, answer)):
        sys.stderr.write(f"{fault}\n")
    if answer is Trust.TRUSTED:
        trust_for_this_run(project)  # it may not have been stored
    return answer


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def remember(project: Path, answer: Trust) -> str:
    """Store whether the user trusts a project folder.

    A file of answers that cannot be read is kept as `trust.toml.bad`.

    Args:
        project: the project's folder.
        answer: the user's answer.

    Returns:
        What the user should know: why it could not be stored, or that a file was kept; empty for
        nothing.
    """
    path, tables, note = trust_file(), read_trust(), trust_fault()
    answers = {**tables.get(PROJECTS, {}), str(project.resolve()): answer.value}
    try:
        content = tomli_w.dumps({**tables, PROJECTS: dict(sorted(answers.items()))})
        path.parent.mkdir(parents=True, exist_ok=True)
        if note:
            note += f"; it is kept as {set_aside(path)}, and your answers are asked for again"
        atomic_write(path, content)
    except (OSError, ValueError) as error:  # ValueError: a path that is no Unicode
        return f"{path}: expected to keep your answer about {project}, found: {error}"
    return note


def trust_own(project: Path) -> str:
    """Trust a project in which the user is about to create the first script.

    A project that has code already, however deep in its folders, is not trusted by this.

    Returns:
        Why the trust could not be stored; empty otherwise.
    """
    return "" if holds_code(project) else remember(project, Trust.TRUSTED)


__all__ = [
    "Trust",
    "TrustError",
    "ask_on_terminal",
    "has_code",
    "remember",
    "require_no_unknown_code",
    "require_trust",
    "trust_of",
    "trust_own",
]
