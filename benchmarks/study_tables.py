"""Make the tables of docs/studies/self_teaching.md; none of them is edited by hand.

    python -m benchmarks.study_tables                      rewrite what stands between the marks
    python -m benchmarks.study_tables --check              say what would change, exit code 1
    python -m benchmarks.study_tables --ann runs/ann/seeded runs/ann/fresh
    python -m benchmarks.study_tables --network runs/paper/seeded --kept runs/kept
    python -m benchmarks.study_tables --built runs/built/seeded runs/built/fresh
    python -m benchmarks.study_tables --built-published runs/built-published/seeded
    python -m benchmarks.study_tables --built-tried runs/built-tried
    python -m benchmarks.study_tables --memory runs/memory
    python -m benchmarks.study_tables --plus runs/plus-fresh runs/plus-strong runs/plus-seeded
    python -m benchmarks.study_tables --ablation runs/ablation
    python -m benchmarks.study_tables --keep --network runs/more    cells that are stored stay

The flags first copy new runs into docs/studies, one study or several; --ann and --built also draw
the page's figures anew. Cells that are not finished are left out, and the page says that they were
not run. The exit code is 1 if a study or the page is not what it should be, and with --check if the
page would change.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ai.experiments.figures import grid_figures
from ai.experiments.grid import KEPT
from ai.runs.results import SUMMARY_FILE
from base.files import SHIPPED_ROOT
from base.storage.json_file import read_json, write_table
from benchmarks.console import parser_of
from benchmarks.study_rows import TABLES, Studies

DOCS: Final = SHIPPED_ROOT / "docs"
END: Final = "<!-- end -->"
COLORS: Final = 96
"""Of a figure's palette: a third of the bytes, its few colors kept."""
PLUS_LABELS: Final = {
    ("10x10", "fresh"): "10x10, fresh dice",
    ("50x30", "fresh"): "50x30, fresh dice",
    ("10x10", "board-seeded"): "10x10, seeded from the board",
}
"""Studies of cnn-ann-plus by the opponent while learning."""
CELLS: Final = ("ann", "network", "kept", "width", "dead", "built", "built_published")
"""Studies that are a grid's cells, by flag; `network` is kept as cnn_ann.json."""
TABLED: Final = ("kernels", "dice", "black")
"""Files of `benchmarks.memory`."""
NAMES: Final = (
    *("ann", "cnn_ann", *CELLS[2:], *TABLED, "built_tried"),
    *("readings", "plus", "ablation", "tried"),
)
DRAWN: Final[Mapping[str, tuple[str, ...]]] = {"ann": (), "built": ("fig06",)}
"""Studies whose figures the page has, and which ones; () for all."""


class StudyError(ValueError):
    """A study or the page is not what it should be; the text says what was expected and where."""


def read_studies(folder: Path) -> Studies:
    """Read docs/studies.

    Raises:
        StudyError: a file is missing or is no JSON object.
    """
    try:
        return {name: read_json(folder / f"{name}.json") for name in NAMES}
    except (OSError, ValueError) as error:
        raise StudyError(f"studies: expected {', '.join(NAMES)} in {folder}: {error}") from None


def rewrite(text: str, studies: Studies) -> str:
    """Return the page with every table made anew.

    Args:
        text: of the page, `<!-- made: NAME -->` and `<!-- end -->` around each table.
        studies: what `read_studies` returned.

    Raises:
        StudyError: a table's marks are missing, twice there, or name none.
    """
    return made_anew(text, {name: make(studies) for name, make in TABLES.items()})


def made_anew(text: str, tables: Mapping[str, str]) -> str:
    """Return a page with its tables put between their marks.

    Args:
        text: of the page, `<!-- made: NAME -->` and `<!-- end -->` around each table.
        tables: by name.

    Raises:
        StudyError: a table's marks are missing, twice there, or name none.
    """
    marks = re.findall(r"<!-- made: (\S+) -->", text)
    if sorted(marks) != sorted(tables):
        raise StudyError(f"marks: expected each of {sorted(tables)} once, found {sorted(marks)}")
    for name, table in tables.items():
        before, mark, rest = text.partition(f"<!-- made: {name} -->\n")
        _, end, after = rest.partition(END)
        if not end or "<!-- made: " in rest[: rest.index(END)]:
            raise StudyError(f"marks: expected {END} after {name}, found none")
        text = f"{before}{mark}\n{table}\n\n{end}{after}"
    return text


def read_cells(folders: Sequence[Path]) -> dict[str, Any]:
    """Return the finished cells of some folders of grids as grid.json holds them.

    Cells with fewer games than the longest ones are left out: they are on the way.

    Raises:
        StudyError: there are none, or two of them are of the same kind and seed.
    """
    found = [
        read_json(path) for folder in folders for path in sorted(folder.glob(f"**/{SUMMARY_FILE}"))
    ]
    if not found:
        raise StudyError(f"grid: expected finished cells, found none in {_list(folders)}")
    most = max(summary["games"] for summary in found)
    cells = [cell_of(summary) for summary in found if summary["games"] == most]
    kinds = [(cell["cell"], cell["randomness"]) for cell in cells]
    twice = sorted({str(kind) for kind in kinds if kinds.count(kind) > 1})
    if twice:
        raise StudyError(f"grid: expected each cell once, found {twice[0]} twice")
    return {"format": "goishi.grid/1", "cells": sorted(cells, key=_order)}


def with_known(new: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return new cells with those of a stored study that are of other kinds or seeds."""
    found = {(cell["cell"], cell["randomness"]): cell for cell in (*known["cells"], *new["cells"])}
    return {**new, "cells": sorted(found.values(), key=_order)}


def _list(folders: Sequence[Path]) -> str:
    return ", ".join(str(folder) for folder in folders)


def cell_of(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return a cell's row from its summary, its settings read as they are, of older code, too."""
    config = summary["config"]
    settings = config["settings"]
    if settings["relearn"] != "memory":
        condition, part = "no-relearn", "norelearn"
    else:
        condition = "none" if settings["alpha"] is None else f"{float(settings['alpha']):g}"
        part = f"a{condition}"
    control = config.get("control", "none")
    name = f"{config['player']}/r{settings['records']}_{part}_s{config['seed']}"
    name += "" if control == "none" else f"_{control}"
    row = {
        "cell": name,
        "player": config["player"],
        "records": settings["records"],
        "condition": condition,
        "seed": config["seed"],
        "randomness": config["randomness"],
        "control": control,
        "commit": summary.get("versions", {}).get("goishi", "none"),
    }
    return row | {key: summary[key] for key in KEPT if summary.get(key, {}) != {}}


def draw(folder: Path, images: Path, study: str = "ann") -> None:
    """Draw the page's figures of a study with few colors, which makes them small.

    Args:
        folder: of a grid, whose cells' games stand there.
        images: where the pictures go, "_fresh" in their names where Black's dice are fresh.
        study: name of the study; that of all but the memory alone stands in the pictures' names.
    """
    from PIL import Image

    cells = [cell for cell in read_cells([folder])["cells"] if cell["control"] == "none"]
    kind = "" if study == "ann" else f"_{study}"
    kind += "_fresh" if cells[0]["randomness"] == "fresh" else ""
    with tempfile.TemporaryDirectory() as name:
        for path in grid_figures(folder, {"cells": cells}, Path(name)):
            if DRAWN[study] and path.stem not in DRAWN[study]:
                continue
            with Image.open(path) as picture:
                small = picture.convert("RGB").quantize(COLORS, Image.Quantize.MAXCOVERAGE)
                small.save(images / f"self_teaching{kind}_{path.name}", optimize=True)


def read_plus(folders: Sequence[Path]) -> dict[str, Any]:
    """Return the studies of cnn-ann-plus by the opponent while learning.

    Raises:
        StudyError: an opponent is none of those, or its held-out games are missing.
    """
    found: dict[str, Any] = {}
    for folder in folders:
        summaries = [read_json(path) for path in sorted(folder.glob(f"*/*/{SUMMARY_FILE}"))]
        for summary in summaries:
            config = summary["config"]
            label = PLUS_LABELS.get((config["ga"], config["randomness"]))
            if config["player"] != "cnn-ann-plus" or label is None:
                raise StudyError(
                    "--plus: expected cells of cnn-ann-plus against "
                    f"{' or '.join(PLUS_LABELS.values())}, found others in {folder}"
                )
            found.setdefault(label, []).append(cell_of(summary))
    if not found:
        raise StudyError(f"--plus: expected finished cells, found none in {folders}")
    return {label: found[label] for label in PLUS_LABELS.values() if label in found}


def _order(cell: Mapping[str, Any]) -> tuple[str, str, str, int, str, int]:
    player, records, seed = cell["player"], cell["records"], cell["seed"]
    return player, cell["randomness"], cell["control"], records, cell["condition"], seed


def _read_tables(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the new studies that the flags name."""
    new: dict[str, dict[str, Any]] = {}
    for flag in CELLS:
        folders = getattr(options, flag)
        if folders:
            name = "cnn_ann" if flag == "network" else flag
            new[name] = read_cells(folders)
            if options.keep:
                known = read_json(options.docs / "studies" / f"{name}.json")
                new[name] = with_known(new[name], known)
    if options.built_tried:
        new["built_tried"] = read_json(options.built_tried / "built_tried.json")
    if options.memory:
        new |= {name: read_json(options.memory / f"{name}.json") for name in TABLED}
    if options.plus:
        known = read_json(options.docs / "studies" / "plus.json")
        new["plus"] = {**known, **read_plus(options.plus)}
    if options.ablation:
        new["ablation"] = read_json(options.ablation / "ablation.json")
    return new


def main(words: Sequence[str] | None = None) -> int:
    """Take what the flags name, rewrite or check the page, return the exit code."""
    parser = parser_of(
        __doc__,
        check=(False, "write nothing; 1 where it differs"),
        keep=(False, "with the cells stored so far; no figure is drawn"),
        docs=(DOCS, "the folder of page and studies"),
        ann=([Path], "cells of the memory alone"),
        network=([Path], "cells of the network of the text"),
        kept=([Path], "cells of the network that keeps its answers"),
        width=([Path], "cells of the memory with a wider kernel"),
        dead=([Path], "cells of the dead network"),
        built=([Path], "cells of the network that is written from its memory"),
        built_published=([Path], "the same with the paper's 516 neurons"),
        built_tried=(Path, "what benchmarks.built_network wrote"),
        memory=(Path, "what benchmarks.memory wrote"),
        plus=([Path], "the grids of cnn-ann-plus"),
        ablation=(Path, "the ablation"),
    )
    options = parser.parse_args(words)
    page = options.docs / "studies" / "self_teaching.md"
    try:
        new = _read_tables(options)
        before = page.read_text(encoding="utf-8")
        after = rewrite(before, {**read_studies(options.docs / "studies"), **new})
    except (StudyError, OSError, ValueError) as error:
        sys.stderr.write(f"study_tables: {error}\n")
        return 1
    changed = [line for line in after.splitlines() if line not in before.splitlines()]
    if options.check:
        print("\n".join(changed) or "nothing would change")
        return int(after != before)
    for name, values in new.items():
        write_table(options.docs / "studies" / f"{name}.json", values)
    for study in () if options.keep else DRAWN:
        for folder in getattr(options, study) or ():
            if any((folder / player).is_dir() for player in ("ann", "cnn-ann")):
                draw(folder, options.docs / "images", study)
    page.write_text(after, encoding="utf-8", newline="\n")
    print(f"{page}: {len(changed)} lines changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
