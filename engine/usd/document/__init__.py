"""Scenes as documents of JSON: every value in SI units and in the file's, and the layer that has its opinion.

`scene.schema.json` is the JSON Schema of a document.
"""
