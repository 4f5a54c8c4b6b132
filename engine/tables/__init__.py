"""Names of all numbers on the device, shared by the kernels and the host."""
