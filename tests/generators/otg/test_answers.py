"""JSON as the clients read it, and metrics as the model has them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from planecast.generators.otg.json_text import json_text
from planecast.generators.otg.mapping import Flow
from planecast.generators.otg.metrics import Progress, flow_metric, port_metric
from planecast.generators.otg.ports import Port

FLOW = Flow("f", "00", "p1", "p2", packets=0, counted=False, metrics=True, loss=True, latency=True)
counters = st.integers(0, 2**64 - 1)


def stream(**values: Any) -> dict[str, Any]:
    return {
        "sent": 10,
        "sent_bytes": 640,
        "received": 9,
        "received_bytes": 576,
        "lost": 1,
        "sent_pps": 100.0,
        "received_pps": 90.0,
        "latency_ns": {"min": 1, "mean": 2.5, "max": 4},
        **values,
    }


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.recursive(
        numbers | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_json_is_json(value: Any) -> None:
    assert json.loads(json_text(value)) == value


@given(numbers)
def test_yaml_reads_numbers_as_numbers(value: float) -> None:
    assert yaml.safe_load(json_text({"x": value})) == {"x": value}


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_json_has_no_number_for(value: float) -> None:
    with pytest.raises(ValueError, match="is not a number in JSON"):
        json_text(value)


@given(counters, counters, counters, counters)
def test_counters_are_strings(sent: int, sent_bytes: int, received: int, lost: int) -> None:
    progress = Progress(
        FLOW, True, stream(sent=sent, sent_bytes=sent_bytes, received=received, lost=lost)
    )
    flow = flow_metric(progress)
    ports = [port_metric(Port(name, ""), [progress]) for name in ("p1", "p2")]
    for metric in (flow, *ports):
        for key in ("frames_tx", "frames_rx", "bytes_tx", "bytes_rx"):
            assert isinstance(metric[key], str)
    assert int(flow["frames_tx"]) == int(ports[0]["frames_tx"]) == sent
    assert int(flow["frames_rx"]) == int(ports[1]["frames_rx"]) == received
    assert ports[0]["frames_rx"] == ports[1]["frames_tx"] == "0"
    assert json.loads(json_text(flow)) == flow


def test_a_flow_that_sends() -> None:
    metric = flow_metric(Progress(FLOW, True, stream()))
    assert metric["transmit"] == "started"
    assert metric["loss"] == 10.0
    assert (metric["frames_tx_rate"], metric["frames_rx_rate"]) == (100.0, 90.0)
    assert metric["tx_rate_bps"] == 100 * 64 * 8
    assert metric["tx_l1_rate_bps"] == 100 * 84 * 8
    assert metric["latency"] == {"minimum_ns": 1.0, "average_ns": 2.5, "maximum_ns": 4.0}


def test_a_flow_that_has_stopped_has_no_rate() -> None:
    metric = flow_metric(Progress(FLOW, False, stream()))
    assert metric["transmit"] == "stopped"
    assert {metric[key] for key in metric if "rate" in key} == {0.0}
    assert metric["frames_tx"] == "10"


def test_a_flow_that_never_ran() -> None:
    metric = flow_metric(Progress(FLOW, False, None))
    assert (metric["frames_tx"], metric["loss"], metric["transmit"]) == ("0", 0.0, "stopped")
    assert "latency" not in metric


def test_what_was_not_asked_for_is_not_reported() -> None:
    flow = Flow(
        "f", "00", "p1", None, packets=0, counted=False, metrics=True, loss=True, latency=True
    )
    assert not {"loss", "latency", "frames_rx", "port_rx"} & set(
        flow_metric(Progress(flow, True, stream()))
    )
    flow = Flow(
        "f", "00", "p1", "p2", packets=0, counted=False, metrics=True, loss=False, latency=False
    )
    assert not {"loss", "latency"} & set(flow_metric(Progress(flow, True, stream())))
