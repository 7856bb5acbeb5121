"""The machine that is made up for all tests of the model."""

from tests.calibrations import base, calibration, counts, hierarchy, manifest

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]
