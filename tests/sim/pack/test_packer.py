"""A packed game's folder: its parts, its messages, and what a repeated or refused pack leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from PIL import Image

from base.errors import GoishiError, UsageError
from base.files import SHIPPED_ROOT
from base.manifest import ProjectError
from sim.commands import packed_game
from sim.core.project import saves
from sim.core.project.game_table import GameTable, read_game
from sim.export.runtime import Needs
from sim.pack import packer, python_folder
from sim.pack.build import DIGEST, launcher_of, source_digest
from sim.pack.choice import choose
from sim.pack.forwarding_dll import DllError, exported_names, forwarding_dll
from sim.pack.licences import licence_of, licences_text
from sim.pack.packer import (
    PackRequest,
    copy_engine,
    executable_name,
    give_icon,
    pack,
    place_icon,
    sign_project,
    target_of,
)
from sim.pack.python_folder import PackError, download_fault, is_left_out
from sim.render.window.window_icon import icon_numbers
from tests.command_line import run_here

CAVE = SHIPPED_ROOT / "tests" / "drive" / "cave_game"


@pytest.fixture
def without_python(monkeypatch: pytest.MonkeyPatch) -> list[Needs]:
    """Pack without a Python, which takes minutes; returns what was asked of it."""
    asked: list[Needs] = []

    def make(home: Path, needs: Needs) -> dict[str, str]:
        home.mkdir()
        asked.append(needs)
        return {"numpy": "2"}

    for name in ("make_linux", "make_windows"):
        monkeypatch.setattr(packer, name, make)
    monkeypatch.setattr(packer, "_check", lambda folder, executable: None)
    return asked


def test_the_folder_and_the_zip_hold_the_same_game(
    tmp_path: Path, without_python: list[Needs]
) -> None:
    report = pack(PackRequest(CAVE, tmp_path / "game", "windows", "hall"))
    folder = tmp_path / "game"
    assert sorted(path.name for path in folder.iterdir()) == [
        "LICENSES.txt", "cave_game.exe", "game.json", "goishi", "project", "python",
    ]  # fmt: skip
    about = json.loads((folder / "game.json").read_text("utf-8"))
    assert about["format"] == "goishi.game/1"
    assert (about["title"], about["scene"], about["id"]) == (
        "cave_game", "scenes/hall.scene.json", "prj_cave_game",
    )  # fmt: skip
    assert about["packages"] == {"numpy": "2"}
    assert "cv2" in without_python[0].packages
    assert (folder / "project" / "scripts" / "hero.py").is_file()
    assert not (folder / "goishi" / "ai").exists()
    with zipfile.ZipFile(report.zip) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    files = {path.relative_to(tmp_path).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names == files
    assert report.zip == tmp_path / "game.zip"
    again = pack(PackRequest(CAVE, folder, "windows", "cave"))
    assert again.choice.scene == "scenes/cave.scene.json", "a packed game is replaced"


def test_a_folder_with_other_files_is_refused_and_stays(
    tmp_path: Path, without_python: list[Needs]
) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="--out: expected an empty folder, found files in"):
        pack(PackRequest(CAVE, tmp_path, scene="hall"))
    assert (tmp_path / "mine.txt").read_text("utf-8") == "mine"
    assert without_python == []


def test_a_zip_file_of_the_users_is_not_replaced(
    tmp_path: Path, without_python: list[Needs]
) -> None:
    (tmp_path / "game.zip").write_text("mine", "utf-8")
    with pytest.raises(UsageError, match=r"--out: expected no file game\.zip beside it, found one"):
        pack(PackRequest(CAVE, tmp_path / "game", scene="hall"))
    assert (tmp_path / "game.zip").read_text("utf-8") == "mine"


def test_saved_games_are_found_by_a_game_that_was_moved_or_is_newer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saves, "IS_PACKED", True)
    places = [tmp_path / name / "project" for name in ("old", "new")]
    for place in places:
        place.mkdir(parents=True)
        (place / "goishi.toml").write_text('id = "prj_cave"\n', "utf-8")
    first, second = (saves.Saves(tmp_path / "saves", place) for place in places)
    first.write("slot 1", {"coins": 3})
    assert second.read("slot 1") == {"coins": 3}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "PROJECT: expected a folder with a project, found none at"),
        ([str(CAVE)], "--scene: expected one of cave, hall, or game.scene in goishi.toml"),
        ([str(CAVE), "--scene", "lake"], "--scene: expected one of cave, hall of the project, found"),
        ([str(CAVE), "--scene", "hall", "--target", "mac"], "--target: expected here, linux, windows"),
        ([str(CAVE), "--scene", "hall", "--packages", "no_such"], "--packages: expected an installed"),
    ],
)  # fmt: skip
def test_a_wrong_word_is_one_line_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    code, _, text = run_here(capsys, "pack", *words, "--out", str(tmp_path / "game"))
    assert (code, len(text.splitlines())) == (2, 1)
    assert said in text
    assert list(tmp_path.iterdir()) == []


def test_a_project_that_is_not_trusted_is_not_packed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "one.py").write_text("", "utf-8")
    code, _, text = run_here(capsys, "pack", str(tmp_path), "--out", str(tmp_path / "game"))
    assert code == 2
    assert "--trust" in text


def test_linux_is_packed_for_on_linux_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert [target_of(name) for name in ("here", "windows")] == ["windows", "windows"]
    with pytest.raises(UsageError, match=r"--target: expected linux on Linux \(x86-64\), found"):
        target_of("linux")
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(UsageError, match="--target: expected windows on"):
        target_of("here")


def test_a_game_that_does_not_run_alone_says_its_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = subprocess.CompletedProcess([], 1, "", "goishi: No module named 'shapely'\n")
    monkeypatch.setattr(subprocess, "run", lambda *words, **named: done)
    with pytest.raises(PackError, match=r"does not run on its own: .*shapely.*; name .*--packages"):
        packer._check(tmp_path, "game")


IMPORTS_IN_VAIN = {
    "at the top": "import no_such_pebbles\nfrom sim import Script\n\n\nclass One(Script):\n    pass\n",
    "later": "from sim import Script\n\n\nclass One(Script):\n    def start(self):\n"
    "        import no_such_pebbles\n",
}


def project_that(folder: Path, text: str) -> Path:
    for name in ("scenes", "scripts"):
        (folder / name).mkdir(parents=True)
    components = {"cmp_one": {"type": "scripts.one:One", "fields": {}}}
    scene = {
        "format": "goishi.scene/1", "id": "scn_one",
        "objects": {"obj_one": {"name": "One", "components": components}},
    }  # fmt: skip
    (folder / "scenes" / "one.scene.json").write_text(json.dumps(scene), encoding="utf-8")
    (folder / "scripts" / "one.py").write_text(text, encoding="utf-8")
    return folder


def test_a_package_that_is_not_here_is_told_by_its_line_and_nothing_is_packed(
    tmp_path: Path, without_python: list[Needs]
) -> None:
    project = project_that(tmp_path / "내 놀이", IMPORTS_IN_VAIN["at the top"])
    for target in ("linux", "windows"):
        if target == "linux" and sys.platform != "linux":
            continue
        with pytest.raises(PackError, match=r"^scripts/one.py:1: expected the package no_such_peb"):
            pack(PackRequest(project, tmp_path / "out", target))
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out.zip").exists()
    assert without_python == []


@pytest.mark.parametrize("where", IMPORTS_IN_VAIN)
def test_the_check_of_a_packed_game_tells_a_missing_package(where: str, tmp_path: Path) -> None:
    project = project_that(tmp_path / "game", IMPORTS_IN_VAIN[where])
    about = {"project": str(project), "scenes": ["scenes/one.scene.json"]}
    with pytest.raises(GoishiError, match=r"one\.scene\.json: its scripts need no_such_pebbles$"):
        packed_game.check(about)
    (project / "scripts" / "one.py").write_text(
        IMPORTS_IN_VAIN["later"].replace("no_such_pebbles", "json"), encoding="utf-8"
    )
    assert packed_game.check(about) == 0


def test_a_project_without_an_id_gets_one_that_stays(tmp_path: Path) -> None:
    project, copy = tmp_path / "four", tmp_path / "copy"
    for folder in (project, copy):
        folder.mkdir()
    (copy / "goishi.toml").write_text('[game]\ntitle = "Four"\n', "utf-8")
    made = sign_project(copy, project)
    assert made == sign_project(tmp_path, project)
    assert f'id = "{made}"' in (copy / "goishi.toml").read_text("utf-8")
    assert read_game(copy).title == "Four"


def test_the_engine_comes_without_what_makes_games(tmp_path: Path) -> None:
    copy_engine(tmp_path / "engine", choose(CAVE.resolve(), "scenes/hall.scene.json"))
    names = {path.name for path in (tmp_path / "engine").iterdir()}
    assert names >= {"base", "sim", "scripts", "assets", "main.py"}
    assert not (names & {"ai", "tests", "docs", "benchmarks"})
    for name in ("sim/pack", "sim/export", "assets/new_project", "assets/players"):
        assert not (tmp_path / "engine" / name).exists()
    assert (tmp_path / "engine" / "sim" / "commands" / "packed_game.py").is_file()


def test_an_icon_is_written_for_each_system_and_goes_into_the_executable(tmp_path: Path) -> None:
    Image.new("RGB", (40, 20), "orange").save(tmp_path / "mine.png")
    place_icon(tmp_path, tmp_path / "mine.png")
    with Image.open(tmp_path / "icon.png") as made:
        assert (made.size, made.getpixel((128, 4))[3]) == ((256, 256), 0), "it is square"
        assert made.getpixel((128, 128)) == (255, 165, 0, 255)
    with Image.open(tmp_path / "icon.ico") as made:
        assert (256, 256) in made.info["sizes"]
    program = tmp_path / "game.exe"
    python_folder.place_launcher("windows", program)
    before = program.stat().st_size
    give_icon(program, tmp_path / "icon.png")
    assert program.stat().st_size > before
    (tmp_path / "text.png").write_text("no picture", "utf-8")
    with pytest.raises(UsageError, match=r"game\.icon: expected a picture, found .*text\.png"):
        place_icon(tmp_path, tmp_path / "text.png")


def test_the_window_of_x_gets_an_icon_as_numbers() -> None:
    picture = np.zeros((1, 2, 4), np.uint8)
    picture[0, 1] = (1, 2, 3, 4)  # blue, green, red, alpha
    assert icon_numbers(picture) == [2, 1, 0, 0x04030201]
    assert icon_numbers(picture[:, :, :3]) == [2, 1, 0xFF000000, 0xFF030201]
    assert icon_numbers(picture[:, :, 0]) == [2, 1, 0xFF000000, 0xFF010101]


@pytest.mark.parametrize(
    ("title", "name"),
    [("The Cave: II", "The_Cave_II"), ("섬", "섬"), ("../..", "game"), ("Python", "game_Python")],
)  # fmt: skip
def test_a_title_becomes_a_file_name(title: str, name: str) -> None:
    assert executable_name(title) == name


def test_the_table_game_is_read_and_its_mistakes_are_named(tmp_path: Path) -> None:
    def read(text: str) -> GameTable:
        (tmp_path / "goishi.toml").write_text(f"[game]\n{text}\n", "utf-8")
        return read_game(tmp_path)

    assert read("").title == tmp_path.name
    assert read('quit = "f10"').quit == "f10"
    assert read('quit = ""').quit == ""
    for text, said in (
        ('titel = "A"', "game.titel"), ("title = 3", "game.title"), ('icon = "a.png"', "game.icon"),
        ('scene = "../a.scene.json"', "game.scene"), ('quit = "hyper"', "game.quit"),
        ('full_screen = "yes"', "game.full_screen"), ('window = "big"', "game.window"),
    ):  # fmt: skip
        with pytest.raises(ProjectError, match=rf"goishi\.toml:{said}: expected"):
            read(text)


def test_what_pip_could_not_download_is_one_line() -> None:
    network = (
        "WARNING: Retrying … NewConnectionError('…: Name or service not known')\nERROR: No matching"
    )
    assert (
        download_fault(network)
        == "expected a network to download the wheels for Windows, found none"
    )
    assert "python -m ensurepip" in download_fault("/usr/bin/python3: No module named pip")
    assert download_fault("") == "expected a wheel for Windows, found: no answer"


def test_downloads_that_fail_are_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = subprocess.CompletedProcess(
        [], 1, "", "ERROR: No matching distribution found for a==1\n"
    )
    monkeypatch.setattr(subprocess, "run", lambda *words, **named: done)
    with pytest.raises(PackError, match="found: No matching distribution found for a==1"):
        python_folder.make_windows(tmp_path / "python", Needs(("numpy",), frozenset()))


@pytest.mark.parametrize(
    ("path", "is_out"),
    [
        ("panda3d/libp3assimp.so", True), ("panda3d/libpandagl.so", False),
        ("panda3d/core.cpython-311-x86_64-linux-gnu.so", False), ("panda3d/ode.pyd", True),
        ("deploy_libs/_ssl.pyd", True), ("direct/showbase/ShowBase.py", True),
        ("cv2/cv2.abi3.so", False), ("numpy/f2py/crackfortran.py", True), ("my/direct/a.py", False),
    ],
)  # fmt: skip
def test_other_engines_and_editors_of_packages_are_left_out(path: str, is_out: bool) -> None:
    assert is_left_out(PurePosixPath(path)) is is_out


def test_readers_of_models_that_are_left_out_are_not_looked_for(tmp_path: Path) -> None:
    (tmp_path / "panda3d" / "etc").mkdir(parents=True)
    settings = tmp_path / "panda3d" / "etc" / "Config.prc"
    settings.write_text("load-file-type egg pandaegg\nload-file-type p3assimp\nx 1\n", "utf-8")
    python_folder.drop_loaders(tmp_path)
    assert settings.read_text("utf-8") == "load-file-type egg pandaegg\nx 1\n"


def test_what_a_driver_writes_is_dropped_and_later_words_are_not(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with packed_game.silent_drivers():
        os.write(2, b"libGL error")
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"


def test_wheels_are_unpacked_where_windows_python_looks(tmp_path: Path) -> None:
    site, needs = tmp_path / "Lib" / "site-packages", Needs((), frozenset())

    def target(path: str) -> str | None:
        found = python_folder._target_of(PurePosixPath(path), tmp_path, site, needs)
        return None if found is None else found.relative_to(tmp_path).as_posix()

    assert target("deploy_libs/_ssl.pyd") == "DLLs/_ssl.pyd"
    assert target("deploy_libs/python311.dll") == "python311.dll"
    assert target("deploy_libs/api-ms-win-crt-a.dll") is None
    assert target("deploy_libs/tk86t.dll") is None
    assert target("numpy/core.py") == "Lib/site-packages/numpy/core.py"
    assert target("numpy/tests/test_a.py") is None
    assert target("a-1.data/platlib/a/b.py") == "Lib/site-packages/a/b.py"
    assert target("a-1.data/scripts/a.exe") is None
    assert target("msvc_runtime-14.data/data/vcruntime140.dll") == "vcruntime140.dll"


def test_two_names_that_windows_takes_for_one_are_written_once(tmp_path: Path) -> None:
    wheel, taken = tmp_path / "a.whl", set[str]()
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("deploy_libs/VCRUNTIME140.dll", "one")
        made.writestr("deploy_libs/vcruntime140.dll", "two")
    python_folder._unpack(wheel, tmp_path, tmp_path / "site", Needs((), frozenset()), taken)
    assert [path.name for path in tmp_path.glob("*.dll")] == ["VCRUNTIME140.dll"]


def test_a_library_that_forwards_names_is_read_as_it_was_written() -> None:
    names = ["PyErr_Print", "Py_Initialize", "_Py_NoneStruct"]
    written = forwarding_dll("python3.dll", "python311.dll", names)
    assert exported_names(written) == sorted(names)
    assert b"python311.Py_Initialize\0" in written
    for wrong in (b"", b"MZ", b"\x7fELF" + bytes(100), written[:600]):
        with pytest.raises(DllError, match="expected a 64-bit Windows library"):
            exported_names(wrong)


def test_the_shipped_launchers_were_built_from_their_source() -> None:
    assert DIGEST.read_text("utf-8").strip() == source_digest(), "python -m sim.pack.build"
    assert launcher_of("linux").read_bytes()[:4] == b"\x7fELF"
    assert launcher_of("windows").read_bytes()[:2] == b"MZ"


@pytest.mark.skipif(sys.platform != "linux", reason="the launcher for Linux")
def test_a_launcher_without_its_folder_says_so_in_one_line(tmp_path: Path) -> None:
    for name in ("game", "python3"):
        python_folder.place_launcher("linux", tmp_path / name)
        done = subprocess.run([tmp_path / name], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith("goishi: expected ")
        assert len(done.stderr.splitlines()) == 1


def test_licences_name_each_part_and_where_its_texts_lie(tmp_path: Path) -> None:
    texts = tmp_path / "python" / "lib" / "numpy-2.dist-info"
    texts.mkdir(parents=True)
    (texts / "LICENSE.txt").write_text("", "utf-8")
    (tmp_path / "python" / "lib" / "libssl.so.3").write_text("", "utf-8")
    said = licences_text(tmp_path / "python", {"numpy": "2"})
    assert "numpy 2: " in said
    assert "python/lib/numpy-2.dist-info/LICENSE.txt" in said
    assert "libssl.so.3" in said
    assert "replace a part under the LGPL" in said
    assert "LGPL" in licence_of("python-bidi") or "Lesser" in licence_of("python-bidi")
    assert licence_of("no-such-package") == "not said"


def test_a_game_that_is_not_whole_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(packed_game, "GAME_FILE", tmp_path / "game.json")
    with pytest.raises(GoishiError, match="unpack the whole game again"):
        packed_game.read_about()
    (tmp_path / "game.json").write_text("[]", "utf-8")
    with pytest.raises(GoishiError, match="unpack the whole game again"):
        packed_game.read_about()
