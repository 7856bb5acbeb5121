"""What an answer says of its calibration, and when it warns."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from planecast.results import Estimate
from planecast.results.basis import Basis, age_text

NOW = datetime(2026, 1, 10, 12, tzinfo=UTC)
BASIS = Basis(
    run="20260110T090000Z-validate-vpe",
    digest="0123456789ab",
    made_at="2026-01-10T09:00:00Z",
    cpu="Test CPU",
    this_host=True,
    choice="latest of this host",
    held_out=29,
    mean_error_percent=4.2,
    coverage_percent=93.1,
)


def test_the_sentence_names_run_age_host_and_error() -> None:
    assert BASIS.sentence(NOW) == (
        "calibration: 20260110T090000Z-validate-vpe (latest of this host), 3 hours old, of Test "
        "CPU, this host; validated: mean error 4.2 % of 29 held-out points, 93 % inside"
    )
    plain = BASIS.model_copy(update={"mean_error_percent": None, "this_host": False, "cpu": ""})
    assert plain.sentence(NOW).endswith("of an unknown CPU; not validated")


def test_of_another_function_the_machine_alone_counts() -> None:
    """Its validation neither speaks for the answer nor against it."""
    missed = BASIS.model_copy(update={"noise_floor_percent": 1.0})
    assert missed.warnings()
    machine = missed.of_machine()
    assert machine.warnings() == []
    assert "(for its machine alone), 3 hours old" in machine.sentence(NOW)
    assert machine.sentence(NOW).endswith("it is of another network function")


@pytest.mark.parametrize(
    ("made", "age"),
    [
        ("2026-01-10T11:59:00Z", "1 minute old"),
        ("2026-01-09T12:00:00Z", "24 hours old"),
        ("2026-01-01T12:00:00", "9 days old"),
        ("2027-01-01T12:00:00Z", "0 minutes old"),
        ("some day", "of unknown age"),
    ],
)
def test_age(made: str, age: str) -> None:
    assert age_text(made, NOW) == age


def test_wide_answers_and_a_missed_floor_are_warned_of(
    make_estimate: Callable[..., Estimate],
) -> None:
    narrow, wide = (make_estimate(100.0, "cycles/packet", percent=p) for p in (4.0, 24.0))
    assert BASIS.warnings([narrow, narrow, wide]) == []
    (warning,) = BASIS.warnings([narrow, wide, wide])
    assert "±24 % in the median" in warning
    floor = BASIS.model_copy(update={"noise_floor_percent": 2.0})
    assert "missed by 4.2 %, more than the machine's noise of 2.0 %" in floor.warnings([narrow])[0]
