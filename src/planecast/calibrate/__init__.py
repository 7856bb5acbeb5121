"""Counters recorded elsewhere as a calibration, and interruptions of recorded runs."""
