"""A pipeline that is cut, its segments on lcores of their own."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest
from tests.dataplane.test_packets import AF12, check_forwarded, frame
from tests.programs import wait_until_it_forwards

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two CPUs are needed"),
]

STAGES = ["acl", "key", "classify", "actions", "route"]
CLOCKS = ["source", *STAGES, "tx"]
SOON = 0.2
"""Seconds: the first lcore takes packets before a window begins, for the others to get warm."""
ON_TWO = {"lcores": ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:2])}


@pytest.mark.parametrize("cut", [*STAGES, "tx"])
def test_the_packets_are_the_same_wherever_it_is_cut(forward: Callable, cut: str) -> None:
    sent = [frame(flow % 64, dst=f"{4 * flow % 256}.1.2.3", ttl=2 + flow) for flow in range(100)]
    bad = [frame(64), frame(ttl=1), frame(ports=(80, 80))]
    done = forward([*sent, *bad], SOON, pipeline={"cuts": cut}, machine=ON_TWO)
    assert done.drops == {"flow_miss": 1, "ttl": 1, "acl": 1}
    for before, after in zip(sent, done.frames, strict=True):
        check_forwarded(before, after)


def test_colours_cross_the_cut(forward: Callable) -> None:
    done = forward([frame(dscp=AF12)], SOON, pipeline={"cuts": "route"}, machine=ON_TWO)
    check_forwarded(frame(dscp=AF12), done.frames[0], exp=1)


def test_a_trial_on_two_lcores(dataplane: Any) -> None:
    with dataplane.control(pipeline={"cuts": "classify"}, machine=ON_TWO) as control:
        for stages in (STAGES, ["acl"], ["key", "route"], []):
            answer = control.ask(
                f"trial windows=2 packets=3200 stage_clock=1 stages={','.join(stages) or 'none'}"
            )
            first, second = answer["lcores"]
            assert (first["chain"], first["segment"]) == (0, 0)
            assert (second["chain"], second["segment"]) == (0, 1)
            cut = [name for name in stages if name in ("acl", "key")]
            rest = [name for name in stages if name not in cut]
            assert list(first["windows"]["stage_cycles"]) == ["source", *cut, "enqueue"]
            assert list(second["windows"]["stage_cycles"]) == ["dequeue", *rest, "tx"]
            assert "ring_packets" not in first["windows"]
            assert all(
                waited >= packets
                for waited, packets in zip(
                    second["windows"]["ring_packets"],
                    second["windows"]["sampled_packets"],
                    strict=True,
                )
            )
            assert answer["conserved"]
            assert answer["in_flight"] == 0
            assert answer["packets_in"] == answer["packets_out"] >= 6400
        assert control.ask("trial packets=9 lcores=1") == {
            "error": "lcores: 1, but the pipeline is cut into 2 segments"
        }
        assert control.end() == 0


def test_a_full_ring_drops_when_nobody_waits(dataplane: Any) -> None:
    """The first segment alone is faster than the rest, so the ring fills."""
    answer = dataplane.once(
        *("--packets", "200000"),
        pipeline={"cuts": "acl", "ring_wait": "off"},
        pool={"handoff_ring": 32},
        machine=ON_TWO,
    )
    assert answer["drops"]["ring"] > 0
    assert answer["packets_out"] > 0


def test_rings_on_telemetry(dataplane: Any, telemetry: Callable[..., Any]) -> None:
    on = ON_TWO | {"telemetry": "on"}
    with dataplane.control(pipeline={"cuts": "key"}, machine=on) as control:
        control.say("trial seconds=3600")
        wait_until_it_forwards(control.process)
        rings, stages = telemetry(
            control.ready["telemetry"], "/planecast/rings", "/planecast/stages"
        )
        ((name, ring),) = rings["/planecast/rings"].items()
        assert name == f"cpu_{ON_TWO['lcores'].split(',', maxsplit=1)[0]}"
        assert ring["capacity"] == 256
        assert 0 <= ring["packets"] <= 256
        assert list(stages["/planecast/stages"]) == [*CLOCKS, "dequeue", "enqueue"]
        assert control.end(signal.SIGTERM) == 130
        assert control.answer()["conserved"]


def test_an_interrupt_leaves_nothing_in_the_rings(dataplane: Any) -> None:
    with dataplane.control(pipeline={"cuts": "key"}, machine=ON_TWO) as control:
        control.say("trial seconds=30")
        wait_until_it_forwards(control.process)
        assert control.end(signal.SIGTERM) == 130
        answer = control.answer()
        assert answer["interrupted"]
        assert answer["conserved"]
        assert answer["in_flight"] == 0


@pytest.mark.parametrize(
    ("sections", "sentence"),
    [
        ({"pipeline": {"cuts": "nat"}}, "cuts: 'nat' is no place to cut vpe-upstream at"),
        ({"pipeline": {"cuts": "key,key"}}, "cuts: 'key' is no place to cut"),
        ({"pipeline": {"cuts": "key"}}, "cuts: 1 of them can't be shared"),
        ({"pool": {"handoff_ring": 5}}, "handoff_ring: '5' is not allowed"),
    ],
)
def test_what_is_no_cut(dataplane: Any, sections: dict[str, Any], sentence: str) -> None:
    done = dataplane.run(dataplane.config(**sections), "--packets", "1")
    assert done.returncode == 2
    assert sentence.replace("cuts: 1 of", "1 of") in done.stderr
