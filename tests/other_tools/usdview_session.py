"""The plugin of usdview without usdview: stand-ins of the two classes that it meets, and USD's own registry.

python usdview_session.py SCENE COMMAND ... runs commands of the menu and prints JSON: menu, statuses, layers.
"""

import json
import sys
import types
from pathlib import Path

from pxr import Plug, Tf, Usd

FOLDER = Path(__file__).parents[2] / "tools" / "usdview"


class PluginContainer:
    """Stand-in of usdview's base class."""


class Registry:
    """Stand-in of usdview's registry of commands."""

    def __init__(self):
        self.commands = {}

    def registerCommandPlugin(self, name, label, function):
        self.commands[name] = function
        return label


class Menu:
    """Stand-in of usdview's builder of menus, and of a menu."""

    def __init__(self):
        self.items = []

    def findOrCreateMenu(self, name):
        self.name = name
        return self

    def addItem(self, item):
        self.items.append(item)


class Api:
    """Stand-in of usdview's interface for plugins."""

    def __init__(self, stage, selected):
        self.stage, self.selectedPaths, self.said = stage, selected, []

    def PrintStatus(self, text):
        self.said.append(text)


package, plugin = types.ModuleType("pxr.Usdviewq"), types.ModuleType("pxr.Usdviewq.plugin")
PluginContainer.__module__ = "pxr.Usdviewq.plugin"
plugin.PluginContainer = package.plugin = PluginContainer
sys.modules.update({"pxr.Usdviewq": package, "pxr.Usdviewq.plugin": plugin})
Tf.Type.Define(PluginContainer)
sys.path.insert(0, str(FOLDER))
Plug.Registry().RegisterPlugins(str(FOLDER))
(found,) = Plug.Registry.GetAllDerivedTypes(Tf.Type.Find(PluginContainer))
Plug.Registry().GetPluginForType(found).Load()

stage = Usd.Stage.Open(sys.argv[1])
joints = [prim.GetPath() for prim in stage.Traverse() if prim.IsA("PhysicsRevoluteJoint")]
container, registry, menu, api = found.pythonClass(), Registry(), Menu(), Api(stage, joints[:1])
container.registerPlugins(registry, api)
container.configureView(registry, menu)
for command in sys.argv[2:]:
    if command == "deselect":
        api.selectedPaths = []
    else:
        registry.commands[f"FajinContainer.{command}"](api)
moving = [str(p.GetPath()) for p in stage.Traverse() if any(a.GetNumTimeSamples() > 1 for a in p.GetAttributes())]
times = stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()
gain = stage.GetPrimAtPath(joints[0]).GetAttribute("drive:angular:physics:stiffness")
report = {"menu": [menu.name, *menu.items], "said": api.said, "moving": moving, "times": times, "stiffness": gain.Get()}
print(json.dumps(report))
