"""What the user chose in scripts, kept for the user and not with a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from base.schema import Option, OptionError, OptionValue


class ScriptPreferences:
    """The values that scripts keep for the user.

    Args:
        values: the values that are kept, by key.
        keep: called with all values after each change, to save them.
        warn: called with one line for each value that does not fit; once for each key.

    Attributes:
        revision: increased at every change.
    """

    def __init__(
        self,
        values: Mapping[str, OptionValue] | None = None,
        *,
        keep: Callable[[dict[str, OptionValue]], object] = bool,
        warn: Callable[[str], object] = bool,
    ) -> None:
        self.revision = 0
        self._values = dict(values or {})
        self._keep, self._warn = keep, warn
        self._checked: dict[Option, tuple[OptionValue, OptionValue]] = {}

    def value(self, option: Option) -> OptionValue:
        """Return the user's value of an option; its default if there is none, or none that fits."""
        kept = self._values.get(option.key, option.default)
        known = self._checked.get(option)
        if known is None or known[0] != kept or type(known[0]) is not type(kept):
            known = self._checked[option] = (kept, self._fitting(option, kept))
        return known[1]

    def change(self, option: Option, value: object) -> None:
        """Set and save the user's value of an option.

        Raises:
            OptionError: the value does not fit.
        """
        fitting = option.check(value)
        if self._values.get(option.key, option.default) == fitting:
            return
        self._values[option.key] = fitting
        self.revision += 1
        self._keep(dict(self._values))

    def _fitting(self, option: Option, kept: OptionValue) -> OptionValue:
        try:
            return option.check(kept)
        except OptionError as error:
            self._warn(f"settings.toml: scripts: {error}")
            return option.default
