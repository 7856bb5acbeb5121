"""Counting with Linux's ``perf stat``: groups that fit the counters there are, in rounds."""

from planecast.instruments.perf.count import CountRequest, count_events, perf_command
from planecast.instruments.perf.groups import event_groups

__all__ = ["CountRequest", "count_events", "event_groups", "perf_command"]
