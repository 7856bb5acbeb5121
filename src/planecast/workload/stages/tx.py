"""TX: hands packets back to the pool, or to the next interface."""

from __future__ import annotations

from planecast.workload.stages.descriptor import StageDescriptor


class Tx(StageDescriptor):
    """Of every network function; the buffers that it touches are the source's."""

    name = "tx"
    instructions_depend_on = ("forward",)  # which chooses each packet's port
