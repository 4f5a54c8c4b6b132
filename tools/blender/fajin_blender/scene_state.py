# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of a Blender scene: the USD scene, its joints and their values as read and as edited."""

import json
from pathlib import Path

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import live
from .axis_document import DRIVES, FIELDS, axes_of, edited_axis, mimic_text, values_of

NAMES = (*(f.name for f in FIELDS), *(f.switch for f in FIELDS if f.nullable), "drive_type", "has_envelope")


class FajinJoint(bpy.types.PropertyGroup):
    """A degree of freedom: its values in SI units, and those that the file has, as JSON."""

    dof: StringProperty()
    kind: StringProperty()
    mimic: StringProperty()
    entries: StringProperty()  # what the document has of the axis: those of a spherical joint have no position
    drive_type: EnumProperty(name="Drive", items=[(x, x.capitalize(), "") for x in DRIVES], default="none")
    has_envelope: BoolProperty(name="Performance envelope")
    read: StringProperty()

    @property
    def rotational(self) -> bool:
        """Return whether the degree of freedom is an angle."""
        return self.dof.rpartition(":")[2].startswith("rot")

    def has(self, entry: str) -> bool:
        """Return whether the axis has an entry of the document, as "drive"."""
        return entry in self.entries.split()

    def values(self) -> dict:
        """Return the values of the panel."""
        return {name: getattr(self, name) for name in NAMES}

    def fill(self, joint: dict, axis: dict) -> None:
        """Take the values of an axis of the document; the name of an only axis is that of its joint."""
        self.dof, self.kind = axis["name"], joint["type"]
        self.name = (joint["prim"] if len(joint["axes"]) == 1 else axis["name"]).rpartition("/")[2]
        self.mimic, self.entries = mimic_text(axis), " ".join(axis)
        for name, value in values_of(axis).items():
            setattr(self, name, value)
        self.read = json.dumps(self.values())  # rounded as Blender rounds them

    def part(self, axis: dict) -> dict:
        """Return what of the document the panel has edited; {} for nothing."""
        return edited_axis(axis, json.loads(self.read), self.values()) if self.read else {}

    def revert(self) -> None:
        """Put back the values that the file has."""
        for name, value in json.loads(self.read or "{}").items():
            setattr(self, name, value)

    @property
    def dirty(self) -> bool:
        """Return whether the panel has edited the joint."""
        return bool(self.read) and json.loads(self.read) != self.values()


FajinJoint.__annotations__ = {  # from outside of the class: inside, Python 3.14 has no `__annotations__`
    **FajinJoint.__annotations__,
    **{field.name: FloatProperty(name=field.label, precision=4) for field in FIELDS},
    **{field.switch: BoolProperty(name=field.label) for field in FIELDS if field.nullable},
}


def send_target(slider, _context) -> None:
    """Send the target of a slider that the user moves."""
    if slider.ready and (refused := live.send({"target": {slider.dof: slider.value}})):
        bpy.context.scene.fajin.message = refused


class FajinSlider(bpy.types.PropertyGroup):
    """A slider of a running simulation: the target of a drive between two ends."""

    dof: StringProperty()
    unit: StringProperty()
    low: FloatProperty()
    high: FloatProperty()
    ready: BoolProperty()  # False while the slider is filled in
    share: FloatProperty(name="Target", subtype="FACTOR", min=0.0, max=1.0, update=send_target)

    @property
    def value(self) -> float:
        """Return the target [rad | m]."""
        return self.low + self.share * (self.high - self.low)


class FajinScene(bpy.types.PropertyGroup):
    """The USD scene in a Blender scene."""

    source: StringProperty(name="Scene", subtype="FILE_PATH")
    document: StringProperty()
    up_axis: StringProperty(default="Z")
    joints: CollectionProperty(type=FajinJoint)
    sliders: CollectionProperty(type=FajinSlider)
    live_time: FloatProperty()
    show_markers: BoolProperty(name="Axes and limits", default=True, description="Draw axes and limits of joints")
    active: IntProperty()
    message: StringProperty()
    findings: StringProperty()
    natural_frequency: FloatProperty(name="Natural frequency [rad/s]", default=20.0, min=0.001)
    damping_ratio: FloatProperty(name="Damping ratio", default=1.0, min=0.0)

    @property
    def layer(self) -> Path:
        """Return the layer of edits beside the scene."""
        return Path(bpy.path.abspath(self.source)).with_suffix(".edits.usda")

    @property
    def motion(self) -> Path:
        """Return the motion beside the scene."""
        return Path(bpy.path.abspath(self.source)).with_suffix(".blender.anim.usda")

    @property
    def film(self) -> Path:
        """Return the film beside the scene."""
        return Path(bpy.path.abspath(self.source)).with_suffix(".blender.mp4")

    @property
    def latest(self) -> Path:
        """Return the layer of edits if there is one, else the scene."""
        return self.layer if self.layer.exists() else Path(bpy.path.abspath(self.source))

    @property
    def summary(self) -> str:
        """Return what is open in one line."""
        count = len(self.joints)
        found = f"{count} degrees of freedom" if count else "no joints"
        return f"{found}, as {self.layer.name} edits them" if count and self.layer.exists() else found

    def fill(self, document: dict) -> None:
        """Fill the list of joints from a document."""
        self.document, self.up_axis = json.dumps(document), document["up_axis"]
        axes = [(joint, axis) for _, joint, axis in axes_of(document)]
        self.joints.clear()
        for _ in axes:
            self.joints.add()  # all of them first: a later one moves the earlier ones in memory
        for (joint, axis), entry in zip(axes, self.joints, strict=True):
            entry.fill(joint, axis)
        self.active = min(self.active, max(0, len(self.joints) - 1))

    def fill_again(self, document: dict) -> list[str]:
        """Fill the list and keep what is edited; return the edited degrees of freedom that the scene no longer has."""
        edited = {joint.dof: (json.loads(joint.read), joint.values()) for joint in self.joints if joint.dirty}
        self.fill(document)
        for joint in self.joints:
            before, after = edited.pop(joint.dof, ({}, {}))
            for name, value in after.items():
                if value != before[name]:
                    setattr(joint, name, value)
        return list(edited)

    def fill_sliders(self, controls: list[dict], targets: dict[str, float]) -> None:
        """Fill the sliders of a running simulation with its targets by degree of freedom."""
        self.sliders.clear()
        for _ in controls:
            self.sliders.add()  # all of them first, as with joints
        for control, slider in zip(controls, self.sliders, strict=True):
            slider.dof, slider.name, slider.unit = control["dof"], control["name"], control["unit"]
            slider.low, slider.high = control["low"], control["high"]
            target = targets.get(slider.dof, control["value"])
            slider.share = (target - control["low"]) / (control["high"] - control["low"])
            slider.ready = True

    def parts(self) -> list[tuple[dict, dict, dict]]:
        """Return the edited parts of the document."""
        found = []
        for (robot, joint, axis), entry in zip(axes_of(json.loads(self.document or "{}")), self.joints, strict=True):
            if part := entry.part(axis):
                found.append((robot, joint, {"name": axis["name"], **part}))
        return found


CLASSES = (FajinJoint, FajinSlider, FajinScene)
POINTER = PointerProperty(type=FajinScene)
