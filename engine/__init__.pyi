"""The public names for editors and type checkers; at run time `__init__.py` imports a name when it is first used."""

from . import author as author
from . import check as check
from . import dynamics as dynamics
from .conversion import ConverterError as ConverterError
from .conversion import convert as convert
from .device import DeviceError as DeviceError
from .device.bounds import OutOfMemory as OutOfMemory
from .device.memory_estimate import largest_batch as largest_batch
from .jobs import InvalidJob as InvalidJob
from .jobs.batch import batch as batch
from .load import read as read
from .model import Model as Model
from .model.model import compile as compile
from .recording.recorder import Recording as Recording
from .scene import InvalidScene as InvalidScene
from .scene import Scene as Scene
from .simulation import Simulation as Simulation
from .simulation.contact_sensor import ContactSensor as ContactSensor
from .simulation.contacts import Contacts as Contacts
from .simulation.control_events import Control as Control
from .simulation.sensor import Sensor as Sensor
from .simulation.snapshot import InvalidSnapshot as InvalidSnapshot
from .simulation.snapshot import Part as Part
from .simulation.snapshot import Snapshot as Snapshot
from .simulation.stream import NonFinite as NonFinite
from .usd.write.writer import write as write
