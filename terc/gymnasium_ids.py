"""Makes `gymnasium.make("terc/SecretKey-v0")` work after `import terc`, without importing Gymnasium for it.

Gymnasium loads no plugins since 1.0, so a package has to register its environments itself. If Gymnasium is
there already, that happens at once; otherwise on the day it is first imported. Registering stores names only:
the environments are imported when one is made.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


def announce() -> None:
    """Register the environments of `terc`, now or as soon as Gymnasium is imported."""
    if "gymnasium" in sys.modules:
        _register()
    elif not any(isinstance(finder, _OnImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _OnImport())


def _register() -> None:
    # Looked for first: a checkout without the environments must not break an import of Gymnasium.
    if importlib.util.find_spec("terc.environments.registration") is not None:
        from terc.environments.registration import register

        register()


class _OnImport(MetaPathFinder):
    """Notices the first import of Gymnasium, steps aside, and has the usual loader followed by ours."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Then(spec.loader)
        return spec


class _Then(Loader):
    """A loader that runs another one, then registers."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None:
            spec.loader = self._loader
        self._loader.exec_module(module)
        _register()
