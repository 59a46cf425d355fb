"""Shaders of sky, fog, ambient light and shadows, added to those of `shaders` as needed."""

from __future__ import annotations

HEAVEN = """
uniform vec3 sky_zenith;
uniform vec3 sky_horizon;
uniform vec3 sky_ground;
uniform vec3 haze_color;
uniform vec4 sky_more;    // clouds, cosine of the sun's disc, density and start of fog
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
    if (sky_more.z > 0.0) light = mix(haze_color, light, smoothstep(-0.01, 0.10, d.z));
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

COPY_WITH_SHADOWS = (
    "#version 330\n"
    + SHADOWS
    + FILM
    + """
uniform sampler2D still_color;
uniform sampler2D still_depth;
uniform mat4 to_world;
uniform vec3 sun_to;
uniform vec3 sun_light;
uniform vec3 from_above;  // the sky's light on what looks up, and on what looks down
uniform vec3 from_below;
uniform vec3 haze_color;
uniform vec4 sky_more;
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
    vec3 sun = sun_light * facing * 0.7;  // as the scene's shader weighs it
    vec3 light = unfilm(min(pow(color.rgb, vec3(2.2)), 0.985)) / 0.92;
    float clear = exp(-sky_more.z * max(0.0, length(v) - sky_more.w));
    float edge = pow(1.0 - max(dot(n, normalize(v)), 0.0), 5.0);
    vec3 veil = haze_color * (1.0 - clear)  // and about what the surface mirrors of the sky
        + from_above * (0.05 + 0.5 * edge) * clear;
    light = max(light - veil, 0.0) * (sky + sun * (1.0 - dark)) / (sky + sun) + min(veil, light);
    color.rgb = pow(film(light * 0.92), vec3(1.0 / 2.2));
}
"""
)

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
