"""Light on a surface: the sun with shadows, the sky, the ground, and a highlight.

colour = albedo · (sky(n) + sun · max(0, n · s) · visible) + highlight · visible, in linear light
"""

import taichi as ti

from .fill import Vec3

SUNLIGHT = 0.78
SKY, GROUND = 0.46, 0.2  # light from above and from below
CAMERA_LIGHT = 0.16


@ti.func
def sun_visibility(shadows: ti.template(), texels, texel):
    """Return the share of nine texels about a place that the sun reaches; all outside the map."""
    hits = 0.0
    x, y = ti.cast(ti.floor(texel[0]), ti.i32), ti.cast(ti.floor(texel[1]), ti.i32)
    if x > 0 and y > 0 and x < texels - 1 and y < texels - 1 and texel[2] > 0.0:
        depth = ti.bit_cast(texel[2], ti.i32)
        fx, fy = texel[0] - ti.floor(texel[0]), texel[1] - ti.floor(texel[1])
        for i, j in ti.static(ti.ndrange(3, 3)):
            if shadows[(y + j - 1) * texels + x + i - 1] < depth:
                across = (1.0 - fx, 1.0, fx)[i]
                down = (1.0 - fy, 1.0, fy)[j]
                hits += 0.25 * across * down
    return 1.0 - hits


@ti.func
def highlight(albedo, metallic, rough, gloss):
    """Return the mirrored sun; `gloss` is the cosine between the normal and the half vector."""
    sharp = 4.0 + 60.0 * (1.0 - rough) * (1.0 - rough)
    tint = (1.0 - metallic) * Vec3(1.0, 1.0, 1.0) + 1.6 * metallic * albedo
    return 0.25 * (1.0 - rough) * gloss / (sharp - sharp * gloss + gloss) * tint


@ti.func
def diffuse_light(rise, sunshine):
    """Return the light on a surface whose normal has the component `rise` along the up axis."""
    return GROUND + (SKY - GROUND) * 0.5 * (1.0 + rise) + SUNLIGHT * sunshine
