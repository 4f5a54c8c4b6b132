"""SimReady profiles, and the codes of their requirements that `profiles` checks."""

_NEUTRAL = ("BA.001", "DJ.001", "DJ.002", "DJ.003", "DJ.011")
_ISAAC = (*_NEUTRAL, "DJ.004", "DJ.005", "DJ.006", "DJ.007", "DJ.008", "DJ.009", "DJ.010")
PROFILES = {"robot-body-neutral": _NEUTRAL, "robot-body-isaac": _ISAAC}


def check_profile(name: str) -> str:
    """Return the name of a profile, or ""; raise ValueError for an unknown one."""
    if name and name not in PROFILES:
        raise ValueError(f"profile = {name!r}: must be {' or '.join(PROFILES)}; name one of them")
    return name
