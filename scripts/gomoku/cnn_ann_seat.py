"""The seat of the self-teaching network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from ai import SettingError, get_player_info, resolve_settings
from scripts.gomoku.seat import Seat
from sim import FieldError, field


class CnnAnnSeat(Seat):
    """CNN + approximate-nearest-neighbour memory: learns from the games it loses."""

    memory_keys: ClassVar[tuple[str, ...]] = ("alpha", "merges", "records", "relearn")
    training_keys: ClassVar[tuple[str, ...]] = (
        "warm_start", "steps", "epochs", "least_steps", "batch", "rate", "symmetries",
        "mask_occupied", "rehearsal", "hard_examples", "threat_labels", "own_threats",
        "win_records",
    )  # fmt: skip

    player_kind: Literal["cnn-ann-plus", "cnn-ann"] = field(
        "cnn-ann-plus", help="cnn-ann is the paper's; cnn-ann-plus our improvement"
    )
    records: int = field(
        1, min=1, max=50, help="Positions walked back after a loss; the paper used 1 to 4"
    )
    merges: bool = field(True, help="Off: every record becomes a node of its own (alpha none)")
    alpha: float = field(
        0.5, min=0.0, max=100.0, help="Merge distance of the memory; the paper's best is 5"
    )
    relearn: Literal["memory", "last-game", "never"] = field(
        "memory", help="last-game: trained on the lost game alone, the paper's condition (a)"
    )
    warm_start: bool = field(True, help="Go on from the last weights; off: a new net each time")
    steps: int = field(60, min=1, max=5000, help="Training steps of a warm start")
    epochs: int = field(18, min=1, max=1000, help="Times each node is trained on, from a new net")
    least_steps: int = field(
        120, min=1, max=5000, help="Training steps at least, from a new net with a small memory"
    )
    batch: int = field(64, min=1, max=4096, help="Samples in a training step")
    rate: float = field(0.004, min=1e-6, max=1.0, help="Peak of the one-cycle learning rate")
    symmetries: bool = field(True, help="Turn and mirror each sample at random")
    mask_occupied: bool = field(True, help="Leave occupied points out of the loss")
    rehearsal: bool = field(True, help="Mix remembered situations into each training")
    hard_examples: bool = field(False, help="Take those more often that the net gets wrong")
    threat_labels: bool = field(True, help="Label a lost game's threats of five and open four")
    own_threats: bool = field(False, help="Label one's own fives and open fours, too")
    win_records: bool = field(True, help="Remember the threats of won games, too")
    more: str = field(
        "", help="Further settings as KEY=VALUE, separated by spaces; `players` lists them"
    )

    def player_name(self) -> str:
        return self.player_kind

    def settings(self) -> dict[str, Any]:
        return self.settings_with({})

    def settings_with(self, changed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the player's settings by the fields, some of them changed."""
        own = {
            name: changed.get(name, getattr(self, name))
            for name in (*self.memory_keys, *self.training_keys)
        }
        if not own.pop("merges"):
            own["alpha"] = None
        kind = changed.get("player_kind", self.player_kind)
        known = {setting.key for setting in get_player_info(kind).settings}
        return {
            **{key: value for key, value in own.items() if key in known},
            **self.further_settings(),
        }

    def further_settings(self) -> dict[str, str]:
        """Return what `more` sets; it goes before the fields."""
        return dict(item.partition("=")[::2] for item in self.more.split())

    def shown_keys(self, changed: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the training's fields that matter to the player as it is set."""
        known = self.settings_with(changed)
        is_warm = "warm_start" in known and bool(changed.get("warm_start", self.warm_start))
        useless = ("epochs", "least_steps") if is_warm else ("steps", "rehearsal", "hard_examples")
        return tuple(key for key in self.training_keys if key in known and key not in useless)

    def validate(self) -> None:
        try:
            resolve_settings(get_player_info(self.player_kind), self.settings())
        except SettingError as error:
            raise FieldError("more", expected="settings of the player", found=str(error)) from None
