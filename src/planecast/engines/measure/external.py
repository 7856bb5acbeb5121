"""What forwards is there already: a generator of others, and nothing that we start."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any, Self

from planecast.engines.measure.sender import other_sender
from planecast.errors import InputError, RunError
from planecast.scenario.scenario import Scenario

DRAIN_S = 0.05
_CONNECT_PPS = 10_000.0
_CONNECT_S = 0.1
_CONNECT_TRIALS = 10


class ExternalRig:
    """A generator of others around a data plane that nobody here starts or ends."""

    def __init__(self, scenario: Scenario) -> None:
        """Raises InputError for our own generator: it would have to be told of devices."""
        if scenario.generator.kind == "ours":
            raise InputError(
                "nothing is started, and planecast's own generator has no ports of its own",
                "dataplane.kind",
                "name another one (generator.kind: otg or trex, its server and ports)",
            )
        self._generator = other_sender(scenario, None, DRAIN_S)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        try:
            self._stack.enter_context(self._generator)
            self._connect()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        self._stack.close()

    def trial(self, offered_pps: float, seconds: float) -> dict[str, Any]:
        """The generator's answer to one trial, after it has drained."""
        self._generator.start(seconds=seconds, keys={"rate": f"{offered_pps:.0f}"})
        time.sleep(seconds)
        return self._generator.wait()

    def _connect(self) -> None:
        """Raises RunError when no packet comes back."""
        for _ in range(_CONNECT_TRIALS):
            if self.trial(_CONNECT_PPS, _CONNECT_S)["total"]["received"]:
                return
        raise RunError("no packet came back from what is between the ports", "generator.ports")
