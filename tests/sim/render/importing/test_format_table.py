"""The table of docs/models.md says what each format brings: every cell against a file."""

from __future__ import annotations

from pathlib import Path

from tests.sim.render.importing.cases_fbx import CASES as FBX_CASES
from tests.sim.render.importing.cases_gltf import CASES as GLTF_CASES
from tests.sim.render.importing.cases_materials import CASES as MATERIAL_CASES
from tests.sim.render.importing.cases_plain import CASES as PLAIN_CASES
from tests.sim.render.importing.format_table import NOTHING, PAGE, WORDS, table_of
from tests.sim.render.importing.model_files import imported

CASES = [*FBX_CASES, *GLTF_CASES, *PLAIN_CASES, *MATERIAL_CASES]


def test_each_cell_of_the_table_is_true(tmp_path: Path) -> None:
    models = []
    for number, case in enumerate(CASES):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in case.files.items():
            (folder / name).write_bytes(content)
        models.append(folder / next(iter(case.files)))
    results = imported(models, tmp_path / "made", tmp_path)
    cells = table_of(PAGE.read_text(encoding="utf-8"))
    faults = []
    for case, result in zip(CASES, results, strict=True):
        is_brought = case.is_brought(result)
        word = cells.get((case.feature, case.format), "no such row")
        if word != WORDS[is_brought]:
            faults.append(f"{case.feature}, {case.format}: the page says {word!r}, but "
                          f"{WORDS[is_brought]!r} is true: {result[0]}")  # fmt: skip
    known = {(case.feature, case.format) for case in CASES}
    for key, word in cells.items():
        if (word == NOTHING) is (key in known):
            faults.append(f"{', '.join(key)}: the page says {word!r}, cases: {key in known}")
    assert faults == [], "\n".join(faults)
