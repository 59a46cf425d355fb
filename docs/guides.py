"""The pages of docs/: their groups, kinds, titles, lines, and links between them by title.

Pages of docs/studies need no entry here: they are the group "Studies", and their lines are their
first sentences.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

PAGES: Final = Path(__file__).resolve().parent
GUIDES: Final[Mapping[str, Mapping[str, str]]] = {
    "Start": {
        "install": "What it needs, and how to get it running.",
        "windows": "What works on Windows, with dates; launchers for managers.",
        "first_hour": "Watch, play, look back, script and arrange: stop by stop, with pictures.",
        "play_and_learn": "A game against a level, a teacher, a review, puzzles: with pictures.",
        "playing": "Watch a match, play it yourself, review games.",
        "puzzles": "Tactical puzzles that a prover judges, and positions of your own.",
        "tutorial": "From an empty folder to a game of your own, in eleven steps.",
        "studio": "The window: panels, tools, keys, layouts.",
        "accessibility": "Keys for everything, text size, contrast, colours, motion, captions.",
        "examples": "The scenes that come with Goishi, and what each shows.",
        "cli": "Every command and its options.",
        "troubleshooting": "What to do when it is slow, dark, silent or does not start.",
    },
    "Scripts": {
        "scripting": "Scripts on objects: life cycle, fields, coroutines, signals, panels.",
        "languages": "The window in Korean, Chinese, Japanese and German, and how to add a text.",
        "keys": "Whose a key is, and every name: keyboard, mouse, gamepads.",
        "scenes_and_saves": "Games of several scenes, saved games, pause menus.",
        "drawing": "Painting on objects and over the view, charts, point clouds.",
        "background_jobs": "Long computations, Keras included, beside the picture.",
        "fast_python": "Functions compiled to machine code.",
        "debugging": "Breakpoints in scripts, from an editor.",
        "profiling": "What a frame's time goes into: each script, physics, drawing; traces.",
        "packing": "A project as a game that a friend starts, without Goishi.",
        "export": "For other programs: functions as C libraries, networks as ONNX, scenes as glTF.",
        "projects": "A folder of your own: players, games, components, panels, packages.",
        "security": "What a project of others may do, and opening it safely.",
    },
    "Worlds": {
        "world": "Making objects, rays, physics, sky, fog, light, sound.",
        "editing": "Every edit by mouse, panel or Python, with undo.",
        "cameras": "Views, insets, and pictures for scripts.",
        "models": "Models from files and of your own, with their clips.",
        "scene_format": "Every key of a scene file.",
        "recording": "Videos, screenshots, presenting, sound.",
        "rewind": "The last seconds of a scene: looked at again, and gone on from.",
    },
    "AI": {
        "self_teaching": "How White learns from lost games, and how well it plays.",
        "review": "A shipped game, move by move: the panel and the command, with a picture.",
        "game_files": "Games of other programs: SGF, Piskvork, game text.",
        "training_hall": "Sixteen boards that learn side by side.",
        "arena": "Players against each other: ratings with intervals, and who is stronger.",
        "published_players": "Four players, each as a document describes it.",
        "seeds": "The documents' experiments: how to play them again, and what came of it.",
        "gomocup": "Your players in other managers, other programs at your board.",
        "alpha_beta": "The player alpha-beta: fours first, patterns, and how it searches.",
        "engine": "Versions of alpha-beta's search, and how a change of it is judged.",
        "tree_search": "The player mcts: random games, a tree, and its settings.",
        "alphagomoku": "Two networks and a tree search that learn by a curriculum.",
        "train_your_agent": "Write an agent, train it, watch it: ten minutes.",
        "environments": "Scenes as training environments: agents, Gymnasium, PettingZoo.",
        "remote_control": "A program or notebook that reads, sets and steps a scene that is open.",
        "other_games": "Tic-tac-toe, Connect Four, Othello, and a game of your own.",
    },
    "Engine": {
        "architecture": "The rooms of the code, and where to add what.",
        "glossary": "The words of the code, one for each thing.",
        "gupyengine": "The engine of the self-teaching paper, and what stands here in its place.",
        "quality": "What the checks hold, and what they found.",
        "releasing": "How a version is cut, what is handed out, and under which licences.",
    },
}
"""The pages by group, each with its line, in the order of the start page."""
STUDIES: Final = "Studies"
"""The last group: the pages of docs/studies."""


@dataclass(frozen=True)
class Kind:
    """What a page is for.

    Attributes:
        name: one word, which the start page shows beside the page.
        text: what a reader finds on such a page.
        pages: the names of those pages, with spaces between them.
    """

    name: str
    text: str
    pages: str = ""


STUDY: Final = Kind("study", "what was measured, and what it shows")
KINDS: Final = (
    Kind(
        "tutorial", "leads you by the hand", "first_hour play_and_learn tutorial train_your_agent"
    ),
    Kind(
        "guide",
        "how to do a thing",
        "install windows playing puzzles studio accessibility troubleshooting scripting "
        "scenes_and_saves drawing languages background_jobs fast_python debugging profiling "
        "export packing projects world editing cameras models recording rewind self_teaching "
        "review game_files training_hall arena gomocup alphagomoku environments "
        "remote_control other_games seeds engine releasing",
    ),
    Kind("reference", "every key, option and word", "examples cli scene_format keys glossary"),
    Kind(
        "explanation",
        "how it works, and why",
        "security published_players alpha_beta tree_search architecture quality gupyengine",
    ),
    STUDY,
)
"""The kinds of pages; each page outside docs/studies stands in exactly one."""


@dataclass(frozen=True)
class Way:
    """A way in, on the start page: a card with a picture that leads to a guide."""

    page: str
    title: str
    text: str
    picture: str


WAYS: Final = (
    Way("playing", "Watch and play", "See White learn, play against it, review the game.",
        "insight.png"),
    Way("tutorial", "Build a world", "From an empty folder to a game of your own, step by step.",
        "tutorial/10.png"),
    Way("scripting", "Write scripts", "Python on any object, reloaded whenever you save.",
        "studio.png"),
    Way("train_your_agent", "Train your own agent", "Write it, train it, watch it: ten minutes.",
        "scenes/cart_pole.png"),
    Way("self_teaching", "Teach an AI", "What the network learns from, and how well it plays.",
        "training_hall.png"),
    Way("install", "Install", "What it needs, and how to get it running.",
        "live_match.png"),
)  # fmt: skip


@dataclass(frozen=True)
class Section:
    """A heading of a page: its words, its anchor, and the text below it."""

    title: str
    anchor: str
    text: str


@dataclass(frozen=True)
class Page:
    """A page of docs/; one of docs/studies is named `studies/NAME`."""

    name: str
    title: str
    text: str

    @property
    def line(self) -> str:
        """What the start page says of it; empty for a page in no group."""
        if self.is_study:
            text = self.text.partition("\n")[2].strip().partition("\n\n")[0]
            return re.split(r"(?<=[.!?])\s", plain(text))[0]
        return next((names[self.name] for names in GUIDES.values() if self.name in names), "")

    @property
    def is_study(self) -> bool:
        """Whether it stands in docs/studies."""
        return self.name.startswith("studies/")

    @property
    def kind(self) -> str:
        """Its kind in a word; empty where it has none, or several."""
        if self.is_study:
            return STUDY.name
        found = [kind.name for kind in KINDS if self.name in kind.pages.split()]
        return found[0] if len(found) == 1 else ""

    @property
    def sections(self) -> list[Section]:
        """Its headings in order, the title first, each with the text up to the next."""
        text = re.sub(r"(?ms)^```.*?^```", lambda code: code[0].replace("#", "\0"), self.text)
        parts = re.split(r"(?m)^#{1,3} (.+)$", text)
        found = []
        for title, body in zip(parts[1::2], parts[2::2], strict=True):
            words = plain(title)
            found.append(Section(words, anchor_of(words), plain(body.replace("\0", "#"))))
        return found


def read_pages() -> list[Page]:
    """Return the pages and studies in the order of their titles; links show titles."""
    found = []
    for path in sorted([*PAGES.glob("*.md"), *PAGES.glob("studies/*.md")]):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(PAGES).with_suffix("").as_posix()
        found.append(Page(name, html.unescape(text.partition("\n")[0].lstrip("# ")), text))
    found = [replace(page, text=titled(page.text, found, page.name)) for page in found]
    return sorted(found, key=lambda page: page.title)


def grouped(pages: Sequence[Page]) -> dict[str, list[Page]]:
    """Return the pages by group, in the order of the start page."""
    by_name = {page.name: page for page in pages}
    groups = {
        group: [by_name[name] for name in names if name in by_name]
        for group, names in GUIDES.items()
    }
    return {**groups, STUDIES: [page for page in pages if page.is_study]}


def ungrouped(pages: Sequence[Page]) -> list[str]:
    """Return a fault for each page without a group or a kind, and each name without a page."""
    placed = [name for names in GUIDES.values() for name in names]
    known = {page.name for page in pages if not page.is_study}
    return [
        *(f"docs/{name}.md: expected a group in docs/guides.py, found none"
          for name in sorted(known - set(placed))),
        *(f"docs/{page.name}.md: expected one kind in docs/guides.py, found none or several"
          for page in pages if not page.kind),
        *(f"docs/guides.py: expected a page, found {name!r}" for name in placed
          if name not in known or placed.count(name) > 1),
    ]  # fmt: skip


def titled(text: str, pages: Sequence[Page], at: str = "") -> str:
    """Return Markdown in which links that show a file's name show its title, or a section's.

    Args:
        text: of a page.
        pages: those that links may lead to.
        at: the name of the page whose text it is; its links start from there.
    """
    by_name = {page.name: page for page in pages}

    def name(match: re.Match[str]) -> str:
        target = match["target"]
        page = by_name.get(page_at(at, target))
        if page is None or match["shown"].strip("`") not in (target, posixpath.basename(target)):
            return match[0]
        anchor = match["anchor"] or ""
        heading = next((item.title for item in page.sections if item.anchor == anchor[1:]), "")
        return f"[{heading or page.title}]({target}{anchor})"

    link = r"\[(?P<shown>[^\]\n]+)\]\((?P<target>[\w./]+\.md)(?P<anchor>#[\w-]*)?\)"
    return re.sub(link, name, text)


def page_at(name: str, target: str) -> str:
    """Return the name of the page to which a link leads.

    Args:
        name: of the page where it stands.
        target: its Markdown file as the link says it.

    >>> page_at("studies/seeds", "../arena.md")
    'arena'
    """
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
    return path.removesuffix(".md")


def plain(text: str) -> str:
    """Return Markdown as words on one line: links, pictures, tables and marks taken away."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"(?m)^\s*(```.*|\|[\s|:-]+\|)\s*$", " ", text)
    text = re.sub(r"\*\*|`|(?<=\s)\*(?=\S)|(?<=\S)\*(?=\s|[.,])", "", text).replace("|", " ")
    return " ".join(html.unescape(text).split())


def anchor_of(title: str) -> str:
    """Return the place of a heading as Markdown makes it.

    >>> anchor_of("Clips, and joints")
    'clips-and-joints'
    """
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())
