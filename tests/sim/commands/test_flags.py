"""Flags of commands: declared once, checked and shown from there."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import typer.main

from base.errors import UsageError
from base.schema import setting
from sim.commands.cli.flags import command, flag, flag_of, switch


@dataclass
class Plan:
    steps: int = setting(10, 1, 100, key="--steps", help="Steps to take.")


@command
def walk(
    *,
    steps: int = flag_of(Plan, "steps", "N"),
    pace: str = flag("slow", "--pace NAME", "How fast.", choices=("slow", "fast")),
    limit: int | None = flag(None, "--limit N", "At most [any].", 1, expected="1 or more"),
    quiet: bool = switch("--quiet", "Say nothing.", ("-q",)),
) -> tuple[object, ...]:
    """Walk."""
    return steps, pace, limit, quiet


def test_defaults_are_the_declared_ones():
    assert walk() == (10, "slow", None, False)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"steps": 0}, "--steps: expected an? .*1 to 100, found 0"),
        ({"pace": "late"}, "--pace: expected .*slow.*fast.*, found 'late'"),
        ({"limit": 0}, "--limit: expected 1 or more, found 0"),
    ],
)
def test_a_value_that_does_not_fit_is_told_with_its_flag(given, told):
    with pytest.raises(UsageError, match=told):
        walk(**given)


def test_the_help_shows_name_value_and_words():
    application = typer.Typer()
    application.command()(walk)
    shown = {item.name: item for item in typer.main.get_command(application).params}
    steps, quiet = shown["steps"], shown["quiet"]
    assert (steps.opts, steps.metavar, steps.help, steps.default) == (
        ["--steps"],
        "N",
        "Steps to take.",
        10,
    )
    assert (sorted(quiet.opts), quiet.is_flag) == (["--quiet", "-q"], True)
