"""Imports a project's scripts: the modules of one folder, under a private name in `sys.modules`.

Several projects can each have a `scripts.board`. Within a project, `import scripts.…` finds the
modules in its own folder. `import goishi.scripts.…` finds the scripts shipped with Goishi. Moved
modules are also found by their former names, listed in `scripts/moved.toml`.
"""

from __future__ import annotations
import __future__

import builtins
import functools
import importlib.util
import linecache
import os
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from traceback import walk_tb
from types import CodeType, ModuleType
from typing import Final

from base.byte_code import compiled
from base.errors import MakerError, ScriptLoadError
from base.files import read_regular
from base.internal_modules import import_statement
from base.spelling import files_like
from base.trust import LINKS, check_import, linked_folders, trust_file

SCRIPTS: Final = "scripts"
SHIPPED_TOP: Final = "goishi"
"""Top-level name of the shipped scripts: `from goishi.scripts.… import …`."""
MOVED_FILE: Final = "scripts/moved.toml"
MOVED_TABLE: Final = "modules"
SOURCE: Final = "__goishi_source__"
"""Name of a global of a script's module: the source bytes that it was compiled from."""
LARGEST_SCRIPT: Final = 4_000_000
"""Maximum size of a script's file, bytes."""
MOST_KEPT: Final = 256
"""Number of compiled scripts that are kept for the next time."""


@functools.lru_cache(MOST_KEPT)
def _compiled(source: bytes, file: str, flags: int) -> CodeType:
    """Compile a script; the same script of a scene that is opened again is not compiled again."""
    return compiled(source, file, flags)


class ScriptPackage:
    """The script modules of one folder, registered in `sys.modules` under a private prefix.

    Args:
        root: the folder that holds `scripts/`.
        private: prefix of the modules' names in `sys.modules`; empty for plain `scripts.…`.
        has_text_annotations: whether annotations of the scripts stay unevaluated, as with `from
            __future__ import annotations`.

    Attributes:
        modules: the loaded modules, by the names that scripts import.
        sources: source texts as bytes by module name; a module that is listed here is not read from
            its file.
        shipped: the package of the scripts shipped with Goishi; None if there is none.
        is_closed: whether `close` was called; then no further module is run.
        on_install: called without arguments after a module was loaded or replaced; None for
            nothing.
        on_moved: called with (former name, present name) the first time that a former name is used;
            None for nothing.
    """

    def __init__(self, root: Path, private: str, *, has_text_annotations: bool = True) -> None:
        self.root = root.resolve()
        self.private = private
        self.prefix = f"{private}." if private else ""
        self.modules: dict[str, ModuleType] = {}
        self.sources: Mapping[str, bytes] = {}
        self.shipped: ScriptPackage | None = None
        self.is_closed = False
        self.on_install: Callable[[], object] | None = None
        self.on_moved: Callable[[str, str], object] | None = None
        self.builtins: dict[str, object] = {**vars(builtins), "__import__": self._import}
        self._outer: Callable[..., ModuleType] = import_statement()
        self._running: dict[str, ModuleType] = {}
        self._reported: set[str] = set()
        self._flags = __future__.annotations.compiler_flag if has_text_annotations else 0

    def module(self, name: str) -> ModuleType:
        """Return the module `scripts.…`, loading it if need be.

        In a circular import the partly initialised module is returned, as Python does.

        Raises:
            ScriptLoadError: there is no such file.
        """
        present = self.present_name(name)
        if present != name:
            module = self.module_within(present)
            self._bind(name, module)
            return module
        if name in self._running and name not in self.modules:
            return self._running[name]
        if name not in self.modules:
            self.install(name, self.run(name))
        return self.modules[name]

    def module_within(self, name: str) -> ModuleType:
        """Return a module after loading its parent packages, the outermost first.

        Raises:
            ScriptLoadError: the module or a parent has no file.
        """
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            module = self.module(".".join(parts[:end]))
        return module

    def present_name(self, name: str) -> str:
        """Return the present name of a module.

        Args:
            name: present or former name; a name that is neither is returned unchanged.
        """
        if name in self.modules or self.has(name):
            return name
        present = self._moved.get(name)
        if present is None:
            return name
        if name not in self._reported and self.on_moved is not None:
            self._reported.add(name)
            self.on_moved(name, present)
        return present

    @functools.cached_property
    def _moved(self) -> Mapping[str, str]:
        return read_moved(self.root)

    def run(self, name: str) -> ModuleType:
        """Run the file of a module and return the new module, without registering it.

        Args:
            name: name of the module, `scripts.…`.

        Raises:
            ScriptLoadError: there is no such file, or the package is closed.
            TrustError: the user has not allowed this folder's code to run.
            BaseException: whatever the module raises.
        """
        path, is_package = self._find(name)
        if self.is_closed:
            raise ScriptLoadError(f"expected no script to run (--safe), found {name}")
        if path.suffix:
            check_import(self.root)
        private = f"{self.prefix}{name}"
        module = ModuleType(private)
        module.__file__ = str(path)
        module.__package__ = private if is_package else private.rpartition(".")[0]
        if is_package:
            module.__path__ = [str(path.parent if path.suffix else path)]
        module.__dict__["__builtins__"] = self.builtins
        known = sys.modules.get(private)
        sys.modules[private] = module  # annotations are resolved through it
        self._running[name] = module
        try:
            if path.suffix:
                linecache.checkcache(str(path))
                source = self._source(name, path)
                module.__dict__[SOURCE] = source
                exec(self._code(path, source), module.__dict__)
        except BaseException:
            if known is None:
                del sys.modules[private]
            else:
                sys.modules[private] = known
            raise
        finally:
            del self._running[name]
        return module

    def compile(self, name: str) -> None:
        """Compile the file of a module without running it.

        Raises:
            ScriptLoadError: there is no such file.
            SyntaxError: the file is not valid Python.
            ValueError: the file contains null bytes.
            OSError: the file cannot be read.
        """
        path, _ = self._find(self.present_name(name))
        if path.suffix:
            self._code(path, self._source(name, path))

    def _source(self, name: str, path: Path) -> bytes:
        if name in self.sources:
            return self.sources[name]
        check_size(path)
        return path.read_bytes()

    def _code(self, path: Path, source: bytes) -> CodeType:
        return _compiled(source, str(path), self._flags)

    def install(self, name: str, module: ModuleType) -> None:
        """Register `module` under `name` from now on, replacing the one before."""
        self.modules[name] = module
        sys.modules[module.__name__] = module
        self._bind(name, module)
        if self.on_install is not None:
            self.on_install()

    def _bind(self, name: str, module: ModuleType) -> None:
        """Make a module an attribute of its parent package, as Python's own import does.

        Args:
            name: name of the module under which it was imported.
            module: the module.
        """
        parent, _, child = name.rpartition(".")
        if parent in self.modules:
            setattr(self.modules[parent], child, module)

    def close(self) -> None:
        """Drop all loaded modules, so that what their globals hold is freed."""
        for module in self.modules.values():
            if sys.modules.get(module.__name__) is module:
                del sys.modules[module.__name__]

    def name_of(self, path: Path) -> str | None:
        """Return the module name of a file, None if it is not a script of this folder."""
        try:
            inside = path.resolve().relative_to(self.root)
        except ValueError:
            return None
        if inside.suffix != ".py" or inside.parts[0] != SCRIPTS:
            return None
        parts = list(inside.with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def has(self, name: str) -> bool:
        """Return whether there is a file or folder for the module `scripts.…`; nothing is run."""
        base = self.root.joinpath(*name.split("."))
        return base.with_suffix(".py").is_file() or base.is_dir()

    def had(self, name: str) -> bool:
        """Return whether a name is the present or a former name of a module.

        Args:
            name: the name, `scripts.…`.
        """
        return self.has(name) or name in self._moved

    def _find(self, name: str) -> tuple[Path, bool]:
        """Return the path of a module's file or folder, and whether the module is a package.

        Raises:
            ScriptLoadError: there is no such file or folder.
        """
        base = self.root.joinpath(*name.split("."))
        if base.with_suffix(".py").is_file():
            return self._inside(base.with_suffix(".py")), False
        if (base / "__init__.py").is_file():
            return self._inside(base / "__init__.py"), True
        if base.is_dir() or name == SCRIPTS:
            return self._inside(base), True
        file = base.with_suffix(".py")
        text = f"expected the file {file}, found none{files_like(file)}"
        if self.shipped is not None and self.shipped is not self and self.shipped.had(name):
            text += f"; what ships with Goishi: from {SHIPPED_TOP}.{name} import ..."
        raise ScriptLoadError(text)

    def _inside(self, path: Path) -> Path:
        """Check that a path, with links followed, lies in this folder or one that the user allows.

        Args:
            path: the path; it is returned unchanged.

        Raises:
            ScriptLoadError: the path is a link to another place.
        """
        full = path.resolve()
        if full.is_relative_to(self.root) or any(map(full.is_relative_to, linked_folders())):
            return path
        raise ScriptLoadError(
            f"expected a script inside the project, found a link {path.relative_to(self.root)} to "
            f"{full} (to allow it, name its folder in {LINKS} of {trust_file()})"
        )

    def _import(
        self,
        name: str,
        module_globals: Mapping[str, object] | None = None,
        module_locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Import a module for the modules of this folder, in place of the builtin `__import__`.

        Args:
            name: name of the module.
            module_globals: as for `__import__`.
            module_locals: as for `__import__`.
            fromlist: as for `__import__`.
            level: as for `__import__`.
        """
        wanted = name
        if level and module_globals is not None:
            package = str(module_globals.get("__package__", ""))
            wanted = importlib.util.resolve_name("." * level + name, package)
            wanted = wanted.removeprefix(self.prefix)
        if not level and is_within(wanted, f"{SHIPPED_TOP}.{SCRIPTS}"):
            return self._import_shipped(wanted, fromlist)
        if not is_within(wanted, SCRIPTS):
            return self._outer(name, module_globals, module_locals, fromlist or (), level)
        module = self.module_within(wanted)
        if not fromlist:
            return self.modules[SCRIPTS]
        for item in getattr(module, "__all__", ()) if "*" in fromlist else fromlist:
            if not hasattr(module, item) and hasattr(module, "__path__"):
                self.module(f"{wanted}.{item}")
        return module

    def _import_shipped(self, name: str, fromlist: Sequence[str] | None) -> ModuleType:
        """Import a shipped script, given as `goishi.scripts.…`, for a module of this folder.

        Args:
            name: full name of the module.
            fromlist: names after `from … import`; empty for `import …`.
        """
        package = self.shipped or self
        module = package._import(name.removeprefix(f"{SHIPPED_TOP}."), None, None, fromlist)
        if fromlist:
            return module
        top = ModuleType(SHIPPED_TOP)  # what `import goishi.scripts.x` binds
        top.__dict__[SCRIPTS] = module
        return top


def link_out_of(root: Path) -> Path | None:
    """Return a link in `scripts/` that leads to a folder the user has not allowed; None for none.

    To be called before code that imports the scripts without `ScriptPackage`, and so follows every
    link.

    Args:
        root: the folder that holds `scripts/`.
    """
    whole, allowed = root.resolve(), linked_folders()
    for folder, folders, files in os.walk(root / SCRIPTS):
        for name in (*folders, *files):
            path = Path(folder, name)
            full = path.resolve() if path.is_symlink() else whole
            if not full.is_relative_to(whole) and not any(map(full.is_relative_to, allowed)):
                return path
    return None


def check_size(path: Path) -> None:
    """Check that a script is not too large to be compiled.

    Raises:
        ScriptLoadError: the file is larger than `LARGEST_SCRIPT`; compiling it would take minutes.
    """
    size = path.stat().st_size
    if size > LARGEST_SCRIPT:
        raise ScriptLoadError(
            f"expected a script of at most {LARGEST_SCRIPT / 1e6:g} MB, "
            f"found one of {size / 1e6:.3g} MB",
            file=str(path),
            line=1,
        )


def is_within(name: str, package: str) -> bool:
    """Return whether `name` is the dotted name of `package` or of a module inside it."""
    return name == package or name.startswith(f"{package}.")


def name_of_class(kind: type, packages: Sequence[ScriptPackage]) -> str:
    """Return the import path `module:Class` of a script class, the same in every process.

    Inverse of `class_of_name`.

    Args:
        kind: the class.
        packages: script packages whose private prefixes are removed from the module's name.
    """
    module = kind.__module__
    for package in packages:
        module = module.removeprefix(package.prefix)
    return f"{module}:{kind.__qualname__}"


def class_of_name(name: str, packages: Sequence[ScriptPackage]) -> type:
    """Return the class that an import path `module:Class` names; inverse of `name_of_class`.

    Args:
        name: the import path.
        packages: script packages to search first, before `sys.modules`.

    Raises:
        LookupError: no loaded module has such a class.
    """
    module_name, _, class_name = name.partition(":")
    loaded = (package.modules.get(module_name) for package in packages)
    found: object = next(filter(None, loaded), sys.modules.get(module_name))
    for part in class_name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise LookupError(f"expected the class {name}, found none")
    return found


def read_moved(root: Path) -> Mapping[str, str]:
    """Return the present names of moved modules by their former names, from `scripts/moved.toml`.

    The result is empty if there is no such file.

    Args:
        root: the folder that holds `scripts/`.

    Raises:
        ScriptLoadError: the file is not valid TOML, or holds values that are not names.
    """
    try:
        tables = tomllib.loads(read_regular(root / MOVED_FILE).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ScriptLoadError(f"{MOVED_FILE}: expected a TOML file, found {error}") from error
    table = tables.get(MOVED_TABLE, {})
    if not isinstance(table, dict) or not all(isinstance(new, str) for new in table.values()):
        raise ScriptLoadError(f"{MOVED_FILE}:{MOVED_TABLE}: expected module names by module names")
    return table


def place_of(error: BaseException, root: Path) -> str:
    """Return the last place in a project's scripts through which an error passed.

    Args:
        error: the exception. For a SyntaxError, the place that it names counts, too.
        root: the folder that holds `scripts/`, with links resolved.

    Returns:
        File and line, such as "scripts/x.py:12". Empty if the error passed through no script.
    """
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    found = [
        (Path(file), line) for file, line in frames if Path(file).is_relative_to(root / SCRIPTS)
    ]
    if not found:
        return ""
    file, line = found[-1]
    return f"{file.relative_to(root).as_posix()}:{line}"


def maker_error(what: str, error: BaseException, root: Path) -> MakerError:
    """Return an exception of a project's code as one line with the place in its scripts.

    Args:
        what: what failed, such as "player pebble".
        error: the exception.
        root: folder of the project.
    """
    try:
        said = " ".join(str(error).split())
    except Exception:  # an exception of a project's own may be broken
        said = ""
    text = f"{what}: {type(error).__name__}: {said}" if said else f"{what}: {type(error).__name__}"
    file, _, line = place_of(error, root.resolve()).rpartition(":")
    return MakerError(text, file=file, line=int(line or 0))
