"""Cases of the table of formats: materials, in all formats that have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.sim.render.importing.cases_fbx import CORNERS, PNG, POOL, Z_UP, egg, fbx, plate
from tests.sim.render.importing.cases_gltf import gltf, triangle
from tests.sim.render.importing.cases_gltf import material as factors
from tests.sim.render.importing.cases_plain import MAPPED, MTL, PICTURED, dae, obj
from tests.sim.render.importing.fbx_rigs import Shell
from tests.sim.render.importing.format_table import Brought
from tests.sim.render.importing.test_what_is_taken import DAE

METAL_ROUGH = [  # as 3ds Max marks its physical material
    ("3dsMax|ClassIDa", "int", -804315648), ("3dsMax|ClassIDb", "int", -1099438848),
    ("3dsMax|main|metalness", "double", 0.75), ("3dsMax|main|roughness", "double", 0.25),
]  # fmt: skip
AO_MAP = "3dsMax|main|ao_map"
UVS = np.array(CORNERS)[:, :2] / 100.0
IN_COLLADA = "</diffuse></lambert>"
FACE = "<Polygon> {{ {} <VertexRef> {{ 0 1 2 <Ref> {{ p }} }} }}"


def metallic(found: Brought) -> bool:
    return bool(np.allclose([found.look["metallic"], found.look["roughness"]], (0.75, 0.25)))


def glowing(found: Brought) -> bool:
    return bool(np.allclose(found.look["emissive"], (0.5, 0.25, 0.125)))


def has(key: str) -> Any:
    """Return what judges whether a material has a texture."""
    return lambda found: found.look[f"{key}_picture"] >= 0 and "found" not in found.said


def two_sided(found: Brought) -> bool:
    return found.look["is_double_sided"] is True


def mapped(**keys: Any) -> bytes:
    """Return a glTF triangle with a material whose textures are the picture 0."""
    pictures = {"images": [{"uri": "a.png"}], "textures": [{"source": 0}], "materials": [keys]}
    return triangle(pictures, TEXCOORD_0=UVS)


def painted(slot: str = "", *values: tuple[str, str, float]) -> Any:
    """Return an FBX rig with a material."""
    shell = Shell("Plate", CORNERS, [[0, 1, 2]], slot=slot, paint=list(values))
    if slot:
        shell.picture, shell.picture_name = PNG, "a.png"
    return plate(shell)


def words(feature: str, text: str, holds: Any) -> Any:
    return obj(feature, MAPPED, holds, MTL + text)


def collada(feature: str, more: str, holds: Any) -> Any:
    """Return a COLLADA case whose effect has something more, and a picture to refer to."""
    head, rest = DAE[: DAE.index("<library_effects>")], DAE.partition("</library_effects>")[2]
    effect = PICTURED.replace("</technique>", f"{more}</technique>")
    if more.startswith("<emission>"):
        effect = PICTURED.replace("<lambert>", f"<lambert>{more}")
    return dae(feature, head + effect + rest, holds)


def egged(feature: str, before: str, inside: str, holds: Any) -> Any:
    return egg(feature, Z_UP + before + POOL + FACE.format(inside), holds, a_png=PNG)


PICTURE = {"index": 0}
ROUGH = {"metallicFactor": 0.75, "roughnessFactor": 0.25}
BUMP = (
    "<extra><technique profile='FCOLLADA'><bump><texture texture='s2' texcoord='UV'/></bump>"
    "</technique></extra>"
)
BOTH = "<extra><technique profile='GOOGLEEARTH'><double_sided>1</double_sided></technique></extra>"
GLOW = "<emission><color>0.5 0.25 0.125 1</color></emission>"
GLOW_MAP = "<emission><texture texture='s2' texcoord='UV'/></emission>"
EGG_METAL = "<Material> m { <Scalar> metallic { 0.75 } <Scalar> roughness { 0.25 } }\n"
EGG_GLOW = (
    "<Material> m { <Scalar> emitr { 0.5 } <Scalar> emitg { 0.25 } <Scalar> emitb { 0.125 } }\n"
)
EGG_MAP = '<Texture> t {{ "a.png" <Scalar> envtype {{ {} }} }}\n'
CASES = [
    fbx("metalness, roughness", painted("", *METAL_ROUGH), metallic),
    gltf("metalness, roughness", triangle(factors(pbrMetallicRoughness=ROUGH)), metallic),
    words("metalness, roughness", "Pm 0.75\nPr 0.25\n", metallic),
    egged("metalness, roughness", EGG_METAL, "<MRef> { m }", metallic),
    fbx("normal maps", painted("NormalMap"), has("normal")),
    gltf("normal maps", mapped(normalTexture=PICTURE), has("normal")),
    words("normal maps", "norm a.png\n", has("normal")),
    words("normal maps", "bump -bm 0.5 a.png\n", has("normal")),
    collada("normal maps", BUMP, has("normal")),
    egged("normal maps", EGG_MAP.format("NORMAL"), "<TRef> { t }", has("normal")),
    fbx("occlusion", painted(AO_MAP, *METAL_ROUGH), has("occlusion")),
    gltf("occlusion", mapped(occlusionTexture=PICTURE), has("occlusion")),
    fbx("emission", painted("", ("EmissiveColor", "ColorRGB", 0.5)), lambda found: found.look["emissive"][0] == 0.5),
    gltf("emission", triangle(factors(emissiveFactor=[0.5, 0.25, 0.125])), glowing),
    words("emission", "Ke 0.5 0.25 0.125\n", glowing),
    collada("emission", GLOW, glowing),
    egged("emission", EGG_GLOW, "<MRef> { m }", glowing),
    fbx("pictures of the emission", painted("EmissiveColor"), has("emissive")),
    gltf("pictures of the emission", mapped(emissiveTexture=PICTURE), has("emissive")),
    words("pictures of the emission", "map_Ke a.png\n", has("emissive")),
    collada("pictures of the emission", GLOW_MAP, has("emissive")),
    egged("pictures of the emission", EGG_MAP.format("EMISSION"), "<TRef> { t }", has("emissive")),
    fbx("both sides", plate(), two_sided),
    gltf("both sides", triangle(factors(doubleSided=True)), two_sided),
    collada("both sides", BOTH, two_sided),
    egged("both sides", "", "<BFace> { 1 }", two_sided),
    gltf("cut-outs", triangle(factors(alphaMode="MASK")), lambda found: found.look["alpha_cutoff"] == 0.5),
    egged("cut-outs", "", "<Scalar> alpha { BINARY }", lambda found: found.look["alpha_cutoff"] == 0.5),
    gltf("unlit", triangle(factors(extensions={"KHR_materials_unlit": {}})), lambda found: found.look["is_unlit"]),
]  # fmt: skip
