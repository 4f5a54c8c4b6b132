"""Scenes as they are drawn, and their motion: what pictures, films, pages and glTF files are made of."""
