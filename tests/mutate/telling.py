"""A plugin for pytest that writes which test runs and which fails to the file that `TOLD` names."""

from __future__ import annotations

import os

import pytest


def tell(kind: str, test: str) -> None:
    """Add a line to the file."""
    with open(os.environ["TOLD"], "a", encoding="utf-8") as told:
        told.write(f"{kind} {test}\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    """Tell that a test begins."""
    tell("begun", nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Tell that a test failed."""
    if report.failed:
        tell("failed", report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Tell that a file cannot be read."""
    if report.failed:
        tell("failed", report.nodeid)
