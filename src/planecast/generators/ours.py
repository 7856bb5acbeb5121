"""planecast's own generator: a process of it, and its requests (interfaces.md, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planecast.errors import RunError
from planecast.generators.config import GeneratorConfig, config_text
from planecast.json_process import JsonProcess

_ANSWER_TIMEOUT_S = 30.0
"""A start waits for links, at most a second or so; the rest is a machine that is busy."""
_DRAIN_TIMEOUT_S = 120.0
"""Draining ends when nothing of ours came for ``drain_ms``, 60 s at the most."""


class Generator(JsonProcess):
    """A running process that sends on request. A context manager: it never outlives its block."""

    def __init__(
        self,
        config: GeneratorConfig,
        eal_arguments: Sequence[str] = (),
        before: Sequence[str] = (),
    ) -> None:
        super().__init__(
            "planecast-generator", "the generator", config_text(config), eal_arguments, before
        )
        self.config = config

    late_s = 0.0
    """A run begins and ends when it is asked to."""

    def prepare(self, rate_pps: float, seconds: float) -> None:
        """Nothing: it is always ready."""

    def start(
        self,
        streams: Sequence[str] = (),
        seconds: float | None = None,
        keys: Mapping[str, object] | None = None,
    ) -> None:
        """Starts a run and returns. Of these streams, or of all; until `stop` or their end.

        `keys` of ``[run]`` and of the streams hold for this run alone.
        """
        words = ["start"]
        if seconds is not None:
            words.append(f"seconds={seconds}")
        if streams:
            words.append(f"streams={','.join(streams)}")
        words += [f"{key}={value}" for key, value in (keys or {}).items()]
        self._ask(" ".join(words), _ANSWER_TIMEOUT_S)

    def stats(self) -> dict[str, Any]:
        """The run by now, without histograms."""
        return self._ask("stats", _ANSWER_TIMEOUT_S)

    def stop_run(self) -> dict[str, Any]:
        """Ends sending, waits until it has drained; the run."""
        return self._ask("stop", _DRAIN_TIMEOUT_S)

    def wait(self, timeout_s: float = _DRAIN_TIMEOUT_S) -> dict[str, Any]:
        """Waits until the run is over and drained; the run."""
        return self._ask("wait", timeout_s)

    def _ask(self, request: str, timeout_s: float) -> dict[str, Any]:
        """Raises RunError when the request is refused, fails, or takes too long."""
        answer = self.ask(request, timeout_s)
        if "error" in answer:
            raise RunError(f"the generator refused a request: {answer['error']}")
        return answer
