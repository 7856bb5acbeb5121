"""What the cost model refuses."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.errors import InputError
from planecast.model.supported import refuse_unmodelled
from planecast.scenario import Scenario
from planecast.scenario.override import with_overrides

BASE = Scenario(name="s")


def test_the_router_is_known() -> None:
    refuse_unmodelled([BASE, BASE])


@pytest.mark.parametrize(
    ("point", "sentence"),
    [
        (
            {"workload.kind": "l2patch", "workload.stages": "none"},
            "workload.kind: these scenarios are of several network functions: l2patch, "
            "vpe-upstream; ask of one at a time",
        ),
        (
            {"placement.cuts": "tx", "placement.cpus": "0-1"},
            "placement.cuts: the cost model covers pipelines that one lcore runs to completion, "
            "not cut ones; measure it instead, or leave the cuts out; --engine simulate supports "
            "them",
        ),
        ({"nic.link_gbps": 10}, "nic: the closed form does not model nic; add --engine simulate"),
        (
            {
                "dataplane.kind": "command",
                "dataplane.command": "x {in_eal} {out_eal}",
                "placement.lcores": 2,
            },
            "placement.lcores: 2 lcores are named, but how a program of your own divides its work "
            "over them is not known; name one",
        ),
        (
            {"accelerator.stage": "acl"},
            "accelerator: the closed form does not model accelerator; add --engine simulate",
        ),
    ],
)
def test_what_is_not(point: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        refuse_unmodelled([BASE, with_overrides(BASE, point)])
    assert str(error.value) == sentence


def test_a_calibration_answers_for_its_own_function() -> None:
    with pytest.raises(InputError, match="this calibration is of ip4, not of vpe-upstream"):
        refuse_unmodelled([BASE], "ip4")
    refuse_unmodelled([BASE], "vpe-upstream")
