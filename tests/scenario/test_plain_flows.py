"""Headers of the packets that programs of others get."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

import pytest

from planecast.errors import InputError
from planecast.generators.matching import plain_stream
from planecast.instruments.window import frame_words
from planecast.scenario import Scenario, load_scenario, with_overrides
from planecast.scenario.plain_flows import plain_flows

MINE = {"dataplane.kind": "command", "dataplane.command": "./mine {in_eal} {out_eal}"}


def scenario(**packets: object) -> Scenario:
    own = {f"dataplane.packets.{name}": value for name, value in packets.items()}
    return with_overrides(Scenario(name="s"), {**MINE, "traffic.flows": 10, **own})


def test_a_program_of_ones_own_gets_what_its_scenario_says() -> None:
    asked = scenario(
        destination="198.18.1.1",
        destination_step="0.0.1.0",
        source_step="0.0.0.0",
        destination_port=80,
        destination_mac="02:00:00:00:00:aa",
    )
    flows = plain_flows(asked)
    assert flows.destination_of(9) == IPv4Address("198.18.10.1")
    assert flows.source_of(9) == flows.source_of(0) == IPv4Address("10.0.0.1")
    frame = bytes.fromhex(str(frame_words(asked)["frame"]))
    assert frame[:6].hex() == "0200000000aa"
    assert frame[30:34] == bytes([198, 18, 1, 1])
    assert int.from_bytes(frame[36:38], "big") == 80
    assert frame_words(asked)["source_step"] == 0
    sent = plain_stream(asked).keys
    assert (sent["destination_ip"], sent["destination_ip_step"]) == ("198.18.1.1", "0.0.1.0")
    assert (sent["destination_port"], sent["destination_mac"]) == (80, "02:00:00:00:00:aa")


def test_headers_are_read_back_from_a_run() -> None:
    asked = scenario(destination="198.18.1.1")
    assert Scenario.model_validate_json(asked.model_dump_json()) == asked
    assert Scenario.model_validate(asked.model_dump()) == asked


def test_what_answers_for_other_packets_is_another_program() -> None:
    usual, other = scenario(), scenario(destination="198.18.1.1")
    assert usual.forwards == "command ./mine {in_eal} {out_eal}"
    assert other.forwards == f"{usual.forwards} with destination 198.18.1.1"


@pytest.mark.parametrize(
    ("packets", "sentence"),
    [
        ({"destination": "198.18.1"}, r"packets\.destination.*got '198.18.1'; allowed is an IPv4"),
        ({"destination": 11}, "dataplane.packets.destination"),
        ({"destination_mac": "02:00"}, r"packets\.destination_mac.*got '02:00'; allowed is a MAC"),
        ({"source_port": 65536}, "dataplane.packets.source_port"),
        ({"destinations": "11.0.0.1"}, "did you mean dataplane.packets.destination"),
    ],
)
def test_headers_that_do_not_exist_are_refused(packets: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        scenario(**packets)


def test_flows_end_at_the_last_address() -> None:
    assert plain_flows(scenario(destination="255.255.255.246")) is not None
    with pytest.raises(InputError, match="10 flows go beyond the last IPv4 address"):
        plain_flows(scenario(destination="255.255.255.247"))


def test_programs_whose_tables_are_made_here_have_no_such_keys(tmp_path: Any) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "name: s\ndataplane: {kind: l3fwd, packets: {destination: 11.0.0.1}}\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match="packets"):
        load_scenario(path)


def test_an_external_program_has_them(tmp_path: Any) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "name: s\ndataplane: {kind: external, packets: {destination: 192.0.2.9}}\n"
        "generator: {kind: otg, server: 'http://x', ports: [a, b]}\n",
        encoding="utf-8",
    )
    assert plain_stream(load_scenario(path)).keys["destination_ip"] == "192.0.2.9"
