"""Traffic: frame mixes, arrivals, captures."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.errors import InputError
from planecast.scenario import Scenario, load_scenario, with_overrides
from planecast.scenario.frames import mix_frames
from planecast.scenario.study import load_study
from planecast.scenario.workload import FUNCTIONS, WITHOUT_FLOWS

BASE = Scenario(name="s")
SIZES = st.dictionaries(
    st.integers(64, 9000), st.floats(0.01, 1000).map(lambda weight: round(weight, 2)), min_size=1,
    max_size=20,
)  # fmt: skip


def frames(mix: Any) -> tuple[tuple[int, float], ...]:
    return with_overrides(BASE, {"traffic.frame_mix": mix}).traffic.frames


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_a_function_without_flows_of_its_own_takes_any_number(kind: str) -> None:
    keys = {"workload.kind": kind, "workload.stages": ",".join(FUNCTIONS[kind]) or "none"}
    with_overrides(BASE, keys | {"traffic.flows": 65536})
    with nullcontext() if kind in WITHOUT_FLOWS else pytest.raises(InputError, match="active"):
        with_overrides(BASE, keys | {"traffic.flows": 65537})


def test_the_usual_mix_has_twelve_frames() -> None:
    assert frames("imix") == ((64, 7.0), (594, 4.0), (1518, 1.0))
    assert frames("none") == ((64, 1.0),)
    assert frames("128, 256:2.5") == ((128, 1.0), (256, 2.5))


@given(SIZES)
def test_a_mix_has_one_spelling(sizes: dict[int, float]) -> None:
    typed = " , ".join(f"{size}:{weight}" for size, weight in sizes.items())
    once = with_overrides(BASE, {"traffic.frame_mix": typed}).traffic
    assert dict(once.frames) == sizes
    again = with_overrides(BASE, {"traffic.frame_mix": once.frame_mix}).traffic
    assert again == once
    assert dict(mix_frames(once.frame_mix)) == sizes


@pytest.mark.parametrize(
    ("point", "sentence"),
    [
        ({"frame_mix": "63:1"}, "got '63:1', which is not a mix such as 64:7,594:4,1518:1"),
        ({"frame_mix": "64:0"}, "each with a weight above 0"),
        ({"frame_mix": "64,64"}, "in which 64 appears twice"),
        ({"frame_mix": 64}, "got 64, which is not a mix"),
        ({"dropped": "acl:2"}, "not a list of stages with a share from 0 to 1"),
        ({"dropped": "acl:1%,acl:2%"}, "in which acl appears twice"),
        ({"dropped": "nat:0.1"}, "dropped in 'nat', but the stages that run are acl, key"),
        ({"arrivals": "poisson"}, "without a rate; to simulate, set traffic.offered_pps"),
        ({"arrivals": "on_off"}, "without a rate; to simulate, set traffic.offered_pps"),
        ({"arrivals": "pcap"}, "no file is named; set traffic.pcap"),
        ({"pcap": "a.pcap"}, "arrivals is 'constant'; set traffic.arrivals to pcap"),
        (
            {"arrivals": "pcap", "pcap": "a", "frame_mix": "imix"},
            "the capture's own sizes; leave traffic.frame_mix out",
        ),
        (
            {"arrivals": "on_off", "offered_pps": "2M", "burst_pps": "1M"},
            "less than the 2e+06 offered; raise traffic.burst_pps",
        ),
    ],
)
def test_what_does_not_fit_is_a_sentence(point: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        with_overrides(BASE, {f"traffic.{key}": value for key, value in point.items()})
    assert sentence in str(error.value)


def test_a_capture_is_named_from_the_file_that_names_it(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    traffic = "traffic: {arrivals: pcap, pcap: caught/a.pcap}\n"
    (folder / "s.yaml").write_text(f"name: s\n{traffic}")
    found = load_scenario(folder / "s.yaml").traffic.pcap
    assert found == str(folder / "caught/a.pcap")
    set_here = load_scenario(folder / "s.yaml", {"traffic.pcap": "b.pcap"}).traffic.pcap
    assert set_here == "b.pcap"
    (folder / "study.yaml").write_text(
        f"name: t\nscenario:\n  name: s\n  {traffic}calibrate: [{{}}]\n"
        "hold_out: [{placement.burst: 8}]\n"
    )
    assert load_study(folder / "study.yaml").scenario.traffic.pcap == found
