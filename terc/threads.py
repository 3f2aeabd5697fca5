"""One thread for the arithmetic: matrices this small gain nothing from a second, and workers share the cores.

Sums in another order are other results: with one thread a seed means the same on any number of cores.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold the linear algebra of numpy and scipy, and torch if it is loaded, to one thread.

    Example:
        >>> from threadpoolctl import threadpool_info
        >>> with one_thread():
        ...     {library["num_threads"] for library in threadpool_info()}
        {1}
    """
    from threadpoolctl import threadpool_limits

    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch is not None else 0
    with threadpool_limits(limits=1):
        try:
            if torch is not None:
                torch.set_num_threads(1)
            yield
        finally:
            if torch is not None:
                torch.set_num_threads(before)
