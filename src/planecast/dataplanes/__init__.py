"""Room `dataplanes`: the programs that forward packets. Start, ask, observe, stop."""

from planecast.dataplanes.config import DataplaneConfig, configs_for, once_command
from planecast.dataplanes.ours import Dataplane
from planecast.dataplanes.trial import PortTrial, Trial, TrialAnswer

__all__ = [
    "Dataplane",
    "DataplaneConfig",
    "PortTrial",
    "Trial",
    "TrialAnswer",
    "configs_for",
    "once_command",
]
