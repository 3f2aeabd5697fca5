"""The tasks of a run that play its agent: has it learned, what unplugging does, the smaller agents."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from terc.agents.policy import Policy
from terc.errors import TercWarning
from terc.pipeline.config import ABLATION, DISTILLED, FRONTIER, RECORDING, RETURNS, SELECTION, RunConfig
from terc.pipeline.run_doubts import not_learned
from terc.pipeline.worlds import World
from terc.progress import Report
from terc.returns.ablate import ablate
from terc.returns.distill import distill
from terc.returns.frontier import frontier
from terc.returns.play import play
from terc.selection.result import Selection
from terc.store import Store
from terc.trajectories.files import load


@dataclass(frozen=True)
class Playing:
    """What these tasks share."""

    config: RunConfig
    world: World
    agent: Callable[[], Policy]
    report: Report

    @property
    def _options(self) -> dict[str, Any]:
        return {"episodes": self.config.play_episodes, "seed": self.config.seed}

    def _course(self, store: Store, key: str) -> dict[str, Any]:
        """What distilling takes beside that."""
        course = {"tolerance": self.config.tolerance, "rounds": self.config.lessons}
        return self._options | self._shown(store) | course | {"folder": store.unfinished(key)}

    def learned(self, store: Store, key: str, **_: Any) -> None:
        """The agent's returns beside those of random actions, and of itself shown other moments."""
        found = play(self.world.maker(), self.agent(), **self._options, blind=True)
        store.write_json(RETURNS, found.to_dict())
        if not found.has_learned:
            warnings.warn(
                f"run: {not_learned('the agent', found)}. The run goes on, but will not say whether a "
                "smaller agent is as good.",
                TercWarning,
                stacklevel=2,
            )

    def ablate(self, store: Store, key: str, **_: Any) -> None:
        """Each variable unplugged, and all that the selection removed."""
        options = self._options | self._shown(store)
        found = ablate(self.world.maker(), self.agent(), self._selection(store), **options)
        store.write_json(ABLATION, found.to_dict())

    def distill(self, store: Store, key: str, **_: Any) -> None:
        """The smaller agent; without the seconds it took, which differ from one time to the next."""
        options = self._course(store, key)
        small = distill(self.world.maker(), self.agent(), self._selection(store), **options)
        replace(small, seconds=0.0).save(store / DISTILLED)

    def frontier(self, store: Store, key: str, **_: Any) -> None:
        """An agent for each of ever smaller sets of variables."""
        options = self._course(store, key)
        found = frontier(self.world.maker(), self.agent(), selection=self._selection(store), **options)
        store.write_json(FRONTIER, found.to_dict())

    def _selection(self, store: Store) -> Selection | None:
        found = Selection.load(store / SELECTION)
        return found if found.kept else None

    def _shown(self, store: Store) -> dict[str, Any]:
        return {"data": load(store / RECORDING), "progress": self.report}
