"""Settings of a scene, from its file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SceneSettings:
    """Settings of a scene, from its file.

    Attributes:
        fixed_dt: seconds of one fixed step.
        seed: random seed, unless the command line gives one.
        on_script_error: isolate, pause or abort.
        max_objects: limit of the number of objects.
        script_timeout: seconds after which one call of a script is stopped.
    """

    fixed_dt: float = 1.0 / 60.0
    seed: int = 0
    on_script_error: str = "isolate"
    max_objects: int = 50_000
    script_timeout: float = 2.0
