"""``planecast reproduce``."""

from __future__ import annotations

from tests.cli.conftest import Run


def test_a_table_for_people(run: Run) -> None:
    answer = run("reproduce", "bsdp", "--table", "24")
    assert answer.code == 0
    assert "PCIeRdCur" in answer.out
    assert "2 of 2 tests within their bounds" in answer.out
    assert "2 arithmetic; 3 figures went in" in answer.out
    clock = run("reproduce", "bsdp", "--table", "2").out
    assert "No-skill baseline" in clock
    assert "alternative: cycles that don't change with the clock: within in 10 of 12, ours" in clock
    assert "receive write-backs" in run("reproduce", "bsdp", "--table", "24", "--inputs").out


def test_claims_for_machines(run: Run) -> None:
    answer = run("reproduce", "vpe", "--format", "json").json()
    assert {"id", "published", "ours", "error_percent", "role", "mark", "predicted_from"} <= set(
        answer["claims"][0]
    )
    assert {claim["role"] for claim in answer["claims"]} == {"input", "check"}
    curves = [curve["id"] for table in answer["tables"] for curve in table["curves"]]
    assert {"frequency", "llc", "cores", "frames"} <= set(curves)


def test_bad_input(run: Run) -> None:
    assert run("reproduce", "nothing").code == 2
    answer = run("reproduce", "res", "--table", "9")
    assert answer.code == 2
    assert "known: 1 (SST-BF" in answer.err
