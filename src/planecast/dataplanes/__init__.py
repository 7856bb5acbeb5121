"""Room `dataplanes`: the programs that forward packets. Start, ask, observe, stop."""

from planecast.dataplanes.ours import (
    Dataplane,
    DataplaneConfig,
    Trial,
    TrialAnswer,
    configs_for,
    once_command,
    write_config,
)

__all__ = [
    "Dataplane",
    "DataplaneConfig",
    "Trial",
    "TrialAnswer",
    "configs_for",
    "once_command",
    "write_config",
]
