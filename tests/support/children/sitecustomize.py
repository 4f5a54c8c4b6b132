"""Shared kernels in processes that tests start: Python runs this file at its start, see `shared_kernels`.

Not for debugging: kernels with bounds checks take minutes to compile, the more laws the longer.
"""

import os
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

STATE = "fajin.device.state"


class SharingFinder:
    """Finder that lets a process use shared kernels once it has imported the module that launches kernels."""

    def find_spec(self, name, path=None, target=None):
        """Return the spec of the module that launches kernels, None of any other."""
        if name != STATE:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        execute = spec.loader.exec_module

        def execute_and_share(module):
            execute(module)
            file = spec_from_file_location("shared_kernels", Path(__file__).parents[1] / "shared_kernels.py")
            sharing = module_from_spec(file)
            file.loader.exec_module(sharing)
            sharing.SharedKernels(module.State).use(True)

        spec.loader.exec_module = execute_and_share
        return spec


if os.environ.get("FAJIN_DEBUG", "0") in ("", "0"):
    sys.meta_path.insert(0, SharingFinder())
