"""Writes the C header of an exported library, with the docstrings as its documentation."""

from __future__ import annotations

import re
import textwrap
from typing import Final

from sim.core.native.exported import Signature
from sim.export.library import Library, arguments_of

ERROR_CODES: Final = {
    "OK": (0, "it went well"),
    "NOT_STARTED": (-1, "init was not called, or failed"),
    "NO_PYTHON": (-2, "Python's folder is not there or Python did not start"),
    "NO_SCRIPT": (-3, "the script cannot be imported"),
    "NULL_POINTER": (-4, "a pointer is NULL"),
    "WRONG_SHAPE": (-5, "an array's size is not the expected one"),
    "WRONG_TEXT": (-6, "a text is not UTF-8"),
    "SCRIPT_FAILED": (-7, "the function raised an exception"),
    "WRONG_RESULT": (-8, "the function returned another kind of value"),
    "BUFFER_TOO_SMALL": (-9, "the result does not fit into the caller's buffer"),
    "BUSY": (-10, "init or shutdown was called from inside a call"),
    "OTHER_PYTHON": (-11, "another Python or exported script is in this process"),
}
"""What a function may return; the shim has the same numbers."""

_HEAD: Final = """\
/** @file {name}.h
 * C interface of the Python script {module}, written by Goishi.
 *
 * Every function returns GOISHI_OK (0) or a negative error code; results are put where the
 * arguments point, and on an error these places are left as they were (only the length and sizes
 * are told for GOISHI_BUFFER_TOO_SMALL). All functions may be called from any thread. Python runs
 * one call at a time. Arrays and texts are copied: the caller may free them after the call.
 */
#ifndef {guard}
#define {guard}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

#ifndef GOISHI_ERROR_CODES
#define GOISHI_ERROR_CODES
enum goishi_code {{
{codes}
}};
#endif

/** Start Python and import the script. Once is enough; again is harmless.
 *
 * @param home  The folder `python` that lies beside the library, or NULL: then the environment
 *              variable {variable}, else the folder beside the library.
 */
int32_t {name}_init(const char *home);

/** Let go of the script once all calls have returned; init may be called again. Python itself
 *  stays in the process, asleep. */
int32_t {name}_shutdown(void);

/** Say what went wrong in this thread's last call, in UTF-8; empty when it went well. The text
 *  stays valid until this thread's next call. */
const char *{name}_last_error(void);
"""
_TAIL: Final = """
#ifdef __cplusplus
}
#endif

#endif
"""
_WIDTH: Final = 96
_NO_BREAK: Final = "\x1f"


def header_text(library: Library) -> str:
    """Return the header of a library."""
    codes = [
        f"    {f'GOISHI_{name} = {number},':34}/**< {about} */"
        for name, (number, about) in ERROR_CODES.items()
    ]
    head = _HEAD.format(
        name=library.name,
        module=library.module,
        guard=f"{library.name.upper()}_H",
        variable=library.home_variable,
        codes="\n".join(codes),
    )
    functions = [_function(library.name, function) for function in library.functions]
    return head + "".join(functions) + _TAIL


def declaration(prefix: str, function: Signature) -> str:
    """Return a function's declaration, broken where it would be long."""
    arguments = [argument.declaration for argument in arguments_of(function)] or ["void"]
    start = f"int32_t {prefix}_{function.name}("
    whole = ", ".join(argument.replace(" ", _NO_BREAK) for argument in arguments)
    lines = textwrap.wrap(whole, _WIDTH - len(start), break_long_words=False)
    indented = ("\n" + " " * len(start)).join(lines)
    return f"{start}{indented})".replace(_NO_BREAK, " ")


def _function(prefix: str, function: Signature) -> str:
    text, described = _read_docstring(function.document)
    lines = text.splitlines() or [f"Call {function.name} of the script."]
    comment = [f"/** {lines[0]}", *(f" * {line}".rstrip() for line in lines[1:]), " *"]
    comment += _parameters(function, described)
    comment.append(f" * @return  GOISHI_OK or a negative code; see {prefix}_last_error().")
    return "\n" + "\n".join(comment) + f"\n */\n{declaration(prefix, function)};\n"


def _parameters(function: Signature, described: dict[str, str]) -> list[str]:
    lines: list[str] = []
    outputs = {"result"} if function.result is not None else set()
    inputs = {value.name for value in function.parameters}
    for argument in arguments_of(function):
        plain = argument.name if argument.name in described else argument.name.rstrip("_")
        about = described.get(plain, "")
        if argument.about:
            about = f"{about} ({argument.about})" if about else argument.about
        is_output = plain.partition("_")[0] in outputs and plain not in inputs
        start = (
            f" * @param{'[out]' if is_output and '*' in argument.type else ''} {argument.name}  "
        )
        lines += textwrap.wrap(
            about, _WIDTH, initial_indent=start, subsequent_indent=" *     "
        ) or [start.rstrip()]
    return lines


def _read_docstring(document: str) -> tuple[str, dict[str, str]]:
    """Return the text before the sections, and what is said of parameters and the result."""
    safe = document.replace("*/", "* /")
    sections = re.split(
        r"^(Args|Returns|Raises|Yields|Example|Examples):$", safe, flags=re.MULTILINE
    )
    described: dict[str, str] = {}
    for title, body in zip(sections[1::2], sections[2::2], strict=True):
        if title == "Args":
            for name, about in re.findall(r"^ +(\w+): ((?:.|\n(?! +\w+: ))+)", body, re.MULTILINE):
                described[name] = " ".join(about.split())
        elif title == "Returns":
            described["result"] = " ".join(body.split())
    return sections[0].strip(), described
