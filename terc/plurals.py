"""A count with its noun, in the number that the count asks for."""


def some(count: int, what: str) -> str:
    """A count with its noun.

    Example:
        >>> some(1, "variable"), some(0, "episode"), some(2_000, "step")
        ('1 variable', '0 episodes', '2,000 steps')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"
