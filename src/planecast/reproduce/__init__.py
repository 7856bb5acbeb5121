"""The documents' own figures beside ours: what went in, what came out, how far apart they are."""

from planecast.reproduce.claim import Claim, Curve, Goal, Reproduction, Table
from planecast.reproduce.reproduction import DOCUMENTS, reproduce

__all__ = ["DOCUMENTS", "Claim", "Curve", "Goal", "Reproduction", "Table", "reproduce"]
