"""Flow classes: what a person may write, what comes of it, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.errors import InputError
from planecast.scenario import Scenario, with_overrides

VOICE = "voice share=20% frame_bytes=128 flows=1024 dscp=46"


def classed(classes: Any, **more: Any) -> Scenario:
    changes = {key.replace("__", "."): value for key, value in more.items()}
    return with_overrides(Scenario(name="x"), {"traffic.classes": classes, **changes})


def test_a_list_and_a_text_are_the_same_classes() -> None:
    listed = [
        {"name": "voice", "share": "20%", "frame_bytes": 128, "flows": 1024, "dscp": 46},
        {"name": "bulk", "share": 0.8, "frame_mix": "imix"},
    ]
    scenario = classed(f"{VOICE}; bulk share=80% frame_mix=imix")
    assert scenario == classed(listed)
    assert scenario == Scenario.model_validate_json(scenario.model_dump_json())
    assert scenario == classed(scenario.traffic.classes)


def test_what_a_class_leaves_out_is_the_traffics() -> None:
    voice, bulk = classed(f"{VOICE}; bulk share=4", traffic__frame_bytes=256).traffic.by_class
    assert (voice.share, voice.frames, voice.flows) == (0.2 / 4.2, ((128, 1.0),), 1024)
    assert (bulk.share, bulk.frames) == (4 / 4.2, ((256, 1.0),))
    assert bulk.flows == int(65536 * 4 / 4.2)


def test_without_classes_there_is_one() -> None:
    traffic = Scenario(name="x").traffic
    (one,) = traffic.by_class
    assert (one.share, one.frames, one.flows) == (1.0, traffic.frames, traffic.flows)


def test_sizes_of_all_classes_are_mixed_by_share() -> None:
    frames = classed("a share=1 frame_bytes=64; b share=3 frame_mix=64:1,128:1").traffic.frames
    assert dict(frames) == pytest.approx({64: 0.625, 128: 0.375})


def test_rates_of_classes_are_what_is_offered() -> None:
    traffic = classed("a offered_pps=1Mpps; b offered_pps=3Mpps").traffic
    assert (traffic.offered_pps, traffic.rated_classes) == (4e6, True)
    assert [one.share for one in traffic.by_class] == [0.25, 0.75]


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ("a share=0", "class a: share: got '0.0'"),
        ("a share=some", "class a: share: got 'some'"),
        ("a; a", "class a appears twice"),
        ("a colour=red", "class a: no key colour; there are name, share"),
        ("a share", "class a: got 'share', where KEY=VALUE is wanted"),
        ("a offered_pps=1Mpps; b", "class b has no offered_pps, but others do"),
        ("a share=1 offered_pps=1Mpps", "class a: a share and a rate are given"),
        (
            "a frame_bytes=12",
            "frame_bytes: got '12', allowed is a whole number from 64 to 9000",
        ),
        ("a frame_bytes=64 frame_mix=imix", "class a: frame_bytes and frame_mix are given"),
        ("a dscp=64", "class a: dscp: got '64'"),
        ("1a", "class 1a: name: got '1a'"),
        ("a flows=70000", "70000 flows are active, more than the 65536 entries"),
        ("; ".join(f"c{i}" for i in range(17)), "got 17 classes, allowed are 1 to 16"),
        ([3], "class 1 is not a mapping such as"),
        ([{"share": 1}], "class 1: the key name is missing"),
        (7, "got no list of classes"),
    ],
)
def test_what_is_wrong_is_one_sentence(classes: Any, said: str) -> None:
    with pytest.raises(InputError, match="traffic") as error:
        classed(classes)
    assert said in str(error.value)


def test_a_capture_and_other_rates_are_refused() -> None:
    with pytest.raises(InputError, match="a capture's packets are of one class"):
        classed("a; b", traffic__arrivals="pcap", traffic__pcap="x.pcap")
    with pytest.raises(InputError, match="classes offer 1,000,000 packets a second together"):
        classed("a offered_pps=1Mpps", traffic__offered_pps=2e6)
