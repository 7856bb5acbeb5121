"""What a packet costs in ports of each kind, measured for a moment."""

from __future__ import annotations

import os
import shutil

import pytest

from planecast.engines.measure import port_costs
from planecast.engines.measure.port_costs import KINDS, Figure, measured_cost
from planecast.errors import RunError


@pytest.mark.live
@pytest.mark.skipif(shutil.which("dpdk-testpmd") is None, reason="dpdk-testpmd is missing")
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_has_figures_at_two_sizes(kind: str) -> None:
    if kind == "af_xdp" and os.geteuid() != 0:
        pytest.skip("the kernel lets root alone open AF_XDP sockets")
    cpus = sorted(os.sched_getaffinity(0))
    cost, found = measured_cost(kind, (cpus[1], cpus[0]), (64, 1518), 2, lambda: None)
    # On a busy machine the generator may never offer more than testpmd takes, or find no CPU while
    # testpmd waits for its packets.
    if any(words in cost.why_not for words in ("namespace", "offered no more", "packets came in")):
        pytest.skip(cost.why_not)
    assert cost.why_not == ""
    assert [figure.frame_bytes for figure in found] == [64, 1518, 64, 1518]
    assert all(figure.cycles > 0 for figure in found)
    assert cost.kind == kind
    assert [size.frame_bytes for size in cost.sizes] == [64, 1518]


def test_sizes_that_were_measured_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def figure(kind: str, cpus: tuple[int, int], size: int, number: int) -> Figure:
        if size == 256:
            raise RunError("the generator offered no more than testpmd took")
        return Figure(kind, size, number, 100.0 + 0.1 * size)

    monkeypatch.setattr(port_costs, "port_figure", figure)
    steps: list[int] = []
    cost, _ = measured_cost("memif", (1, 0), (64, 256, 1518), 3, lambda: steps.append(1))
    assert [size.frame_bytes for size in cost.sizes] == [64, 1518]
    assert cost.why_not == "the generator offered no more than testpmd took"
    assert len(steps) == 9


def test_a_kind_that_fails_at_every_size_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def figure(kind: str, cpus: tuple[int, int], size: int, number: int) -> Figure:
        tried.append(size)
        raise RunError("nothing came back")

    monkeypatch.setattr(port_costs, "port_figure", figure)
    cost, figures = measured_cost("veth", (1, 0), (64, 1518), 3, lambda: None)
    assert (tried, figures, cost.sizes) == ([64, 1518], [], ())
    assert cost.why_not == "nothing came back"
