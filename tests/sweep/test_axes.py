"""Axes as a person types them, and the values that they have."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.errors import InputError
from planecast.sweep import first_values, parse_axis


def values(text: str) -> tuple[object, ...]:
    return parse_axis(text).spread().values


def test_values_and_ranges() -> None:
    assert values("traffic.flows=256,64Ki") == (256, 65536)
    assert values("traffic.flows=256:4096:3:log") == (256, 1024, 4096)
    assert values("placement.burst=1:5:9") == (1, 2, 3, 4, 5)
    assert values("traffic.offered_pps=1Mpps:3Mpps:3") == (1e6, 2e6, 3e6)
    assert values("workload.stages=[acl],[acl,key]") == (("acl",), ("acl", "key"))
    assert values("traffic.frame_mix=64:7") == ("64:7",)


def test_draws_cover_a_range_evenly() -> None:
    shares = (np.arange(4000) + 0.5) / 4000
    drawn = np.asarray(parse_axis("placement.burst=1:4").drawn(shares))
    assert np.unique(drawn, return_counts=True)[1] == pytest.approx([1000] * 4, abs=1)
    log = np.asarray(parse_axis("traffic.flows=1:65536:log").drawn(shares))
    assert log.min() == 1
    assert log.max() == pytest.approx(65536, rel=0.01)
    assert np.median(log) == pytest.approx(256, rel=0.02)


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("traffic.flow=1", "did you mean traffic.flows"),
        ("placement.burst=0,8", "from 1 to 256"),
        ("placement.burst=8:400:3", "from 1 to 256"),
        ("placement.burst=8:4", "runs backwards"),
        ("placement.burst=64:4:3:log", "write placement.burst=4:64:3:log"),
        ("placement.burst=8:8", "one value; write placement.burst=8"),
        ("placement.burst=8:16:x", "count of 'x'"),
        ("traffic.offered_pps=0:1e6:log", "--vary traffic.offered_pps"),
        ("placement.rx_ring=128:512", "not a power of two"),
        ("placement.burst=8,8", "appears twice"),
        ("placement.burst=1:2:3:4:5", "not a range"),
        ("workload.acl_rules=-3", "from 1 to 65536"),
    ],
)
def test_refused(text: str, fragment: str) -> None:
    with pytest.raises(InputError, match="--vary") as refused:
        parse_axis(text)
    assert fragment in str(refused.value)


def test_a_grid_needs_a_count() -> None:
    with pytest.raises(InputError, match=":10, or add --sample lhs"):
        parse_axis("placement.burst=8:64").spread()


def test_the_first_values_are_those_of_a_scenario() -> None:
    axes = [
        parse_axis(t) for t in ("traffic.flows=4:9:2", "placement.burst=8,4", "machine.l2_size=1,2")
    ]
    assert first_values(axes) == {"traffic.flows": 4, "placement.burst": 8}
