"""Motions to look at: scene, drawn shapes and track, read from whatever a user has."""
