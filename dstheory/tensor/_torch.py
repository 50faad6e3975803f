"""The heads as modules of torch; imported when they are asked for."""

from collections.abc import Mapping

import torch

from dstheory.tensor._arrays import Tensor
from dstheory.tensor._heads import logit_bounds, logit_mass, prototype_mass


class PrototypeHead(torch.nn.Module):
    """Module whose outputs are `prototype_mass` of its parameters.

    Parameters
    ----------
    parameters : mapping
        Arrays or tensors as of `initial_prototypes`; they are copied.

    References
    ----------
    Denoeux (2000), IEEE Transactions on Systems, Man, and Cybernetics A 30, 131-150.
    """

    def __init__(self, parameters: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.values = _values(parameters)

    def forward(self, x: Tensor) -> Tensor:
        """Masses (..., K + 1) for features (..., d)."""
        return prototype_mass(self.values, x)


class LogitHead(torch.nn.Module):
    """Softmax layer that also gives mass functions (`logit_bounds`, `logit_mass`).

    Parameters
    ----------
    parameters : mapping
        Arrays or tensors as of `logit_mass`; they are copied. "mean" is not trained. "coef" of a
        `torch.nn.Linear` is its ``weight.T``.

    References
    ----------
    Denoeux (2019), Knowledge-Based Systems 176, 54-67.
    """

    def __init__(self, parameters: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.values = _values(parameters)
        self.values["mean"].requires_grad_(False)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Bel and Pl (..., K) of each class, for features (..., J)."""
        return logit_bounds(self.values, features)

    def mass(self, features: Tensor) -> Tensor:
        """Tables (..., 2^K) of masses, for at most 12 classes."""
        return logit_mass(self.values, features)


def _values(parameters: Mapping[str, Tensor]) -> Tensor:
    return torch.nn.ParameterDict(
        {name: torch.as_tensor(value).detach().clone() for name, value in parameters.items()}
    )
