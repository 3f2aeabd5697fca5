"""One thread for the arithmetic: matrices this small gain nothing from a second, and workers share the cores.

Sums in another order are other results: with one thread a seed means the same on any number of cores.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module


@contextmanager
def one_thread(*libraries: str) -> Iterator[None]:
    """Hold the linear algebra of numpy and scipy, and torch if it is loaded, to one thread.

    Args:
        libraries: Modules that are loaded first: what comes into the process later is not held.

    Example:
        >>> from threadpoolctl import threadpool_info
        >>> with one_thread():
        ...     {library["num_threads"] for library in threadpool_info()}
        {1}
    """
    from threadpoolctl import threadpool_limits

    for library in libraries:
        import_module(library)
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
