"""Why a reader refuses a file."""


class Refused(Exception):
    """The outcome is the word for it in a vector's `expect`."""


class Damaged(Refused):
    outcome = "damaged"


class NotCanonical(Damaged):
    outcome = "not canonical"


class TooCostly(Damaged):
    outcome = "too costly"


class WrongKey(Refused):
    outcome = "wrong key"


class TooNew(Refused):
    outcome = "too new"


class NotAVault(Refused):
    outcome = "not a vault"


def require(condition, reason, refusal=Damaged):
    if not condition:
        raise refusal(reason)
