"""The seat of the self-teaching players: our network, the paper's, or the memory alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from ai import PLAYERS, OptionError, get_player_info, resolve_settings
from scripts.gomoku.seats.pending import read_pairs
from scripts.gomoku.seats.seat import Seat
from sim import FieldError, field

LEARNERS: Final = tuple(info for info in PLAYERS.values() if info.learner is not None)
KINDS: Final = tuple(info.name for info in LEARNERS)
KIND_HELP: Final = " ".join(f"{info.name}: {info.description}" for info in LEARNERS)
OPTIONS: Final = {item.key: item for item in LEARNERS[0].settings}

MEMORY_KEYS: Final = ("alpha", "merges", "records", "relearn", "width")
TRAINING_KEYS: Final = (
    "warm_start", "steps", "epochs", "least_steps", "batch", "rate", "symmetries",
    "mask_occupied", "rehearsal", "hard_examples", "threat_labels", "own_threats",
    "win_records",
)  # fmt: skip
OWN_KEYS: Final = (*MEMORY_KEYS, *TRAINING_KEYS, "more")
"""Fields whose values belong to the player that is chosen."""


class CnnAnnSeat(Seat, title="Learning player"):
    """CNN + approximate-nearest-neighbour memory: learns from the games it loses.

    Each of its players has its own settings: a newly seated one has its defaults, or those set for
    it before. The scene's values belong to the player that the scene names.
    """

    memory_keys: ClassVar[tuple[str, ...]] = MEMORY_KEYS
    training_keys: ClassVar[tuple[str, ...]] = TRAINING_KEYS
    kind_key: ClassVar[str] = "player_kind"

    player_kind: str = field(
        KINDS[0],
        title="Player",
        choices=KINDS,
        resets=OWN_KEYS,
        help=f"{KIND_HELP} Another one comes with settings of its own.",
    )
    records: int = field(OPTIONS["records"])
    merges: bool = field(True, help="Off: similar positions stay apart in the memory (alpha none)")
    alpha: float = field(OPTIONS["alpha"])
    relearn: str = field(OPTIONS["relearn"])
    width: float = field(OPTIONS["width"])
    warm_start: bool = field(OPTIONS["warm_start"])
    steps: int = field(OPTIONS["steps"])
    epochs: int = field(OPTIONS["epochs"])
    least_steps: int = field(OPTIONS["least_steps"])
    batch: int = field(OPTIONS["batch"])
    rate: float = field(OPTIONS["rate"], title="Learning rate")
    symmetries: bool = field(OPTIONS["symmetries"])
    mask_occupied: bool = field(OPTIONS["mask_occupied"])
    rehearsal: bool = field(OPTIONS["rehearsal"])
    hard_examples: bool = field(OPTIONS["hard_examples"])
    threat_labels: bool = field(OPTIONS["threat_labels"])
    own_threats: bool = field(OPTIONS["own_threats"])
    win_records: bool = field(OPTIONS["win_records"])
    more: str = field(
        "", title="More settings", help="KEY=VALUE, separated by spaces; `players` lists them"
    )

    def awake(self) -> None:
        super().awake()
        self._follow_kind()

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == self.kind_key:
            self._follow_kind()

    def player_name(self) -> str:
        return self.player_kind

    def hold(self, name: str) -> bool:
        if name in KINDS:
            setattr(self, self.kind_key, name)
        return name in KINDS

    def settings(self) -> dict[str, Any]:
        return self.settings_with({})

    def settings_with(self, changed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the player's settings by the fields, with some values changed."""
        kind = str(changed.get(self.kind_key, self.player_kind))
        own = {name: self.present(name, changed) for name in OWN_KEYS} | dict(changed)
        if not own["merges"]:
            own["alpha"] = None
        known = {setting.key for setting in get_player_info(kind).settings}
        return {
            **{key: value for key, value in own.items() if key in known},
            **read_pairs(own["more"]),
        }

    def further_settings(self, changed: Mapping[str, Any]) -> dict[str, str]:
        """Return the settings in the field `more`; the seat's other fields override them."""
        return read_pairs(str(changed.get("more", self.present("more", changed))))

    def present(self, name: str, changed: Mapping[str, Any]) -> Any:
        """Return a field's value, or the new player's if the player itself changes."""
        kind = changed.get(self.kind_key, self.player_kind)
        if kind == self.player_kind or name not in OWN_KEYS:
            return getattr(self, name)
        return self._values_of(str(kind))[name]

    def shown_memory_keys(self, changed: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the memory's fields that apply to the present player."""
        kind = get_player_info(changed.get(self.kind_key, self.player_kind))
        plays_by_it = kind.explains == "memory"
        return tuple(key for key in self.memory_keys if key != "width" or plays_by_it)

    def shown_keys(self, changed: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the training's fields that apply to the present player."""
        known = self.settings_with(changed)
        is_warm = "warm_start" in known and bool(
            changed.get("warm_start", self.present("warm_start", changed))
        )
        useless = ("epochs", "least_steps") if is_warm else ("steps", "rehearsal", "hard_examples")
        return tuple(key for key in self.training_keys if key in known and key not in useless)

    def validate(self) -> None:
        super().validate()
        self._follow_kind()
        try:
            resolve_settings(get_player_info(self.player_kind), self.settings())
        except OptionError as error:
            raise FieldError("more", expected="settings of the player", found=str(error)) from None

    # -- the players' own settings ------------------------------------------------------------

    _filled_for = ""
    """The player whose settings the fields hold; none before the first look."""
    _left: Mapping[str, Mapping[str, Any]] = {}
    """By player, the settings that it had when another one sat down."""

    def _follow_kind(self) -> None:
        """Fill the fields with the settings of the player that is chosen."""
        kind, before = self.player_kind, self._filled_for
        if kind == before:
            return
        if before:
            self._asked_for = ""  # who is chosen while it runs goes before the flag
            self._left = {**self._left, before: {name: getattr(self, name) for name in OWN_KEYS}}
        given = () if before else [name for name in OWN_KEYS if name in self.slot.values]
        self._filled_for = kind
        for name, value in self._values_of(kind).items():
            if name not in given and value != getattr(self, name):
                setattr(self, name, value)

    def _values_of(self, kind: str) -> dict[str, Any]:
        """Return the fields' values for a player: as they were left, else its defaults."""
        values = {name: getattr(type(self), name).default for name in OWN_KEYS}
        for setting in get_player_info(kind).settings:
            if setting.key in values and setting.default is not None:
                values[setting.key] = setting.default
            elif setting.key == "alpha":
                values["merges"] = False
        return values | dict(self._left.get(kind, {}))
