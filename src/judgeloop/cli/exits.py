"""The exit codes, once."""

from enum import IntEnum


class Exit(IntEnum):
    """What a run of any verb ended with. 1 is a crash: it is never caught and renamed."""

    PASS = 0
    CRASH = 1
    USAGE = 2
    FAIL = 3
    UNCERTAIN = 4
    ABSTAIN = 5
