"""The languages of the window: catalogues of gettext, and which of them is in use.

`catalogs/` has a folder for each language: `LC_MESSAGES/goishi.po` is edited, and `goishi.mo` is
made of it (`python -m tests.catalogs write`). English stands in the code.
"""

from __future__ import annotations

import contextlib
import gettext
import locale
import os
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Final

FOLDER: Final = Path(__file__).with_name("catalogs")
DOMAIN: Final = "goishi"
VARIABLE: Final = "GOISHI_LANGUAGE"
"""The environment variable that chooses the language, whatever the settings say."""
ENGLISH: Final = "en"
LANGUAGES: Final[Mapping[str, str]] = {
    ENGLISH: "English",
    "de": "Deutsch",
    "ja": "日本語",
    "ko": "한국어",
    "zh": "简体中文",
}
"""The languages by code, each with its own name."""
COMMA: Final = frozenset({"de"})
"""Languages that write 1.234,5 for 1,234.5."""
DATES: Final[Mapping[str, tuple[str, str]]] = {
    ENGLISH: ("%d %b %Y %H:%M", "%d %b"),
    "de": ("%d.%m.%Y %H:%M", "%d.%m."),
    "ja": ("%Y/%m/%d %H:%M", "%m/%d"),
    "ko": ("%Y. %m. %d. %H:%M", "%m. %d."),
    "zh": ("%Y/%m/%d %H:%M", "%m月%d日"),
}
"""How each language writes a moment, and a day of this year."""
LOCALE_VARIABLES: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


class Catalog:
    """The texts of one language.

    Args:
        language: its code, one of `LANGUAGES`.

    Attributes:
        current: the catalogue in use; English until the window begins.
    """

    current: ClassVar[Catalog]

    def __init__(self, language: str = ENGLISH) -> None:
        self.language = language
        self.is_english = language == ENGLISH
        self.has_comma = language in COMMA
        self._texts: gettext.NullTranslations = gettext.NullTranslations()
        if not self.is_english:
            self._texts = gettext.translation(DOMAIN, FOLDER, [language], fallback=True)

    def find(self, text: str, context: str = "") -> str:
        """Return a text in this language; as it is if the catalogue lacks it.

        Args:
            text: it in English.
            context: what tells it from the same English text with another meaning.
        """
        if context:
            return self._texts.pgettext(context, text)
        return self._texts.gettext(text) if text else ""

    def find_plural(self, one: str, many: str, count: float) -> str:
        """Return the form of a text that fits a number.

        Args:
            one: the English text for one.
            many: the English text for other numbers.
            count: the number.
        """
        whole = int(count) if count == int(count) else 2  # 1.5 games
        return self._texts.ngettext(one, many, whole)

    def number(self, text: str) -> str:
        """Return a number's text with this language's comma and point."""
        if self.has_comma:
            return text.translate({ord(","): ".", ord("."): ","})
        return text

    def date(self, moment: datetime, *, is_short: bool) -> str:
        """Return a moment, or the day and month alone, as this language writes it.

        Args:
            moment: the moment.
            is_short: whether year and time are left out.
        """
        return moment.strftime(DATES[self.language][is_short])


Catalog.current = Catalog()


def use(language: str) -> None:
    """Show texts in a language from now on.

    Args:
        language: its code, one of `LANGUAGES`.
    """
    if Catalog.current.language != language:
        Catalog.current = Catalog(language)


@contextlib.contextmanager
def using(language: str) -> Iterator[None]:
    """Show texts in a language inside the `with` block."""
    before = Catalog.current
    use(language)
    try:
        yield
    finally:
        Catalog.current = before


def wanted_language(chosen: str, variables: Mapping[str, str] = os.environ) -> str:
    """Return the language of the window: of the environment, the settings, or the system.

    Args:
        chosen: the code in the user's settings; "system" follows the system.
        variables: environment variables.
    """
    for code in (variables.get(VARIABLE, ""), chosen):
        if code in LANGUAGES:
            return code
    return system_language(variables)


def system_language(variables: Mapping[str, str] = os.environ) -> str:
    """Return the first language of the system that has a catalogue; English if none has.

    Args:
        variables: environment variables.
    """
    for name in _system_locales(variables):
        code = name.strip().lower().replace("-", "_").split("_")[0].split(".")[0]
        if code in LANGUAGES:
            return code
    return ENGLISH


def _system_locales(variables: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of the user's locales, the preferred one first: "ko_KR.UTF-8"."""
    for variable in LOCALE_VARIABLES:
        if variables.get(variable):
            yield from variables[variable].split(":")
            if variable != "LANGUAGE":
                return
    if sys.platform == "win32":
        import ctypes

        yield locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")
    else:
        with contextlib.suppress(ValueError):
            yield locale.getlocale()[0] or ""
