"""Who sends: from a scenario to a generator."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.dataplanes.dut import ExternalDut
from planecast.engines.measure.generator_factory import generator_of, other_sender
from planecast.engines.measure.unsupported import refuse_unmeasured
from planecast.errors import InputError
from planecast.generators.otg_client import OtgGenerator
from planecast.generators.trex import TrexGenerator
from planecast.scenario import Scenario, with_overrides

BASE = Scenario(name="s")
OTG = {"generator.kind": "otg", "generator.server": "http://127.0.0.1:8080"}
TREX = {"generator.kind": "trex", "generator.server": "tester", "generator.ports": "0 1"}
MEMIF = ("net_memif0,role=client,socket=a", "net_memif1,role=client,socket=b")


def test_otg_takes_the_ports_that_are_named_else_the_data_planes() -> None:
    plain = with_overrides(BASE, OTG | {"dataplane.kind": "testpmd"})
    made = other_sender(plain, MEMIF, 0.05)
    assert isinstance(made, OtgGenerator)
    assert (made._plan.tx, made._plan.rx) == MEMIF
    named = with_overrides(plain, {"generator.ports": "1/1 net_memif7,role=client,socket=c"})
    made = other_sender(named, MEMIF, 0.05)
    assert isinstance(made, OtgGenerator)
    assert (made._plan.tx, made._plan.rx) == ("1/1", "net_memif7,role=client,socket=c")


def test_trex_knows_ports_by_number() -> None:
    made = other_sender(with_overrides(BASE, TREX | {"dataplane.kind": "external"}), None, 0.05)
    assert isinstance(made, TrexGenerator)
    assert (made._tx, made._rx) == (0, 1)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"generator.server": "http://x"}, "kind is 'ours'"),
        ({"generator.kind": "otg"}, "set generator.server"),
        (TREX | {"generator.ports": ""}, "TRex has no memory interfaces"),
        (TREX | {"generator.ports": "0 eth1"}, "got port 'eth1'"),
        (OTG | {"generator.ports": "one"}, "got 1 ports"),
    ],
)
def test_what_does_not_belong_together(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        with_overrides(BASE, keys)


def test_tags_are_not_asked_of_others() -> None:
    with pytest.raises(InputError, match="vpe-upstream does not forward"):
        other_sender(with_overrides(BASE, OTG), MEMIF, 0.05)


def test_nothing_started_needs_a_generator_with_ports() -> None:
    external = with_overrides(BASE, {"dataplane.kind": "external"})
    with pytest.raises(InputError, match="has no ports of its own"):
        generator_of(external, ExternalDut(), 0)
    with pytest.raises(InputError, match="the generator has no ports"):
        generator_of(with_overrides(external, OTG), ExternalDut(), 0)


def test_measuring_refuses_a_generator() -> None:
    with pytest.raises(InputError, match="planecast search has others"):
        refuse_unmeasured([with_overrides(BASE, OTG)])
