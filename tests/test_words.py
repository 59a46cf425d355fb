"""Words that users read: the short, standard ones, in place of those that were riddles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from base.files import SHIPPED_ROOT
from tests.architecture import nodes_of

FOLDERS = ("sim", "scripts", "ai", "base")
FORMER = (
    "Opened lately", "Read on", "Arrange to", "All as usual", "Back to their places",
    "The view as at the start", "the scene as it was", "explains nothing", "hint of ",
    "you play White now", "Break off", "Plies that", "recorded earlier", "Best DNA",
    "alpha none ·", "· alpha none", "Steer", "No line passes", "hidden levels",
    "No script is open", "Choose an object in the Hierarchy", "A plugin is a folder",
    "called so", "does that.", "Takes part", "goes on working", "sits on Black",
    "walked back", "walks the game back", "slower twin", "sit down yourself", "kept by itself",
    "did not come back", "does not come back", "boards afar", "nearer, farther", "Choose nothing",
    "scaled to nothing", "of some size", "Days of one", "Radius of its way", "come home so fast",
    "played unseen. F", "what is played on from here", "once more", "Fitness by ply",
    "the first group ends", "the first game is not over", "nobody trains", "now or later (",
    "paused: go on", "does not hear them", "Join equal", "As in the prefab", "How crooked",
    "setting up the players", "no other editor found", "is evaluated first", "explains no population",
    "press Resign again", "Openings are being drawn", "is set aside.", "Memory held",
    "lay over the board", "Really resign", "preparing fast kernels", "Dearest scripts",
)  # fmt: skip
"""What stood in panels, console lines, errors and help; beside it stands today's in the code."""
TODAY = (
    "Recent", "No scenes opened yet", "Documentation", "Watch layout", "Studio layout",
    "Reset all", "Reset layout", "Reset view", "Stop and restore the scene",
    "No explanation: a person played this move.", "Hint: ", "End side game", "Best plan",
    "Looks back ", "no merging", "Settings", "Checkpoints", "Nothing to show",
    "No script open. Right-click a component and choose Open script.",
    "Select an object in the Hierarchy or the view.", "reference run", "your turn",
    "Resign this game?", "Choosing random openings", "Wait for ", "One-time speed-up",
    "Player at this seat", "Your seat", "a valid scene file",
)  # fmt: skip


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and content of the string constants of a module that are no docstrings."""
    nodes = nodes_of(path)
    silent = {
        id(node.value) for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }  # fmt: skip
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in silent
        ):
            yield node.lineno, node.value


def test_texts_say_it_in_todays_words() -> None:
    faults, said = [], set[str]()
    for folder in FOLDERS:
        for path in sorted((SHIPPED_ROOT / folder).rglob("*.py")):
            for line, text in texts(path):
                name = path.relative_to(SHIPPED_ROOT)
                faults += [f"{name}:{line}: {former!r}" for former in FORMER if former in text]
                said |= {word for word in TODAY if word in text}
    assert not faults
    assert said == set(TODAY)
