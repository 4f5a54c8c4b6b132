"""Colour of each pixel: the surface that each of its samples sees, in the light of `light`, or the floor."""

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


@ti.kernel
def shade_kernel(
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
    width, axis = picture.shape[1] * samples, settings[AXIS]
    for y in range(picture.shape[0]):
        for x in range(picture.shape[1]):
            color, alpha, done = Vec3(0.0, 0.0, 0.0), 0.0, 0
            corner = y * samples * width + x * samples
            for first in range(samples * samples):
                if (done >> first) & 1 == 0:
                    key = keys[corner + first // samples * width + first % samples]
                    px, py, weight, mask = group_samples(keys, corner, width, samples, first)
                    done |= mask
                    right, down = (x + px) / picture.shape[1], (y + py) / picture.shape[0]
                    ray, length = view_ray(view, 2.0 * right - 1.0, 1.0 - 2.0 * down)
                    eye, sun, number = vector_at(view, EYE), vector_at(view, SUN), ti.cast(key, ti.i32)
                    reach, kind, front, normal = 1e30, NOTHING_MET, 0, Vec3(0.0, 0.0, 0.0)
                    albedo, metallic, rough, fade = Vec3(0.0, 0.0, 0.0), 0.0, 1.0, 0.0
                    if number >= 0:
                        f = number % triangles.shape[0]
                        a, b, c, owner = triangles[f, 0], triangles[f, 1], triangles[f, 2], triangles[f, 3]
                        shape = number // triangles.shape[0] * settings[SHAPES] + owner
                        p = place_point(frames, shape, row_vector(points, a))
                        q = place_point(frames, shape, row_vector(points, b))
                        r = place_point(frames, shape, row_vector(points, c))
                        v, w = hit_barycentric(eye - p, ray, q - p, r - p)
                        reach, kind = length * surfaces[owner, 6] * key_depth(key), SURFACE
                        front = ti.cast(surfaces[owner, 6] > 1.0, ti.i32)
                        local = (1.0 - v - w) * row_vector(attributes, a) + v * row_vector(attributes, b)
                        normal = turn_normal(frames, shape, local + w * row_vector(attributes, c))
                        albedo, metallic, rough = row_vector(surfaces, owner), surfaces[owner, 4], surfaces[owner, 5]
                        if surfaces[owner, TEXTURE] >= 0.0:
                            place = corner_place(attributes, ti.Vector([a, b, c]), v, w)
                            albedo = texture_color(texels, sheets, ti.cast(surfaces[owner, TEXTURE], ti.i32), place)
                    if front == 0 and kind * view[GLASS] == 0.0 and on_floor(view, ray, reach, axis):
                        reach, kind, normal = (view[FLOOR] - eye[axis]) / ray[axis], THE_FLOOR, Vec3(0.0, 0.0, 0.0)
                        normal[axis] = 1.0
                        albedo, fade = floor_surface(view, ray, reach, axis)
                    shown, cover = Vec3(0.0, 0.0, 0.0), ti.cast(kind != NOTHING_MET, ti.f32)
                    if kind != SURFACE:
                        shown = background(view, ray, axis)
                    if kind != NOTHING_MET:
                        if normal.dot(ray) > 0.0:
                            normal = -normal
                        facing, visible = normal.dot(sun), ti.cast(front, ti.f32)
                        if facing > 0.0 and front == 0:
                            spot = eye + reach * ray + view[BIAS] * normal
                            visible = sun_visibility(shadows, settings[MAP_TEXELS], apply_rows(light, spot))
                        if kind == SURFACE:
                            surface = ti.Vector([albedo[0], albedo[1], albedo[2], metallic, rough, normal[axis]])
                            shown = light_surface(normal, ray, sun, visible, surface)
                        elif settings[TRANSPARENT] == 1:
                            shown, cover = Vec3(0.0, 0.0, 0.0), SHADOW * (1.0 - visible) * (1.0 - fade)
                        else:
                            bright = albedo * diffuse_light(normal[axis], ti.max(0.0, facing) * visible)
                            shown = (1.0 - fade) * bright + fade * shown
                    if settings[TRANSPARENT] == 1:
                        shown *= cover
                    color += shown * weight
                    alpha += cover * weight
            many = ti.cast(samples * samples, ti.f32)
            if settings[TRANSPARENT] == 1:
                color *= many / ti.max(alpha, 1e-6 * many)
            write_pixel(picture, table, ti.Vector([y, x]), color / many, alpha / many)
