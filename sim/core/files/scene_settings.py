"""The scene's own settings, as its file has them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SceneSettings:
    """The scene's own settings.

    Attributes:
        fixed_dt: seconds of one fixed step.
        seed: where randomness starts when the command line names none.
        on_script_error: isolate, pause or abort.
        max_objects: more are refused.
        script_timeout: seconds after which one call of a script is broken off.
    """

    fixed_dt: float = 1.0 / 60.0
    seed: int = 0
    on_script_error: str = "isolate"
    max_objects: int = 50_000
    script_timeout: float = 2.0
