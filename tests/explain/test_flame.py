"""A profile as a tree of calls."""

from __future__ import annotations

import pytest

from planecast.errors import InputError
from planecast.explain.flame import flame
from planecast.instruments.callgrind_output import parse_callgrind

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
