"""What the sources say in the window without a mark, or mark and then lose: found by reading them.

Three laws: what a function draws is marked (`unmarked`); a marked text is not made an English one on
its way (`lost`); and a sentence in the rooms of the window is marked, or named here (`loose`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.catalogs import ROOT

DRAWING = frozenset(
    {
        "text", "text_colored", "text_disabled", "text_wrapped", "text_unformatted", "bullet_text",
        "button", "small_button", "checkbox", "radio_button", "selectable", "menu_item",
        "menu_item_simple", "begin_menu", "collapsing_header", "set_tooltip", "separator_text",
        "begin_tab_item", "heading", "section", "muted_text", "key_value", "tip", "tile", "chart",
        "panel", "command", "menu", "show_dialog", "wrapped", "next_step", "labelled", "say", "_say",
        "_tell", "add_text", "table_setup_column", "TableColumn", "ChoiceLine", "KeyAction",
        "MenuEntry", "ToolButton", "ToolMenu", "ToolSlider", "offer_files",
    }
)  # fmt: skip
"""Functions of ImGui, of `Ui` and of scripts whose texts a person sees."""
SEEN_NAMES = frozenset({"tip", "label", "note", "empty", "x_name", "y_name"})
"""Arguments by these names are texts that a person sees."""
SAID_FIRST = frozenset(
    {
        "text", "text_disabled", "text_wrapped", "bullet_text", "button", "small_button", "checkbox",
        "radio_button", "separator_text", "heading", "section", "muted_text", "key_value", "tip",
        "table_setup_column", "TableColumn", "ChartView", "BoardView",
    }
)  # fmt: skip
"""Functions whose first text is seen, so that one word in small letters is no name in code."""
CURVE_COLORS = frozenset({"text", "muted", "amber", "green", "red", "blue"})
"""In a tuple of four, one of these comes after the label of a curve."""
SMALL_WORD = re.compile(r"[a-z]{2,}( [a-z]+)*")
WINDOW = ("sim/ui", "sim/app", "scripts")
NOT_SEEN = {
    "scripts/common/template.py": "to be copied: its texts are its reader's",
    "scripts/common/hello_stone.py": "to be changed by its reader, as the first page says",
    "scripts/examples": "short scripts to read; the Inspector looks up the help of their fields",
    "scripts/export": "exported to C",
    "sim/ui/widgets/blocked_dialog.py": "another process, without catalogues",
}
"""What draws no texts of the window, and why."""
NAMES = re.compile(r"##|^[^a-zA-Z]*$|^[a-z0-9_.+-]+$|^[\w.]+\(|^%|^Goishi$|^AlphaGomoku$|^Elo$")
"""Texts without words, names in code, formats and names."""
MARKS = frozenset({"tr", "tr_many", "wording"})
PLAIN_METHODS = frozenset(
    {"replace", "lower", "title", "removesuffix", "rstrip", "lstrip", "casefold",
     "ljust", "rjust", "center", "split", "rpartition"}
)  # fmt: skip
"""Methods of `str` that make an English text of a marked one."""
SAID_IN_ENGLISH = frozenset(
    {
        "python",
        "info",
        "warning",
        "warn",
        "error",
        "debug",
        "exception",
        "log",
        "called",
        "assigned",
    }
)
"""Functions that write to the console or a log."""
MAY_BE_LOST = {
    "scripts/gomoku/history/game_names.py": "what a search looks through",
    "sim/ui/panels/welcome.py": "`cut` has translated it",
    "scripts/gomoku/game/game_clock.py": "numbers",
    "scripts/gomoku/seats/learner_client.py": "names of files",
}
"""Where an English text is meant, and why."""
INSIDE = frozenset(
    {
        "field", "signal", "getLogger", "find", "component", "startswith", "endswith", "getattr",
        "setattr", "hasattr", "isinstance", "open", "compile", "match", "search", "sub", "get", "pop",
        "fullmatch", "TypeVar", "cast", "exists", "Path", "push_id", "option", "one_of", "named",
        "open_front", "is_open", "open_popup", "begin_popup", "invisible_button", "begin_child",
        "save", "add_text", "spawn", "add", "dumps", "span", "begin_table", *MARKS, *SAID_IN_ENGLISH,
    }
)  # fmt: skip
"""Functions whose texts are names or patterns, or written to the console."""


def _sources(root: Path, tops: tuple[str, ...] = WINDOW) -> Iterator[tuple[str, ast.AST]]:
    """Yield name and syntax tree of the modules that draw in the window."""
    for top in tops:
        for path in sorted((root / top).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if not any(name.startswith(part) for part in NOT_SEEN):
                yield name, ast.parse(path.read_text(encoding="utf-8"))


def _listed(root: Path, texts_of: Callable[[ast.AST], Iterator[tuple[int, str]]]) -> list[str]:
    """Return file, line and text of what is found in the sources and is not known to be unseen."""
    return [
        f"{name}:{line}: {text!r}"
        for name, tree in _sources(root)
        for line, text in texts_of(tree)
        if not any(
            name.startswith(file) and text.startswith(beginnings)
            for file, beginnings in KNOWN_LOOSE.items()
        )
    ]


def unmarked(root: Path = ROOT) -> list[str]:
    """Return the texts that are drawn by the window and not marked: file, line, text."""
    explanations = [
        f"{name}:{line}: {text!r}"
        for name, tree in _sources(root, ("ai/players",))
        for line, text in _small_words(tree)
    ]
    return _listed(root, _drawn) + explanations


def _drawn(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of the words that calls in a module draw without a mark."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        seen = [item.value for item in call.keywords if item.arg in SEEN_NAMES]
        if _name_of(call) in DRAWING:
            seen += call.args
        for item in seen:
            for part in _texts_in(item):
                text = _written(part)
                if re.search("[A-Za-z]{2}", text) and not NAMES.search(text):
                    yield part.lineno, text
    yield from _small_words(tree)


def _small_words(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of single words that are seen: labels, headers, names of axes, curves."""
    for node in ast.walk(tree):
        seen: list[ast.expr] = []
        match node:
            case ast.Call(args=[first, *_]) if _name_of(node) in SAID_FIRST:
                seen = [first]
            case ast.Call(args=[_, _, ast.Tuple(elts=titles) | ast.List(elts=titles), *_]) if (
                _name_of(node) == "draw_table"
            ):
                seen = titles
            case ast.Tuple(elts=[label, ast.Constant(value=str(color)), _, *rest]) if (
                rest or any(isinstance(item, ast.Starred) for item in node.elts)
            ) and color in CURVE_COLORS:
                seen = [label]
        if isinstance(node, ast.Call):
            seen += [item.value for item in node.keywords if item.arg in {"x_name", "y_name"}]
        for item in seen:
            for part in _texts_in(item):
                if SMALL_WORD.fullmatch(_written(part)) and _written(part) not in CURVE_COLORS:
                    yield part.lineno, _written(part)


def _texts_in(node: ast.expr) -> Iterator[ast.Constant | ast.JoinedStr]:
    """Yield the texts that an expression may be: both ends of a choice, parts of a sum."""
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            yield node
            if isinstance(node, ast.JoinedStr):
                for part in node.values:
                    if isinstance(part, ast.FormattedValue):
                        yield from _texts_in(part.value)
        case ast.IfExp(body=body, orelse=other):
            yield from _texts_in(body)
            yield from _texts_in(other)
        case ast.BinOp(left=left, right=right):
            yield from _texts_in(left)
            yield from _texts_in(right)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _texts_in(value)


def _written(node: ast.Constant | ast.JoinedStr) -> str:
    """Return the letters of a text, without what is filled in and what ImGui does not show."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    parts = (part.value for part in node.values if isinstance(part, ast.Constant))
    return "".join(map(str, parts)).partition("##")[0]


def _name_of(call: ast.Call) -> str:
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


# -- marked, and lost on the way ------------------------------------------------------------------


def lost(root: Path = ROOT) -> list[str]:
    """Return where a marked text becomes an English one: an f-string, a slice, `lower`, ….

    Known as marked are calls of `tr`, `tr_many` and `wording`, and constants of the module that are
    made of them. What goes to the console, or into an error, may be English.
    """
    found = []
    for name, tree in _sources(root, (*WINDOW, "ai/players")):
        if name not in MAY_BE_LOST:
            marked, english = _marked_names(tree), _of_console(tree)
            found += [
                f"{name}:{node.lineno}: {ast.unparse(node):.90}"
                for node in ast.walk(tree)
                if id(node) not in english and _loses(node, marked)
            ]
    return found


def _marked_names(tree: ast.AST) -> set[str]:
    """Return the constants of a module that are marked texts, or hold nothing but those."""
    return {
        target.id
        for node in getattr(tree, "body", ())
        if isinstance(node, ast.Assign) and _is_marked(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _is_marked(node: ast.expr | None) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in MARKS
        case ast.Call(func=ast.Attribute(value=value, attr="format")):
            return _is_marked(value)
        case ast.Dict(values=values):
            return bool(values) and all(map(_is_marked, values))
        case ast.IfExp(body=body, orelse=other):
            return _is_marked(body) or _is_marked(other)
    return False


def _of_console(tree: ast.AST) -> set[int]:
    """Return the ids of nodes that end in the console or in an error."""
    return {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        or (isinstance(node, ast.Call) and _name_of(node) in SAID_IN_ENGLISH)
        for inner in ast.walk(node)
    }


def _loses(node: ast.AST, marked: set[str]) -> bool:
    def known(part: ast.AST) -> bool:
        return any(
            (isinstance(item, ast.Call) and _name_of(item) in MARKS)
            or (isinstance(item, ast.Name) and item.id in marked)
            for item in ast.walk(part)
        )

    match node:
        case ast.JoinedStr(values=values):
            return any(
                isinstance(part, ast.FormattedValue) and known(part.value) for part in values
            )
        case ast.Subscript(value=value, slice=ast.Slice()):
            return known(value) and not isinstance(value, ast.Tuple | ast.List)
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[value, *_]):
            return known(value)
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in PLAIN_METHODS:
            return known(value)
        case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join" | "format")):
            return any(map(known, (*node.args, *(item.value for item in node.keywords))))
    return False


# -- sentences --------------------------------------------------------------------------------------

KNOWN_LOOSE: dict[str, tuple[str, ...]] = {
    "sim/app/app.py": (
        "import sys",
        "coroutines that were",
        "files and models",
        "awake and start",
        "destroyed objects",
        "Continue from",
        ": self.start_coroutine",
    ),
    "sim/app/navigation.py": ("--trust after",),
    "sim/app/outputs.py": (": expected numbers",),
    "sim/app/world.py": ("; a placeholder",),
    "sim/ui/panels/add_component.py": ("new script",),
    "sim/ui/panels/edit_clipboard.py": ("paste a component",),
    "sim/ui/shell/backend.py": ("\n#version",),
    "sim/ui/shell/bars.py": ("rewind menu", "rewind asks"),
    "sim/ui/widgets/layout.py": ("; goishi layout", ": expected"),
    "scripts/driving/track.py": ("Left wall", "Right wall"),
    "scripts/gomoku/board/picture_clipboard.py": ("set the clipboard", "Add-Type", "wl-copy"),
    "scripts/gomoku/game/game_choices.py": (": the scene's default", ": expected to keep"),
    "scripts/gomoku/game/table.py": (" is played by ",),
    "scripts/gomoku/teaching/position_editor.py": ("expected one of",),
    "scripts/gomoku/training/compared_runs.py": ("expected one of",),
    "scripts/pieces": ("two sides", "four sides"),
}
"""How English texts begin that nobody sees in the window, by file.

They are names of objects, popups and values, steps of a profile or of an undo, programs, and lines
of the console.
"""


def loose(root: Path = ROOT) -> list[str]:
    """Return sentences in the rooms of the window that are neither marked nor known: file, line."""
    return _listed(root, _sentences)


def _sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield texts of several words that stand where no name, pattern or error stands."""
    inside = _not_said(tree)
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.JoinedStr)
        is_text |= isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in inside:
            inside.update(id(part) for part in ast.walk(node) if part is not node)
            text = _written(node)  # type: ignore[arg-type]
            seen = text.partition("##")[0]
            if re.search(r"[A-Za-z]{2,}[,:;]? \S*[A-Za-z]{2}", seen):
                yield node.lineno, text  # type: ignore[attr-defined]


def _not_said(tree: ast.AST) -> set[int]:
    """Return the ids of nodes whose texts are no words of the window: docstrings, types, errors."""
    found: set[int] = set()

    def leave_out(node: ast.AST | None) -> None:
        if node is not None:
            found.update(map(id, ast.walk(node)))

    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                for line in node.body:
                    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
                        leave_out(line)
                for word in getattr(node, "keywords", ()):
                    leave_out(word)  # the title of a class is a name
            case ast.Raise() | ast.Compare() | ast.Subscript():
                leave_out(node)
            case ast.AnnAssign(annotation=kind) | ast.arg(annotation=kind):
                leave_out(kind)
            case ast.Dict(keys=keys):
                for key in keys:
                    leave_out(key)
            case ast.Call():
                if _name_of(node) in INSIDE or _name_of(node).endswith(("Error", "Fault")):
                    leave_out(node)
    return found


# -- errors ---------------------------------------------------------------------------------------

READ_IN_DIALOGS = (
    "sim/app/file_commands.py", "sim/app/navigation.py", "sim/core/editing", "sim/core/files",
    "sim/core/input/key_map.py", "sim/core/script/file_question.py", "ai/registry/engine_editing.py",
    "ai/formats", "ai/game/board.py", "ai/game/opening.py", "ai/game/rules.py", "base/files.py",
    "scripts/gomoku/game/engines.py", "scripts/gomoku/game/game_choices.py",
    "scripts/gomoku/history",
)  # fmt: skip
"""Whose errors dialogs, panels and short messages show."""
OF_PROGRAMS = (
    "Import asset: x: x", "a map for a topmost object", "transform: expected", "object: expected",
    "x: expected the end of", "x: expected a key such as f5 or control+s, x", "expected x", "x: expected x",
    "x: expected five in a row on", "x: expected one choice, of player", "x: expected a game file of at",
    "expected an m,n,k game", "rule: expected x", "exact: expected none beside", "expected a class of",
    "full_board_winner", "rule: renju is", "expected a game's class", "--",
    "x: expected a place that can be written to, foundx: x",
)  # fmt: skip
"""Beginnings of those that programs and the command line read, or whose words are filled in."""


def unknown_errors(is_known: Callable[[str], bool], root: Path = ROOT) -> list[str]:
    """Return errors of dialogs whose words the window does not know: file, line, text.

    Args:
        is_known: whether the window knows the words of a message.
        root: folder of the sources.
    """
    return [
        f"{name}:{line}: {text!r}"
        for top in READ_IN_DIALOGS
        for name, tree in _sources_of(root, top)
        for line, text in _raised(tree)
        if not text.startswith(OF_PROGRAMS)
        and not is_known(text)
        and not is_known(f"x: expected {text}, found x")
    ]


def _sources_of(root: Path, top: str) -> Iterator[tuple[str, ast.AST]]:
    path = root / top
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        yield file.relative_to(root).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def _raised(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of what errors say, with "x" for what is filled in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            named = [word.value for word in node.exc.keywords if word.arg in {"expected", "found"}]
            for item in (*node.exc.args, *named):
                text = _filled(item)
                if re.search("[A-Za-z]{3} ", text):
                    yield node.lineno, text


def _filled(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(
                str(part.value) if isinstance(part, ast.Constant) else "x" for part in values
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _filled(left) + _filled(right)
    return ""
