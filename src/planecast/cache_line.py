"""The unit of caches and of memory."""

LINE_BYTES = 64
"""Bytes of a cache line, on x86-64 and on most cores of Arm."""
