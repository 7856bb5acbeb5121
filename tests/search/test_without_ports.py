"""What a data plane takes without its ports."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.results import Estimate, Manifest
from planecast.results.manifest import host_facts
from planecast.results.port_costs import PORT_COSTS, PortCost, PortCosts, SizeCost
from planecast.results.telemetry import TSC, Telemetry
from planecast.scenario import Scenario
from planecast.scenario.override import with_overrides
from planecast.search.without_ports import without_ports


def _estimate(value: float) -> Estimate:
    return Estimate(value=value, samples=3, unit="cycles/packet", kind="measured")


def _port(kind: str, cycles: float) -> PortCost:
    sizes = tuple(
        SizeCost(frame_bytes=size, cycles_per_packet=_estimate(cycles)) for size in (64, 1518)
    )
    return PortCost(kind=kind, sizes=sizes)


@pytest.fixture
def runs(tmp_path: Path, manifest: Manifest) -> Path:
    here = manifest.model_copy(update={"host": dict(host_facts())})
    costs = PortCosts(cpu=1, ports=(_port("net_null", 20), _port("memif", 110)), manifest=here)
    (tmp_path / "ports").mkdir()
    (tmp_path / "ports" / PORT_COSTS).write_text(costs.model_dump_json())
    return tmp_path


def _seen(cycles: float, of: str = TSC) -> tuple[Telemetry, ...]:
    rate = Estimate(value=9e6, samples=3, unit="pps", kind="measured")
    return (
        Telemetry(
            rate="NDR",
            offered_pps=9e6,
            forwarded_pps=rate,
            loss_ratio=0.0,
            cycles_per_packet=_estimate(cycles),
            cycles_of=of,
        ),
    )


SCENARIO = with_overrides(Scenario(name="t"), {"dataplane.kind": "testpmd"})


def test_the_ports_are_subtracted(runs: Path) -> None:
    (one,) = without_ports(_seen(300), SCENARIO, runs)
    assert one.cycles_without_ports is not None
    assert one.cycles_without_ports.value == pytest.approx(210)
    assert "less the 90 TSC cycles that testpmd takes in memif" in one.marks[0]


@pytest.mark.parametrize(
    ("seen", "ports"),
    [
        (_seen(300, "core"), "memif"),
        (_seen(80), "memif"),
        (_seen(300), "vhost-user"),
        ((), "memif"),
    ],
)
def test_what_cannot_be_subtracted_stays(
    runs: Path, seen: tuple[Telemetry, ...], ports: str
) -> None:
    scenario = with_overrides(SCENARIO, {"dataplane.ports": ports})
    assert without_ports(seen, scenario, runs) == seen


def test_without_port_costs_nothing_is_subtracted(tmp_path: Path) -> None:
    assert without_ports(_seen(300), SCENARIO, tmp_path) == _seen(300)
