"""What the meter answers, and what an external program's process shows."""

from __future__ import annotations

import pytest

from planecast.dataplanes.external_dpdk import ExternalDpdkPlan, eal_arguments
from planecast.dataplanes.memory import pages_of
from planecast.dataplanes.meter import MeterAnswer, parse_answer
from planecast.dataplanes.testpmd import plan_testpmd
from planecast.errors import InputError, RunError
from planecast.process import ended_error

ANSWER = (
    '{"lcores": [{"cpu": 1, "windows": {"count": 2, "cycles": [100, 90], "packets": [32, 33], '
    '"bursts": [1, 2], "empty_polls": [0, 4], "canary_compute": [[2.5, 2.6], [2.5, 2.5]], '
    '"canary_chase": [[100.0, 99.5], [98.0, 101.0]], '
    '"sampled_packets": [0, 0], "sampled_bursts": [0, 0], "stage_cycles": {}}}]}'
)

SMAPS = """\
5581e8a00000-5581e8b00000 rw-p 00000000 00:00 0                          [heap]
Rss:                 900 kB
AnonHugePages:         0 kB
ShmemPmdMapped:        0 kB
100200000-120200000 rw-p 00000000 00:00 0
Size:             524288 kB
Rss:              {rss} kB
AnonHugePages:    {huge} kB
ShmemPmdMapped:        0 kB
VmFlags: rd wr mr mw me ac hg
7f0000000000-7f0000001000 r--p 00000000 00:00 0                          /lib/libc.so
Rss:                   4 kB
AnonHugePages:         0 kB
ShmemPmdMapped:        0 kB
"""


def test_answer_of_a_trial() -> None:
    (found,) = MeterAnswer.model_validate(parse_answer(ANSWER)).lcores
    assert found.cpu == 1
    assert found.windows.cycles == (100, 90)
    assert found.windows.empty_polls == (0, 4)
    assert found.windows.canary_compute[0] == (2.5, 2.6)


def test_error_is_reported_in_the_meters_words() -> None:
    with pytest.raises(RunError, match="the meter: 12 packets came in 1 s"):
        parse_answer('{"error": "12 packets came in 1 s, too few for 2 of 2 windows"}')


@pytest.mark.parametrize("line", ["", "EAL: Detected CPU lcores: 2\n", "[1, 2]\n"])
def test_what_is_no_answer_is_refused(line: str) -> None:
    with pytest.raises(RunError, match="a malformed reply"):
        parse_answer(line)


@pytest.mark.parametrize(
    ("rss", "huge", "expected"),
    [(81920, 81920, "2MiB"), (81920, 75776, "2MiB"), (81920, 40960, "mixed"), (81920, 0, "4KiB")],
)
def test_pages_are_those_of_the_largest_area(rss: int, huge: int, expected: str) -> None:
    assert pages_of(SMAPS.format(rss=rss, huge=huge)) == expected


def test_reserved_pages_are_large_ones() -> None:
    """Each may be an area of its own, and they are not in Rss."""
    reserved = "100000000-100200000 rw-s 0 0:0 7  /memfd\nRss:  0 kB\nShared_Hugetlb:  2048 kB\n"
    assert pages_of(SMAPS.format(rss=4096, huge=0) + 8 * reserved) == "2MiB"
    assert pages_of(SMAPS.format(rss=40960, huge=0) + 8 * reserved) == "4KiB"
    assert pages_of("") == "4KiB"


def test_last_words_name_the_cause() -> None:
    said = "EAL: Detected NUMA nodes: 1\nEAL: Error - exiting with code: 1\n  Cause: no port\n"
    error = ended_error("l3fwd", 1, said)
    assert isinstance(error, RunError)
    assert str(error) == "l3fwd: Cause: no port"


def test_a_cause_is_found_before_what_was_buffered() -> None:
    """What a program prints without flushing comes after what it says as it ends."""
    said = "Unable to add entry 991 to the table\n" + 1000 * "LPM: Adding route 16.0.0.0 / 8\n"
    assert str(ended_error("l3fwd", 1, said)) == "l3fwd: Unable to add entry 991 to the table"


def test_a_signal_is_named() -> None:
    assert "SIGKILL" in str(ended_error("testpmd", -9, "EAL: fine so far\n"))


def test_an_invalid_argument_is_bad_input() -> None:
    error = ended_error("testpmd", 1, "Invalid forwarding mode\n")
    assert isinstance(error, InputError)


def test_own_devices_are_left_alone_unless_named() -> None:
    plan = plan_testpmd("io", ["net_null0"], cpus=[1])
    assert "--no-pci" in eal_arguments(plan)
    named = ExternalDpdkPlan("x", "x", (0,), "", eal=("-a", "0000:18:00.0"), arguments=())
    assert "--no-pci" not in eal_arguments(named)


def test_testpmd_gets_what_is_compared() -> None:
    plan = plan_testpmd("macswap", ["net_null0,copy=0"], cpus=[3], main_cpu=2, burst=16)
    assert plan.eal == ("--lcores", "0@2,1@3", "--vdev", "net_null0,copy=0")
    assert {"--forward-mode=macswap", "--burst=16", "--port-topology=loop"} <= set(plan.arguments)
    assert plan.side == "rx"
    several = plan_testpmd("io", ["net_null0"], cpus=[3, 5], main_cpu=2)
    assert several.eal[1] == "0@2,1@3,2@5"
    assert {"--nb-cores=2", "--rxq=2", "--txq=2"} <= set(several.arguments)
    two = plan_testpmd("txonly", ["net_null0", "net_null1"], cpus=[1], frame_bytes=128)
    assert two.side == "tx"
    assert "--txpkts=124" in two.arguments
    assert "--port-topology=loop" not in two.arguments
