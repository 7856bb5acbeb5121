"""The testbed: our generator on one CPU, our data plane on another, memory interfaces between them.

    generator ── memif 0, placement.rx_ring slots ──> data plane
              <── memif 1, placement.tx_ring slots ──

A memif refuses what it has no room for, so a tester can wait; a wire can't. So the generator drops
what is refused (``when_full = drop``) and tells it: that is the receive ring's loss, as a NIC's is.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from planecast.dataplanes import Dataplane, DataplaneConfig, PortTrial, TrialAnswer, configs_for
from planecast.dataplanes.end import End, eal_words
from planecast.engines.measure.pacing import CPU_SHARES, DATAPLANE_AWAY_S, WATCHED_S, trial_keys
from planecast.engines.measure.sender import EalWords, joined, sender
from planecast.errors import InputError, MissingError, RunError
from planecast.generators import Generator, GeneratorConfig
from planecast.generators.matching import matching_stream
from planecast.host.cpu_time import away_seconds, pinned_seconds
from planecast.instruments.dpdk_telemetry import port_counters
from planecast.leftovers import private_folder
from planecast.process import Planned
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.override import with_overrides
from planecast.scenario.scenario import Scenario

DRAIN_S = 0.005
"""The generator goes on receiving until nothing came for so long; a full ring takes 0.1 ms."""
_LEAD_S = 0.006
"""The data plane polls so long before packets come: it has to wake up."""
_TAIL_S = 0.015
"""And so long after the last is due, for all that starts and stops late on a busy machine."""
_CONNECT_TRIALS = 20
CLOCK = "placement.stage_clock"


@dataclass(frozen=True)
class LoadTrial:
    """What one trial gave, by both programs."""

    sent: dict[str, Any]
    """The generator's answer (interfaces.md, section 4)."""
    forwarded: TrialAnswer
    """The data plane's."""
    whole: bool
    """Whether the data plane polled until the last packet had come."""


class Testbed:
    """Both programs, joined. A context manager: nothing of it outlives its block."""

    __test__ = False  # not one of pytest's

    def __init__(self, scenario: Scenario, generator_cpu: int, *, telemetry: bool = False) -> None:
        """`telemetry` opens DPDK's socket of the data plane. Raises InputError for a scenario that
        can't be fed over memif."""
        self.scenario = scenario
        self._cpu = generator_cpu
        self._stream = matching_stream(scenario)
        self._stack = ExitStack()
        self._telemetry = telemetry

    @property
    def dataplane_config(self) -> DataplaneConfig:
        """What the data plane is started with."""
        config = configs_for([self.scenario])[0]
        return replace(config, rx="0", tx="1", telemetry=self._telemetry)

    def generator_config(self, folder: Path) -> GeneratorConfig:
        """What the generator is started with."""
        return joined(self._cpu, self._stream, DRAIN_S, self.ends(folder, server=False))

    def ends(self, folder: Path, *, server: bool) -> list[End]:
        """Where one side sends or takes, and where the other; the client's ring sizes hold."""
        rings = (self.scenario.placement.rx_ring, self.scenario.placement.tx_ring)
        return [
            End(kind="memif", address=str(folder / f"memif{number}.sock"), ring=ring, server=server)
            for number, ring in enumerate(rings)
        ]

    def planned(self, folder: Path) -> list[Planned]:
        """The processes that it starts, with their sockets in `folder`; a generator of others runs
        already. Raises MissingError for a program that isn't built."""
        memifs = eal_words(self.ends(folder, server=True))
        found = [Dataplane(self.dataplane_config, memifs).plan()]
        if self.scenario.generator.kind == "ours":
            found.append(Generator(self.generator_config(folder)).plan())
        return found

    def __enter__(self) -> Self:
        try:
            folder = Path(self._stack.enter_context(private_folder(for_sockets=True)))
            self._dataplane = self._stack.enter_context(
                Dataplane(self.dataplane_config, eal_words(self.ends(folder, server=True)))
            )
            sends, receives = self.ends(folder, server=False)
            self._generator = self._stack.enter_context(
                sender(
                    self.scenario,
                    self.generator_config(folder),
                    EalWords(()),
                    (sends.device(0), receives.device(1)),
                    DRAIN_S,
                )
            )
            self._connect()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _connect(self) -> None:
        """Waits until packets come through. Raises RunError when none do."""
        for _ in range(_CONNECT_TRIALS):
            if self.trial(10_000.0, 0.01).sent["total"]["received"]:
                return
        raise RunError("no packet came back from the data plane over the memory interfaces")

    @property
    def cpus(self) -> tuple[int, int]:
        """The data plane's, and the generator's."""
        return cpus_here(self.scenario)[0], self._cpu

    def _cpu_seconds(self) -> tuple[float | None, float | None]:
        """CPU time that the data plane's thread has had, and our generator's."""
        generator = self._generator
        pids = (self._dataplane.pid, generator.pid if isinstance(generator, Generator) else None)
        dataplane, sender = (
            None if pid is None else pinned_seconds(pid, cpu)
            for pid, cpu in zip(pids, self.cpus, strict=True)
        )
        return dataplane, sender

    def _away_seconds(self) -> float | None:
        pid = self._dataplane.pid
        return None if pid is None else away_seconds(pid, self.cpus[0])

    def idle(self, seconds: float) -> TrialAnswer:
        """Polls an empty port for so long; packets that a trial left behind are forwarded."""
        self._dataplane.start(PortTrial(seconds=seconds, scenario=self.scenario))
        return self._dataplane.finish(seconds + 60)

    def ports(self) -> dict[str, int]:
        """What the data plane's ports have counted; empty without telemetry. Raises RunError."""
        socket = self._dataplane.ready.get("telemetry")
        return {} if socket is None else port_counters(Path(socket))

    def trial(
        self,
        offered_pps: float | None,
        seconds: float,
        *,
        every_burst: bool = False,
        warm_up_s: float = 0.0,
    ) -> LoadTrial:
        """One trial at a rate, or as fast as the generator can; read after it has drained.

        With `every_burst` the data plane reads its stage clock in each burst. For `warm_up_s` our
        generator sends at the same rate before it counts; the data plane counts all.
        """
        late_s = self._generator.late_s
        window_s = _LEAD_S + warm_up_s + seconds + DRAIN_S + _TAIL_S + late_s
        if offered_pps is not None:
            self._generator.prepare(round(offered_pps), seconds)
        scenario = with_overrides(self.scenario, {CLOCK: 1}) if every_burst else self.scenario
        had, was_away = self._cpu_seconds(), self._away_seconds()
        self._dataplane.start(PortTrial(seconds=window_s, scenario=scenario))
        time.sleep(_LEAD_S)
        keys = trial_keys(self.scenario, offered_pps)
        if warm_up_s > 0:
            keys["warm_up_ms"] = f"{warm_up_s * 1e3:g}"
        self._generator.start(seconds=seconds, keys=keys)
        # Asked before, the generator's main thread would look for the end every millisecond.
        time.sleep(warm_up_s + seconds + DRAIN_S)
        sent = self._generator.wait()
        forwarded = self._dataplane.finish(window_s + 60)
        busy_s = warm_up_s + sent["seconds"] + sent["drain_ms"]["took"] / 1e3
        for key, one, other, length in zip(
            CPU_SHARES, had, self._cpu_seconds(), (window_s, busy_s), strict=True
        ):
            if one is not None and other is not None:
                sent[key] = min((other - one) / length, 1.0)
        is_away = self._away_seconds()
        if is_away is not None and was_away is not None:
            sent[DATAPLANE_AWAY_S], sent[WATCHED_S] = is_away - was_away, window_s
        # What came after the data plane's window is in the ring still.
        came = sent["total"]["sent"] + sent.get("warm_up_sent", 0)
        whole = forwarded.packets_in == came and not sent["gave_up"]
        if not whole:
            self.idle(DRAIN_S)
        return LoadTrial(sent, forwarded, whole)


def generator_cpu(scenario: Scenario, wanted: int | None, allowed: Sequence[int]) -> int:
    """The generator's CPU: as wanted, else the first that the data plane leaves free.

    Raises InputError for a CPU that the data plane has or that isn't there, MissingError without a
    second CPU.
    """
    taken = cpus_here(scenario)
    free = [cpu for cpu in allowed if cpu not in taken]
    if wanted is not None:
        if wanted in free:
            return wanted
        why = "the data plane forwards on it" if wanted in taken else "it is not there for us"
        raise InputError(f"CPU {wanted} can't send: {why}", f"--generator-cpu {wanted}")
    if not free:
        raise MissingError(
            "the generator needs a CPU of its own, beside the data plane's",
            "placement.lcores",
            "two CPUs are needed",
        )
    return free[0]
