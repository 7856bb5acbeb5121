"""What a generator's process is configured with: the INI file of interfaces.md, section 4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class StreamConfig:
    """One ``[stream NAME]``."""

    name: str
    keys: Mapping[str, object]
    """Keys as `planecast-generator --keys` lists them; those not named have its defaults."""


@dataclass(frozen=True)
class GeneratorConfig:
    """The INI file of one process."""

    tx: int | str | None
    """The port that sends: a DPDK port's number, or ``memif:SOCKET``; None: nothing is sent."""
    rx: int | str | None
    """The port that receives, likewise."""
    link_gbps: float
    """Link rate that percents are of."""
    lcores: tuple[int, ...]
    """CPU that sends and receives in turn, or one for each."""
    main_cpu: int
    """CPU of the main lcore, which sleeps."""
    streams: tuple[StreamConfig, ...]
    rx_queues: int = 1
    """Receive queues, polled in turn."""
    run: Mapping[str, object] = field(default_factory=dict)
    """Keys of ``[run]``."""
    pool: Mapping[str, object] = field(default_factory=dict)
    """Keys of ``[pool]``."""


def config_text(config: GeneratorConfig) -> str:
    """The INI file."""
    sections: list[tuple[str, Mapping[str, object]]] = [
        (
            "ports",
            {
                "tx": "none" if config.tx is None else config.tx,
                "rx": "none" if config.rx is None else config.rx,
                "link_gbps": config.link_gbps,
                "rx_queues": config.rx_queues,
            },
        ),
        ("run", config.run),
        ("pool", config.pool),
        (
            "machine",
            {"lcores": ",".join(map(str, config.lcores)), "main_cpu": config.main_cpu},
        ),
        *((f"stream {stream.name}", stream.keys) for stream in config.streams),
    ]
    lines: list[str] = []
    for name, keys in sections:
        if keys:
            lines += [f"[{name}]", *(f"{key} = {value}" for key, value in keys.items())]
    return "\n".join(lines) + "\n"
