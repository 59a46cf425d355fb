"""GLSL 330 shaders: physically based lighting by a sun and an analytic studio room.

Code for sky, fog, ambient light, lamps and shadows is added only if the scene uses them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

SCENE_VERTEX = """
#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec2 p3d_MultiTexCoord0;
in vec4 p3d_Color;         // linear; white where a mesh has none
out vec3 world;
out vec3 normal;
out vec2 uv;
out vec3 own;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    world = (p3d_ModelMatrix * p3d_Vertex).xyz;
    normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    uv = p3d_MultiTexCoord0;
    own = p3d_Color.rgb;
}
"""

CROWD = """
in vec4 place0, place1, place2, place3;  // of each object: its matrix to the world
"""

CROWD_VERTEX = (
    "#version 330\n"
    + CROWD
    + """
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 ink;               // of each object: linear
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec2 p3d_MultiTexCoord0;
in vec4 p3d_Color;
out vec3 world;
out vec3 normal;
out vec2 uv;
out vec3 own;
void main() {
    mat4 place = mat4(place0, place1, place2, place3);
    vec4 at = place * p3d_Vertex;
    gl_Position = p3d_ModelViewProjectionMatrix * at;
    world = at.xyz;
    normal = mat3(place) * p3d_Normal;
    uv = p3d_MultiTexCoord0;
    own = p3d_Color.rgb * ink.rgb;
}
"""
)
"""Vertex shader of `SCENE_TEMPLATE` for a mesh that is drawn for many objects at once."""

SCENE_TEMPLATE = """
#version 330
uniform sampler2D picture;
uniform vec4 tint;         // linear; alpha is opacity
uniform vec4 surface;      // roughness, clear coat (-1: unlit), emission, repeats of the picture
uniform mat4 p3d_ViewMatrixInverse;
//DECLARE
in vec3 world;
in vec3 normal;
in vec2 uv;
in vec3 own;
out vec4 color;

float box(vec3 d, vec3 at, float half_angle, float soft) {
    return smoothstep(half_angle - soft, half_angle + soft, dot(d, at));
}
#ifdef SKY
vec3 room(vec3 d, float rough) { return heaven(d, rough * rough); }
#else
// What a room with a big soft window and a warm wall sends from a direction.
vec3 room(vec3 d, float rough) {
    float up = d.z * 0.5 + 0.5;
    vec3 light = mix(vec3(0.16, 0.125, 0.10), vec3(0.62, 0.66, 0.74), smoothstep(0.1, 1.0, up));
#ifdef METAL
    light *= mix(0.45, 1.0, smoothstep(-0.04 - rough * rough, 0.04 + rough * rough, d.z));
#endif
    float soft = 0.03 + rough * 0.5;
    float faint = 1.0 / (1.0 + rough * 6.0);
    light += vec3(3.6, 3.5, 3.3) * faint * box(d, normalize(vec3(-0.55, 0.55, 0.62)), 0.955, soft);
    vec3 lamp = normalize(vec3(0.75, -0.25, 0.55));
    light += vec3(1.3, 1.15, 0.95) * faint * box(d, lamp, 0.965, soft);
    return light;
}
#endif
vec3 film(vec3 x) {  // the ACES curve as fitted by Narkowicz
    return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}
float highlight(vec3 n, vec3 h, float rough) {
    float a = rough * rough;
    float a2 = a * a;
    float c = max(dot(n, h), 0.0);
    float d = c * c * (a2 - 1.0) + 1.0;
    return a2 / (3.14159 * d * d);
}
//METAL
void main() {
    vec4 ink = surface.w > 0.0 ? texture(picture, uv * surface.w) : vec4(1.0);
    float opacity = tint.a * ink.a;
#ifdef CUT
    if (opacity < metal.w) discard;
    opacity = 1.0;
#endif
    if (surface.y < 0.0) {  // a diagram: its colours as they are
        color = vec4(pow(tint.rgb * own, vec3(1.0 / 2.2)) * ink.rgb, opacity);
        return;
    }
    vec3 n = normalize(normal);
    vec3 v = normalize(p3d_ViewMatrixInverse[3].xyz - world);
    if (dot(n, v) < 0.0) n = -n;
    vec3 base = tint.rgb * own * pow(ink.rgb, vec3(2.2));
    float rough = surface.x;
#ifdef METAL
    float metallic = metal.x;
#ifdef METAL_MAP
    vec2 grain = texture(metal_map, uv).gb;
    rough *= grain.x;
    metallic *= grain.y;
#endif
    vec3 outer = n;
#ifdef NORMAL_MAP
    n = bumped(n, dot(normal, v) < 0.0 ? -1.0 : 1.0);
    if (dot(n, v) < 0.0) n = normalize(n - 1.02 * dot(n, v) * v);  // what looks away is not seen
#endif
    float open = 1.0;
#ifdef SHADE_MAP
    open = mix(1.0, texture(shade_map, uv).r, metal.z);
#endif
#endif
    vec3 h = normalize(v + sun_to);
    float toward = dot(n, sun_to);
    float facing = 0.5 * (toward + sqrt(toward * toward + 0.012));  // light ends softly
    float edge = pow(1.0 - max(dot(n, v), 0.0), 5.0);
#ifdef METAL
    Finish finish = finish_of(base, metallic, rough, n, v);
    vec3 mirror = finish.mirror;
#else
    float mirror = 0.04 + 0.96 * edge * (1.0 - rough * 0.7);
#endif
    vec3 away = reflect(-v, n);
    vec3 sky = mix(vec3(0.22, 0.17, 0.13), vec3(0.50, 0.53, 0.60), n.z * 0.5 + 0.5);
#ifdef SKY
    sky = mix(0.6 * sky_ground + 0.08 * sky_horizon, 0.5 * sky_zenith + 0.34 * sky_horizon,
              n.z * 0.5 + 0.5);
#endif
#ifdef AMBIENT
    sky += ambient;
#endif
#ifdef SHADOWS
    facing *= sun_left(world, n);
#endif
#ifdef METAL
    vec3 around = normalize(mix(away, n, finish.alpha * finish.alpha));  // of a wide lobe
    float sunk = clamp(1.0 + dot(away, outer), 0.0, 1.0);  // mirrors the surface itself
    vec3 light = finish.base * sky * open * (1.0 - mirror)
        + room(around, rough) * mirror * open * sunk * sunk
        + 2.2 * sun_light * lit(finish, n, v, sun_to, facing);
#else
    vec3 light = base * (sky + sun_light * facing * 0.3183 * 2.2) * (1.0 - mirror);
    light += sun_light * facing * highlight(n, h, max(rough, 0.08)) * mirror * 0.25;
    light += room(away, rough) * mirror;
#endif
    if (surface.y > 0.0) {
        float coat = surface.y * (0.04 + 0.96 * edge);
        light = light * (1.0 - coat) + coat * (room(away, 0.05)
            + sun_light * facing * highlight(n, h, 0.14) * 0.25);
    }
#ifdef LAMPS
    for (int k = 0; k < LAMPS; k++) {
        vec3 to;
        vec3 lamp = lamp_from(k, world, n, to);
#ifdef METAL
        light += 3.14159 * lamp * lit(finish, n, v, to, 1.0);
#else
        light += lamp * (base * (1.0 - mirror)
            + 0.25 * mirror * highlight(n, normalize(v + to), max(rough, 0.08)));
#endif
    }
#endif
    light += tint.rgb * surface.z;
#ifdef GLOW
    vec3 shining = glow;
#ifdef GLOW_MAP
    shining *= pow(texture(glow_map, uv).rgb, vec3(2.2));
#endif
    light += shining;
#endif
#ifdef FOG
    float way = length(p3d_ViewMatrixInverse[3].xyz - world);
    float clear = exp(-haze_more.x * max(0.0, way - haze_more.y));
    light = mix(haze_color, light, clear);
#endif
    light = film(light * 0.92);
    color = vec4(pow(light, vec3(1.0 / 2.2)), opacity);
}
"""

METAL = """
// The metallic-roughness model of glTF 2.0, appendix B: GGX, Smith and Schlick.
struct Finish {
    vec3 base;     // of the light that enters and comes out in all directions
    vec3 straight; // what it mirrors at a right angle
    vec3 mirror;   // of the light from all around
    float alpha;   // width of the highlight
};
// The integral over all directions by Karis's fit of 2014 ("Physically based shading on mobile").
Finish finish_of(vec3 base, float metallic, float rough, vec3 n, vec3 v) {
    vec3 straight = mix(vec3(0.04), base, metallic);
    vec4 r = rough * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float a = min(r.x * r.x, exp2(-9.28 * max(dot(n, v), 0.0))) * r.x + r.y;
    vec3 mirror = straight * (r.z - 1.04 * a) + (r.w + 1.04 * a);
    return Finish(base * (1.0 - metallic), straight, mirror, max(rough * rough, 0.015));
}
// Light that a surface sends to the eye from a light of strength 1; `facing` is its cosine.
vec3 lit(Finish finish, vec3 n, vec3 v, vec3 to, float facing) {
    vec3 h = normalize(v + to);
    float a2 = finish.alpha * finish.alpha;
    float nl = max(dot(n, to), 1e-3), nv = max(dot(n, v), 1e-3);
    float c = max(dot(n, h), 0.0), d = c * c * (a2 - 1.0) + 1.0;
    float spread = a2 / (3.14159 * d * d);
    float hidden = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2)
        + nv * sqrt(nl * nl * (1.0 - a2) + a2));
    vec3 mirror = mix(finish.straight, vec3(1.0), pow(1.0 - max(dot(v, h), 0.0), 5.0));
    return facing * ((1.0 - mirror) * finish.base * 0.3183 + mirror * spread * hidden);
}
"""

BUMPED = """
// A normal map in the frame of the texture's axes, from screen derivatives: it fits any format,
// skin and blend shape, and needs no tangents in the vertices.
vec3 bumped(vec3 n, float side) {
    vec3 map = texture(normal_map, uv).xyz * 2.0 - 1.0;
    map.xy *= metal.y * side;
    vec3 across = dFdx(world), down = dFdy(world);
    vec2 u = vec2(dFdx(uv.x), dFdy(uv.x)), w = vec2(dFdx(uv.y), dFdy(uv.y));
    vec3 one = cross(down, n), other = cross(n, across);
    vec3 along = one * u.x + other * u.y, up = one * w.x + other * w.y;
    float most = max(dot(along, along), dot(up, up));
    if (most < 1e-20) return n;
    return normalize((along * map.x + up * map.y) * inversesqrt(most) + n * map.z);
}
"""

MAPS = {
    "METAL": "uniform vec4 metal;\n",
    "CUT": "uniform vec4 metal;\n",
    "METAL_MAP": "uniform sampler2D metal_map;\n",
    "NORMAL_MAP": "uniform sampler2D normal_map;\n",
    "SHADE_MAP": "uniform sampler2D shade_map;\n",
    "GLOW": "uniform vec3 glow;\n",
    "GLOW_MAP": "uniform sampler2D glow_map;\n",
}
"""What the shader declares for each feature of a material.

The numbers of `metal` are metalness, slopes of the normal map, strength of the occlusion, and the
opacity below which nothing is drawn.
"""

PLAIN_SUN = """
uniform vec3 sun_to;
uniform vec3 sun_light;
"""

LAMPS = """
uniform vec4 lamp_at[LAMPS];
uniform vec4 lamp_light[LAMPS];
#ifdef SPOTS
uniform vec4 lamp_way[LAMPS];  // direction, steepness of its edge
#endif
// Light of a lamp on a surface that looks along n; `to` is the way to the lamp.
vec3 lamp_from(int k, vec3 p, vec3 n, out vec3 to) {
    to = lamp_at[k].xyz - p;
    float gap = max(dot(to, to), 0.04);
    to *= inversesqrt(gap);
    vec3 lamp = lamp_light[k].rgb / gap * max(dot(n, to), 0.0);
#ifdef SPOTS
    float inside = (dot(-to, lamp_way[k].xyz) - lamp_at[k].w) * lamp_way[k].w;
    lamp *= clamp(inside, 0.0, 1.0) * clamp(inside, 0.0, 1.0);
#endif
    return lamp;
}
"""

SUN_LEFT = """
uniform float sees_moving;
float sun_left(vec3 p, vec3 n) {
    float slope = 1.0 - max(dot(n, sun_to), 0.0);
    vec3 at = on_map(p + n * sun_grain.y * (1.0 + 2.0 * slope));
    if (is_outside(at)) return 1.0;
    float left = sunny(still_casters, at);
    return sees_moving * sun_grain.w > 0.5 ? min(left, sunny(moving_casters, at)) : left;
}
"""

HEAVEN = """
uniform vec3 sky_zenith;
uniform vec3 sky_horizon;
uniform vec3 sky_ground;
uniform vec3 haze_color;
uniform vec2 haze_more;   // density and start of fog
uniform vec2 sky_more;    // clouds, cosine of the sun's disc
uniform vec3 sun_to;
uniform vec3 sun_light;
vec3 heaven(vec3 d, float soft) {
    float up = max(d.z, 0.0);
    vec3 light = mix(sky_zenith, sky_horizon, exp(-up * 6.5 / (1.0 + 2.0 * soft)));
    light = mix(light, sky_ground, smoothstep(0.0, 0.06 + 0.6 * soft, -d.z));
    float near = max(dot(d, sun_to), 0.0);
    light += sun_light * 0.05 * pow(near, 24.0 - 18.0 * soft) * step(-0.05, d.z);
    return light;
}
"""

FILM = """
vec3 film(vec3 x) {
    return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}
"""

SKY_BACKDROP = (
    "#version 330\n"
    + HEAVEN
    + FILM
    + """
uniform mat4 to_world;
in vec2 place;
out vec4 color;
float grain(vec2 p) { return fract(sin(dot(p, vec2(127.1, 311.7))) * 43758.5453); }
float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(grain(i), grain(i + vec2(1, 0)), f.x),
               mix(grain(i + vec2(0, 1)), grain(i + vec2(1, 1)), f.x), f.y);
}
float wisps(vec2 p) {
    float sum = 0.0, weight = 0.5;
    for (int k = 0; k < 4; k++) {
        sum += weight * noise(p);
        p = mat2(1.6, 1.2, -1.2, 1.6) * p;
        weight *= 0.5;
    }
    return sum / 0.9375;
}
void main() {
    vec4 near = to_world * vec4(place * 2.0 - 1.0, -1.0, 1.0);
    vec4 far = to_world * vec4(place * 2.0 - 1.0, 1.0, 1.0);
    vec3 d = normalize(far.xyz / far.w - near.xyz / near.w);
    vec3 light = heaven(d, 0.0);
    if (sky_more.x > 0.0 && d.z > 0.0) {
        vec2 at = d.xy / (d.z + 0.12) * 1.3;
        float thick = wisps(at + 7.0) + 0.12;
        float cover = smoothstep(1.0 - sky_more.x, 1.25 - 0.55 * sky_more.x, thick);
        float lit = 0.75 + 0.25 * thick;
        vec3 white = (sky_horizon * 0.9 + sun_light * 0.16 + sky_zenith * 0.15) * lit;
        light = mix(light, white, cover * smoothstep(0.01, 0.12, d.z) * 0.9);
    }
    light += sun_light * 2.0 * smoothstep(sky_more.y, mix(sky_more.y, 1.0, 0.35), dot(d, sun_to))
        * step(0.0, d.z);
    if (haze_more.x > 0.0) light = mix(haze_color, light, smoothstep(-0.01, 0.10, d.z));
    color = vec4(pow(film(light * 0.92), vec3(1.0 / 2.2)), 1.0);
    gl_FragDepth = 1.0;
}
"""
)

SHADOWS = """
uniform sampler2DShadow still_casters;
uniform sampler2DShadow moving_casters;
uniform mat4 to_sun;
uniform vec4 sun_grain;   // a texel of the map, metres of it, bias, 1 where anything moves
float sunny(sampler2DShadow map, vec3 at) {
    float s = sun_grain.x;
    return 0.25 * (texture(map, at + vec3(-0.6, -1.1, 0) * s)
        + texture(map, at + vec3(1.1, -0.6, 0) * s) + texture(map, at + vec3(0.6, 1.1, 0) * s)
        + texture(map, at + vec3(-1.1, 0.6, 0) * s));
}
vec3 on_map(vec3 p) {
    vec4 q = to_sun * vec4(p, 1.0);
    return q.xyz / q.w * 0.5 + 0.5 - vec3(0.0, 0.0, sun_grain.z);
}
bool is_outside(vec3 at) {
    return any(lessThan(at, vec3(0.002))) || any(greaterThan(at, vec3(0.998)));
}
"""

COPY_WITH_SHADOWS = """
uniform sampler2D still_color;
uniform sampler2D still_depth;
uniform mat4 to_world;
uniform vec3 sun_to;
uniform vec3 sun_light;
uniform vec3 from_above;  // the sky's light on what looks up, and on what looks down
uniform vec3 from_below;
uniform vec3 haze_color;
uniform vec2 haze_more;
vec3 unfilm(vec3 y) {     // the light that `film` made this of
    vec3 a = 2.43 * y - 2.51, b = 0.59 * y - 0.03, c = 0.14 * y;
    return (-b - sqrt(max(b * b - 4.0 * a * c, 0.0))) / (2.0 * a);
}
in vec2 place;
out vec4 color;
void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);  // both have the same pixels
    color = texelFetch(still_color, pixel, 0);
    float depth = texelFetch(still_depth, pixel, 0).r;
    gl_FragDepth = depth;
    if (sun_grain.w < 0.5 || depth >= 1.0) return;
    vec4 q = to_world * vec4(vec3(place, depth) * 2.0 - 1.0, 1.0);
    vec3 p = q.xyz / q.w;
    vec3 at = on_map(p + sun_to * sun_grain.y * 1.5);
    if (is_outside(at)) return;
    float dark = 1.0 - sunny(moving_casters, at);
    if (dark <= 0.0) return;
    dark *= texture(still_casters, at);
    vec4 eye = to_world * vec4(0.0, 0.0, -1.0, 1.0);
    vec3 v = eye.xyz / eye.w - p;
    vec3 n = normalize(cross(dFdx(p), dFdy(p)));
    if (dot(n, v) < 0.0) n = -n;
    float facing = max(dot(n, sun_to), 0.0);
    vec3 sky = mix(from_below, from_above, n.z * 0.5 + 0.5);
#ifdef LAMPS
    for (int k = 0; k < LAMPS; k++) {
        vec3 to;
        sky += lamp_from(k, p, n, to);  // no part of the sun's, either
    }
#endif
    vec3 sun = sun_light * facing * 0.7;  // as the scene's shader weighs it
    vec3 light = unfilm(min(pow(color.rgb, vec3(2.2)), 0.985)) / 0.92;
    float clear = exp(-haze_more.x * max(0.0, length(v) - haze_more.y));
    float edge = pow(1.0 - max(dot(n, normalize(v)), 0.0), 5.0);
    vec3 veil = haze_color * (1.0 - clear)  // and about what the surface mirrors of the sky
        + from_above * (0.05 + 0.5 * edge) * clear;
    light = max(light - veil, 0.0) * (sky + sun * (1.0 - dark)) / (sky + sun) + min(veil, light);
    color.rgb = pow(film(light * 0.92), vec3(1.0 / 2.2));
}
"""

CASTER_VERTEX = """
#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
void main() { gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex; }
"""

CASTER_FRAGMENT = """
#version 330
out vec4 color;
void main() { color = vec4(1.0); }
"""

CROWD_CASTER_VERTEX = (
    "#version 330\n"
    + CROWD
    + """
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix
        * (mat4(place0, place1, place2, place3) * p3d_Vertex);
}
"""
)

CUT_CASTER_VERTEX = """
#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
out vec2 uv;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    uv = p3d_MultiTexCoord0;
}
"""

CUT_CASTER_FRAGMENT = """
#version 330
uniform sampler2D picture;
uniform vec4 tint;
uniform vec4 metal;
in vec2 uv;
out vec4 color;
void main() {
    if (tint.a * texture(picture, uv).a < metal.w) discard;
    color = vec4(1.0);
}
"""


@functools.cache
def scene_fragment(
    *,
    has_sky: bool = False,
    has_fog: bool = False,
    has_ambient: bool = False,
    casts: bool = False,
    lamps: int = 0,
    has_spots: bool = False,
    material: tuple[str, ...] = (),
) -> str:
    """Return the fragment shader (GLSL source) for a scene with certain features.

    Args:
        has_sky: whether the scene has a sky, instead of the studio room.
        has_fog: whether there is fog.
        has_ambient: whether there is additional ambient light.
        casts: whether the sun casts shadows by shadow maps.
        lamps: number of point lights and spot lights.
        has_spots: whether any of them is a spot light.
        material: features of the material, keys of `MAPS`; empty for a plain one.
    """
    flags: dict[str, int] = {
        "SKY": has_sky,
        "FOG": has_fog,
        "AMBIENT": has_ambient,
        "SHADOWS": casts,
        "LAMPS": lamps,
        "SPOTS": lamps and has_spots,
        **dict.fromkeys(material, 1),
    }
    declared = HEAVEN if has_sky or has_fog else PLAIN_SUN
    if has_ambient:
        declared += "uniform vec3 ambient;\n"
    if lamps:
        declared += LAMPS
    if casts:
        declared += SHADOWS + SUN_LEFT
    declared += "".join(dict.fromkeys(MAPS[name] for name in material))
    parts = (METAL if "METAL" in material else "") + (BUMPED if "NORMAL_MAP" in material else "")
    text = SCENE_TEMPLATE.replace("#version 330\n", f"#version 330\n{_defines(flags)}", 1)
    return text.replace("//DECLARE", declared, 1).replace("//METAL", parts, 1)


@functools.cache
def copy_with_shadows(*, lamps: int = 0, has_spots: bool = False) -> str:
    """Return the shader that copies the resting picture, darker where moving things cast shadows.

    Args:
        lamps: number of point lights and spot lights.
        has_spots: whether any of them is a spot light.
    """
    flags = {"LAMPS": lamps, "SPOTS": int(lamps and has_spots)}
    parts = SHADOWS + FILM + (LAMPS if lamps else "") + COPY_WITH_SHADOWS
    return f"#version 330\n{_defines(flags)}{parts}"


def _defines(flags: Mapping[str, int]) -> str:
    """Return the lines of GLSL that define flags which are not 0."""
    return "".join(f"#define {name} {int(value)}\n" for name, value in flags.items() if value)


POINTS_VERTEX = """
#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
uniform float point_size;   // metres
uniform float is_scaled;    // 1 where the object's scale is that of the points, too
uniform vec4 view_size;     // width, height; a metre a metre away; pixels
in vec4 p3d_Vertex;
in vec4 p3d_Color;
out vec4 ink;
flat out vec3 disc;         // middle and radius, pixels
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    float scale = mix(1.0, length(p3d_ModelMatrix[0].xyz), is_scaled);
    float pixels = scale * point_size * view_size.z / gl_Position.w;
    gl_PointSize = clamp(pixels, 1.5, 64.0);
    disc = vec3((gl_Position.xy / gl_Position.w * 0.5 + 0.5) * view_size.xy, gl_PointSize * 0.5);
    ink = vec4(p3d_Color.rgb, p3d_Color.a * min(1.0, pixels * pixels / 2.25));
}
"""

POINTS_FRAGMENT = """
#version 330
uniform float is_glow;
in vec4 ink;
flat in vec3 disc;
out vec4 color;
void main() {
    vec2 from = (gl_FragCoord.xy - disc.xy) / disc.z;  // gl_PointCoord is not everywhere
    float away = dot(from, from);
    if (away > 1.0) discard;
    float soft = is_glow > 0.5 ? (1.0 - away) * (1.0 - away) : smoothstep(1.0, 0.6, away);
    color = vec4(ink.rgb, ink.a * soft);
}
"""

SHADOW_VERTEX = """
#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
uniform mat4 p3d_ModelMatrix;
in vec2 p3d_MultiTexCoord0;
out vec2 uv;
flat out float strength;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    uv = p3d_MultiTexCoord0;
    strength = p3d_ModelMatrix[2].z;  // a shadow is flat: its scale along z is free to carry this
}
"""

CROWD_SHADOW_VERTEX = (
    "#version 330\n"
    + CROWD
    + """
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
out vec2 uv;
flat out float strength;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix
        * (mat4(place0, place1, place2, place3) * p3d_Vertex);
    uv = p3d_MultiTexCoord0;
    strength = place2.z;
}
"""
)

SHADOW_FRAGMENT = """
#version 330
flat in float strength;
in vec2 uv;
out vec4 color;
void main() {
    float inside = clamp(1.0 - length(uv * 2.0 - 1.0), 0.0, 1.0);
    color = vec4(0.03, 0.015, 0.005, strength * inside * inside * (3.0 - 2.0 * inside));
}
"""

COPY_VERTEX = """
#version 330
in vec4 p3d_Vertex;
out vec2 place;
void main() {
    place = p3d_Vertex.xz * 0.5 + 0.5;
    gl_Position = vec4(p3d_Vertex.xz, 0.0, 1.0);
}
"""

COPY_FRAGMENT = """
#version 330
uniform sampler2D still_color;
uniform sampler2D still_depth;
in vec2 place;
out vec4 color;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);  // both have the same pixels
    color = vec4(texelFetch(still_color, at, 0).rgb, 0.0);  // nothing moves here
    gl_FragDepth = texelFetch(still_depth, at, 0).r;
}
"""

INSET_FRAGMENT = """
#version 330
uniform sampler2D picture;
uniform vec2 edge;   // width of the frame, in shares of the picture
in vec2 place;
out vec4 color;
void main() {
    vec2 from = min(place, 1.0 - place) / edge;
    float inner = min(from.x, from.y);
    color = inner < 1.0 ? vec4(0.03, 0.028, 0.026, 1.0)
          : inner < 2.0 ? vec4(0.82, 0.78, 0.70, 1.0) : texture(picture, place);
    gl_FragDepth = 0.0;
}
"""

BACKDROP_FRAGMENT = """
#version 330
in vec2 place;
out vec4 color;
void main() {
    vec2 from = place - vec2(0.5, 0.55);
    float far = dot(from, from);
    float out_there = smoothstep(0.0, 0.55, far);
    vec3 light = mix(vec3(0.27, 0.245, 0.225), vec3(0.085, 0.075, 0.07), out_there);
    color = vec4(light, 1.0);
    gl_FragDepth = 1.0;
}
"""
