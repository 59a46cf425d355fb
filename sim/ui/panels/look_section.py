"""The inspector's section on the look of an object: model, material, texture, clips."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
from imgui_bundle import imgui

from base.language.wording import tr
from sim.core.assets.formats import FORMATS, PICTURES
from sim.core.canvas.painter import Picture
from sim.core.editing.python_lines import expression
from sim.core.reporting.python_text import called
from sim.core.scene.scene import SceneObject
from sim.render.materials.textures import picture_of
from sim.ui.panels.edit_form import EditForm
from sim.ui.theme.theme import Theme, icons
from sim.ui.widgets.field_widgets import (
    MISSING,
    MIXED,
    SWATCH,
    begin_file_combo,
    say_mixed,
)
from sim.ui.widgets.vector_fields import drag_numbers

MATERIAL = {
    "color": [0.8, 0.8, 0.8], "roughness": 0.5, "metallic": 0.0, "emission": 0.0, "opacity": 1.0,
}  # fmt: skip
THUMBNAIL = 96  # pixels of a side


class LookSection:
    """Draws and edits the look of the selected object.

    Args:
        form: draws the rows and runs the edits.
        say: prints the Python code that is equivalent to the user's edit.
        add_picture: uploads a picture and returns its ImGui texture id.
    """

    def __init__(
        self, form: EditForm, say: Callable[[str], object], add_picture: Callable[[Picture], int]
    ) -> None:
        self.form = form
        self._say = say
        self._add_picture = add_picture
        self._pictures: dict[str, int | None] = {}

    def draw(self, theme: Theme, obj: SceneObject) -> None:
        """Draw the section."""
        overridden = self.form.editor.overridden(obj)
        self.form.label(theme, tr("Visible"))
        changed, value = imgui.checkbox("##visible", obj.visible)
        if changed:
            self.form.attempt("look", self.form.editor.set_visible, obj, value)
        self.form.label(theme, tr("Casts shadow"))
        changed, value = imgui.checkbox("##shadow", obj.casts_shadow)
        if changed:
            self.form.attempt("look", self.form.editor.set_casts_shadow, obj, value)
        self._draw_model(theme, obj)
        for key, usual in MATERIAL.items():
            imgui.push_id(key)
            self.form.label(theme, key.capitalize(), is_changed="material" in overridden)
            imgui.set_next_item_width(-1)
            raw = obj.material.get(key, usual)
            changed, new = draw_material(key, raw)
            self.form.gesture(tr("{key} of {name}").format(key=key, name=obj.name))
            if changed:
                self.form.attempt("look", self.form.editor.set_material, obj, key, new)
            imgui.pop_id()
        self._draw_texture(theme, obj)
        self._draw_clips(theme, obj)
        self.form.say(theme, "look")

    def _draw_model(self, theme: Theme, obj: SceneObject) -> None:
        self.form.label(theme, tr("Model"))
        model = obj.model or {}
        named = str(model.get("builtin") or model.get("asset") or "")
        shown = named or tr("(none)")
        is_missing = "asset" in model and not self.form.has_file(named)
        imgui.set_next_item_width(-1)
        if begin_file_combo(theme, "##model", shown, is_missing=is_missing):
            for name in ("", *obj.scene.models.names):
                if imgui.selectable(name or tr("(none)"), name == named)[0]:
                    value = {"builtin": name} if name else None
                    self.form.attempt("look", self.form.editor.set_model, obj, value)
            for path in self.form.files(tuple(FORMATS)):
                if imgui.selectable(path, path == named)[0]:
                    self.form.attempt("look", self.form.editor.set_model, obj, {"asset": path})
            imgui.end_combo()
        if is_missing:
            theme.wrapped(MISSING, "red")
        for key, value in sorted(model.items()):
            if key not in ("builtin", "asset", "clips"):
                self._draw_parameter(theme, obj, key, value)

    def _draw_parameter(self, theme: Theme, obj: SceneObject, key: str, value: object) -> None:
        imgui.push_id(f"model {key}")
        self.form.label(theme, f"   {key}")
        imgui.set_next_item_width(-1)
        changed, new = False, value
        if isinstance(value, bool):
            changed, new = imgui.checkbox("##value", value)
        elif isinstance(value, int | float):
            changed, number = imgui.drag_float("##value", float(value), 0.02, 0, 0, "%.4g")
            new = round(number) if isinstance(value, int) else float(f"{number:.6g}")
        elif isinstance(value, list) and all(isinstance(item, int | float) for item in value):
            changed, new = drag_numbers(theme, [float(item) for item in value])
        else:
            changed, new = self.form.widgets.typed(f"{obj.id}/model/{key}", str(value))
        self.form.gesture(tr("model of {name}").format(name=obj.name))
        if changed:
            self.form.attempt(
                "look", self.form.editor.set_model, obj, {**(obj.model or {}), key: new}
            )
        imgui.pop_id()

    def _draw_texture(self, theme: Theme, obj: SceneObject) -> None:
        self.form.label(theme, tr("Texture"))
        shown = obj.texture if isinstance(obj.texture, str) else None
        text = shown or (tr("(drawn by a script)") if obj.texture is not None else tr("(none)"))
        is_missing = shown is not None and not self.form.has_file(shown)
        imgui.set_next_item_width(-1)
        if begin_file_combo(theme, "##texture", text, is_missing=is_missing):
            if imgui.selectable(tr("(none)"), shown is None)[0]:
                self.form.attempt("look", self.form.editor.set_texture, obj, None)
            for path in self.form.files(PICTURES):
                if imgui.selectable(path, path == shown)[0]:
                    self.form.attempt("look", self.form.editor.set_texture, obj, path)
            imgui.end_combo()
        if is_missing:
            theme.wrapped(MISSING, "red")
        self._draw_thumbnail(theme, obj, shown)

    def _draw_thumbnail(self, theme: Theme, obj: SceneObject, path: str | None) -> None:
        """Draw a small picture of the texture; nothing if there is no such file.

        Args:
            theme: colours and sizes.
            obj: the object.
            path: file of the texture, relative to the project; None if it is not a file.
        """
        number = self._picture(obj, path) if path else None
        if number is not None:
            self.form.label(theme, "")
            size = theme.px(64)
            imgui.image(imgui.ImTextureRef(number), imgui.ImVec2(size, size))

    def _picture(self, obj: SceneObject, path: str) -> int | None:
        if path not in self._pictures:
            try:
                found = picture_of(path, obj.scene.project)
            except (OSError, ValueError):
                found = None  # the view has said so
            if found is None:
                self._pictures[path] = None
            else:
                small = cv2.resize(found[..., :3], (THUMBNAIL, THUMBNAIL))
                self._pictures[path] = self._add_picture(small)
        return self._pictures[path]

    def _draw_clips(self, theme: Theme, obj: SceneObject) -> None:
        """Draw the clips of a model with joints: a click plays one."""
        if "asset" not in (obj.model or {}):
            return
        animation = obj.animation
        self.form.label(theme, tr("Clips"))
        if not animation.clips:
            text = tr("(none)") if animation.is_ready else tr("(loading)")
            imgui.text_colored(theme.vector("muted"), text)
            return
        imgui.new_line()
        for clip in animation.clips:
            is_played = clip == animation.clip and animation.is_playing
            icon = icons.ICON_FA_STOP if is_played else icons.ICON_FA_PLAY
            if imgui.small_button(f"{icon} {clip}##clip {clip}"):
                where = f"{expression(obj)}.animation"
                if is_played:
                    self._say(f"{where}.stop()")
                    animation.stop()
                else:
                    self._say(called(f"{where}.play", clip))
                    animation.play(clip)
            imgui.same_line()
            imgui.text_colored(theme.vector("muted"), f"{animation.duration(clip):.1f} s")


def draw_material(
    key: str, raw: Any, *, is_mixed: bool = False
) -> tuple[bool, float | list[float]]:
    """Draw the widget of one material property.

    Args:
        key: name of the property, one of `MATERIAL`.
        raw: its present value.
        is_mixed: whether several objects are edited and their values differ.

    Returns:
        Whether the user changed it, and the value: 0 to 1, or red, green and blue for "color".
    """
    if key == "color":
        flags = SWATCH if is_mixed else 0
        changed, color = imgui.color_edit3("##value", [float(item) for item in raw][:3], flags)
        if is_mixed:
            say_mixed()
        return bool(changed), [round(float(item), 4) for item in list(color)[:3]]
    shown = MIXED if is_mixed else "%.2f"
    changed, value = imgui.slider_float("##value", float(raw), 0.0, 1.0, shown)
    return bool(changed), round(float(value), 4)
