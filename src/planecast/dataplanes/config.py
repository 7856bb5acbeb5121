"""What a data plane's process is configured with, and which scenarios one process can serve.

Tables, rings, pages and CPUs are fixed when a process starts; bursts, flows, stages and frame sizes
change from trial to trial. Scenarios that agree on the former share a process, so that their trials
can be interleaved on the very same tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from planecast.native import native_program
from planecast.scenario.cpus import format_cpus
from planecast.scenario.host_cpus import cpus_here, refuse_offline
from planecast.scenario.model import list_text
from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import Workload

MBUF_ROOM_BYTES = 2048
"""Frames up to here fit the usual buffers; longer ones need a process with larger buffers."""
ETHERNET_BYTES = 1518
"""Ethernet's usual maximum, with FCS."""

_BURST_MOST = 256
_POOL_CACHE = 384
"""Buffers that DPDK keeps for an lcore before it gives some back: 1.5 times the pool's 256."""

LONGEST_AGEING_S = 1_000_000


Sections = tuple[tuple[str, tuple[tuple[str, object], ...]], ...]
"""Of an INI file, each with its keys."""


@dataclass(frozen=True)
class DataplaneConfig:
    """The INI file of one process."""

    fixed: Sections
    """What a scenario fixes for all trials of the process."""
    rings: int
    """Packets that the rings of an input hold."""
    cuts: int
    """How many there are."""
    cpus: tuple[int, ...]
    """Forwarding CPUs; a trial on fewer lcores takes the first ones."""
    rx: str = "internal"
    """Where packets come from: ``internal`` or the number of a DPDK port among the arguments;
    several with commas between them."""
    tx: str = "internal"
    """Where they go."""
    page_size: str = "auto"
    telemetry: bool = False
    """Whether DPDK's telemetry socket is open."""
    ageing_s: int = 0
    """Seconds after which a bridge forgets a silent station; 0: the program's own."""

    @property
    def mbufs(self) -> int:
        """Packet buffers of a pipeline without ports, or of a cut one: what its rings and caches
        can hold, and no more.

        The other 30,000 of a usual pool would be 70 MB that nothing touches after the start.
        An lcore that sends what it received takes again the buffers that it gave back last. From
        the last lcore of a chain they come back through the pool's ring, the oldest first: every
        packet then gets the buffer that was used longest ago, and of the program's usual 32,768
        none is in a core's cache by then (measured: 5.1 instead of 7.8 million packets a second).
        """
        rings = (self.rx.count(",") + 1) * self.rings
        needed = 2 * (rings + _BURST_MOST) + _POOL_CACHE * (self.cuts + 1)
        return 1 << (needed - 1).bit_length()

    @property
    def main_cpu(self) -> int:
        """CPU of the main lcore, which sleeps: the first that doesn't forward, below the last."""
        return next((cpu for cpu in range(max(self.cpus) + 1) if cpu not in self.cpus), 0)


def _usual_frame_bytes(scenario: Scenario) -> int:
    """Longest frame of a process that sets none. A traffic manager's MTU is shorter
    than a buffer."""
    return ETHERNET_BYTES if scenario.workload.kind == "vpe-downstream" else MBUF_ROOM_BYTES


def _tables(workload: Workload) -> dict[str, object]:
    """The keys of a function's tables, which others don't have."""
    found: dict[str, object] = {
        key: getattr(workload, key) for key in ("acl_rules", "flows", "flow_table", "routes")
    }
    found["flows"] = workload.most_active_flows  # no trial may have more
    if workload.kind == "vpe-downstream":
        found |= {
            "down_lookup": workload.down_lookup,
            "tm_rate": workload.tm_rate,
            "tm_pipe_rate": workload.tm_pipe_rate,
            "tm_red": "on" if workload.tm_red else "off",
        }
    if workload.polices:
        found |= {"meter_rate": workload.meter_rate, "meter_burst": workload.meter_burst}
    if workload.kind == "l2bridge":
        found["bridge_entries"] = workload.bridge_entries
    if workload.kind == "ip4":
        found |= {
            key: getattr(workload, key) for key in ("route_lookup", "route_depth", "next_hops")
        }
    return found


def _config(scenario: Scenario, cpus: tuple[int, ...]) -> DataplaneConfig:
    traffic, placement, kind = scenario.traffic, scenario.placement, scenario.workload.kind
    long = traffic.frame_bytes > _usual_frame_bytes(scenario)
    waits = placement.ring_wait or not placement.cuts
    rings = {key: getattr(placement, key) for key in ("rx_ring", "tx_ring", "handoff_ring")}
    sections: dict[str, dict[str, object]] = {
        "pipeline": {
            "function": kind,
            "cuts": list_text(placement.cuts),
            **({} if waits else {"ring_wait": "off"}),
        },
        "tables": _tables(scenario.workload),
        "traffic": {
            "frame_bytes": traffic.frame_bytes if long else 64,
            "flows": scenario.workload.flows,
            "destination_step": traffic.destination_step,
            "seed": traffic.seed,
        },
        "pool": rings,
    }
    ports = "internal,internal" if kind == "l2bridge" else "internal"
    cuts = len(placement.cuts)
    return DataplaneConfig(
        fixed=tuple((name, tuple(keys.items())) for name, keys in sections.items()),
        rings=rings["rx_ring"] + rings["tx_ring"] + rings["handoff_ring"] * cuts,
        cuts=cuts,
        cpus=cpus,
        rx=ports,
        tx=ports,
        page_size=placement.page_size,
    )


def configs_for(scenarios: Sequence[Scenario]) -> list[DataplaneConfig]:
    """For each scenario the process that serves it; scenarios that can share one, do.

    Two sets of CPUs can share a process when one contains the other: the process has the larger
    one, the smaller one's CPUs first.
    """
    chains: dict[DataplaneConfig, list[tuple[int, ...]]] = {}
    keys = []
    for scenario in sorted(scenarios, key=lambda s: s.placement.lcores):
        chain = chains.setdefault(_config(scenario, (0,)), [])
        _extend(chain, cpus_here(scenario))
    for scenario in scenarios:
        cpus = cpus_here(scenario)
        chain = chains[_config(scenario, (0,))]
        keys.append(_config(scenario, next(c for c in chain if set(c[: len(cpus)]) == set(cpus))))
    return keys


def _extend(chain: list[tuple[int, ...]], cpus: tuple[int, ...]) -> None:
    """Makes room for `cpus` in one of the orders, or begins another. They come smallest first."""
    for position, order in enumerate(chain):
        if len(order) <= len(cpus) and set(order) <= set(cpus):
            chain[position] = order + tuple(cpu for cpu in cpus if cpu not in order)
            return
        if set(order[: len(cpus)]) == set(cpus):
            return
    chain.append(cpus)


def config_text(config: DataplaneConfig, scenario: Scenario | None = None) -> str:
    """The INI file; with a scenario also what its trials would set."""
    sections = {name: dict(keys) for name, keys in config.fixed}
    if config.cuts or (config.rx, config.tx) == ("internal", "internal"):
        sections["pool"]["mbufs"] = config.mbufs
    sections["machine"] = {
        # Not format_cpus: the order matters, a trial takes the first ones.
        "lcores": ",".join(str(cpu) for cpu in config.cpus),
        "main_cpu": config.main_cpu,
        "page_size": config.page_size,
    }
    if config.telemetry:
        sections["machine"]["telemetry"] = "on"
    if config.ageing_s and "bridge_entries" in sections["tables"]:
        sections["tables"]["ageing_s"] = config.ageing_s
    if (config.rx, config.tx) != ("internal", "internal"):
        sections["ports"] = {"rx": config.rx, "tx": config.tx}
    if scenario is not None:
        sections["traffic"]["frame_bytes"] = scenario.traffic.frame_bytes
        sections["traffic"]["flows"] = scenario.traffic.flows
        sections["pipeline"] |= {
            "stages": ",".join(scenario.workload.stages) or "none",
            "burst": scenario.placement.burst,
            "stage_clock": scenario.placement.stage_clock,
        }
        sections["machine"]["lcores"] = format_cpus(cpus_here(scenario))
    lines: list[str] = []
    for name, keys in sections.items():
        lines += [f"[{name}]", *(f"{key} = {value}" for key, value in keys.items())]
    return "\n".join(lines) + "\n"


def write_config(config: DataplaneConfig, path: Path, scenario: Scenario | None = None) -> None:
    """Writes the INI file. Raises OSError for what the disk refuses."""
    path.write_text(config_text(config, scenario), encoding="utf-8")


def once_config(scenario: Scenario) -> DataplaneConfig:
    """The configuration of a run under an instrument, on one uncut lcore, without a stage clock.

    Instruments slow the program down a thousandfold, but not its clock: a bridge would look for
    aged stations in every burst, so it ages them after days.
    """
    return replace(configs_for([_on_one_lcore(scenario)])[0], ageing_s=LONGEST_AGEING_S)


def _on_one_lcore(scenario: Scenario) -> Scenario:
    one = scenario.placement.on(cpus_here(scenario)[:1])
    placement = one.model_copy(update={"cuts": (), "stage_clock": 0})
    return scenario.model_copy(update={"placement": placement})


def once_command(
    scenario: Scenario, folder: Path, packets: int, *, instrument: str, portable: bool
) -> list[str]:
    """The command that forwards `packets` once under an instrument; writes its configuration.

    `portable` takes the build for x86-64-v3, which valgrind can run, on 4 KiB pages: valgrind maps
    no large ones, and instructions don't depend on them. One uncut lcore counts: the
    instructions of a packet don't depend on how many there are, but for handing it on. The clock is
    not read between stages. Raises MissingError when the program is not built, InputError for a CPU
    that is not there.
    """
    config = once_config(scenario)
    if portable:
        config = replace(config, page_size="4KiB")
    program = native_program("planecast-dataplane-v3" if portable else "planecast-dataplane")
    refuse_offline(config.cpus)
    path = folder / f"burst{scenario.placement.burst}-{packets}.ini"
    write_config(config, path, _on_one_lcore(scenario))
    return [str(program), str(path), "--packets", str(packets), "--instrument", instrument]
