"""Room `generators`: the programs that send packets and report what became of them."""

from planecast.generators.config import GeneratorConfig, StreamConfig, config_text
from planecast.generators.ours import Generator

__all__ = ["Generator", "GeneratorConfig", "StreamConfig", "config_text"]
