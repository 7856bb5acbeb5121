"""l3fwd, DPDK's example of a router, built from the sources of the distribution's package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from planecast.dataplanes.external_dpdk import (
    MEMORY_MIB,
    ExternalDpdkPlan,
    lcore_arguments,
    vdev_arguments,
)
from planecast.dataplanes.memory import Pages
from planecast.native import set_up
from planecast.scenario.dataplanes.packets import Packets

_UDP = "0x11"
_HASH_MIB = 1024
"""Its hashes have four million entries each, of 32 and 64 bytes, whatever the flows are."""


def plan_l3fwd(
    program: Path,
    vdevs: Sequence[str],
    rules: Path,
    *,
    cpus: Sequence[int],
    lookup: Literal["lpm", "fib", "em"] = "lpm",
    pages: Pages = "2MiB",
) -> ExternalDpdkPlan:
    """l3fwd on `cpus`, each with a queue of every port; bursts are its own 32.

    Its main lcore is one that forwards: l3fwd opens as many TX queues as it has lcores, and a
    virtual port may have one only. `rules` is a file of `write_rules`, or of `write_flows` for em.
    A virtual port reports no packet type, so l3fwd looks for itself (--parse-ptype), as it does for
    a NIC that reports none.
    """
    lcores = range(len(cpus))
    queues = ",".join(f"({port},{i},{i})" for port in range(len(vdevs)) for i in lcores)
    no_rules = rules.with_name(rules.name + ".v6")
    return ExternalDpdkPlan(
        name="l3fwd",
        program=str(program),
        cpus=tuple(cpus),
        package=f"build it with {set_up('bench')}",
        eal=(*lcore_arguments(cpus[1:], cpus[0]), *vdev_arguments(vdevs)),
        arguments=(
            "-p",
            f"{(1 << len(vdevs)) - 1:#x}",
            "-P",
            f"--config={queues}",
            f"--lookup={lookup}",
            "--parse-ptype",
            f"--rule_ipv4={rules}",
            f"--rule_ipv6={no_rules}",
        ),
        pages=pages,
        memory_mib=_HASH_MIB if lookup == "em" else MEMORY_MIB,
    )


def write_rules(path: Path, prefixes: Sequence[str], ports: int, first: int = 0) -> None:
    """Writes l3fwd's route files: IPv4 prefixes such as ``10.0.0.0/16``, ports in turn from
    `first` on.

    The IPv6 one next to it has one route that no packet here meets. Raises OSError.
    """
    lines = [f"R{prefix} {first + number % ports}\n" for number, prefix in enumerate(prefixes)]
    path.write_text("".join(lines), encoding="ascii")
    path.with_name(path.name + ".v6").write_text("R2001:db8::/64 0\n", encoding="ascii")


def write_flows(path: Path, flows: Packets, count: int, port: int) -> None:
    """Writes l3fwd's exact-match files: an entry for each of the first `count` flows, to `port`.

    The IPv6 one has one that no packet here meets. Raises OSError.
    """
    about = f"{flows.destination_port} {flows.source_port} {_UDP}"
    path.write_text(
        "".join(
            f"R{flows.destination_of(flow)} {flows.source_of(flow)} {about} {port}\n"
            for flow in range(count)
        ),
        encoding="ascii",
    )
    no_packet = f"R2001:db8::1 2001:db8::2 {about} 0\n"
    path.with_name(path.name + ".v6").write_text(no_packet, encoding="ascii")
