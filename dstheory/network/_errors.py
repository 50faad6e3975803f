"""Errors of networks: unknown names, disconnected queries, excessive cost, contradictions.

All are `DSTheoryError` and therefore `ValueError`. Each carries what a program needs to react.
"""

from collections.abc import Hashable, Sequence

from dstheory.checks.arguments import as_collection
from dstheory.errors import DSTheoryError, TotalConflictError


class NetworkError(DSTheoryError):
    """A variable, valuation or query does not fit the network.

    Examples
    --------
    >>> from dstheory.network import ValuationNetwork
    >>> ValuationNetwork({"rain": ["yes", "no"]}).marginal("snow")
    Traceback (most recent call last):
    dstheory.network._errors.NetworkError: 'snow' is not a variable of the network; \
its variables: rain
    """


class NetworkConflictError(TotalConflictError):
    """Valuations exclude each other, and `keys` names a minimal set of them.

    Examples
    --------
    >>> from dstheory.network import ValuationNetwork
    >>> net = ValuationNetwork({"rain": ["yes", "no"]}).observe({"rain": "yes"})
    >>> from dstheory import Frame, MassFunction
    >>> dry = MassFunction.from_dict(Frame(["yes", "no"]), {"no": 1})
    >>> net.add(dry, on="rain", key="dry street").marginal("rain")
    Traceback (most recent call last):
    dstheory.network._errors.NetworkConflictError: total conflict (kappa = 1): 2 of 2 \
valuations exclude each other, and no fewer of them do: ('observed', 'rain'), 'dry street'; \
discount or retract one of them
    """

    keys: tuple[Hashable, ...]

    def __init__(self, keys: Sequence[Hashable], total: int) -> None:
        self.keys = tuple(as_collection(keys, "keys", "the keys of valuations"))
        listed = ", ".join(repr(key) for key in self.keys)
        super().__init__(
            f"total conflict (kappa = 1): {len(self.keys)} of {total} valuations exclude each "
            f"other, and no fewer of them do: {listed}; discount or retract one of them"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _conflict_again, (self.keys, str(self))


def _conflict_again(keys: tuple[Hashable, ...], message: str) -> NetworkConflictError:
    """Rebuild the error after pickling, when a worker process returns it."""
    error = NetworkConflictError.__new__(NetworkConflictError)
    error.keys = keys
    error.args = (message,)
    return error
