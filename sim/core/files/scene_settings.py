"""Settings of a scene, from its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from base.schema import Option, options_of, setting

ERROR_POLICIES: Final = ("isolate", "pause", "abort")


@dataclass(frozen=True)
class SceneSettings:
    """Settings of a scene, read from its file.

    Attributes:
        fixed_dt: duration of one fixed step, seconds.
        seed: random seed; the command line may set another.
        on_script_error: "isolate" disables the failing component, "pause" pauses the scene and
            "abort" ends the run.
        max_objects: largest number of objects.
        script_timeout: seconds after which a call of a script is stopped.
        exit_timeout: seconds after the end of the run in which its process must have ended.
    """

    fixed_dt: float = setting(1.0 / 60.0, minimum=1e-4, maximum=1.0)
    seed: int = setting(0, minimum=0, maximum=2**63 - 1)
    on_script_error: str = setting("isolate", choices=ERROR_POLICIES)
    max_objects: int = setting(50_000, minimum=1, maximum=10_000_000)
    script_timeout: float = setting(2.0, minimum=0.05, maximum=3600.0)
    exit_timeout: float = setting(10.0, minimum=0.5, maximum=3600.0)


SCENE_SETTINGS: Final[Mapping[str, Option]] = options_of(SceneSettings)
"""Checks of the settings in a scene file, by key."""
