"""The text of a scene's shader."""

from __future__ import annotations

import pytest

from sim.render.materials.shaders import scene_fragment


@pytest.mark.parametrize("has_ambient", [True, False])
@pytest.mark.parametrize("lamps", [0, 3])
def test_what_a_shader_uses_is_declared_in_it(has_ambient, lamps):
    text = scene_fragment(has_ambient=has_ambient, lamps=lamps)
    assert text.lstrip().startswith("#version 330\n")
    assert ("uniform vec3 ambient;" in text) == has_ambient == ("#define AMBIENT 1" in text)
    assert ("uniform vec4 lamp_at[LAMPS];" in text) == bool(lamps) == ("#define LAMPS 3" in text)
