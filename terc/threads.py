"""One thread for the arithmetic: matrices this small gain nothing from a second, and workers share the cores.

Sums in another order are other results: with one thread a seed means the same on any number of cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold the linear algebra of numpy and scipy to one thread."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Hold torch to one thread; how many it had is restored.

    Example:
        >>> import torch
        >>> before = torch.get_num_threads()
        >>> with one_torch_thread():
        ...     torch.get_num_threads()
        1
        >>> torch.get_num_threads() == before
        True
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
