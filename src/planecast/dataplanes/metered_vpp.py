"""VPP that answers trials: what is asked of it by its own command line, next to the meter.

Its one thread answers that command line, too, and while it sleeps it does so every 20 ms. So it is
woken to be asked, without packets: its clocks tick while another process has its CPU.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from planecast.dataplanes.in_memory import program_in_memory
from planecast.dataplanes.meter import Meter
from planecast.dataplanes.trial import Windows
from planecast.dataplanes.vpp_in_memory import MADE, VppInMemory
from planecast.dataplanes.vpp_runtime import NODE
from planecast.dataplanes.vpp_stages import stage_of
from planecast.process import Started
from planecast.results.estimate import Estimate
from planecast.scenario.scenario import Scenario
from planecast.workload.stage_map import stage_map

GENERATOR = f"{NODE}pg-input"
"""It sleeps between trials, and windows begin and end in it: its clocks are none."""


class Sent(NamedTuple):
    """What VPP has counted."""

    came: int
    went: int
    stages: Mapping[str, float]
    """TSC cycles a packet by stage: of its nodes but the generator's, without the main loop."""

    @property
    def entered(self) -> int:
        """Packets that entered its graph. What is made counts as received at once, and waits with
        the generator: `MADE` more or fewer than before, at most; what else is missing was lost."""
        return self.went if abs(self.came - self.went) <= MADE else self.came


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

    def send(self, scenario: Scenario) -> None:
        """From the next trial on the scenario's packets come. Raises as `VppInMemory.send` does."""
        with self._awake():
            self._vpp.send(scenario)

    def begin(self) -> None:
        """Forgets what it has counted."""
        with self._awake():
            self._vpp.begin_opinion()

    def sent(self) -> Sent:
        """What became of packets since then."""
        with self._awake():
            came, went = self._vpp.forwarded()
            return Sent(came, went, node_stages(self._vpp.opinion()))

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


def with_stages(windows: Windows, stages: Mapping[str, float]) -> Windows:
    """Windows divided as VPP's own clocks divide their whole trial, disturbances and all; what is
    left is the source's, and the main loop's."""
    whole = sum(windows.cycles) / max(sum(windows.packets), 1)
    shares = {name: cycles / whole for name, cycles in stages.items()}
    shares = {"source": max(1 - sum(shares.values()), 0.0), **shares}
    return windows.model_copy(
        update={
            "sampled_packets": windows.packets,
            "sampled_bursts": windows.bursts,
            "stage_cycles": {
                name: tuple(round(share * cycles) for cycles in windows.cycles)
                for name, share in shares.items()
            },
        }
    )


def node_stages(opinion: Mapping[str, Estimate]) -> dict[str, float]:
    """TSC cycles a packet of its nodes by stage, in the map's order, without the generator's."""
    found: dict[str, float] = defaultdict(float)
    for name, cycles in opinion.items():
        if name.startswith(NODE) and name != GENERATOR:
            found[stage_of(name.removeprefix(NODE))[0]] += cycles.value
    return {name: found[name] for name in stage_map("vpp").in_order(list(found))}
