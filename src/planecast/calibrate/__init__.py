"""Counters recorded on another machine as a calibration, and interruptions of recorded runs."""
