"""A profile as a tree of calls."""

from __future__ import annotations

import pytest

from planecast.errors import InputError
from planecast.explain.flame import flame, sampled_flame
from planecast.instruments.callgrind_output import parse_callgrind
from planecast.instruments.recorded.perf_script import read_perf_script

PROFILE = """\
events: Ir
ob=(1) dataplane
fn=(1) forward_burst
1 100
cfn=(2) stage_acl
calls=1 1
1 600
cfn=(3) stage_route
calls=1 1
1 300
fn=(2) stage_acl
1 200
cfn=(4) copy
calls=2 1
1 400
fn=(3) stage_route
1 100
cfn=(4) copy
calls=1 1
1 200
fn=(4) copy
1 450
cfn=(5) tail
calls=3 1
1 150
fn=(5) tail
1 150
"""


def test_frames_are_the_calls_with_their_costs() -> None:
    frames = {frame.stack: frame for frame in flame(parse_callgrind(PROFILE.splitlines()))}
    top = ("forward_burst",)
    assert {stack: frame.cost for stack, frame in frames.items()} == {
        top: 1000,
        (*top, "stage_acl"): 600,
        (*top, "stage_acl", "copy"): 400,
        (*top, "stage_acl", "copy", "tail"): 100,
        (*top, "stage_route"): 300,
        (*top, "stage_route", "copy"): 200,
        (*top, "stage_route", "copy", "tail"): 50,
    }
    assert sum(frame.own for frame in frames.values()) == 1000


def test_recursion_ends() -> None:
    text = PROFILE + "cfn=(4) copy\ncalls=1 1\n1 30\n"
    frames = flame(parse_callgrind(text.splitlines()))
    assert max(len(frame.stack) for frame in frames) == 4


def test_nothing_and_other_events_are_refused() -> None:
    profile = parse_callgrind(PROFILE.splitlines())
    with pytest.raises(InputError, match="Dr was not counted"):
        flame(profile, "Dr")
    with pytest.raises(InputError, match="no cost"):
        flame(parse_callgrind(["events: Ir"]))


SAMPLES = """\
# ========
dpdk-lcore-1  1234 [001]   100.000001:     250000 cycles:ppp:
\t    5566 lookup+0x10 (/usr/bin/dataplane)
\t    5577 stage_acl+0x30 (/usr/bin/dataplane)
\t    5588 forward_burst+0x3 (/usr/bin/dataplane)

dpdk-lcore-1  1234 [001]   100.000002:     250000 cycles:ppp:
\t    5577 stage_acl+0x44 (/usr/bin/dataplane)
\t    5588 forward_burst+0x3 (/usr/bin/dataplane)

dpdk lcore 2  1235/1236 [002]   100.000003:     500000 cycles:ppp:
\tffffffffb1 [unknown] ([unknown])
\tffffffffb2 [unknown] ([unknown])
\t    7777 [unknown] (/usr/lib/libbpf.so.1)

dpdk-lcore-1  1234 [001]   100.000004:       1000 instructions:
\t    5577 stage_acl+0x44 (/usr/bin/dataplane)
"""


def test_samples_are_added_up_by_stack() -> None:
    sampled = read_perf_script(SAMPLES.splitlines(), "p.txt")
    assert (sampled.event, sampled.samples, sampled.weighted) == ("cycles:ppp", 3, True)
    assert sampled.others == ("instructions",)
    frames = {frame.stack: (frame.cost, frame.own) for frame in sampled_flame(sampled)}
    assert frames == {
        ("dpdk lcore 2",): (500000, 0),
        ("dpdk lcore 2", "[libbpf.so.1]"): (500000, 0),
        ("dpdk lcore 2", "[libbpf.so.1]", "[unknown]"): (500000, 500000),
        ("dpdk-lcore-1",): (500000, 0),
        ("dpdk-lcore-1", "forward_burst"): (500000, 0),
        ("dpdk-lcore-1", "forward_burst", "stage_acl"): (500000, 250000),
        ("dpdk-lcore-1", "forward_burst", "stage_acl", "lookup"): (250000, 250000),
    }


def test_samples_without_stacks_or_periods() -> None:
    flat = "ovs 12 [001] 1.5: cpu-clock:  ffff82 copy+0x3 (/lib/x.so)\ngarbage\n"
    sampled = read_perf_script((flat * 2).splitlines(), "p.txt")
    assert sampled.stacks == {("ovs", "copy"): 2.0}
    assert not sampled.weighted
    assert sampled.remarks == ("line 2 and 1 more of p.txt is not a sample: left out",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("PERFILE2\x00\x10", "perf script -i FILE"),
        ("nothing of the kind\n", "no sample of perf script"),
        ("\t 5566 lookup+0x10 (/usr/bin/dataplane)\n", "no sample of perf script"),
    ],
)
def test_what_is_no_sample_is_said(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_perf_script(text.splitlines(), "p.txt")
