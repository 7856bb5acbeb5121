"""The processes of a run, one for each configuration, started again and again."""

from __future__ import annotations

import os
from collections import deque
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
        host takes memory that nobody uses for a while, and giving it back page by page was most of
        a start (docs/explanation/measuring.md). Raises as starting a process does."""
        ending = [self._stacks[at] for at in self._random.permutation(len(self._stacks))]
        self._stacks.clear()
        # As many build their tables as there are CPUs, and EAL of one more times its clock asleep.
        together = len(os.sched_getaffinity(0)) + 1
        begun: deque[tuple[ExitStack, Answering]] = deque()
        for at in self._random.permutation(len(self._configs)):
            if len(begun) == together:
                _wait_for(*begun.popleft())
            if ending:
                ending.pop().close()
            begun.append(self._begin(self._configs[at]))
        for last in begun:
            _wait_for(*last)

    def _begin(self, config: Process) -> tuple[ExitStack, Answering]:
        stack = self.enter_context(ExitStack())
        self._stacks.append(stack)
        self._running[config] = one = process(config, self._eal_arguments)
        stack.callback(one.stop)
        one.begin()
        return stack, one


def _wait_for(stack: ExitStack, one: Answering) -> None:
    stack.enter_context(one)
