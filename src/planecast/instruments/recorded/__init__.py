"""What other tools have counted, read from their files by names and not by positions."""

from planecast.instruments.recorded.read import read_recording
from planecast.instruments.recorded.recording import Count, Recording, Share

__all__ = ["Count", "Recording", "Share", "read_recording"]
