"""Sizes, rates, durations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.generators.otg.conftest import config, keys, refusals, why


@pytest.mark.parametrize(
    ("size", "text"),
    [
        ({}, "64:1"),
        ({"choice": "fixed", "fixed": 1518}, "1518:1"),
        ({"fixed": 128}, "128:1"),
        ({"choice": "increment", "increment": {"start": 64, "end": 66}}, "64:1,65:1,66:1"),
        ({"choice": "weight_pairs", "weight_pairs": {}}, "64:7,570:4,1518:1"),
        (
            {
                "choice": "weight_pairs",
                "weight_pairs": {
                    "choice": "custom",
                    "custom": [{"size": 64, "weight": 0.5}, {"size": 128, "weight": 1.5}],
                },
            },
            "64:1,128:3",
        ),
        (
            {"choice": "weight_pairs", "weight_pairs": {"predefined": "tcp_imix"}},
            "90:2347,92:80,594:946,1518:627",
        ),
    ],
)
def test_sizes(size: dict[str, Any], text: str) -> None:
    assert keys(size=size)["sizes"] == text


@given(st.lists(st.tuples(st.integers(64, 9000), st.floats(1e-6, 1e6)), min_size=1, max_size=16))
def test_weights_are_ones_that_the_generator_takes(pairs: list[tuple[int, float]]) -> None:
    custom = [{"size": size, "weight": weight} for size, weight in pairs]
    size = {"choice": "weight_pairs", "weight_pairs": {"choice": "custom", "custom": custom}}
    found = [part.split(":") for part in keys(size=size)["sizes"].split(",")]
    assert [int(size) for size, _ in found] == [size for size, _ in pairs]
    weights = [int(weight) for _, weight in found]
    assert min(weights) >= 1
    assert sum(weights) <= 4096
    total = sum(weight for _, weight in pairs)
    for (_, wanted), weight in zip(pairs, weights, strict=True):
        assert weight / sum(weights) == pytest.approx(wanted / total, abs=0.006)


@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        ({"choice": "random", "random": {}}, "flows[0].size.random: is not supported"),
        ({"fixed": 63}, "flows[0].size.fixed: got 63, which is not a whole number from 64 to 9000"),
        ({"increment": {"start": 64, "end": 80}}, "flows[0].size.increment: makes 17 sizes"),
        ({"increment": {"start": 80, "end": 64}}, "flows[0].size.increment: makes 0 sizes"),
        (
            {"weight_pairs": {"predefined": "standard_imix"}},
            "flows[0].size.weight_pairs.predefined: standard_imix is not supported",
        ),
        ({"weight_pairs": {"custom": []}}, "flows[0].size.weight_pairs.custom: has 0 sizes"),
    ],
)
def test_sizes_that_are_not_supported(size: dict[str, Any], sentence: str) -> None:
    assert why(size=size).startswith(sentence)


@pytest.mark.parametrize(
    ("rate", "pps"),
    [
        ({}, 1000),
        ({"choice": "pps", "pps": "14880952"}, 14880952),
        ({"pps": 5}, 5),
        ({"choice": "percentage", "percentage": 100.0}, 1e10 / 672),
        ({"choice": "percentage", "percentage": 0.5}, 1e10 / 672 / 200),
        ({"choice": "bps", "bps": "672"}, 1),
        ({"choice": "kbps", "kbps": "672"}, 1000),
        ({"choice": "mbps", "mbps": "672"}, 1e6),
        ({"choice": "gbps", "gbps": 1}, 1e9 / 672),
    ],
)
def test_rates(rate: dict[str, Any], pps: float) -> None:
    assert float(keys(rate=rate)["rate"]) == pytest.approx(pps, rel=1e-8)


def test_percents_are_of_the_ports_speed() -> None:
    document = config(rate={"percentage": 50.0})
    document["layer1"] = [{"name": "l", "port_names": ["p1"], "speed": "speed_100_gbps"}]
    from tests.generators.otg.conftest import RESOURCES

    from planecast.generators.otg import plan_of

    plan = plan_of(document, RESOURCES)
    assert plan.config is not None
    assert plan.config.link_gbps == 100
    assert float(str(plan.config.streams[0].keys["rate"])) == pytest.approx(5e10 / 672)


@pytest.mark.parametrize(
    ("rate", "sentence"),
    [
        ({"percentage": 0}, "flows[0].rate.percentage: is 0 packets/s"),
        ({"pps": "many"}, 'flows[0].rate.pps: got "many", which is not a whole number'),
        ({"pps": True}, "flows[0].rate.pps: got true"),
        ({"gbps": 1000000}, "flows[0].rate.gbps: is 1.4881e+12 packets/s"),
        ({"choice": "frames", "frames": 1}, "flows[0].rate.frames: is not supported"),
        ({"choice": "pps", "pps": "1", "mbps": "4"}, "flows[0].rate.mbps: is not supported"),
    ],
)
def test_rates_that_are_not_supported(rate: dict[str, Any], sentence: str) -> None:
    assert why(rate=rate).startswith(sentence)


@pytest.mark.parametrize(
    ("duration", "packets"),
    [
        ({}, "0"),
        ({"choice": "continuous", "continuous": {"gap": 12, "delay": {"bytes": 0.0}}}, "0"),
        ({"choice": "fixed_packets", "fixed_packets": {"packets": 4294967295}}, "4294967295"),
        ({"choice": "fixed_seconds", "fixed_seconds": {"seconds": 2.5}}, "2500"),
        ({"choice": "fixed_seconds", "fixed_seconds": {"seconds": 0}}, "1"),
    ],
)
def test_durations(duration: dict[str, Any], packets: str) -> None:
    assert keys(duration=duration)["packets"] == packets


def test_bursts() -> None:
    burst = {"bursts": 3, "packets": 10, "inter_burst_gap": {"microseconds": 100.0}}
    found = keys(duration={"burst": burst}, rate={"percentage": 100.0})
    assert (found["arrivals"], found["burst_packets"], found["packets"]) == ("burst", "10", "30")
    assert float(found["burst_us"]) == pytest.approx(10 * 0.0672 + 100)


@pytest.mark.parametrize(
    ("duration", "sentence"),
    [
        ({"fixed_packets": {"packets": 0}}, "flows[0].duration.fixed_packets.packets: got 0"),
        ({"fixed_packets": {"gap": 13}}, "flows[0].duration.fixed_packets.gap: is supported as 12"),
        (
            {"continuous": {"delay": {"choice": "nanoseconds", "nanoseconds": 5.0}}},
            "flows[0].duration.continuous.delay: is not supported",
        ),
        ({"burst": {"packets": 4}}, "flows[0].duration.burst: is supported at a rate of 100"),
        ({"fixed_seconds": {"seconds": -1}}, "flows[0].duration.fixed_seconds.seconds: got -1"),
    ],
)
def test_durations_that_are_not_supported(duration: dict[str, Any], sentence: str) -> None:
    assert why(duration=duration).startswith(sentence)


def test_all_that_is_wrong_is_named_at_once() -> None:
    found = refusals(config(rate={"pps": 0}, size={"random": {}}, payload={"choice": "increment"}))
    assert len(found) == 3
    assert {part.split(":")[0] for part in found} == {
        *("flows[0].rate.pps", "flows[0].size.random", "flows[0].payload"),
    }
