"""Room `calibrate`: measured Results become the model's parameters."""

from planecast.calibrate.fit import calibrate

__all__ = ["calibrate"]
