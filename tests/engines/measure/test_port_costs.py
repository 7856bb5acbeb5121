"""What a packet costs in ports of each kind, measured for a moment."""

from __future__ import annotations

import os
import shutil

import pytest

from planecast.engines.measure.port_costs import KINDS, port_cost, port_figures
from planecast.errors import MissingError, RunError

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(shutil.which("dpdk-testpmd") is None, reason="dpdk-testpmd is missing"),
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_has_figures_at_two_sizes(kind: str) -> None:
    if kind == "af_xdp" and os.geteuid() != 0:
        pytest.skip("the kernel lets root alone open AF_XDP sockets")
    cpus = sorted(os.sched_getaffinity(0))
    try:
        found = list(port_figures(kind, (cpus[1], cpus[0]), (64, 1518), 2))
    except (MissingError, RunError) as missing:
        # On a machine that is busy the generator may never offer more than testpmd takes, or find
        # no CPU while testpmd waits for its packets.
        busy = ("offered no more", "packets came in")
        if not any(words in str(missing) for words in ("namespace", *busy)):
            raise
        pytest.skip(str(missing))
    assert [figure.frame_bytes for figure in found] == [64, 1518, 64, 1518]
    assert all(figure.cycles > 0 for figure in found)
    cost = port_cost(found)
    assert cost.kind == kind
    assert [size.frame_bytes for size in cost.sizes] == [64, 1518]
