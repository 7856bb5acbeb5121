"""Machines and tenants for the partition's tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planecast.partition.machine import Machine, MachineShape
from planecast.partition.tenants import Tenancy

MakeTenancy = Callable[..., Tenancy]


def described(**changes: Any) -> Machine:
    """A socket of eight cores with eleven ways and MBA."""
    shape = MachineShape(
        **({"cores": 8, "llc": 16 << 20, "ways": 11, "bandwidth_step": 10, "ddio": 0x600} | changes)
    )
    return Machine(shape.topology(), shape.timing)


@pytest.fixture
def machine() -> Machine:
    return described()


def tenancy(*tenants: dict[str, Any], **more: Any) -> Tenancy:
    return Tenancy.model_validate({"name": "test", "tenants": list(tenants), **more})


@pytest.fixture
def crowded() -> Tenancy:
    """A data plane next to somebody who streams through memory."""
    return tenancy(
        {"name": "dp", "role": "dataplane", "cores": 2, "profile": "vpe-upstream"},
        {"name": "noisy", "role": "neighbour", "rank": 3, "cores": 5, "profile": "stream"},
    )


@pytest.fixture
def res(repository: Path) -> Path:
    return repository / "studies" / "res-6230n.yaml"
