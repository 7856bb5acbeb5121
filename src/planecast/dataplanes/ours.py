"""planecast's own data plane: what a process of it is given, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from planecast.dataplanes.config import DataplaneConfig, config_text
from planecast.dataplanes.trial import PortTrial, Trial, TrialAnswer
from planecast.errors import RunError, first_refusal
from planecast.json_process import JsonProcess
from planecast.native import how_to_build
from planecast.scenario.host_cpus import refuse_offline


class Dataplane(JsonProcess):
    """A running process that answers trials. A context manager: it never outlives its block."""

    def __init__(
        self,
        config: DataplaneConfig,
        eal_arguments: Sequence[str] = (),
        before: Sequence[str] = (),
    ) -> None:
        super().__init__(
            "planecast-dataplane", "the data plane", config_text(config), eal_arguments, before
        )
        self.config = config

    def _check(self) -> None:
        refuse_offline(self.config.cpus)

    def request(self, trial: Trial) -> str:
        """The line that asks for a trial."""
        return trial.request

    def trial(self, trial: Trial, timeout_s: float = 120.0) -> TrialAnswer:
        """Runs one trial. Raises RunError when it is refused, fails, or takes too long."""
        self.start(trial)
        return self.finish(timeout_s)

    def start(self, trial: Trial | PortTrial) -> None:
        """Begins a trial and returns; `finish` has its answer."""
        self.say(trial.request)

    def finish(self, timeout_s: float = 120.0) -> TrialAnswer:
        """Waits for the trial's end. Raises RunError as `trial` does."""
        answer = self.answer(timeout_s)
        if "error" in answer:
            raise RunError(f"the data plane refused a trial: {answer['error']}")
        try:
            found = TrialAnswer.model_validate(answer)
        except ValidationError as error:
            raise RunError(
                f"the data plane's answer can't be read: {first_refusal(error)}",
                what_to_do=f"build it again with {how_to_build()}",
            ) from error
        if not found.conserved:
            raise RunError("packets in are not packets out and drops: a bug in the data plane")
        return found
