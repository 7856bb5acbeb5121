"""Who sends in a search: planecast's own generator, or one of others."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from planecast.scenario.model import Noun


def _ports(value: Any) -> Any:
    """A list, whose numbers are names too; or text with blanks between: locations have commas."""
    if isinstance(value, str):
        return tuple(value.split())
    if isinstance(value, list | tuple):
        return tuple(str(one) if isinstance(one, int) else one for one in value)
    return value


class LoadGeneratorChoice(Noun):
    """The generator of a search."""

    kind: Literal["ours", "otg", "trex"] = "ours"
    """ours: planecast-generator; otg: any server of the Open Traffic Generator API, through snappi;
    trex: a TRex server, through lbr-trex-client."""
    server: str | None = None
    """Where it listens: otg http://HOST:PORT (or HOST:PORT for gRPC); trex HOST or HOST:PORT."""
    ports: Annotated[
        tuple[str, ...],
        BeforeValidator(_ports, json_schema_input_type=str | list[str | int]),
    ] = ()
    """Where it sends and where it receives, in its own words (otg: locations; trex: numbers).
    None: the memory interfaces of the data plane, for a planecast OTG server on this host."""

    @model_validator(mode="after")
    def _belongs_together(self) -> Self:
        if self.kind == "ours" and (self.server or self.ports):
            raise ValueError("a server is named, but kind is 'ours'; set generator.kind")
        if self.kind != "ours" and not self.server:
            raise ValueError(f"kind is '{self.kind}', but none is named; set generator.server")
        if self.ports and len(self.ports) != 2:
            raise ValueError(
                f"got {len(self.ports)} ports; name two, where it sends and where it receives"
            )
        if self.kind == "trex":
            if not self.ports:
                raise ValueError(
                    "TRex has no memory interfaces; set generator.ports to two numbers"
                )
            for port in self.ports:
                if not (port.isascii() and port.isdigit()):
                    raise ValueError(f"got port '{port}', but TRex knows them by number")
        return self
