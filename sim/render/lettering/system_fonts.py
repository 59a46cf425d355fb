"""Fonts that are installed on this machine, found by script."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sim.render.lettering.clusters import COMMON, EMOJI
from sim.render.lettering.faces import OutlineFace

log = logging.getLogger("goishi")


class Known(NamedTuple):
    """What is known of a script.

    Attributes:
        name: its name.
        package: the package of Debian and Ubuntu that has a font for it.
        fonts: names of font files that have it, without suffix, the best first.
    """

    name: str
    package: str
    fonts: tuple[str, ...]


UI_FONTS = ("segoeui", "arial", "tahoma", "arialuni", "arial unicode")
INDIC_FONTS = ("nirmala", "nirmalaui", "kohinoordevanagari", *UI_FONTS)
HAN = "fonts-wqy-microhei"
HAN_FONTS = (
    "notosanscjk-regular", "msyh", "pingfang", "hiragino sans gb", "wqy-microhei",
    "droidsansfallbackfull", "droidsansfallback", "wqy-zenhei", "simsun", "yugothr", "msgothic",
)  # fmt: skip
KANA_FONTS = ("notosanscjk-regular", "yugothr", "yugothm", "meiryo", "msgothic", *HAN_FONTS)
HANGUL_FONTS = (
    "notosanscjk-regular", "malgun", "applesdgothicneo", "nanumgothic", "undotum", "wqy-microhei",
    "gulim",
)  # fmt: skip
EMOJI_FONTS = (
    "notocoloremoji", "seguiemj", "apple color emoji", "twemoji", "notoemoji-regular",
    "symbola_hint", "symbola", "seguisym", "dejavusans",
)  # fmt: skip
SYMBOL_FONTS = (
    "dejavusans", "notosanssymbols-regular", "notosanssymbols2-regular", "notosansmath-regular",
    "seguisym", "apple symbols", "symbola_hint", "symbola", *UI_FONTS,
)  # fmt: skip
SCRIPTS: dict[str, Known] = {
    COMMON: Known("symbols", "fonts-dejavu-core", SYMBOL_FONTS),
    EMOJI: Known("emoji", "fonts-noto-color-emoji", EMOJI_FONTS),
    "Latn": Known("Latin", "fonts-dejavu-core", ("dejavusans", "notosans-regular", *UI_FONTS)),
    "Grek": Known("Greek", "fonts-dejavu-core", ("dejavusans", "notosans-regular", *UI_FONTS)),
    "Cyrl": Known("Cyrillic", "fonts-dejavu-core", ("dejavusans", "notosans-regular", *UI_FONTS)),
    "Hebr": Known(
        "Hebrew", "fonts-dejavu-core", ("notosanshebrew-regular", "dejavusans", *UI_FONTS)
    ),
    "Arab": Known(
        "Arabic",
        "fonts-dejavu-core",
        ("notosansarabic-regular", "notonaskharabic-regular", *UI_FONTS, "geezapro", "dejavusans"),
    ),
    "Deva": Known(
        "Devanagari", "fonts-lohit-deva",
        ("notosansdevanagari-regular", "lohit-devanagari", *INDIC_FONTS),
    ),
    "Beng": Known("Bengali", "fonts-lohit-beng-bengali", ("notosansbengali-regular", *INDIC_FONTS)),
    "Taml": Known("Tamil", "fonts-lohit-taml", ("notosanstamil-regular", *INDIC_FONTS)),
    "Telu": Known("Telugu", "fonts-lohit-telu", ("notosanstelugu-regular", *INDIC_FONTS)),
    "Knda": Known("Kannada", "fonts-lohit-knda", ("notosanskannada-regular", *INDIC_FONTS)),
    "Mlym": Known("Malayalam", "fonts-lohit-mlym", ("notosansmalayalam-regular", *INDIC_FONTS)),
    "Gujr": Known("Gujarati", "fonts-lohit-gujr", ("notosansgujarati-regular", *INDIC_FONTS)),
    "Guru": Known("Gurmukhi", "fonts-lohit-guru", ("notosansgurmukhi-regular", *INDIC_FONTS)),
    "Thai": Known(
        "Thai", "fonts-tlwg-loma-ttf",
        ("notosansthai-regular", "loma", "garuda", "leelawui", "leelawadee", "thonburi", *UI_FONTS),
    ),
    "Laoo": Known("Lao", "fonts-lao", ("notosanslao-regular", "leelawui", "phetsarath_ot")),
    "Khmr": Known("Khmer", "fonts-khmeros", ("notosanskhmer-regular", "leelawui", "khmeros")),
    "Mymr": Known("Burmese", "fonts-noto-core", ("notosansmyanmar-regular", "mmrtext")),
    "Ethi": Known("Ethiopic", "fonts-sil-abyssinica", ("notosansethiopic-regular", "ebrima")),
    "Geor": Known("Georgian", "fonts-dejavu-core", ("notosansgeorgian-regular", "dejavusans")),
    "Armn": Known("Armenian", "fonts-dejavu-core", ("notosansarmenian-regular", "dejavusans")),
    "Hani": Known("Chinese", HAN, HAN_FONTS),
    "Bopo": Known("Bopomofo", HAN, HAN_FONTS),
    "Hira": Known("Japanese", HAN, KANA_FONTS),
    "Kana": Known("Japanese", HAN, KANA_FONTS),
    "Hang": Known("Korean", HAN, HANGUL_FONTS),
}  # fmt: skip
"""The scripts that are asked for most; for another one, all fonts are tried."""
OTHER = Known("this script", "fonts-noto-core", ())
SUFFIXES = (".ttf", ".otf", ".ttc")
NO_LETTERS = ("lastresort", "adobeblank", "fontawesome")
STYLES = ("bold", "italic", "oblique", "light", "thin", "black", "condensed", "serif")
"""Words in the names of fonts that are tried last, as their letters stand out."""


def font_folders(
    platform: str = sys.platform, environment: Mapping[str, str] = os.environ
) -> list[Path]:
    """Return the folders that hold a machine's fonts; some may not exist.

    Args:
        platform: name of the operating system, as in `sys.platform`.
        environment: environment variables.
    """
    home = Path(environment.get("HOME", environment.get("USERPROFILE", "/")))
    if platform == "win32":
        local = environment.get("LOCALAPPDATA", str(home / "AppData/Local"))
        windows = environment.get("WINDIR", "C:/Windows")
        return [Path(windows) / "Fonts", Path(local) / "Microsoft/Windows/Fonts"]
    if platform == "darwin":
        library = Path("/System/Library/Fonts")
        return [library, library / "Supplemental", Path("/Library/Fonts"), home / "Library/Fonts"]
    shared = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    own = environment.get("XDG_DATA_HOME") or str(home / ".local/share")
    return [Path(own) / "fonts", home / ".fonts", *(Path(p) / "fonts" for p in shared.split(":"))]


class SystemFonts:
    """The fonts in some folders; which one draws a cluster depends on their names alone.

    Args:
        folders: folders that hold fonts, searched with all that is below; None for the machine's.
    """

    def __init__(self, folders: Sequence[Path] | None = None) -> None:
        self._folders = font_folders() if folders is None else folders
        self._files: dict[str, Path] | None = None
        self._faces: dict[Path, OutlineFace | None] = {}
        self._found: dict[tuple[str, str], OutlineFace | None] = {}
        self._told: set[str] = set()

    def face_for(
        self, cluster: str, script: str, *, is_outlined: bool = False
    ) -> OutlineFace | None:
        """Return the face of the best font that has all characters of a cluster; None if none has.

        The first time that a script has no font, the log says so.

        Args:
            cluster: the characters.
            script: ISO 15924 code of their script.
            is_outlined: whether the letters must have outlines, so that no coloured picture counts.
        """
        key = (cluster, f"{script} {is_outlined}")
        if key not in self._found:
            faces = filter(None, map(self._face, self._candidates(script)))
            fitting = (face for face in faces if not (is_outlined and face.is_colored))
            self._found[key] = next((face for face in fitting if face.covers(cluster)), None)
        return self._found[key]

    def report(self, cluster: str, script: str) -> None:
        """Say in the log, once for each script, that no font has it and which package helps.

        Args:
            cluster: characters that no font has.
            script: ISO 15924 code of their script.
        """
        name, package, _ = SCRIPTS.get(script, OTHER)
        if name in self._told:
            return
        self._told.add(name)
        what = f"{name} ({script})" if script in SCRIPTS else f"the script {script}"
        code = " ".join(f"U+{ord(letter):04X}" for letter in cluster)
        log.warning(
            "no font for %s: %s is drawn as a box; install one, such as %s on Debian and Ubuntu",
            what, code, package,
        )  # fmt: skip

    def _candidates(self, script: str) -> Iterator[Path]:
        """Return the fonts that may have a script, the best first."""
        if self._files is None:
            self._files = _files_in(self._folders)
        files = self._files
        preferred = [name for name in SCRIPTS.get(script, OTHER).fonts if name in files]
        yield from (files[name] for name in preferred)
        others = sorted(set(files) - set(preferred), key=_order)
        yield from (files[name] for name in others)

    def _face(self, path: Path) -> OutlineFace | None:
        if path not in self._faces:
            try:
                self._faces[path] = OutlineFace(path)
            except (OSError, ValueError):
                self._faces[path] = None
        return self._faces[path]


def _files_in(folders: Sequence[Path]) -> dict[str, Path]:
    """Return the fonts in folders by name in lower case; of equal names, the first one counts."""
    found: dict[str, Path] = {}
    for folder in folders:
        paths = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
        for path in sorted(path for path in paths if path.suffix.lower() in SUFFIXES):
            name = path.stem.lower()
            if not name.startswith(NO_LETTERS):
                found.setdefault(name, path)
    return found


def _order(name: str) -> tuple[int, str]:
    return sum(word in name for word in STYLES), name
