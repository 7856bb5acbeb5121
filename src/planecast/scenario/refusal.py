"""A validator's refusal of a key inside of what it validates, so that the error names its line."""

from __future__ import annotations

from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from planecast.scenario.keys import Location

REFUSED = "refused"


def refusal(location: Location, what: str, what_to_do: str) -> ValidationError:
    """The error to raise in a validator. `what` says of the key at `location`, below what is
    validated, why it is refused: ``does not apply to ovs``."""
    about = {"what": what, "what_to_do": what_to_do}
    problem = PydanticCustomError(REFUSED, "{what}; {what_to_do}", about)
    details = InitErrorDetails(type=problem, loc=location, input=None)
    return ValidationError.from_exception_data("refused", [details])
