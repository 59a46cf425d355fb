"""Whether a project's scripts run in the app: looked up, and asked where nobody knows yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from base.trust import Trust, trust_of
from sim.core.files.scene_file import find_project
from sim.core.project.run_options import RunOptions, offering_project
from sim.core.project.trust import remember, require_trust

if TYPE_CHECKING:
    from sim.app.app import App


def admit(options: RunOptions) -> tuple[RunOptions, bool]:
    """Return the options to open a scene with, and whether its project is asked about first.

    A project that the user opened safely, or is asked about, is opened without its scripts; while
    it is asked about nothing is written either.

    Raises:
        TrustError: nobody trusts it, and there is no window to ask in.
    """
    project = find_project(options.scene)
    offering = offering_project(options)
    if offering != project:
        require_trust(offering, is_given=options.trust, how="--trust after --project DIR")
    trust = Trust.TRUSTED if options.safe or options.trust else trust_of(project)
    if trust is Trust.TRUSTED:
        return options, False
    if options.headless or not options.panels:
        require_trust(project)
    if trust is Trust.SAFE:
        return replace(options, safe=True), False
    shown = replace(
        options, safe=True, video=None, screenshot=None, stats=None, out=None, seconds=None,
        script_options={},
    )  # fmt: skip
    return shown, True


def ask_at_start(app: App) -> None:
    """Ask about the project of the scene that is shown; a cancel ends the run."""
    ask_about(app, app.run_context.project, app.open_again, app.run_context.finish)


def ask_about(
    app: App, project: Path, then: Callable[[], object], otherwise: Callable[[], object] = bool
) -> None:
    """Call `then`, after asking about a project that was never opened; keep the answer.

    Args:
        app: the app with the window.
        project: the folder.
        then: opens the project.
        otherwise: called where it is not to be opened.
    """
    if app.trust_question is None or trust_of(project) is not Trust.UNKNOWN:
        then()
        return

    def answered(is_trusted: bool) -> None:
        keep(app, project, Trust.TRUSTED if is_trusted else Trust.SAFE)
        then()

    app.trust_question.ask(project, answered, otherwise)
    if app.shell is not None:
        app.shell.renew()


def keep(app: App, project: Path, answer: Trust) -> None:
    """Keep an answer; an error is one console line, and the answer holds for this project now."""
    if fault := remember(project, answer):
        app.console.error(fault)
    if project == app.run_context.project:
        app.take_answer(answer)


def trust_opened(app: App) -> None:
    """Trust the project that is open safely, after asking, and open its scene anew."""
    project = app.run_context.project
    if app.trust_question is None or trust_of(project) is Trust.TRUSTED:
        app.console.info("this project is trusted: its scripts run unless --safe is given")
        return

    def answered(is_trusted: bool) -> None:
        keep(app, project, Trust.TRUSTED if is_trusted else Trust.SAFE)
        if is_trusted:
            app.open_again()

    from sim.ui.panels.trust import KNOWN

    app.trust_question.ask(project, answered, words=KNOWN)
    if app.shell is not None:
        app.shell.renew()


def options_again(options: RunOptions, app: App) -> RunOptions:
    """Return the options to open the same scene with after an answer."""
    is_trusted = app.answer is Trust.TRUSTED
    return replace(options, trust=is_trusted, safe=not is_trusted)
