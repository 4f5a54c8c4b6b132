"""What every number on the device is called: the words that the kernels and the host share."""
