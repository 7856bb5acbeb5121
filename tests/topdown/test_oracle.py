"""Our definitions against the vendor's own metric tables, over random event vectors.

The tables are not part of the project: the tests skip where they are absent. The vendor's formulas
are read here with Python's own parser, so that nothing of ours is on both sides.
"""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from planecast.topdown import evaluate_tree, load_definition

VECTORS = 2_000
TABLES = {"broadwell": "BDX", "skylake": "SKX", "icelake": "ICX", "sapphirerapids": "SPR"}
OUR_NAMES = {
    "4k_aliasing": "aliasing_4k",
    "store_fwd_blk": "store_forward_blocks",
    "l3_miss_bound": "dram_bound",
}
"""The vendor's names that differ from ours."""


def table(definition: str) -> list[dict[str, Any]]:
    folder = os.environ.get("PLANECAST_SHARED_DATA")
    root = Path(folder) if folder else Path(__file__).resolve().parents[3] / "shared" / "data"
    file = root / "perfmon" / f"perfmon-{TABLES[definition]}.metrics.json"
    if not file.exists():
        pytest.skip("the vendor's tables are not here")
    metrics: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["Metrics"]
    return metrics


class _Arrays(ast.NodeTransformer):
    """Turns conditions and the smallest of two into functions over arrays."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("where", ast.Load()), [node.test, node.body, node.orelse], [])


def vendor(formula: str, values: dict[str, Any]) -> NDArray[np.float64]:
    tree = ast.fix_missing_locations(_Arrays().visit(ast.parse(formula.strip(), mode="eval")))
    known = {"where": np.where, "min": np.minimum, "max": np.maximum, "__builtins__": {}}
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(eval(compile(tree, "vendor", "eval"), known, values)) / 100


def events(names: set[str], seed: int) -> dict[str, NDArray[np.float64]]:
    """Random counts over four decades, with a time of one second.

    The vendor divides the frequency by the time once too often, which a second hides: see
    docs/explanation/topdown.md.
    """
    generator = np.random.default_rng(seed)
    found = {name: np.rint(10 ** generator.uniform(5, 9, VECTORS)) for name in sorted(names)}
    found["SYSTEM_TSC_FREQ"] = generator.uniform(1e9, 4e9, VECTORS)
    return found


@pytest.mark.parametrize("definition", sorted(TABLES))
@pytest.mark.parametrize("smt", [False, True])
def test_every_node_that_both_define_agrees(definition: str, smt: bool) -> None:
    ours = load_definition(definition)
    theirs = {}
    for metric in table(definition):
        name = metric["LegacyName"].removeprefix("metric_TMA_").strip(".").removesuffix("(%)")
        name = OUR_NAMES.get(name.lower(), name.lower())
        if metric["Category"] == "TMA" and name in ours.nodes:
            theirs[name] = metric
    needed = {event["Name"] for metric in theirs.values() for event in metric["Events"]}
    counts = events(needed | set(ours.events), seed=len(definition) + smt)
    found = evaluate_tree(ours, counts, smt)
    assert found.missing == {}
    different = []
    for name, metric in theirs.items():
        values: dict[str, Any] = {e["Alias"]: counts[e["Name"]] for e in metric["Events"]}
        for constant in metric["Constants"]:
            known = {
                "HYPERTHREADING_ON": smt,
                "THREADS_PER_CORE": 2,
                "SYSTEM_TSC_FREQ": counts["SYSTEM_TSC_FREQ"],
                "DURATIONTIMEINMILLISECONDS": 1000.0,
            }
            text = constant["Name"]
            values[constant["Alias"]] = known[text] if text in known else float(text)
        expected = vendor(metric["Formula"], values)
        error = np.abs(found.values[name] - expected) / np.maximum(1, np.abs(expected))
        if not np.nanmax(error) <= 1e-9:
            different.append(f"{name}: {np.nanmax(error):.3g}")
        assert np.array_equal(np.isnan(expected), np.isnan(found.values[name]))
    assert different == []
    unchecked = set(ours.nodes) - theirs.keys()
    assert unchecked == set()


@pytest.mark.parametrize("definition", sorted(TABLES))
def test_thresholds_and_parents_are_the_vendors(definition: str) -> None:
    ours = load_definition(definition)
    for metric in table(definition):
        name = metric["LegacyName"].removeprefix("metric_TMA_").strip(".").removesuffix("(%)")
        name = OUR_NAMES.get(name.lower(), name.lower())
        node = ours.nodes.get(name)
        if metric["Category"] != "TMA" or node is None:
            continue
        assert node.level == metric["Level"], name
        first = metric["Threshold"]["Formula"].replace("(", "").split(")")[0].split("&")[0]
        assert float(first.split("|")[0].split(">")[1]) == pytest.approx(100 * node.entry.over), (
            name
        )
        assert ("&" in metric["Threshold"]["Formula"]) == (
            node.entry.gated and node.entry.parent is not None
        ), name
