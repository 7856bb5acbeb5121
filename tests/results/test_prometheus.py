"""The text file for Prometheus, read back by its own parser; and the dashboard that draws it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from planecast.results import Estimate, Manifest, Result
from planecast.results.prometheus import prometheus_text
from planecast.results.search import FoundRate, SearchAnswer
from planecast.scenario import Scenario, with_overrides

MakeResult = Callable[..., Result]


def samples(text: str) -> dict[tuple[str, str, str], float]:
    """Value by metric, point and bound."""
    return {
        (one.name, one.labels["point"], one.labels.get("bound", "")): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


def test_results_are_read_back(make_result: MakeResult) -> None:
    found = samples(
        prometheus_text([make_result(250.0), make_result(200.0, {"placement.burst": 8})])
    )
    assert found["planecast_cycles_per_packet", "", "value"] == 250.0
    assert found["planecast_cycles_per_packet", "", "high"] == 255.0
    assert found["planecast_throughput_pps", "burst=8", "value"] == 13e6
    assert found["planecast_stage_cycles_per_packet", "", "value"] == 62.5
    assert found["planecast_dropped_packets", "", ""] == 10.0
    assert found["planecast_started_seconds", "", ""] == 1767323045.0


def test_the_last_of_equal_scenarios_counts(make_result: MakeResult) -> None:
    found = samples(prometheus_text([make_result(250.0), make_result(240.0)]))
    assert found["planecast_cycles_per_packet", "", "value"] == 240.0


def test_names_are_labels(make_result: MakeResult) -> None:
    (first, *_) = next(
        iter(text_string_to_metric_families(prometheus_text([make_result()])))
    ).samples
    assert first.labels["test"] == "64B-1t1c-vpe-upstream"
    assert (first.labels["scenario"], first.labels["kind"]) == ("vpe-upstream", "measured")


def test_the_dashboard_asks_for_what_is_exported(repository: Path, make_result: MakeResult) -> None:
    text = (repository / "docs/how-to/grafana-dashboard.json").read_text()
    asked = set(re.findall(r"planecast_[a-z_]+", text))
    exported = {
        family.name for family in text_string_to_metric_families(prometheus_text([make_result()]))
    }
    assert asked
    assert asked <= exported
    panels = json.loads(text)["panels"]
    assert all(panel["targets"] for panel in panels)
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_a_searchs_rates_are_read_back(manifest: Manifest) -> None:
    rate = Estimate(value=6e6, low=5.9e6, high=6.1e6, samples=4, unit="pps", kind="measured")
    found = FoundRate(loss_ratio=0.0, rate_pps=rate, bounds=(), capped_by="data plane", why="x")
    search = SearchAnswer(
        method="mlr",
        scenario=with_overrides(Scenario(name="t"), {"dataplane.kind": "testpmd"}),
        dataplane="testpmd io",
        trial_seconds=0.02,
        rates={"NDR": found},
        trials=50,
        manifest=manifest,
    )
    samples = {
        sample.labels["bound"]: sample
        for family in text_string_to_metric_families(prometheus_text([], [search]))
        for sample in family.samples
        if sample.name == "planecast_rate_pps"
    }
    assert {name: sample.value for name, sample in samples.items()} == {
        "value": 6e6, "low": 5.9e6, "high": 6.1e6,
    }  # fmt: skip
    assert samples["value"].labels["rate"] == "NDR"
    assert samples["value"].labels["test"] == "64B-1t1c-testpmd-io"
    starved = search.model_copy(update={"invalid": "INVALID: a thread had no CPU"})
    assert "planecast_rate_pps{" not in prometheus_text([], [starved])
