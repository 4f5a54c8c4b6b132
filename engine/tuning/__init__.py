"""Gains that give a joint the motion that is wanted, from what it has to move."""
