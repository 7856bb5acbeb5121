"""Lines that lie apart, as it follows from what a program looks up."""

import numpy as np
from tests.traced_programs import BASE

from planecast.model.supported import columns_of
from planecast.scenario import with_overrides
from planecast.workload.regions import Overlap, Region
from planecast.workload.traced.strides import strided

POINTS = (
    {"dataplane.routes": 16, "traffic.destination_step": "0.0.64.0"},
    {"dataplane.routes": 16, "traffic.destination_step": "0.0.0.1"},
    {"traffic.destination_step": "0.0.64.0"},
)


def region(stage: str, overlap: Overlap = Overlap.INDEPENDENT) -> Region:
    lines = np.full(len(POINTS), 1000.0)
    return Region(stage, "loaded", True, lines, lines / 1000, lines, lines, overlap)


def test_a_table_of_destinations_is_touched_apart() -> None:
    columns = columns_of([with_overrides(BASE, dict(point)) for point in POINTS])
    regions = [region("route"), region("route", Overlap.STORED), region("parse")]
    table, stored, other = strided(regions, columns)
    # 64 entries of 4 bytes are 4 lines; two routes need no destinations apart.
    assert table.stride is not None
    assert table.stride.tolist() == [4, 1, 1]
    assert table.lines.tolist() == table.total_lines.tolist() == [1000, 1000, 1000]
    assert stored is regions[1]
    assert other is regions[2]


def test_other_programs_are_as_traced() -> None:
    columns = columns_of([with_overrides(BASE, {"dataplane.kind": "testpmd"})])
    (found,) = strided([region("route")], columns)
    assert found.lines.tolist() == [1000] * len(POINTS)
