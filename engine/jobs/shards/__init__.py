"""Shards, the parts of a job that run and are written on their own."""
