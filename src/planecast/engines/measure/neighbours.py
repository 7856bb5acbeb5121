"""The scenarios' neighbours: each works during the visits of its own points, else it idles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from planecast.generators.neighbour import Neighbour, Work
from planecast.scenario.host_cpus import neighbour_cpus
from planecast.scenario.scenario import Scenario

NeighbourOf = Callable[[int], AbstractContextManager[object]]
"""What runs next to a point while it is visited, such as a noisy neighbour: entered before."""


@contextmanager
def neighbours(scenarios: Sequence[Scenario]) -> Iterator[NeighbourOf]:
    """Starts a program on each CPU that some scenario has a neighbour on; none outlives the block.
    Of several that a scenario has, each has built its working set before the next begins.

    Raises MissingError without the program, RunError when it refuses its CPU.
    """
    busy = {cpu for scenario in scenarios for cpu in neighbour_cpus(scenario)}
    with ExitStack() as stack:
        running = {cpu: stack.enter_context(Neighbour(cpu)) for cpu in sorted(busy)}

        @contextmanager
        def neighbour_of(point: int) -> Iterator[None]:
            scenario = scenarios[point]
            with ExitStack() as visit:
                for cpu in neighbour_cpus(scenario):
                    visit.enter_context(running[cpu].doing(Work.of(scenario.neighbour)))
                yield

        yield neighbour_of
