"""Colour of each pixel: the surface that each of its samples sees, in the light of `light`, or the floor."""

from dataclasses import dataclass
from typing import Any, ClassVar

import taichi as ti

from .fill import Bytes1, Bytes2, Bytes3, Floats1, Floats2, Keys, Rows, Vec3, Words1, Words2, apply_rows, place_point
from .floor import background, floor_surface, vector_at
from .hit import TEXTURE, corner_place, hit_barycentric, row_vector, texture_color, turn_normal
from .light import CAMERA_LIGHT, diffuse_light, highlight, sun_visibility
from .view_numbers import AXIS, BIAS, EYE, FLOOR, FORWARD, GLASS, MAP_TEXELS, RIGHT, SHAPES, SUN, TRANSPARENT, UP

SHADOW = 0.5  # opacity of shadows on a transparent floor
TABLE = 4095  # last index of the table from linear light to bytes
BRIGHTEST = 1.6  # linear light at its end
NOTHING_MET, SURFACE, THE_FLOOR = 0, 1, 2  # what a ray meets


@ti.func
def group_samples(keys: ti.template(), corner, width, samples: ti.template(), first):
    """Return the samples of a pixel from `first` on that see one triangle: their mean place, number and mask."""
    number = ti.cast(keys[corner + first // samples * width + first % samples], ti.i32)
    px, py, count, mask = 0, 0, 0, 0
    for j in range(first, samples * samples):
        if ti.cast(keys[corner + j // samples * width + j % samples], ti.i32) == number:
            px += j % samples
            py += j // samples
            count += 1
            mask |= 1 << j
    weight = ti.cast(count, ti.f32)
    return (px / weight + 0.5) / samples, (py / weight + 0.5) / samples, weight, mask


@ti.func
def view_ray(view: ti.template(), x, y):
    """Return the ray through a place of the picture, from -1 to 1 to the right and up, and its length per depth."""
    ray = vector_at(view, FORWARD) + x * vector_at(view, RIGHT) + y * vector_at(view, UP)
    length = ray.norm()
    return ray / length, length


@ti.func
def key_depth(key):
    """Return the depth of a key."""
    return 1.0 / ti.bit_cast(2147483647 - ti.cast(key >> 32, ti.i32), ti.f32)


@ti.func
def on_floor(view: ti.template(), ray, reach, axis):
    """Return whether the floor is seen before a distance along a ray."""
    drop = view[FLOOR] - view[EYE + axis]
    return drop < 0.0 and ray[axis] < 0.0 and drop > reach * ray[axis]


@ti.func
def light_surface(normal, ray, sun, visible, surface):
    """Return the light that a surface sends back along a ray; `surface` is colour, metallic, roughness, and n · up."""
    albedo = Vec3(surface[0], surface[1], surface[2])
    facing = ti.max(0.0, normal.dot(sun))
    shown = albedo * (diffuse_light(surface[5], facing * visible) - CAMERA_LIGHT * normal.dot(ray))
    gloss = ti.max(0.0, normal.dot((sun - ray).normalized()))
    return shown + visible * highlight(albedo, surface[3], surface[4], gloss)


@ti.func
def write_pixel(picture: ti.template(), table: ti.template(), place, color, alpha):
    """Write a pixel as bytes."""
    y, x = place[0], place[1]
    for k in ti.static(range(3)):
        picture[y, x, k] = table[ti.cast(ti.min(1.0, ti.max(0.0, color[k] / BRIGHTEST)) * TABLE + 0.5, ti.i32)]
    picture[y, x, 3] = ti.cast(ti.min(1.0, alpha) * 255.0 + 0.5, ti.u8)


@dataclass(eq=False)
class Drawn:
    """The buffers of the drawn shapes and of the view, while the kernel is traced."""

    _data_oriented: ClassVar = True  # Taichi keeps it as an object,
    _is_wrapped_kernel: ClassVar = True  # and calls it without a warning
    points: Any
    attributes: Any
    triangles: Any
    frames: Any
    surfaces: Any
    texels: Any
    sheets: Any
    view: Any
    settings: Any
    light: Any
    shadows: Any


Surface = ti.types.struct(albedo=Vec3, metallic=ti.f32, rough=ti.f32, normal=Vec3)
Hit = ti.types.struct(kind=ti.i32, reach=ti.f32, front=ti.i32, fade=ti.f32, surface=Surface)


@ti.func
def meet_triangle(drawn: ti.template(), key, ray, length):
    """Return what a ray meets in the triangle of a key; nothing for the key of no triangle."""
    hit = Hit(kind=NOTHING_MET, reach=1e30)
    hit.surface.rough = 1.0
    number, eye = ti.cast(key, ti.i32), vector_at(drawn.view, EYE)
    if number >= 0:
        f = number % drawn.triangles.shape[0]
        a, b, c = drawn.triangles[f, 0], drawn.triangles[f, 1], drawn.triangles[f, 2]
        owner = drawn.triangles[f, 3]
        shape = number // drawn.triangles.shape[0] * drawn.settings[SHAPES] + owner
        p = place_point(drawn.frames, shape, row_vector(drawn.points, a))
        q = place_point(drawn.frames, shape, row_vector(drawn.points, b))
        r = place_point(drawn.frames, shape, row_vector(drawn.points, c))
        v, w = hit_barycentric(eye - p, ray, q - p, r - p)
        hit.reach, hit.kind = length * drawn.surfaces[owner, 6] * key_depth(key), SURFACE
        hit.front = ti.cast(drawn.surfaces[owner, 6] > 1.0, ti.i32)
        local = (1.0 - v - w) * row_vector(drawn.attributes, a) + v * row_vector(drawn.attributes, b)
        hit.surface.normal = turn_normal(drawn.frames, shape, local + w * row_vector(drawn.attributes, c))
        hit.surface.albedo = row_vector(drawn.surfaces, owner)
        hit.surface.metallic, hit.surface.rough = drawn.surfaces[owner, 4], drawn.surfaces[owner, 5]
        if drawn.surfaces[owner, TEXTURE] >= 0.0:
            place = corner_place(drawn.attributes, ti.Vector([a, b, c]), v, w)
            sheet = ti.cast(drawn.surfaces[owner, TEXTURE], ti.i32)
            hit.surface.albedo = texture_color(drawn.texels, drawn.sheets, sheet, place)
    return hit


@ti.func
def meet_floor(drawn: ti.template(), hit, ray):
    """Return what a ray meets first, the floor or what it met."""
    axis, found = drawn.settings[AXIS], hit
    if hit.front == 0 and hit.kind * drawn.view[GLASS] == 0.0 and on_floor(drawn.view, ray, hit.reach, axis):
        found.kind, found.reach = THE_FLOOR, (drawn.view[FLOOR] - drawn.view[EYE + axis]) / ray[axis]
        found.surface.normal = Vec3(0.0, 0.0, 0.0)
        found.surface.normal[axis] = 1.0
        found.surface.albedo, found.fade = floor_surface(drawn.view, ray, found.reach, axis)
    return found


@ti.func
def hit_visibility(drawn: ti.template(), hit, ray, normal):
    """Return which part of the sun a hit sees; all of it for what is drawn in front of the rest."""
    visible = ti.cast(hit.front, ti.f32)
    if normal.dot(vector_at(drawn.view, SUN)) > 0.0 and hit.front == 0:
        spot = vector_at(drawn.view, EYE) + hit.reach * ray + drawn.view[BIAS] * normal
        visible = sun_visibility(drawn.shadows, drawn.settings[MAP_TEXELS], apply_rows(drawn.light, spot))
    return visible


@ti.func
def hit_light(drawn: ti.template(), hit, ray):
    """Return the light along a ray from what it meets, and how much of what is behind that hides."""
    axis, sun = drawn.settings[AXIS], vector_at(drawn.view, SUN)
    shown, cover = Vec3(0.0, 0.0, 0.0), ti.cast(hit.kind != NOTHING_MET, ti.f32)
    if hit.kind != SURFACE:
        shown = background(drawn.view, ray, axis)
    if hit.kind != NOTHING_MET:
        normal, albedo = hit.surface.normal, hit.surface.albedo
        if normal.dot(ray) > 0.0:
            normal = -normal
        visible = hit_visibility(drawn, hit, ray, normal)
        if hit.kind == SURFACE:
            gloss = hit.surface.metallic, hit.surface.rough
            surface = ti.Vector([albedo[0], albedo[1], albedo[2], gloss[0], gloss[1], normal[axis]])
            shown = light_surface(normal, ray, sun, visible, surface)
        elif drawn.settings[TRANSPARENT] == 1:
            shown, cover = Vec3(0.0, 0.0, 0.0), SHADOW * (1.0 - visible) * (1.0 - hit.fade)
        else:
            bright = albedo * diffuse_light(normal[axis], ti.max(0.0, normal.dot(sun)) * visible)
            shown = (1.0 - hit.fade) * bright + hit.fade * shown
    if drawn.settings[TRANSPARENT] == 1:
        shown *= cover
    return shown, cover


@ti.kernel
def shade_kernel(  # the arguments of a kernel are its buffers
    keys: Keys,
    shadows: Words1,
    points: Floats2,
    attributes: Floats2,
    triangles: Words2,
    frames: Floats2,
    surfaces: Floats2,
    texels: Bytes2,
    sheets: Words2,
    view: Floats1,
    settings: Words1,
    light: Rows,
    samples: ti.template(),
    table: Bytes1,
    picture: Bytes3,
):
    """Shade each pixel once per triangle that its samples see, and write bytes (h, w, 4)."""
    width = picture.shape[1] * samples
    for y in range(picture.shape[0]):
        for x in range(picture.shape[1]):
            drawn = Drawn(
                points, attributes, triangles, frames, surfaces, texels, sheets, view, settings, light, shadows
            )
            color, alpha, done = Vec3(0.0, 0.0, 0.0), 0.0, 0
            corner = y * samples * width + x * samples
            for first in range(samples * samples):
                if (done >> first) & 1 == 0:
                    key = keys[corner + first // samples * width + first % samples]
                    px, py, weight, mask = group_samples(keys, corner, width, samples, first)
                    done |= mask
                    right, down = (x + px) / picture.shape[1], (y + py) / picture.shape[0]
                    ray, length = view_ray(view, 2.0 * right - 1.0, 1.0 - 2.0 * down)
                    shown, cover = hit_light(drawn, meet_floor(drawn, meet_triangle(drawn, key, ray, length), ray), ray)
                    color += shown * weight
                    alpha += cover * weight
            many = ti.cast(samples * samples, ti.f32)
            if settings[TRANSPARENT] == 1:
                color *= many / ti.max(alpha, 1e-6 * many)
            write_pixel(picture, table, ti.Vector([y, x]), color / many, alpha / many)
