"""Open Traffic Generator: the model's JSON, mapped to our generator, served over HTTP.

Read `node` (how the model is read), then `mapping`, `session`, `server`. What is supported is
listed in docs/how-to/otg.md.
"""

from planecast.generators.otg.errors import OtgError
from planecast.generators.otg.mapping import Resources, plan_of
from planecast.generators.otg.server import serve
from planecast.generators.otg.session import Session

__all__ = ["OtgError", "Resources", "Session", "plan_of", "serve"]
