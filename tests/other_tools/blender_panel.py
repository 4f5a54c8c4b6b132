"""Labels and commands that the add-on's panel draws; Blender as a module draws none, for it has no window."""

from bpy_module import bpy

drawn: list[str] = []


class Layout:
    """Stand-in of a panel's layout, which keeps the labels that are drawn; Blender draws none without a window."""

    def __getattr__(self, name):
        return lambda *_, **__: Layout()

    def label(self, text="", **_):
        drawn.append(text)

    def operator(self, name, **_):
        drawn.append(name)
        return Layout()

    def progress(self, text="", **_):
        drawn.append(text)

    def prop(self, data, name, text=None, **_):
        drawn.append(text if text is not None else data.bl_rna.properties[name].name)


class Panel:
    """Stand-in of a panel that is drawn."""

    layout = Layout()
    waiting = ()


def labels() -> list[str]:
    """What the panel draws."""
    drawn.clear()
    Panel.waiting = bpy.types.FAJIN_PT_panel.waiting
    bpy.types.FAJIN_PT_panel.draw(Panel, bpy.context)
    return list(drawn)
