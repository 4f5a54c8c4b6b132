"""Reading of files that may be hostile: in a child process with limits, which answers with JSON."""
