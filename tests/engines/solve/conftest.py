"""The machine that is made up for all tests of the model."""

from tests.calibrations import base, counts, hierarchy

__all__ = ["base", "counts", "hierarchy"]
