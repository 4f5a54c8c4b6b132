"""The folder of a job: its manifest, finished shards and animations."""
