"""What OpenCV sets on a canvas."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from base.files import SHIPPED_ROOT
from sim.core.canvas.canvas import Canvas
from sim.core.scene.fields import Asset
from sim.render.materials import textures
from sim.render.materials.painting import CanvasPainter, _round_corners
from sim.render.materials.textures import straight
from tests.examples import examples

CLEAR = (0.0, 0.0, 0.0, 0.0)
ROOM = (40, 20, 60)  # BGR of what lies below
places = st.floats(-40, 140)
colors = st.tuples(*[st.sampled_from([0.0, 0.3, 0.7, 1.0])] * 3, st.sampled_from([0.25, 0.6, 1.0]))


def canvas(tmp_path=None, size=(100, 80), **values):
    painter = CanvasPainter(lambda: tmp_path)
    return Canvas(size, painter=lambda: painter, **values)


def draw_something(made, kind, x, y, extent, color):
    if kind == "line":
        made.line((x, y), (y, x + extent), color, width=3)
    elif kind == "polygon":
        made.polygon([(x, y), (x + extent, y), (x, y + extent)], color)
    elif kind == "circle":
        made.circle((x, y), extent / 2, color)
    elif kind == "ring":
        made.circle((x, y), extent / 2, color, width=4)
    elif kind == "rectangle":
        made.rectangle((x, y, extent, extent / 2), color)
    elif kind == "round":
        made.rectangle((x, y, extent, extent / 2), color, radius=6)
    elif kind == "text":
        made.text("Gó 7", (x, y), color, size=max(6.0, extent / 2))
    else:
        picture = np.full((5, 7, 4), 200, np.uint8)
        made.image(picture, (x, y), size=(extent, extent), opacity=color[3])


KINDS = ("line", "polygon", "circle", "ring", "rectangle", "round", "text", "image")


@settings(max_examples=examples(30, 60), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(KINDS), places, places, st.floats(1, 90), colors), max_size=4
    )
)
@example([("text", 0.0, 0.0, 87.0, (0.0, 0.0, 0.0, 1.0))])  # as wide as the canvas
def test_drawn_on_clear_and_laid_over_a_colour_is_what_is_drawn_on_that_colour(steps):
    over = canvas(background=CLEAR)
    on = canvas(background=(ROOM[2] / 255, ROOM[1] / 255, ROOM[0] / 255))
    for step in steps:
        draw_something(over, *step)
        draw_something(on, *step)
    pixels = over.picture.astype(float)
    assert (pixels[..., :3] <= pixels[..., 3:] + 3).all(), "colours are multiplied by opacity"
    laid = pixels[..., :3] + np.array(ROOM) * (1.0 - pixels[..., 3:] / 255.0)
    assert np.abs(laid - on.picture).max() <= 10


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(KINDS), st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.floats(1, 1e9))
def test_what_lies_far_outside_does_no_harm(kind, x, y, extent):
    made = canvas()
    draw_something(made, kind, x, y, min(extent, 1000.0) if kind == "text" else extent,
                   (1.0, 1.0, 1.0, 0.5))  # fmt: skip
    assert made.picture.shape == (80, 100, 3)


def test_a_rectangle_covers_exactly_its_pixels():
    made = canvas(background=(0, 0, 0))
    made.rectangle((10, 20, 30, 5), (0, 0, 1))
    expected = np.zeros((80, 100, 3), np.uint8)
    expected[20:25, 10:40] = (255, 0, 0)
    assert (made.picture == expected).all()


@pytest.mark.parametrize("color", [(1, 1, 1), (1, 1, 1, 0.5)])
def test_a_circle_has_its_area_and_a_smooth_edge(color):
    made = canvas(background=(0, 0, 0))
    made.circle((50, 40), 20, color)
    cover = made.picture[..., 0] / 255.0 / (color[3] if len(color) == 4 else 1)
    assert cover.sum() == pytest.approx(np.pi * 20.5**2, rel=0.03)
    assert ((cover > 0.1) & (cover < 0.9)).sum() > 40
    assert cover[40, 50] == pytest.approx(1.0, abs=0.01)


def test_text_fills_its_measure_and_stands_where_it_was_asked_to():
    for align, valign in (("left", "baseline"), ("center", "middle"), ("right", "top")):
        made = canvas(size=(300, 120), background=(0, 0, 0))
        made.text("HXH", (150, 60), size=40, align=align, valign=valign)
        rows, columns = np.nonzero(made.picture[..., 0] > 100)
        wide, _ = made.text_size("HXH", size=40)
        assert columns.max() - columns.min() == pytest.approx(wide, abs=10)
        middle = {"left": 150 + wide / 2, "center": 150, "right": 150 - wide / 2}[align]
        assert (columns.max() + columns.min()) / 2 == pytest.approx(middle, abs=3)
        cap = rows.max() - rows.min()
        bottom = {"baseline": 60, "middle": 60 + cap / 2, "top": 60 + 1.1 * cap}[valign]
        assert rows.max() == pytest.approx(bottom, abs=3)


def test_lines_of_text_stand_below_one_another_and_odd_letters_do_no_harm():
    made = canvas(size=(200, 120), background=(0, 0, 0))
    made.text("one\ntwo", (5, 40), size=30)
    rows = np.nonzero((made.picture[..., 0] > 100).any(axis=1))[0]
    assert rows.max() > 70
    made.text("", (0, 0))
    made.text("a\x00b\ud800\t", (5, 100))


def test_a_picture_is_fitted_and_clipped_and_its_opacity_counts(tmp_path):
    made = canvas(tmp_path, background=(0, 0, 0))
    made.image(np.full((4, 4, 3), 250, np.uint8), (90, 70), size=(40, 40))
    assert (made.picture[70:, 90:] == 250).all()
    assert not made.picture[:70].any()
    half = np.zeros((2, 2, 4), np.uint8)
    half[..., 2], half[..., 3] = 200, 128
    cv2.imwrite(str(tmp_path / "half.png"), half)
    made.image("half.png", (0, 0), size=(10, 10))
    assert made.picture[5, 5].tolist() == pytest.approx([0, 0, 100], abs=2)
    made.image(np.full((2, 2), 77, np.uint8), (20, 0))
    assert made.picture[1, 21].tolist() == [77, 77, 77]


def test_a_picture_may_be_a_path_an_asset_a_canvas_or_an_array_and_its_size_needs_no_name(tmp_path):
    (tmp_path / "assets").mkdir()
    cv2.imwrite(str(tmp_path / "assets" / "red.png"), np.full((4, 6, 3), (0, 0, 200), np.uint8))
    for picture in ("assets/red.png", Path("assets/red.png"), Asset("assets/red.png")):
        made = canvas(tmp_path, size=(40, 30), background=(0, 0, 0))
        made.image(picture, (2, 3), (10, 20))
        assert (made.picture[3:23, 2:12] == (0, 0, 200)).all()
        assert made.picture.astype(int).sum() == 200 * 200
        made.image(picture, (20, 3), (4, 4), 0.5)
        assert made.picture[5, 22].tolist() == pytest.approx([0, 0, 100], abs=1)
    stamp = canvas(tmp_path, size=(8, 8), background=(0, 1, 0, 0.5))
    made = canvas(tmp_path, size=(40, 30), background=(0, 0, 0))
    made.image(stamp, (1, 1))
    assert made.picture[4, 4].tolist() == pytest.approx([0, 128, 0], abs=2)
    assert not made.picture[10:].any()


@pytest.mark.parametrize("size", [10, (10,), (10, 0), (1, 2, 3), "big", (10, float("nan"))])
def test_a_size_that_is_none_is_one_error_and_the_picture_is_as_before(tmp_path, size):
    made = canvas(tmp_path, background=(0, 0, 0))
    with pytest.raises(ValueError, match=r"image: size: expected width and height, two numbers"):
        made.image(np.full((4, 4), 250, np.uint8), (0, 0), size)
    assert not made.picture.any()


def test_the_commands_of_the_drawing_page_are_called_as_it_says():
    page = (SHIPPED_ROOT / "docs" / "drawing.md").read_text(encoding="utf-8")
    table = page[page.index("| call | draws |") : page.index("Arguments with a default")]
    calls = re.findall(
        r"`(\w+)\(([^`]*)\)`", "\n".join(row.split(" | ")[0] for row in table.splitlines())
    )
    assert {name for name, _ in calls} >= {"image", "text", "circle", "plot", "grid"}
    for name, words in calls:
        function = ast.parse(f"def {name}({words}): ...").body[0]
        assert isinstance(function, ast.FunctionDef)
        written = function.args
        names = [item.arg for item in written.args]
        plain = len(names) - len(written.defaults)
        real = inspect.signature(getattr(Canvas, name)).parameters
        by_place = [key for key, item in real.items() if item.kind is item.POSITIONAL_OR_KEYWORD]
        assert names[:plain] == by_place[1 : plain + 1], name
        for key, value in zip(names[plain:], written.defaults, strict=True):
            assert ast.literal_eval(value) == real[key].default, f"{name}: {key}"


@pytest.mark.parametrize("path", ["missing.png", "../out.png", "/etc/hostname", "text.txt"])
def test_a_file_that_is_no_picture_of_the_project_is_named(tmp_path, path):
    (tmp_path / "text.txt").write_text("no picture")
    with pytest.raises(ValueError) as caught:
        canvas(tmp_path).image(path)
    assert path in str(caught.value)


def test_a_font_of_the_project_is_used_and_a_file_that_is_none_is_named(tmp_path):
    import imgui_bundle

    fonts = next(iter(imgui_bundle.__path__))
    made = canvas(tmp_path, size=(300, 80), background=(0, 0, 0))
    shutil.copy(f"{fonts}/assets/fonts/Inconsolata-Medium.ttf", tmp_path / "mine.ttf")
    narrow = made.text_size("iiii", size=40, font="mine.ttf")[0]
    wide = made.text_size("MMMM", size=40, font="mine.ttf")[0]
    assert narrow == pytest.approx(wide, abs=12), "letters of one width"
    assert made.text_size("MMMM", size=40)[0] > 2 * made.text_size("iiii", size=40)[0]
    (tmp_path / "none.ttf").write_text("no font")
    with pytest.raises(ValueError, match=r"expected a TrueType font, found none\.ttf"):
        made.text("a", (0, 0), font="none.ttf")


def test_a_heat_map_goes_through_its_colours_and_bars_have_their_heights():
    made = canvas(background=(0, 0, 0))
    made.heat_map([[0.0, 1.0]], (0, 0, 100, 80), colors="gray")
    assert made.picture[40, 10].tolist() == [0, 0, 0]
    assert made.picture[40, 90].tolist() == [255, 255, 255]
    made.clear()
    made.bars([1, 2, -1], (0, 0, 90, 60), (1, 1, 1), gap=0)
    lit = made.picture[:, :, 0] > 0
    assert [int(lit[:, column].sum()) for column in (15, 45, 75)] == [20, 40, 20]
    assert lit[50, 75]
    assert not lit[50, 15]


def test_a_plot_goes_through_its_values_and_fills_towards_zero():
    made = canvas(background=(0, 0, 0))
    made.plot([0, 1, 1, 0], (0, 0, 99, 60), (1, 1, 1), width=1, fill=0.5)
    assert made.picture[1:4, 50, 0].max() > 0
    assert made.picture[30, 50, 0] == pytest.approx(128, abs=4)
    assert made.picture[70:, :].max() == 0


def test_colours_that_were_multiplied_by_opacity_are_divided_again():
    made = canvas(background=CLEAR)
    made.rectangle((0, 0, 50, 80), (0.2, 0.6, 1.0, 0.5))
    assert straight(made)[40, 20].tolist() == pytest.approx([255, 153, 51, 128], abs=3)
    assert straight(made)[40, 80].tolist() == [0, 0, 0, 0]


def test_a_round_corner_is_a_quarter_of_a_circle():
    low, high = np.array([10.0, 20.0]), np.array([20.0, 26.0])
    points = _round_corners(low, high, 2.0)
    assert points.min(axis=0).tolist() == low.tolist()
    assert points.max(axis=0).tolist() == high.tolist()
    inner = np.clip(points, low + 2.0, high - 2.0)
    assert np.linalg.norm(points - inner, axis=1) == pytest.approx(np.full(len(points), 2.0))
    x, y = points.T
    area = abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
    assert area == pytest.approx(60.0 - (4.0 - np.pi) * 4.0, abs=0.7), "they follow each other"
    assert len(_round_corners(low, high, 0.0)) == 4


def test_a_painted_picture_is_painted_and_read_once(tmp_path, monkeypatch):
    monkeypatch.setattr(textures, "user_cache_dir", lambda: tmp_path)
    painted, read = [], []
    monkeypatch.setattr(
        textures, "_read", lambda path, real=textures._read: read.append(path) or real(path)
    )

    def paint():
        painted.append(1)
        return np.full((4, 4, 3), 7, dtype=np.uint8)

    first = textures.cached("seven", paint)
    first[:] = 0  # whoever has it may draw on it
    assert np.all(textures.cached("seven", paint) == 7)
    assert (len(painted), len(read)) == (1, 1)
    (path,) = (tmp_path / "textures").iterdir()
    path.write_bytes(b"cut")
    assert np.all(textures.cached("seven", paint) == 7)
    assert (len(painted), len(read)) == (2, 2), "the file was changed"


def test_what_is_remembered_of_paintings_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(textures, "user_cache_dir", lambda: tmp_path)
    monkeypatch.setattr(textures, "_painted", {})
    monkeypatch.setattr(textures, "MOST_PAINTED", 100)
    for name in ("a", "b", "c"):
        textures.cached(name, lambda: np.zeros((4, 4, 3), dtype=np.uint8))
    assert [path.name[0] for path in textures._painted] == ["b", "c"]


def drawn(text, size=(300, 60), place=(10, 40), **values):
    made = canvas(size=size, background=(0.0, 0.0, 0.0))
    made.text(text, place, size=30, **values)
    return made.pixels[..., :3].astype(int)


@pytest.mark.parametrize(
    "text", ["Hello, world 12", "Grüße", "Ωμέγα", "Привет", "漢字かな", "한국어"]
)
def test_text_without_shaping_is_opencvs_to_the_pixel(text):
    expected = np.zeros((60, 300, 3), np.uint8)
    cv2.putText(expected, text, (10, 40), (255, 255, 255), cv2.FontFace("sans"), 30, 400)
    assert np.array_equal(drawn(text), expected)


@pytest.mark.parametrize("text", ["שלום", "مرحبا", "हि", "ไ", "😀", "ab שלום"])
def test_text_of_other_scripts_lies_where_it_is_told_and_as_wide_as_said(text):
    width = canvas().text_size(text, size=30)[0]
    for align, left, right in (("left", 150, 150 + width), ("right", 150 - width, 150)):
        columns = np.flatnonzero(drawn(text, place=(150, 40), align=align).max(axis=(0, 2)) > 60)
        assert columns[0] >= left - 3, "but for what leans over"
        assert columns[-1] <= right + 3
        assert columns[-1] - columns[0] > 0.6 * width
    middle = np.flatnonzero(drawn(text, place=(150, 40), align="center").max(axis=(0, 2)))
    assert (middle[0] + middle[-1]) / 2 == pytest.approx(150, abs=3)
    assert drawn(text, place=(-1000, 40)).max() == 0
    assert drawn(text, place=(290, 5)).shape == (60, 300, 3), "cut at the edges"


def test_translucent_text_of_other_scripts_is_laid_over_what_is_below():
    whole = drawn("שלום")
    half = drawn("שלום", color=(1.0, 1.0, 1.0, 0.5))
    assert np.abs(half - whole / 2).max() <= 2
