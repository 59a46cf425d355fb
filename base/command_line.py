"""Commands as one line of text, by the rules of the system: words, and quotation marks."""

from __future__ import annotations

import os
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
    if not is_windows:
        return shlex.split(text)
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = lexer.escape = ""
    lexer.quotes = '"'
    return list(lexer)


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
