"""Fed the documents' level-1 table, the answers name the documents' own conclusions."""

from __future__ import annotations

import pytest

from planecast.errors import InputError
from planecast.explain.counters import explain_published, published_rows


def test_the_tables_rows_add_up() -> None:
    assert len(published_rows()) == 14
    for name, row in published_rows().items():
        assert sum(row.shares.values()) == pytest.approx(1, abs=0.0035), name


@pytest.mark.parametrize("row", ["testpmd noHT", "l3fwd noHT"])
def test_moving_packets_waits_for_memory_and_stores(row: str) -> None:
    found = explain_published(row)
    assert found.limits[0].startswith("Backend bound 61.")
    assert "memory and store side" in found.limits[0]
    assert "moved more than processed: the memory and store side" in found.limits[1]
    assert all("Frontend" not in sentence for sentence in found.limits)
    assert any("prefetch headers and descriptors" in a.try_this for a in found.advice)
    assert any("two threads" in a.try_this for a in found.advice)


def test_ovs_with_both_threads_is_frontend_bound() -> None:
    found = explain_published("ovs-l2 HT")
    assert found.limits[0].startswith("Frontend bound 26.4 %")
    assert "below 30 % is usual" in found.limits[1]
    assert all("Backend" not in sentence for sentence in found.limits)
    assert any("Haswell and" in sentence for sentence in found.certainty)


def test_ovs_alone_waits_and_mispredicts() -> None:
    found = explain_published("ovs-l2 noHT")
    assert found.limits[0].startswith("Backend bound 37.0 %")
    assert "dependent instructions and ports" in found.limits[1]
    assert any(advice.try_this == "profile branch mispredictions" for advice in found.advice)


@pytest.mark.parametrize("row", ["vpp-ip4 HT", "coremark noHT"])
def test_the_rest_is_shown_by_its_largest_share(row: str) -> None:
    found = explain_published(row)
    useful = "nothing is over its threshold" in found.limits[0]
    assert useful == (row == "vpp-ip4 HT")
    assert all(node.share is None or node.share.kind == "published" for node in found.nodes)


def test_hyper_threading_turns_backend_into_frontend() -> None:
    """The document: without hyper-threading no row is frontend bound, with it five are."""
    alone = [explain_published(n) for n in published_rows() if n.endswith("noHT")]
    assert not any(n.over for e in alone for n in e.nodes if n.node == "frontend_bound")
    both = [explain_published(n) for n in published_rows() if not n.endswith("noHT")]
    assert sum(n.over for e in both for n in e.nodes if n.node == "frontend_bound") == 5


def test_a_row_that_nobody_published_gets_the_list() -> None:
    with pytest.raises(InputError, match="there are coremark noHT"):
        explain_published("Pentium")
