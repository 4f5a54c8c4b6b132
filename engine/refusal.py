"""What is said of input that cannot be used."""


class Refused(ValueError):
    """Input that cannot be used; the message names it, its value, the rule and the mend in one line."""
