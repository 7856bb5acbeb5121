"""The documents' own figures compared with ours: what went in, what came out, the error."""

from planecast.reproduce.claim import Baseline, Claim, Curve, Goal, Refusal, Reproduction, Table
from planecast.reproduce.reproduction import DOCUMENTS, reproduce

__all__ = [
    "DOCUMENTS",
    "Baseline",
    "Claim",
    "Curve",
    "Goal",
    "Refusal",
    "Reproduction",
    "Table",
    "reproduce",
]
