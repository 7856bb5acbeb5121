"""A program of others that answers trials: in ports of memory, asked by planecast-meter.so.

Frames, flows and bursts change from trial to trial, so scenarios that differ in those alone share a
process and take turns in it, as they do in planecast's own data plane. Between trials its
forwarding thread sleeps.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from typing import Self

from planecast.cleanup import private_folder
from planecast.dataplanes.command import folder_started_in, ready_words, wait_ready
from planecast.dataplanes.dut_factory import title_of
from planecast.dataplanes.in_memory import (
    program_words,
    refuse_lost,
    refuse_outside,
    switch_by_script,
)
from planecast.dataplanes.memory import env_words, pages_for, pages_of_process
from planecast.dataplanes.meter import Meter, MeterAnswer, trial_request, wait_attached
from planecast.dataplanes.metered_vpp import MeteredVpp, with_stages
from planecast.dataplanes.namespace import Namespace
from planecast.dataplanes.ovs import SEEN, OpenVswitch
from planecast.dataplanes.pmd_stats import PmdWork
from planecast.dataplanes.trial import LcoreAnswer, Trial, TrialAnswer
from planecast.errors import InputError, RunError, last_words
from planecast.instruments.window import frame_words
from planecast.process import Planned, Process, Started, dying_with_us, eal_environment
from planecast.scenario.cpus import format_cpus
from planecast.scenario.dataplanes.dpdk_memory import MemoryLayout
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.neighbour import Neighbour
from planecast.scenario.placement import Placement
from planecast.scenario.plain_flows import traffic_of_tables
from planecast.scenario.points import value_if_any
from planecast.scenario.scenario import Scenario

START_S = 60.0
TRIAL_S = 60.0
TIMED_PACKETS, TIMED_POLLS = 512, 8
"""The parts of a poll in so many packets are timed, of one in so many polls at most: readings of
the clock take some 200 cycles of a timed poll, which are in the whole. With one poll in 16 that was
3 cycles a packet in bursts of 4, and 0.4 in bursts of 32."""
WARM = 8192
"""Packets of a warm VPP before its windows, after it was asked something."""
HELD = 512
"""Packets of these: some of DPDK's bursts."""
TURNS = 4096
"""Packets whose buffers are followed after a visit, and as many before them."""
_IN, _OUT = 0, 1


@dataclass(frozen=True)
class MeteredConfig:
    """What is fixed when a program starts: the scenario without what a trial changes."""

    scenario: Scenario

    @classmethod
    def of(cls, scenario: Scenario) -> Self:
        """The process that serves a scenario. Raises InputError for one that can't be metered."""
        refuse_outside(scenario, "measured here")
        cpus, wanted = cpus_here(scenario), scenario.dataplane
        # A switch that forgets what several threads learnt would start its ports again.
        learns_once = wanted.kind == "ovs" and len(cpus) > 1
        fixed = {
            "name": "metered",
            "traffic": scenario.traffic if learns_once else traffic_of_tables(scenario),
            "placement": Placement().on(cpus),
            "neighbour": Neighbour(),
            "dataplane": wanted.model_copy(update={"stage_map": None}),
        }
        return cls(scenario.model_copy(update=fixed))

    @property
    def cpus(self) -> tuple[int, ...]:
        """Where it forwards."""
        return cpus_here(self.scenario)


class MeteredDataplane(Started):
    """A running program of others. A context manager: it never outlives its block."""

    def __init__(self, config: MeteredConfig) -> None:
        self.config = config
        self._name = title_of(config.scenario)
        self._stack = ExitStack()
        self._process: Process | None = None
        self._switch: OpenVswitch | None = None
        self._vpp: MeteredVpp | None = None
        self._learnt = 0
        """Flows that its caches know by now."""

    def plan(self, name: str = "") -> Planned:
        """What would be run, which reads no file `name`. Raises MissingError when it isn't here."""
        with private_folder() as folder:
            return Planned(tuple(program_words(self.config.scenario, Path(folder)))).moved(
                folder, "FOLDER"
            )

    def stop(self) -> None:
        """Ends it."""
        self._stack.close()

    def trial(self, trial: Trial) -> TrialAnswer:
        """Runs one trial. Raises RunError when it fails, or forwards other packets than it got."""
        scenario = trial.scenario
        self._learn(trial)
        if self._vpp is not None:
            return self._by_vpp(self._vpp, trial)
        before, worked = self._forwarded(), self._work()
        found = self._asked(trial)
        after, works = self._forwarded(), self._work()
        self._check(found, scenario.placement.burst)
        answer = self._answer(found, before, after)
        if trial.rotation:
            answer = self._with_rotations(answer, trial)
        if worked is None or works is None:
            return answer
        edges = sum(lcore.edge_cycles for lcore in found.lcores)
        own = works._replace(cycles=works.cycles - edges).since(worked)
        return answer.model_copy(update={"own_cycles_per_packet": own})

    def _with_rotations(self, answer: TrialAnswer, trial: Trial) -> TrialAnswer:
        """With what becomes of packet buffers in bursts of that size, followed for themselves."""
        short = trial.model_copy(update={"windows": 1, "packets": TURNS, "warmup": TURNS})
        found = self._asked(short, canary=0, rotation=1)
        lcores = tuple(
            lcore.model_copy(update={"rotation": own.rotation})
            for lcore, own in zip(answer.lcores, found.lcores, strict=True)
        )
        return answer.model_copy(update={"lcores": lcores})

    def _by_vpp(self, vpp: MeteredVpp, trial: Trial) -> TrialAnswer:
        """Its nodes' clocks begin when it is warm: they count every packet."""
        vpp.send(trial.scenario)
        self._asked(trial.model_copy(update={"windows": 1}))
        vpp.begin()
        found = self._asked(trial.model_copy(update={"warmup": min(trial.warmup, WARM)}))
        sent = vpp.sent()
        self._check(found, trial.scenario.placement.burst)
        answer = self._answer(found, (0, 0), (sent.entered, sent.went))
        lcores = tuple(
            lcore.model_copy(update={"windows": with_stages(lcore.windows, sent.stages)})
            for lcore in answer.lcores
        )
        return answer.model_copy(update={"lcores": lcores})

    def request(self, trial: Trial, **more: object) -> str:
        """The line that asks the meter for a trial, with `more` of its words."""
        burst = trial.scenario.placement.burst
        words: dict[str, object] = {"burst": burst, **more}
        if self.config.scenario.dataplane.kind != "vpp":  # makes packets, 256 at a time
            words["clock"] = max(TIMED_POLLS, TIMED_PACKETS // burst)
            words |= frame_words(trial.scenario)
        if self.config.scenario.dataplane.kind == "command":  # how the others keep buffers is known
            words["fresh"] = 1
        return trial_request(trial.windows, trial.packets, trial.warmup, TRIAL_S, words)

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        for running in (self._switch, self._vpp, self._process):
            if running is not None:
                running.check()

    def _asked(self, trial: Trial, **more: object) -> MeterAnswer:
        try:
            return self._meter.trial(self.request(trial, **more), TRIAL_S)
        except RunError:
            self._refuse_ended()
            raise

    def _refuse_ended(self) -> None:
        """Raises with its last words when it has ended, or does so soon: the meter hears of it
        first."""
        if self._process is not None:
            self._process.check(1.0)
        self.check()

    def _learn(self, trial: Trial) -> None:
        """Shows a switch all flows where they are not those of the trial before, which it forgets
        first: some of them would stay in its exact-match cache for ever."""
        flows, wanted = trial.scenario.traffic.flows, trial.scenario.dataplane
        if self._switch is None or wanted.kind != "ovs" or flows == self._learnt:
            return
        if self._learnt:
            self._meter.release()  # asleep, its thread would look at its orders every 20 s
            self._switch.restart_thread()
            self._meter.idle()
            self._switch.forget()
        packets = SEEN * max(flows, wanted.rules) // len(self.config.cpus)
        with self._switch.learning():
            self._asked(trial.model_copy(update={"windows": 1, "warmup": packets}))
        self._learnt = flows

    def _check(self, found: MeterAnswer, burst: int) -> None:
        every = [lcore.windows for lcore in found.lcores]
        packets = sum(sum(windows.packets) for windows in every)
        bursts = sum(sum(windows.bursts) for windows in every)
        if packets != burst * bursts:
            raise InputError(
                f"packets came in bursts of {packets / max(bursts, 1):.3g} and not of {burst}: it "
                "asks its port for fewer at a time",
                "placement.burst",
                "set it to what the program asks for, or lower",
            )
        used = sorted(lcore.cpu for lcore in found.lcores)
        if used != sorted(self.config.cpus):
            wanted = format_cpus(self.config.cpus)
            raise RunError(
                f"it forwards on CPU {format_cpus(used)} and not on {wanted}",
                self._name,
                "give the lcore that forwards the CPU {cpu} in dataplane.command"
                if self.config.scenario.dataplane.kind == "command"
                else "",
            )

    def _lost(self) -> str:
        """What to do where packets don't come out."""
        if self.config.scenario.dataplane.kind != "command":
            return ""
        return (
            "let it forward every packet: no rule that drops, nothing thrown away at its start "
            "(testpmd's --no-flush-rx)"
        )

    def _answer(
        self, found: MeterAnswer, before: tuple[int, int], after: tuple[int, int]
    ) -> TrialAnswer:
        came, left = after[_IN] - before[_IN], after[_OUT] - before[_OUT]
        refuse_lost(came, left, "measured", self._name, held=HELD, what_to_do=self._lost())
        attached = self._meter.attached
        assert attached is not None
        lcores = tuple(
            LcoreAnswer(cpu=lcore.cpu, chain=i, segment=0, clock_cost=0, windows=lcore.windows)
            for i, lcore in enumerate(found.lcores)
        )
        return TrialAnswer(
            trial={},
            lcores=lcores,
            packets_in=came,
            copies=0,
            packets_out=left,
            in_flight=0,
            drops={},
            conserved=True,
            interrupted=False,
            tsc_hz=attached.tsc_hz,
            page_size=self._page_size(),
            simd_bits=0,
            dpdk=attached.dpdk,
        )

    def _forwarded(self) -> tuple[int, int]:
        """Packets that came in, and that went out."""
        comes_in, goes_out = self._meter.stats(_IN), self._meter.stats(_OUT)
        return comes_in.rx_packets, goes_out.tx_packets + comes_in.tx_packets  # it may send back

    def _work(self) -> PmdWork | None:
        """By a switch's own counters; None for programs without any. The meter's thread sleeps, so
        all that it forwarded is in them."""
        return None if self._switch is None else self._switch.work()

    def _page_size(self) -> str | None:
        running = self._switch or self._vpp or self._process
        return None if running is None else pages_of_process(running.pid)

    def _start(self) -> None:
        """Starts it and waits until it forwards. Raises MissingError, InputError or RunError."""
        scenario = self.config.scenario
        kind = scenario.dataplane.kind
        sockets = kind in ("ovs", "vpp")
        folder = Path(self._stack.enter_context(private_folder(for_sockets=sockets)))
        own = folder / "program"
        own.mkdir()
        layout: MemoryLayout = value_if_any(scenario, "dataplane.memory") or "as-hugepages"
        self._meter = Meter(pages_for(layout), kind)
        self._stack.callback(self._meter.close)
        loads = env_words(self._meter.environment())
        if kind == "ovs":
            self._start_switch(folder, loads)
        elif kind == "vpp":
            self._vpp = MeteredVpp(scenario, own, self._meter, loads)
            self._stack.enter_context(self._vpp)
        else:
            self._start_program(own, loads)
        self._meter.started()
        try:
            waiting = wait_attached(self._meter, _IN, "rx", time.monotonic() + START_S, _OUT)
        except RunError:
            self._refuse_ended()
            raise
        if waiting:
            raise RunError(
                f"it does not forward after {START_S:.0f} s: {waiting}",
                self._name,
                said=() if self._process is None else last_words(None, self._process.said()),
            )
        if self._process is not None:
            wait_ready(ready_words(scenario), self._process)  # its forwarding thread sleeps
        if self._switch is not None:
            self._switch.forget()

    def _start_program(self, folder: Path, loads: list[str]) -> None:
        self._process = Process(
            self._name,
            dying_with_us([*loads, *program_words(self.config.scenario, folder)]),
            environment=eal_environment(folder),
            folder=folder_started_in(self.config.scenario, folder),
            stdin=PIPE,  # testpmd ends when it is closed
            descriptors=[self._meter.descriptor],
        )
        self._stack.enter_context(self._process)

    def _start_switch(self, folder: Path, loads: list[str]) -> None:
        inside = self._stack.enter_context(Namespace(folder))
        fds = (self._meter.descriptor,)
        switch = switch_by_script(self.config.scenario, folder, loads, inside.words, fds)
        self._stack.enter_context(switch)
        self._switch = switch
