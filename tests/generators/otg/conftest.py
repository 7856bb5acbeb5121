"""Configurations of the model, and what becomes of them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from planecast.generators.otg import OtgError, Resources, plan_of

RESOURCES = Resources(lcores=(1,), main_cpu=0)


def config(**flow: Any) -> dict[str, Any]:
    """Two ports and a flow between them, changed as named."""
    return copy.deepcopy(
        {
            "ports": [
                {"name": "p1", "location": "net_ring0"},
                {"name": "p2", "location": "net_ring1"},
            ],
            "flows": [
                {
                    "name": "f",
                    "tx_rx": {"choice": "port", "port": {"tx_name": "p1", "rx_names": ["p2"]}},
                    "metrics": {"enable": True, "loss": True, "latency": {"enable": True}},
                    **flow,
                }
            ],
        }
    )


def keys(**flow: Any) -> dict[str, str]:
    """The stream's keys of that flow."""
    plan = plan_of(config(**flow), RESOURCES)
    assert plan.config is not None
    return {key: str(value) for key, value in plan.config.streams[0].keys.items()}


def refusals(document: Any) -> list[str]:
    """What a configuration is refused for."""
    with pytest.raises(OtgError) as error:
        plan_of(document, RESOURCES)
    assert error.value.body == {"code": 400, "kind": "validation", "errors": error.value.errors}
    return error.value.errors


def why(**flow: Any) -> str:
    """The only thing that a flow is refused for."""
    (found,) = refusals(config(**flow))
    return found
