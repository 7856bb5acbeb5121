"""Lines from other cores and sockets, a packet."""

from __future__ import annotations

import pytest

from planecast.errors import InputError
from planecast.explain.sharing import explain_sharing


def test_both_generations_names_mean_the_same() -> None:
    old = {"MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HITM": 2e6}
    new = {"mem_load_l3_hit_retired.xsnp_hitm": 2e6}
    assert explain_sharing(old, 1e6) == explain_sharing(new, 1e6)
    (said,) = explain_sharing(old, 1e6).findings
    assert said.startswith("2 loads found a line modified in another core's cache")


def test_lines_of_other_cores_are_suspect() -> None:
    events = {"MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM": 2e6}
    (suspicion,) = explain_sharing(events, 1e6).out_of_line
    assert "false sharing" in suspicion


def test_remote_accesses_are_out_of_line() -> None:
    events = {
        "MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM": 5e5,
        "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM": 5e5,
    }
    found = explain_sharing(events, 1e6)
    assert found.findings[-1].startswith("50.0% of the loads that memory served")
    assert "another socket" in found.out_of_line[0]


@pytest.mark.parametrize(
    ("events", "pps"),
    [
        ({"cycles": 1.0}, 1e6),
        ({"MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM": -1.0}, 1e6),
        ({"MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM": 1.8e19}, 1e6),
        ({"MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM": 1.0}, 0.0),
    ],
)
def test_impossible_input_is_refused(events: dict[str, float], pps: float) -> None:
    with pytest.raises(InputError):
        explain_sharing(events, pps)


def test_an_impossible_count_is_named_as_it_was_recorded() -> None:
    with pytest.raises(InputError, match=r"MEM_LOAD_L3_HIT_RETIRED\.XSNP_HITM is -1"):
        explain_sharing({"MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM": -1.0}, 1e6)
