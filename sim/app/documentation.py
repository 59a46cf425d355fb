"""Opens pages of the documentation as HTML in the browser; builds them first where need be."""

from __future__ import annotations

import atexit
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from base.files import SHIPPED_ROOT
from sim.core.project.data_dir import user_cache_dir

if TYPE_CHECKING:
    from sim.core.reporting.console import Console

BUILD_SECONDS: Final = 180.0  # several times what it takes on a slow machine
SOURCES: Final = ("*.md", "studies/*.md", "*.py", "reference/*")
STUDIES: Final = "studies"
BUILT: Final = SHIPPED_ROOT / "site"
"""Where `python -m docs.build` writes."""


class Documentation:
    """The pages of docs/ in the browser.

    They are opened from `site/` or from the user's cache, whichever is not older than its sources;
    else they are built in a process of its own, and opened when they are there. Where that fails,
    the text is opened as it is.

    Args:
        console: told what happens.
        open_address: opens an address in the browser; returns whether it could.
        build: writes the site into a folder, or raises OSError; called in a thread.
        folders: where a site may be; it is built into the last.
    """

    def __init__(
        self,
        console: Console,
        *,
        open_address: Callable[[str], bool] = webbrowser.open,
        build: Callable[[Path], None] | None = None,
        folders: tuple[Path, ...] = (),
    ) -> None:
        self._console = console
        self._open_address = open_address
        self._build = build or build_site
        self._folders = folders or (BUILT, user_cache_dir() / "site")
        self._faults: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._wanted: list[Path] = []
        self._thread: threading.Thread | None = None

    def open(self, page: Path) -> None:
        """Open a page of docs/, given its Markdown file, at once or when the site is built."""
        sources = _docs_of(page)
        site = next((folder for folder in self._folders if is_fresh(folder, sources)), None)
        if site is not None:
            self._show(html_of(site, page), page)
            return
        self._wanted.append(page)
        if self._thread is None or not self._thread.is_alive():
            self._console.info("Documentation: the pages are being built, some seconds …")
            self._thread = threading.Thread(target=self._work, name="documentation", daemon=True)
            self._thread.start()

    def tell(self) -> None:
        """Write a console line for each fault since the last call. On the main thread."""
        while not self._faults.empty():
            self._console.warning(self._faults.get())

    def wait(self, seconds: float) -> None:
        """Wait until a site that is being built is there, for so long at most."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _work(self) -> None:
        site, fault = self._folders[-1], ""
        try:
            self._build(site)
        except OSError as error:
            fault = str(error)
        while self._wanted:
            page = self._wanted.pop(0)
            built = html_of(site, page)
            if fault or not built.is_file():
                reason = fault or f"{built.name} is missing"
                self._faults.put(f"Documentation: not built ({reason}); {page.name} is opened")
                built = page
            self._show(built, page)

    def _show(self, file: Path, page: Path) -> None:
        if not self._open_address(file.as_uri()):
            self._faults.put(f"Documentation: expected a browser, found none; the page is {page}")


def html_of(site: Path, page: Path) -> Path:
    """Return where a site has the page of a Markdown file."""
    return site / "pages" / page.relative_to(_docs_of(page)).with_suffix(".html")


def _docs_of(page: Path) -> Path:
    """Return the folder docs/ of a page, which may be a study."""
    return page.parent.parent if page.parent.name == STUDIES else page.parent


def is_fresh(site: Path, sources: Path) -> bool:
    """Return whether a site is there and not older than any of its sources."""
    try:
        made = (site / "index.html").stat().st_mtime
    except OSError:
        return False
    files = [file for pattern in SOURCES for file in sources.glob(pattern)]
    return all(file.stat().st_mtime <= made for file in files)


def build_site(target: Path) -> None:
    """Build the site in a child process, then put it in the place of the one before.

    Raises:
        OSError: it could not be built; the message is the reason in one line.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".site-", dir=target.parent))
    child = subprocess.Popen(
        [sys.executable, "-m", "docs.build", str(made)], cwd=SHIPPED_ROOT,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    atexit.register(child.kill)
    try:
        output, _ = child.communicate(timeout=BUILD_SECONDS)
        if not (made / "index.html").is_file():
            lines = output.decode("utf-8", errors="replace").split("\n")
            raise OSError(next((line for line in reversed(lines) if line.strip()), "no output"))
        shutil.rmtree(target, ignore_errors=True)
        os.replace(made, target)
    except subprocess.TimeoutExpired as error:
        child.kill()
        child.communicate()
        raise OSError(f"it took more than {BUILD_SECONDS:g} s") from error
    finally:
        atexit.unregister(child.kill)
        shutil.rmtree(made, ignore_errors=True)
