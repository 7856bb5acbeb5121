"""rte_hash, DPDK's hash table, as stages that look flows up in it have it."""

from __future__ import annotations

from planecast.cache_line import LINE_BYTES

BUCKET_ENTRIES = 8
"""A bucket is one line of eight signatures and indices."""
BUCKETS_ASKED = 2
"""The bulk look-up asks for the primary and the secondary bucket of every key."""
BULK = 64
"""Keys that are looked up at once."""
_DATA_BYTES, _STEP = 8, 16


def entry_lines(key_bytes: int) -> float:
    """Lines of an entry: eight bytes of data and the key, in multiples of sixteen."""
    return -(-(_DATA_BYTES + key_bytes) // _STEP) * _STEP / LINE_BYTES
