"""The stage of a file as the reader needs it: prims and values, instances, transforms, units and diagnostics."""
