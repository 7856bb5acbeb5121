"""VPP that answers trials: what is asked of it by its own command line, next to the meter.

Its one thread answers that command line, too, and while it sleeps it does so every 20 ms: so it
forwards on while it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from planecast.dataplanes.in_memory import program_in_memory
from planecast.dataplanes.meter import Meter
from planecast.dataplanes.vpp_in_memory import VppInMemory
from planecast.process import Started
from planecast.scenario.scenario import Scenario


class MeteredVpp(Started):
    """A VPP with a meter. Entered, packets of its first scenario flow."""

    def __init__(
        self, scenario: Scenario, folder: Path, meter: Meter, before: Sequence[str]
    ) -> None:
        """`folder` is empty, private, and its own; `before` loads the meter. Raises InputError for
        a CPU that isn't there."""
        vpp = program_in_memory(scenario, folder, before, (meter.descriptor,))
        assert isinstance(vpp, VppInMemory)
        self._scenario = scenario
        self._vpp = vpp
        self._meter = meter

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return self._vpp.pid

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        self._vpp.check()

    def stop(self) -> None:
        """Ends it."""
        self._vpp.stop()

    def send(self, scenario: Scenario) -> tuple[int, int]:
        """From the next trial on the scenario's packets come; what `forwarded` gives by then.

        Raises as `VppInMemory.send` does."""
        with self._awake():
            self._vpp.send(scenario)
            return self._vpp.forwarded()

    def forwarded(self) -> tuple[int, int]:
        """Packets that came in, and that went out, since its start."""
        with self._awake():
            return self._vpp.forwarded()

    def _start(self) -> None:
        """Raises MissingError without VPP, RunError when it fails."""
        self._vpp.__enter__()
        self._vpp.send(self._scenario)

    @contextmanager
    def _awake(self) -> Iterator[None]:
        self._meter.release()
        try:
            yield
        finally:
            self._meter.idle()
