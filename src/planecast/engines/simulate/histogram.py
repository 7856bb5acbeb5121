"""A latency histogram as other tools read it: HdrHistogram's compressed V2 encoding, in base64.

The native histogram has HdrHistogram's own buckets, so counts go over one to one. Source of the
format: HdrHistogram's AbstractHistogram.java (encodeIntoCompressedByteBuffer, ZigZagEncoding).
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator

from planecast.engines.simulate import _simulator as sim

_COUNTS = 0x1C849303 | 0x10
_COMPRESSED = 0x1C849304 | 0x10
_HEADER = struct.Struct(">IIIIQQd")
_LEAST = 2  # a histogram's highest value is twice its lowest, 1, at least


def encoded(histogram: sim.Histogram) -> str:
    """The histogram for HdrHistogram's decoders; values are nanoseconds."""
    counts = b"".join(map(_varint, _zigzag(histogram)))
    highest = max(_LEAST, histogram.max)
    header = _HEADER.pack(_COUNTS, len(counts), 0, histogram.digits, 1, highest, 1.0)
    packed = zlib.compress(header + counts)
    return base64.b64encode(struct.pack(">II", _COMPRESSED, len(packed)) + packed).decode()


def _zigzag(histogram: sim.Histogram) -> Iterator[int]:
    """Counts by index as 2·count; a run of n empty buckets as −n, so 2·n − 1."""
    bits = (2 * 10**histogram.digits - 1).bit_length()
    following = 0
    for bar in histogram.bars():
        bucket = max(0, bar.low.bit_length() - bits)
        index = (bucket << (bits - 1)) + (bar.low >> bucket)
        empty = index - following
        if empty:
            yield 2 * empty - 1 if empty > 1 else 0
        yield 2 * bar.count
        following = index + 1


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; counts stay far below the 56 bits that this holds."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
