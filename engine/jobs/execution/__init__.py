"""Execution of shards on workers: this process, several processes, or a cluster."""
