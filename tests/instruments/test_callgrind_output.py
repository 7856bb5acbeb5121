"""The file that callgrind writes, in its documented format."""

from __future__ import annotations

import pytest

from planecast.errors import RunError
from planecast.instruments.callgrind import raw_counts, stage_costs
from planecast.instruments.callgrind_output import join_threads, parse_callgrind
from planecast.instruments.memory_touches import touches

FILE = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
cmd:  ./plane x.ini --packets=64
part: 1
desc: I1 cache:
positions: line
events: Ir Dr Dw
summary: 0

ob=(1) /opt/bin/plane
fl=(1) /src/forward.c
fn=(1) forward_burst
10 40 4 2
+1 8
cfi=(2) /src/stages/acl.c
cfn=(2) stage_acl
calls=8 -5
* 680 80
fi=(3) /src/inline.h
+1 16 1
fe=(1)
cob=(2) /usr/lib/libc.so.6
cfi=(4) ???
cfn=(3) memcpy
calls=2 0
-1 30 10 10
cfn=(4) stage_key
calls=8 -4
* 100 5 5

fl=(2)
fn=(2)
5 600 70
cfn=(4)
calls=8 0
* 80 10

fn=(4)
7 180 15 5
cfn=(5) stage_key'2
calls=1 0
* 20

ob=(2)
fl=(4)
fn=(3)
0 30 10 10

totals: 874 100 17
"""


def test_costs_by_function_and_call() -> None:
    profile = parse_callgrind(FILE.splitlines())
    assert profile.events == ("Ir", "Dr", "Dw")
    assert profile.exclusive["forward_burst", "plane"] == [64, 5, 2]
    assert profile.exclusive["memcpy", "libc.so.6"] == [30, 10, 10]
    pair = (("forward_burst", "plane"), ("memcpy", "libc.so.6"))
    assert profile.inclusive[pair] == [30, 10, 10]
    assert profile.calls[pair] == 2
    assert profile.totals == [874, 100, 17]


def test_a_stage_inside_another_has_its_own_cost() -> None:
    profile = parse_callgrind(FILE.splitlines())
    assert stage_costs(profile) == {"acl": [600, 70, 0], "key": [180, 15, 5]}
    counts = raw_counts(profile)
    assert counts.total == 874
    assert counts.stages == {"acl": 600, "key": 180}
    assert counts.functions["memcpy", "libc.so.6"] == 30


def test_touches_are_the_difference_of_two_runs() -> None:
    header = "positions: line\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\nfn=forward_burst\n"
    body = "1 {0} {1}\ncfn=stage_acl\ncalls=1 1\n1 {2} {3} {4} 0 {5} 0 0 {5}\nfn=stage_acl\n"
    body += "2 {2} {3} {4} 0 {5} 0 0 {5}\n"
    short = parse_callgrind((header + body.format(10, 1, 100, 50, 20, 9)).splitlines())
    long = parse_callgrind((header + body.format(20, 3, 300, 150, 60, 11)).splitlines())
    found = touches(short, long, packets=10, burst=5)
    acl = found.stages["acl"]
    assert (acl.reads, acl.writes, acl.l1_misses, acl.ll_misses) == (10, 4, 0.2, 0.2)
    assert found.other.reads == 0.2
    assert found.total.reads == 10.2


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["events: Ir", "fn=(1) main", "1 5", "totals: 6"], "says 6 instructions and holds 5"),
        (["events: Ir", "fn=(1) main", "1 five"], "can't be read: 1 five"),
    ],
)
def test_a_broken_file_is_a_sentence(lines: list[str], sentence: str) -> None:
    with pytest.raises(RunError, match=sentence):
        parse_callgrind(lines)


def test_only_threads_that_forward_are_counted() -> None:
    forwarding = parse_callgrind(FILE.splitlines())
    polling = parse_callgrind(["events: Ir Dr Dw", "fn=(1) wait_lcore", "1 99999"])
    idle = parse_callgrind(["events: Ir Dr Dw", "totals: 0"])
    assert join_threads([idle, polling, forwarding]).totals == forwarding.totals
    assert join_threads([forwarding, forwarding]).totals == [2 * n for n in forwarding.totals]
    assert join_threads([idle, polling]).totals == [99999, 0, 0]
    with pytest.raises(RunError, match="counted nothing"):
        join_threads([idle, parse_callgrind([])])
