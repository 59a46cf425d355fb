"""What a release hands out, and that its version is told alike everywhere."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
import zipfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from base.files import SHIPPED_ROOT
from docs import release

WORKFLOWS = SHIPPED_ROOT / ".github" / "workflows"
CHANGES = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-27\n"
CITATION = "version: 0.2.0\ndate-released: 2026-11-27\n"


def clone(folder: Path, changes: str = CHANGES, citation: str = CITATION) -> Path:
    (folder / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n', "utf-8")
    (folder / "CHANGELOG.md").write_text(changes, "utf-8")
    (folder / "CITATION.cff").write_text(citation, "utf-8")
    return folder


def test_one_version_is_told_everywhere() -> None:
    assert release.version_faults(SHIPPED_ROOT) == []


def test_what_tells_another_version_or_day_is_named(tmp_path: Path) -> None:
    assert release.version_faults(clone(tmp_path)) == []
    wrong = clone(tmp_path, CHANGES.replace("0.2.0", "0.1.9"), CITATION)
    assert release.version_faults(wrong) == [
        "CHANGELOG.md: expected a heading '## [0.2.0] - DAY', found none"
    ]
    wrong = clone(tmp_path, CHANGES, "version: 0.1.0\n")
    assert release.version_faults(wrong) == [
        "CITATION.cff: version: expected 0.2.0, found 0.1.0",
        "CITATION.cff: date-released: expected 2026-11-27, found none",
    ]
    wrong = clone(tmp_path, CHANGES.replace("## [Unreleased]\n", ""), CITATION)
    assert release.version_faults(wrong) == [
        "CHANGELOG.md: expected '## [Unreleased]' above all versions"
    ]


def test_a_tag_of_another_version_ends_a_release(tmp_path: Path, capsys) -> None:
    root = clone(tmp_path)
    assert release.tag_faults(root, "") == release.tag_faults(root, "v0.2.0") == []
    assert release.tag_faults(root, "0.2.0") == ["--tag: expected v0.2.0, found 0.2.0"]
    out = tmp_path / "dist"
    assert release.main(["--out", str(out), "--tag", "v9.9.9"]) == 1
    expected = f"--tag: expected v{release.version(SHIPPED_ROOT)}, found v9.9.9\n"
    assert capsys.readouterr().out == expected
    assert not out.exists()


def test_the_notes_are_the_part_of_the_version_alone(tmp_path: Path) -> None:
    changes = (
        "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [0.2.0] - 2026-11-27\n\n### Added\n\n"
        "- now [0.1.0]\n\n## [0.1.0] - 2026-01-01\n\n- before\n"
    )
    assert release.notes(clone(tmp_path, changes)) == "### Added\n\n- now [0.1.0]\n"
    assert release.notes(clone(tmp_path, changes.split("\n## [0.1.0]")[0])) == (
        "### Added\n\n- now [0.1.0]\n"
    )
    assert len(release.notes(SHIPPED_ROOT)) > 1000


def test_checksums_name_each_file_and_a_strange_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "goishi-1.whl").write_bytes(b"wheel")
    release.write_sums(tmp_path)
    digest = hashlib.sha256(b"wheel").hexdigest()
    assert (tmp_path / "SHA256SUMS").read_text("utf-8") == f"{digest}  goishi-1.whl\n"
    release.clear(tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(ValueError, match="expected a new folder or an earlier release, found"):
        release.clear(tmp_path)
    assert (tmp_path / "mine.txt").is_file()


def test_wheels_that_differ_are_told_by_file(tmp_path: Path) -> None:
    for name, text in (("a.whl", "1"), ("b.whl", "2")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("same", "x")
            archive.writestr("other", text)
    told = release.differences(tmp_path / "a.whl", tmp_path / "b.whl")
    assert told == ["other: expected the same from the sdist and from the clone"]
    assert release.differences(tmp_path / "a.whl", tmp_path / "a.whl") == []


@pytest.mark.nightly
@pytest.mark.skipif(
    find_spec("build") is None or find_spec("cyclonedx_py") is None,
    reason="needs the packages build and cyclonedx-bom",
)
def test_a_release_is_made_in_one_go(tmp_path: Path) -> None:
    assert release.release(tmp_path, Path(sys.executable)) == []
    name = f"goishi-{release.version(SHIPPED_ROOT)}"
    names = {path.name for path in tmp_path.iterdir()}
    whole = {f"{name}-py3-none-any.whl", f"{name}.tar.gz", f"{name}.cdx.json"}
    assert names == whole | {"SHA256SUMS"}
    told = (tmp_path / "SHA256SUMS").read_text("utf-8").split()
    assert set(told[1::2]) == whole
    bill = json.loads((tmp_path / f"{name}.cdx.json").read_text("utf-8"))
    assert bill["bomFormat"] == "CycloneDX"
    known = {item["name"].lower() for item in bill["components"]}
    assert {"panda3d", "numpy", "tensorflow", "python-bidi"} <= known
    assert release.without_licence(bill) == []


def test_public_checks_call_commands_that_are_there() -> None:
    for name in ("checks.yml", "release.yml"):
        text = (WORKFLOWS / name).read_text("utf-8")
        assert "Not run yet" in text
        jobs = yaml.safe_load(text)["jobs"]
        lines = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
        assert "sudo bash .ci/run packages" in lines, "what only root may do there"
        words = {word for line in lines for word in line.split()}
        paths = {word for word in words if "/" in word and not word.startswith(("$", "dist/"))}
        assert all((SHIPPED_ROOT / path).exists() for path in paths), paths
    checks = yaml.safe_load((WORKFLOWS / "checks.yml").read_text("utf-8"))["jobs"]
    for job in checks.values():
        assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    assert set(checks["other"]["strategy"]["matrix"]["system"]) == {"windows-2022", "macos-14"}


def needed(name: str, known: set[str]) -> set[str]:
    """Return the packages that a package needs on this machine, and itself."""
    if name in known:
        return known
    known.add(name)
    for text in metadata.requires(name) or ():
        asked = Requirement(text)
        if asked.marker is None or asked.marker.evaluate({"extra": ""}):
            needed(canonicalize_name(asked.name), known)
    return known


def test_packages_under_the_lgpl_are_named_and_lie_in_files_of_their_own() -> None:
    page = (SHIPPED_ROOT / "docs" / "releasing.md").read_text("utf-8")
    project = tomllib.loads((SHIPPED_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names: set[str] = set()
    for text in project["dependencies"]:
        needed(canonicalize_name(Requirement(text).name), names)
    assert len(names) > 60
    for name in sorted(names):
        told = metadata.metadata(name)
        words = [told.get("License") or "", told.get("License-Expression") or ""]
        words += told.get_all("Classifier") or []
        asks = [text for text in words if re.search(r"\bL?GPL|Lesser General", text[:200])]
        assert not asks or f"| `{name}` |" in page, (name, asks)
    place = metadata.distribution("python-bidi").locate_file("bidi")
    assert Path(str(place)).is_dir()
    for library in ("libp3ffmpeg", "libp3openal_audio"):
        found = metadata.distribution("panda3d").locate_file("panda3d")
        assert list(Path(str(found)).glob(f"{library}.*"))
