"""The model's fixtures serve calibration, too."""

from tests.engines.solve.conftest import base, counts, hierarchy

__all__ = ["base", "counts", "hierarchy"]
