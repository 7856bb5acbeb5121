"""Frames that are too long for a program are refused, whatever asks."""

from __future__ import annotations

import pytest

from planecast.dataplanes.in_memory import refuse_outside
from planecast.engines.measure.unsupported import refuse_unmeasured
from planecast.errors import InputError
from planecast.model.supported import refuse_unmodelled
from planecast.scenario import Scenario, with_overrides


def of(kind: str, size: int, **keys: object) -> Scenario:
    own = {f"dataplane.{key}": value for key, value in keys.items()}
    changes = {"dataplane.kind": kind, "traffic.frame_bytes": size, "placement.cpus": "0"}
    return with_overrides(Scenario(name="s"), changes | own)


@pytest.mark.parametrize(
    ("kind", "most", "ports"),
    [("ovs", 1522, "memif"), ("testpmd", 1518, "veth"), ("ours", 1518, "veth")],
)
def test_what_no_engine_can_ask(kind: str, most: int, ports: str) -> None:
    of(kind, most, ports=ports)
    with pytest.raises(InputError, match=rf"frames of {most + 1} bytes are longer .*, {most}: "):
        of(kind, most + 1, ports=ports)


@pytest.mark.parametrize("kind", ["testpmd", "l3fwd"])
def test_in_memory_a_frame_has_one_buffer(kind: str) -> None:
    """Measuring and predicting say the same; over links a frame may have several."""
    refuse_outside(of(kind, 2052), "measured here")
    long = of(kind, 2053)
    for refuse in (
        lambda: refuse_outside(long, "measured here"),
        lambda: refuse_unmodelled([long]),
    ):
        with pytest.raises(InputError, match="its packet buffers hold 2048 bytes"):
            refuse()
    refuse_unmeasured([long], searched=True)


def test_our_own_has_long_frames_of_its_own_alone() -> None:
    refuse_unmeasured([of("ours", 9000)])
    refuse_unmeasured([of("ours", 2048)], searched=True)
    with pytest.raises(InputError, match="frames of 2049 bytes are longer"):
        refuse_unmeasured([of("ours", 2049)], searched=True)
