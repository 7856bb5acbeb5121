"""A latency histogram as other tools read it: HdrHistogram's compressed V2 encoding, in base64."""

from __future__ import annotations

from hdrh.histogram import HdrHistogram

from planecast.engines.simulate import _simulator as sim

_LEAST = 2  # a histogram's highest value is twice its lowest, 1, at least


def encoded(histogram: sim.Histogram) -> str:
    """The histogram for HdrHistogram's decoders; values are nanoseconds.

    The native histogram has HdrHistogram's own buckets, so counts go over one to one.
    """
    same = HdrHistogram(1, max(_LEAST, histogram.max), histogram.digits)
    for bar in histogram.bars():
        same.record_value(bar.low, bar.count)
    return bytes(same.encode()).decode()
