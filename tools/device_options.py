"""Option types of commands that choose a device; apart from the rest, so that help of other commands is quick."""

from typing import Annotated

import typer

from fajin.device.names import DeviceName, PrecisionName

DeviceChoice = Annotated[
    DeviceName, typer.Option(help="Select the device; auto: CUDA where it is faster for so many worlds, else the CPU.")
]
Threads = Annotated[int, typer.Option(min=0, help="Set the number of CPU threads; 0: all cores.")]
PrecisionChoice = Annotated[
    PrecisionName | None, typer.Option(help="Set the floating-point precision. Default: the scene's, else f32.")
]
