"""What the welcome panel of a running app shows, and when it opens by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sim.core.recent_scenes import FILE_NAME, RecentScenes, example_cards
from sim.core.run_options import DEFAULT_SCENE, SHIPPED_ROOT
from sim.ui.welcome import WelcomePanel

if TYPE_CHECKING:
    from sim.app import App

DOCUMENTS = (
    ("Writing scripts", "scripting.md"),
    ("The scene file", "scene_format.md"),
    ("Self-teaching", "self_teaching.md"),
    ("Recording", "recording.md"),
    ("The command line", "cli.md"),
    ("When something goes wrong", "troubleshooting.md"),
)


def make_welcome(app: App, add_picture: Callable[[Any], int]) -> WelcomePanel:
    """Return the welcome panel; it is open at the very first start in a window."""
    recent = RecentScenes(app.run_context.data_dir / FILE_NAME, warn=app.console.warning)
    panel = WelcomePanel(
        recent=recent.cards,
        examples=example_cards(SHIPPED_ROOT),
        documents=[(title, SHIPPED_ROOT / "docs" / name) for title, name in DOCUMENTS],
        open_scene=app.open_scene,
        add_picture=add_picture,
    )
    options = app.options
    if not options.headless:
        if recent.is_first_start and options.scene == DEFAULT_SCENE:
            panel.open()
        recent.add(options.scene)
    return panel


__all__ = ["make_welcome"]
