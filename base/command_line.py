"""Commands as one line of text, by the rules of the system: words, and quotation marks."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Sequence

IS_WINDOWS = os.name == "nt"


def split_words(text: str, *, is_windows: bool = IS_WINDOWS) -> list[str]:
    r"""Return the words of a command line.

    On Windows, `\` is a part of paths and only `"` holds words together.

    Args:
        text: the line.
        is_windows: whether it is written by the rules of Windows.

    Raises:
        ValueError: a quotation does not end.

    >>> split_words(r'"C:\my engines\x.exe" --level 3', is_windows=True)
    ['C:\\my engines\\x.exe', '--level', '3']
    >>> split_words("'my engines/x' --level 3", is_windows=False)
    ['my engines/x', '--level', '3']
    """
    return _windows_words(text) if is_windows else shlex.split(text)


def _windows_words(text: str) -> list[str]:
    r"""Return words by the rules of Microsoft's C runtime ("Parsing C command-line arguments").

    Before a `"`, two `\` stand for one; an odd one makes the `"` a letter.
    """
    words: list[str] = []
    word, is_quoted = "", False
    is_begun = False
    for part in re.findall(r'\\*"|\s|\\+|[^\s\\"]+', text):
        if part.endswith('"'):
            word += "\\" * ((len(part) - 1) // 2)
            is_begun = True
            if len(part) % 2:
                is_quoted = not is_quoted
            else:
                word += '"'
        elif part.isspace() and not is_quoted:
            words += [word] if is_begun else []
            word, is_begun = "", False
        else:
            word += part
            is_begun = True
    if is_quoted:
        raise ValueError("no closing quotation")
    return words + ([word] if is_begun else [])


def join_words(words: Sequence[str], *, is_windows: bool = IS_WINDOWS) -> str:
    r"""Return words as a command line, as the system's shell takes it.

    Args:
        words: the words.
        is_windows: whether it is for Windows.

    >>> join_words([r"C:\my engines\x.exe", "--level", "3"], is_windows=True)
    '"C:\\my engines\\x.exe" --level 3'
    >>> join_words(["my engines/x", "--level", "3"], is_windows=False)
    "'my engines/x' --level 3"
    """
    return subprocess.list2cmdline(words) if is_windows else shlex.join(words)
