"""Generates a small module with a `@compiled` function's source, for the compiler.

The script itself never runs in the compile worker. The module holds the function, the script
functions that it calls, and the constants and imports that they use.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from types import ModuleType

from sim.core.native.compiled import ARRAY_KINDS, CompiledFunction, NotCompilable

HEAD = "from __future__ import annotations\nimport numba as _numba\n"
HELPER = "@_numba.njit(nogil=True, boundscheck=True)\n"
CONSTANTS = (bool, int, float, complex, str)
ARRAYS = "_arrays"
"""Name in a module of the arrays by name, which whoever runs it puts there."""
RANDOM = "draws random numbers: pass an array drawn with self.rng instead"


@dataclass(frozen=True)
class ModuleSource:
    """The module generated for one function.

    Attributes:
        text: source of the module.
        name: name of the function in it.
        fingerprint: hash of the code and everything that it uses, without comments and layout.
        lines: for each line of `text`, file and line of the script it came from; ("", 0) for none.
    """

    text: str
    name: str
    fingerprint: str
    lines: tuple[tuple[str, int], ...]
    arrays: Mapping[str, object] = field(default_factory=dict)
    """Arrays at the top of the script that it uses, by name; the module reads them as `ARRAYS`."""


def source_of(
    compiled: CompiledFunction[..., object], *, takes_arrays: bool = False
) -> ModuleSource:
    """Generate the module for a compiled function.

    Args:
        compiled: the function.
        takes_arrays: whether arrays at the top of the script are taken as constants. A script may
            change them later, so they are refused otherwise.

    Raises:
        NotCompilable: it uses something that cannot be compiled.
    """
    return _Maker(takes_arrays=takes_arrays).make(compiled.function)


class _Maker:
    """Builds the generated module: a function, with everything that it uses before it."""

    def __init__(self, *, takes_arrays: bool) -> None:
        self.arrays: dict[str, object] = {}
        self.takes_arrays = takes_arrays
        self.lines: list[str] = HEAD.splitlines()
        self.origins: list[tuple[str, int]] = [("", 0)] * len(self.lines)
        self.digest = hashlib.sha256(f"{version('numba')} {sys.version_info[:2]}".encode())
        self.known: dict[str, object] = {}

    def make(self, function: Callable[..., object]) -> ModuleSource:
        self.add_function(function, is_helper=False)
        text = "\n".join(self.lines) + "\n"
        fingerprint = self.digest.hexdigest()[:24]
        origins = tuple(self.origins)
        return ModuleSource(text, function.__name__, fingerprint, origins, self.arrays)

    def add_function(self, function: Callable[..., object], *, is_helper: bool) -> None:
        tree, text, first = _read(function)
        _check(function, tree, first)
        self.known[function.__name__] = function
        for name in _names(tree):
            self._add_global(function, name, first)
        self.digest.update(ast.dump(_bare(tree)).encode("utf-8", "surrogatepass"))
        if is_helper:
            self._add_line(HELPER.rstrip())
        file = function.__code__.co_filename
        for offset, line in enumerate(text.splitlines()):
            self._add_line(line, (file, first + offset))

    def _add_global(self, function: Callable[..., object], name: str, line: int) -> None:
        values = function.__globals__
        if name not in values:
            if not hasattr(builtins, name):
                raise _fault(function, line, f"the name {name} is not defined")
            return
        value = values[name]
        if name in self.known:
            if self.known[name] is not value and self.known[name] != value:
                raise _fault(function, line, f"the name {name} means two things")
            return
        if issubclass(type(value), CompiledFunction):  # runs no user code
            value = value.function
        if inspect.isfunction(value) and _is_of_scripts(value, function):
            if value.__name__ != name:
                raise _fault(function, line, f"{name}: call {value.__name__} by its own name")
            if value is not function:
                self.add_function(value, is_helper=True)
            return
        self.known[name] = value
        self._add_value(function, name, line, value)

    def _add_value(
        self, function: Callable[..., object], name: str, line: int, value: object
    ) -> None:
        """Add an assignment or import of a global name to the generated module.

        Args:
            function: the function that uses the name, for the error message.
            name: the global name.
            line: line of the function's `def` in the script.
            value: the name's present value.

        Raises:
            NotCompilable: the value is no constant, module or importable function, or draws random
                numbers.
        """
        if getattr(value, "__name__", "") in ("random", "numpy.random"):
            raise _fault(function, line, RANDOM)
        text = _statement(name, value)
        if text is None and self.takes_arrays and _is_arrays(value):
            self.arrays[name] = value
            text = f"{name} = {ARRAYS}[{name!r}]"
        if text is None:
            found = type(value).__name__
            text = f"global {name}: expected a number, a module or a function, found {found}"
            raise _fault(function, line, f"{text}; pass it as an argument")
        self.digest.update(text.encode("utf-8", "surrogatepass"))
        self._add_line(text)

    def _add_line(self, text: str, origin: tuple[str, int] = ("", 0)) -> None:
        self.lines.append(text)
        self.origins.append(origin)


def _read(function: Callable[..., object]) -> tuple[ast.FunctionDef, str, int]:
    """Return a function's syntax tree, its text without decorators, and the line of its `def`."""
    try:
        raw, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise _fault(function, 0, "its source cannot be read") from None
    try:
        body = ast.parse(textwrap.dedent("".join(raw))).body
    except SyntaxError:
        raise _fault(function, 0, "its source changed since it was loaded") from None
    tree = body[0] if body else None
    if not isinstance(tree, ast.FunctionDef) or tree.name != function.__name__:
        raise _fault(function, 0, "expected a plain function")
    lines = textwrap.dedent("".join(raw)).splitlines()
    _copy_what_is_read(tree, lines)
    text = "\n".join(lines[tree.lineno - 1 : tree.end_lineno])
    return tree, text, first + tree.lineno - 1


def _copy_what_is_read(tree: ast.FunctionDef, lines: list[str]) -> None:
    """Let each `x[a:b] += x[c:d]` read a copy, as NumPy does where both overlap.

    Numba changes the array number by number, and would read what it has changed already.

    Args:
        tree: syntax tree of the function, which is changed.
        lines: the lines that it was read from, which are changed in the same way.
    """
    found = [node for node in ast.walk(tree) if isinstance(node, ast.AugAssign)]
    places = [
        (node.value.end_lineno or 1, node.value.end_col_offset or 0, node)
        for node in found
        if _may_overlap(node)
    ]
    for number, column, node in sorted(places, key=lambda place: place[:2], reverse=True):
        row = number - 1
        line = lines[row].encode("utf-8")
        lines[row] = (line[:column] + b".copy()" + line[column:]).decode("utf-8")
        node.value = ast.Call(ast.Attribute(node.value, "copy", ast.Load()), [], [])


def _may_overlap(node: ast.AugAssign) -> bool:
    """Return whether an assignment changes an array and reads another part of the same one."""
    changed, read = _viewed(node.target), _viewed(node.value)
    if not changed or changed != read or ast.unparse(node.target) == ast.unparse(node.value):
        return False
    part: ast.expr = node.value
    while isinstance(part, ast.Subscript | ast.Attribute):
        if isinstance(part, ast.Attribute) or _has_slice(part.slice):
            return True
        part = part.value
    return False


def _viewed(part: ast.expr) -> str:
    """Return the name of the array of which an expression is a view; "" if it is none."""
    while isinstance(part, ast.Subscript) or (isinstance(part, ast.Attribute) and part.attr == "T"):
        part = part.value
    return part.id if isinstance(part, ast.Name) else ""


def _has_slice(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(part, ast.Slice) for part in parts)


def _check(function: Callable[..., object], tree: ast.FunctionDef, line: int) -> None:
    """Check that a function would give the same results when compiled.

    Args:
        function: the function.
        tree: its syntax tree.
        line: line of its `def` in the script.

    Raises:
        NotCompilable: it is a method or nested, has * parameters, sets a global or draws random
            numbers.
    """
    if function.__code__.co_freevars or "<locals>" in function.__qualname__:
        raise _fault(function, line, "expected a function at the top of its module")
    if "." in function.__qualname__:
        text = "expected a function, found a method; move it out of its class"
        raise _fault(function, line, text)
    if tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs:
        raise _fault(function, line, "expected plain parameters, found * or **")
    for node in ast.walk(tree):
        at = line + getattr(node, "lineno", tree.lineno) - tree.lineno
        if isinstance(node, ast.Global):
            raise _fault(function, at, f"sets the global {', '.join(node.names)}")
        if isinstance(node, ast.Attribute) and node.attr == "random":
            raise _fault(function, at, RANDOM)


def _names(tree: ast.FunctionDef) -> Iterator[str]:
    """Yield the global names that a function reads, each once, without those in annotations."""
    own = {argument.arg for argument in (*tree.args.args, *tree.args.posonlyargs)}
    body: list[ast.AST] = [*tree.body, *tree.args.defaults]
    found = [node for part in body for node in ast.walk(part) if isinstance(node, ast.Name)]
    own |= {node.id for node in found if not isinstance(node.ctx, ast.Load)}
    annotations = {
        id(inner)
        for part in tree.body
        for node in ast.walk(part)
        if isinstance(node, ast.AnnAssign)
        for inner in ast.walk(node.annotation)
    }
    seen: set[str] = set()
    for node in found:
        if node.id not in own and node.id not in seen and id(node) not in annotations:
            seen.add(node.id)
            yield node.id


def _bare(tree: ast.FunctionDef) -> ast.FunctionDef:
    """Remove decorators, annotations and docstring, which do not change the machine code."""
    tree.decorator_list = []
    tree.returns = None
    for argument in (*tree.args.args, *tree.args.posonlyargs):
        argument.annotation = None
    first = tree.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and tree.body[1:]:
        tree.body = tree.body[1:]
    return tree


def _is_of_scripts(value: Callable[..., object], user: Callable[..., object]) -> bool:
    """Return whether a called function is a script of the same project as its caller.

    Args:
        value: the called function.
        user: the function that calls it.

    Returns:
        False for functions of Python packages.
    """
    mine, other = user.__module__.partition(".")[0], value.__module__.partition(".")[0]
    return mine == other


def _statement(name: str, value: object) -> str | None:
    """Return a line of Python that defines a global name, by an assignment or an import.

    Args:
        name: the global name.
        value: its value.

    Returns:
        The line; None if no line can express the value.
    """
    if isinstance(value, ModuleType):
        return f"import {value.__name__} as {name}"
    if _is_constant(value):
        return f"{name} = {_literal(value)}"
    if not callable(value):
        return None
    own = getattr(value, "__name__", "")
    for module in (getattr(value, "__module__", None), "numpy"):
        if module and getattr(sys.modules.get(module), own, None) is value:
            return f"from {module} import {own} as {name}"
    return None


def _is_constant(value: object) -> bool:
    """Return whether a value is a constant, or a tuple of such values."""
    if isinstance(value, tuple):
        return bool(value) and all(map(_is_constant, value))
    return type(value) in CONSTANTS


def _is_arrays(value: object) -> bool:
    """Return whether a value is an array, a number of NumPy, or a tuple of them."""
    items = value if isinstance(value, tuple) and value else (value,)
    kinds = [getattr(getattr(item, "dtype", None), "kind", None) for item in items]
    return all(kind is not None and kind in ARRAY_KINDS for kind in kinds)


def _literal(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))},)"
    if isinstance(value, float):
        return f"float({str(value)!r})"
    return f"complex({str(value)!r})" if isinstance(value, complex) else repr(value)


def _fault(function: Callable[..., object], line: int, reason: str) -> NotCompilable:
    code = function.__code__
    return NotCompilable(reason, file=code.co_filename, line=line or code.co_firstlineno)
