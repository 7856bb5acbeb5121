"""The scenarios' neighbours: each works during the visits of its own points, else it idles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from planecast.generators.neighbour import Neighbour, Work
from planecast.scenario.scenario import Scenario

Company = Callable[[int], AbstractContextManager[object]]
"""What stands beside a point while it is visited, such as a noisy neighbour: entered before."""


@contextmanager
def neighbours(scenarios: Sequence[Scenario]) -> Iterator[Company]:
    """Starts a program on each CPU that some scenario has a neighbour on; none outlives the block.

    Raises MissingError without the program, RunError when it refuses its CPU.
    """
    busy = {s.neighbour_cpu for s in scenarios if s.neighbour.busy}
    with ExitStack() as stack:
        running = {cpu: stack.enter_context(Neighbour(cpu)) for cpu in sorted(busy)}

        def company(point: int) -> AbstractContextManager[object]:
            scenario = scenarios[point]
            if not scenario.neighbour.busy:
                return nullcontext()
            return running[scenario.neighbour_cpu].doing(Work.of(scenario.neighbour))

        yield company
