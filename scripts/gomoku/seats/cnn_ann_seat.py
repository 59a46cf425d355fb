"""The seat of the players that teach themselves; its fields choose the player and settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from ai import PLAYERS, OptionError, get_player_info, resolve_settings
from scripts.gomoku.seats.pending import read_pairs
from scripts.gomoku.seats.seat import Seat
from sim import FieldError, field, tr

LEARNERS: Final = tuple(info for info in PLAYERS.values() if info.learner is not None)
KINDS: Final = tuple(info.name for info in LEARNERS)
KIND_HELP: Final = " ".join(f"{info.name}: {info.description}" for info in LEARNERS)
OPTIONS: Final = {item.key: item for item in get_player_info("cnn-ann-plus").settings}

MEMORY_KEYS: Final = ("alpha", "merges", "records", "relearn", "width")
TRAINING_KEYS: Final = (
    "warm_start", "steps", "epochs", "least_steps", "batch", "rate", "symmetries",
    "mask_occupied", "rehearsal", "hard_examples", "threat_labels", "own_threats",
    "win_records",
)  # fmt: skip
OWN_KEYS: Final = (*MEMORY_KEYS, *TRAINING_KEYS, "more")
"""Fields of the seat whose values each player has for itself."""


class CnnAnnSeat(Seat, title="Learning player"):
    """Seat of players that learn from lost games: a network with a memory of positions.

    The memory finds similar positions by approximate nearest neighbours. Each player has its own
    settings: a newly seated one gets its defaults, or the values that it had before. The values in
    the scene file belong to the player that the scene names.
    """

    memory_keys: ClassVar[tuple[str, ...]] = MEMORY_KEYS
    training_keys: ClassVar[tuple[str, ...]] = TRAINING_KEYS
    kind_key: ClassVar[str] = "player_kind"

    player_kind: str = field(
        KINDS[0],
        title=tr("Player"),
        choices=KINDS,
        resets=OWN_KEYS,
        help=tr("{kind_help} Another one comes with settings of its own.").format(
            kind_help=KIND_HELP
        ),
    )
    records: int = field(OPTIONS["records"])
    merges: bool = field(
        True, help=tr("Off: similar positions stay apart in the memory (alpha none)")
    )
    alpha: float = field(OPTIONS["alpha"])
    relearn: str = field(OPTIONS["relearn"])
    width: float = field(OPTIONS["width"])
    warm_start: bool = field(OPTIONS["warm_start"])
    steps: int = field(OPTIONS["steps"])
    epochs: int = field(OPTIONS["epochs"])
    least_steps: int = field(OPTIONS["least_steps"])
    batch: int = field(OPTIONS["batch"])
    rate: float = field(OPTIONS["rate"], title=tr("Learning rate"))
    symmetries: bool = field(OPTIONS["symmetries"])
    mask_occupied: bool = field(OPTIONS["mask_occupied"])
    rehearsal: bool = field(OPTIONS["rehearsal"])
    hard_examples: bool = field(OPTIONS["hard_examples"])
    threat_labels: bool = field(OPTIONS["threat_labels"])
    own_threats: bool = field(OPTIONS["own_threats"])
    win_records: bool = field(OPTIONS["win_records"])
    more: str = field(
        "",
        title=tr("More settings"),
        help=tr("KEY=VALUE, separated by spaces; `players` lists them"),
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
        """Return the player's settings, from the fields and from the text in the field `more`.

        Args:
            changed: values by field name, which count instead of the present values of those
                fields.
        """
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
        """Return the settings written in the field `more`, as texts by name.

        Args:
            changed: values by field name, which count instead of the present values of those
                fields.
        """
        return read_pairs(str(changed.get("more", self.present("more", changed))))

    def present(self, name: str, changed: Mapping[str, Any]) -> Any:
        """Return the value of a field for the selected player.

        If another player is about to be selected, it is the value that the field will then have.

        Args:
            name: name of the field.
            changed: by name, the field values that are about to be set.
        """
        kind = changed.get(self.kind_key, self.player_kind)
        if kind == self.player_kind or name not in OWN_KEYS:
            return getattr(self, name)
        return self._values_of(str(kind))[name]

    def shown_memory_keys(self, changed: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of those memory fields that have an effect on the selected player.

        Args:
            changed: values by field name, which count instead of the present values of those
                fields.
        """
        kind = get_player_info(changed.get(self.kind_key, self.player_kind))
        plays_by_it = kind.explains == "memory"
        return tuple(key for key in self.memory_keys if key != "width" or plays_by_it)

    def shown_keys(self, changed: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of those training fields that have an effect on the selected player.

        Args:
            changed: values by field name, which count instead of the present values of those
                fields.
        """
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
    """Name of the player whose settings the fields hold; empty before they are first filled."""
    _left: Mapping[str, Mapping[str, Any]] = {}
    """By name of a player, the settings that it had when another player was last chosen."""

    def _follow_kind(self) -> None:
        """Fill the fields with the settings of the player that is selected now.

        The values that they had for the previous player are saved first.
        """
        kind, before = self.player_kind, self._filled_for
        if kind == before:
            return
        if before:
            self._asked_for = ""  # who is chosen while it runs goes before the flag
            self._left = {**self._left, before: self._own_values()}
        given = () if before else [name for name in OWN_KEYS if name in self.slot.values]
        self._filled_for = kind
        for name, value in self._values_of(kind).items():
            if name not in given and value != getattr(self, name):
                setattr(self, name, value)

    def _own_values(self) -> dict[str, Any]:
        """Return the fields' values, to be there when the present player comes back.

        The Inspector resets the fields before it chooses another player. Then there is nothing to
        keep, and the player comes back with its defaults.
        """
        values = {name: getattr(self, name) for name in OWN_KEYS}
        is_reset = all(value == getattr(type(self), name).default for name, value in values.items())
        return {} if is_reset else values

    def _values_of(self, kind: str) -> dict[str, Any]:
        """Return the field values for a player: the saved ones, or its defaults."""
        values = {name: getattr(type(self), name).default for name in OWN_KEYS}
        for setting in get_player_info(kind).settings:
            if setting.key in values and setting.default is not None:
                values[setting.key] = setting.default
            elif setting.key == "alpha":
                values["merges"] = False
        return values | dict(self._left.get(kind, {}))
