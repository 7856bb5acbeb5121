"""The processes of a run, one for each configuration, started again and again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np

from planecast.dataplanes.processes import Answering, Process, process


class Running(ExitStack):
    """One process for each configuration. They sleep while another one forwards. A context manager:
    none outlives its block."""

    def __init__(
        self, configs: Sequence[Process], eal_arguments: Sequence[str], random: np.random.Generator
    ) -> None:
        super().__init__()
        self._configs = list(dict.fromkeys(configs))
        self._eal_arguments = tuple(eal_arguments)
        self._random = random
        self._stacks: list[ExitStack] = []
        self._running: dict[Process, Answering] = {}

    def __getitem__(self, config: Process) -> Answering:
        return self._running[config]

    def restart(self) -> None:
        """Starts all, or each again in the memory that another one gave back just before: a guest's
        host takes memory that nobody uses for two seconds, and giving it back page by page took
        four fifths of the time of a start. Raises as starting a process does."""
        ending = [self._stacks[at] for at in self._random.permutation(len(self._stacks))]
        self._stacks.clear()
        for at in self._random.permutation(len(self._configs)):
            if ending:
                ending.pop().close()
            self._start(self._configs[at])

    def _start(self, config: Process) -> None:
        self._stacks.append(self.enter_context(ExitStack()))
        self._running[config] = self._stacks[-1].enter_context(
            process(config, self._eal_arguments)
        )
