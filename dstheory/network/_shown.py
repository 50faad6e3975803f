"""How a network is shown: its size as text, and its valuations as a table."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any

from dstheory.notebook import brief, html_table

__all__ = ["ShownNetwork"]


class ShownNetwork(ABC):
    """Base of networks, with what is shown of them."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """The kind."""

    @property
    @abstractmethod
    def valuations(self) -> Mapping[Hashable, Any]:
        """The valuations by key."""

    @abstractmethod
    def scope(self, key: Hashable) -> tuple[str, ...]:
        """Names of the variables of a valuation."""

    def __repr__(self) -> str:
        size = f"{len(self.names)} variables, {len(self.valuations)} valuations"
        return f"ValuationNetwork({self.kind}: {size})"

    def _repr_html_(self) -> str:
        rows = [
            [str(key), ", ".join(self.scope(key)), brief(valuation)]
            for key, valuation in self.valuations.items()
        ]
        variables = f"variables: {brief(self.names)}"
        return html_table(repr(self), [["key", "variables", "valuation"], *rows], [variables])
