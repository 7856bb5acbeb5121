"""dpdk-testpmd as a data plane: DPDK's own test application, the simplest there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from planecast.dataplanes.external_dpdk import ExternalDpdkPlan, lcore_arguments, vdev_arguments
from planecast.dataplanes.memory import Pages

PROGRAM = "dpdk-testpmd"
POOL_MBUFS = 32768
"""As many as the pool of ours holds by default."""

Mode = Literal["io", "mac", "macswap", "flowgen", "txonly", "rxonly"]


def plan_testpmd(
    mode: Mode,
    vdevs: Sequence[str],
    *,
    cpus: Sequence[int],
    main_cpu: int = 0,
    burst: int = 32,
    frame_bytes: int = 64,
    pages: Pages = "2MiB",
    queues: int | None = None,
) -> ExternalDpdkPlan:
    """testpmd forwarding on `cpus` in one of its modes, each with a queue of every port, or
    with so many queues.

    One port is sent back to itself; two are connected with each other. `frame_bytes`, with FCS, is
    what txonly sends. What is metered is the first port's receive function; for a mode that only
    sends, its send function.
    """
    arguments = [
        f"--nb-cores={len(cpus)}",
        f"--rxq={queues or len(cpus)}",
        f"--txq={queues or len(cpus)}",
        f"--forward-mode={mode}",
        f"--burst={burst}",
        f"--total-num-mbufs={POOL_MBUFS}",
        "--no-lsc-interrupt",
        "--no-rmv-interrupt",
        "--no-flush-rx",  # the main lcore would poll the ports first, and be taken for the other
        "--auto-start",
    ]
    if len(vdevs) == 1:
        arguments.append("--port-topology=loop")
    if mode in ("txonly", "flowgen"):
        arguments.append(f"--txpkts={frame_bytes - 4}")
    return ExternalDpdkPlan(
        name="testpmd",
        program=PROGRAM,
        cpus=tuple(cpus),
        package="apt-get install dpdk-dev (newer Debian: dpdk)",
        eal=lcore_arguments(cpus, main_cpu) + vdev_arguments(vdevs),
        arguments=tuple(arguments),
        side="tx" if mode == "txonly" else "rx",
        pages=pages,
    )
