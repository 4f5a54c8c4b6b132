"""The commands; each parses its arguments and calls the public Python interface."""
