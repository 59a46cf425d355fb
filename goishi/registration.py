"""The shipped environments, as Gymnasium knows them: `gymnasium.make("goishi/CartPole-v0")`."""

from __future__ import annotations

from typing import Final

SCENES: Final = {"CartPole-v0": "cart_pole"}
"""The shipped environments: the scene of each."""


def register() -> None:
    """Register them; Gymnasium calls it by the entry point of the package, in its namespace."""
    from gymnasium.envs.registration import register as add  # it is loading us

    for name, scene in SCENES.items():
        add(
            id=name,
            entry_point="goishi.making:make_shipped",
            vector_entry_point="goishi.making:make_shipped_vec",
            kwargs={"scene": scene},
        )
