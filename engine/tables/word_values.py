"""Names of the values of words and rows that have more than two; 0 stands for none of them."""

STORES_AT_BRANCH, STORES_FOR_WORLD_JOINT = 1, 2
"""STORES_RESPONSE of a node: it has several children or a maximal joint; one to the world."""

ALWAYS, IN_CONTACT = 1, 2
"""NEEDS_LINK_VELOCITIES and NEEDS_SUBSTEP_POSES of an articulation: in every step; in those in which it touches."""

LEADS_TO_CONTACT, TOUCHES = 1, 2
"""TOUCHING of a node: one below it touches; its own link does."""

SPECULATIVE, SWEPT = 1, 2
"""Bits of SPECULATES of a collider: its contact distance grows by what its body may move; its body is swept."""

LOST_STATIC, LOST_SLEEPER = 1.0, 2.0
"""LOST of an articulation: it ceased to touch what is static; its touch with what sleeps ended."""

DISTURBED, AWAKE, READY, ASLEEP = -1.0, 0.0, 0.5, 1.0
"""ASLEEP of an articulation: the next step wakes it; awake; awake with all its timers at zero; asleep."""
