"""What a measured point is given that was counted."""

from __future__ import annotations

from pathlib import Path

from planecast.model.calibration import Calibration
from planecast.results import ResultSet
from planecast.study.calibrate import with_instructions


def test_a_clock_has_instructions_only_of_the_stages_that_it_times(repository: Path) -> None:
    """Of Open vSwitch's clocks that of the source alone times a stage of its map."""
    run = repository / "docs/examples/explain/runs/20261125T033438Z-validate-ovs"
    text = (run / "calibration.json").read_text(encoding="utf-8")
    known = Calibration.model_validate_json(text)
    first = ResultSet.model_validate_json((run / "result.json").read_text(encoding="utf-8"))
    found = with_instructions(first.results[0], known.instructions, known.program)
    assert found.stages.keys() == {"source", "rx", "tx", "program"}
    counted = {name: one.instructions_per_packet for name, one in found.stages.items()}
    assert {name for name, one in counted.items() if one is not None} == {"source"}
    assert found.instructions_per_packet is not None
    assert known.program is not None
    other = known.program.model_copy(update={"subject": "l3fwd"})
    found = with_instructions(first.results[0], known.instructions, other)
    parts = [one.instructions_per_packet for one in found.stages.values()]
    assert found.instructions_per_packet is not None
    assert sum(one.value for one in parts if one) == found.instructions_per_packet.value
