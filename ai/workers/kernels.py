"""Which kernels a worker runs: compiled ones, or the Python version until they are compiled."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ai.kernels.cache import configure_environment, is_compiled, missing
from ai.messages.kernels import KernelState
from ai.registry.players import find_player_info

EVALUATION: Final = "evaluation"
"""Stands for the evaluation of positions among the names of players."""
_KERNELS: Final = "ai.kernels.jit"


def kernels_needed(user: str, project: Path | None = None) -> tuple[str, ...]:
    """Return the modules with kernels that a player needs, in the order to compile them.

    Args:
        user: name of the player, or `EVALUATION`.
        project: folder of a project that may add players; None for none.
    """
    from ai.kernels.needs import kernels_of

    if user == EVALUATION:
        return kernels_of("ai.session.evaluation")
    factory = find_player_info(user, project).factory
    return kernels_of(factory.partition(":")[0]) if factory else ()


def runs_compiled() -> bool:
    """Return whether the player runs at full speed.

    It does if its kernels are compiled, or if it uses no kernels.
    """
    jit = sys.modules.get(_KERNELS)
    return jit is None or bool(jit.is_jit_enabled())


class KernelChoice:
    """Decides which kernels a worker's process runs; that cannot be changed afterwards.

    Attributes:
        is_open: whether the decision depends on the first player, as some kernels are not compiled.
    """

    def __init__(self, jit: bool | None = None, project: Path | None = None) -> None:
        """Decide at once, if that does not depend on the player.

        Args:
            jit: whether to run compiled kernels; None for compiled ones if there are any.
            project: folder of a project that may add players; None for none.
        """
        self.is_open = jit is None and not is_compiled() and find_spec("numba") is not None
        self._project = project
        self._users: list[str] = []
        if not self.is_open:
            configure_environment(jit=is_compiled() if jit is None else jit)

    def use(self, user: str) -> None:
        """Decide, before a player or the evaluation is imported that may use kernels.

        Args:
            user: name of the player, or `EVALUATION`.
        """
        if self.is_open and not self._users:
            configure_environment(jit=not missing(kernels_needed(user, self._project)))
        if user not in self._users:
            self._users.append(user)

    @property
    def is_provisional(self) -> bool:
        """Whether the Python version runs, only because the kernels were not compiled in time."""
        return self.is_open and not runs_compiled()

    def state(self) -> KernelState:
        """Return how the kernels run now."""
        is_provisional = self.is_provisional
        needed = (kernels_needed(user, self._project) for user in self._users)
        is_ready = is_provisional and not any(map(missing, needed))
        return KernelState(is_provisional, is_ready)
