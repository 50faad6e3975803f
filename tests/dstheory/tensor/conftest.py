"""The tests of arrays: skipped without array-api-compat; JAX has float64 in them."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest


@pytest.fixture(autouse=True, scope="module")
def x64() -> Iterator[None]:
    """Types of 64 bits in JAX, which is set back afterwards."""
    pytest.importorskip("array_api_compat")
    if find_spec("jax") is None:
        yield
        return
    import jax

    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)
