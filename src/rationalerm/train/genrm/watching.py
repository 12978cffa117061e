"""What a run writes down while it trains: a line an update, an evaluation each, the alarm; and a stop that loses nothing.

Knows the trainer's callbacks and nothing of its models.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from rationalerm.data.rundir import RunDir
from rationalerm.errors import StoppedError
from rationalerm.match import Matcher
from rationalerm.run.progress import say
from rationalerm.score.summary import SPURIOUS_UNDER
from rationalerm.train.genrm.alarm import Alarm
from rationalerm.train.genrm.measuring import HeldOut, measure
from rationalerm.train.genrm.recording import RecordingReward
from rationalerm.train.trainer.checkpoints import AlreadyTrainedError
from rationalerm.train.trainer.stop import Stop

__all__ = ["RECORDS", "Watch", "callback_of"]

RECORDS = ("steps.jsonl", "evaluations.jsonl", "answers.jsonl")
_PARTS = ("reward/outcome", "reward/rationale")


class Watch:
    """A run's records, made of what the trainer says.

    Args:
        rundir: where the records are; None: another process keeps them.
        recorder: has the held-out answers, and the seconds that the reward took.
        matcher: measures them.
        alarm: looks at the parts.
        gather: puts the processes' lists together.
        show: says what happens, on stderr.
    """

    def __init__(
        self,
        rundir: RunDir | None,
        recorder: RecordingReward,
        matcher: Matcher,
        alarm: Alarm,
        gather: Callable[[list[Any]], list[Any]],
        *,
        show: bool = True,
    ) -> None:
        self._logs = {name: rundir.log(name) for name in RECORDS} if rundir else {}
        self._recorder, self._matcher, self._gather = recorder, matcher, gather
        self.alarm, self._show = alarm, show
        self._began = self._seconds = 0.0
        self._updates = 0  # since the last line
        self._rang = False
        self.evaluated_at: int | None = None

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        for log in self._logs.values():
            log.close()

    def replay(self, until: int) -> None:
        """Takes in what an earlier process wrote, up to the update that the run goes on from."""
        for row in self._logs["steps.jsonl"].rows() if self._logs else ():
            if row["step"] <= until:
                self.alarm.saw(row["step"], *(row.get(name) for name in _PARTS))
        for row in self._logs["evaluations.jsonl"].rows() if self._logs else ():
            self.evaluated_at = row["step"]

    def began(self) -> None:
        """An update begins."""
        self._began = time.monotonic()

    def ended(self) -> None:
        """And ends; an evaluation or a checkpoint between two is not counted."""
        self._seconds += time.monotonic() - self._began
        self._updates += 1

    def logged(self, step: int, total: int, logs: dict[str, Any]) -> None:
        """The figures of the updates since the last time."""
        if not self._logs or "loss" not in logs:
            return
        if not math.isfinite(logs["loss"]):
            raise StoppedError(f"the loss of update {step} is no number: the training diverged; lower learning_rate")
        row = {"step": step} | {name: _finite(value) for name, value in logs.items() if not name.startswith("eval_")}
        row |= {
            "seconds": self._seconds / max(1, self._updates),
            "reward_seconds": self._recorder.seconds / max(1, self._updates),
        }
        self._seconds, self._updates, self._recorder.seconds = 0.0, 0, 0.0
        self._logs["steps.jsonl"].add([row])
        seen = self.alarm.saw(step, *(row.get(name) for name in _PARTS))
        if self._show:
            say(_line(step, total, row))
        if seen is not None and not self._rang:
            self._rang = True
            say(f"warning: {seen}")

    def evaluated(self, step: int) -> HeldOut | None:
        """The held-out answers of all processes, measured; None in those that keep no records."""
        answers, self.evaluated_at = self._gather(self._recorder.take()), step
        if not self._logs or not answers:
            return None
        done = measure(step, answers, self._matcher)
        self._logs["answers.jsonl"].add([{"step": step, "id": one.id, "order": one.order, "text": one.text} for one in answers])
        self._logs["evaluations.jsonl"].add([done.to_json() | {"rows": [game.to_json(SPURIOUS_UNDER) for game in done.games]}])
        if self._show:
            say(f"update {step}, held out: {_short(done)}")
        return done


def callback_of(watch: Watch, stop: Stop) -> Any:
    """The trainer's callback. Its `trainer`, once set, gets the held-out figures for its loggers."""
    from transformers import TrainerCallback

    class _Callback(TrainerCallback):  # type: ignore[misc]
        trainer: Any = None

        def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            if state.global_step and state.global_step >= state.max_steps:
                raise AlreadyTrainedError

        def on_step_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            watch.began()

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            if state.is_world_process_zero:
                watch.logged(state.global_step, state.max_steps, logs or {})

        def on_evaluate(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            done = watch.evaluated(state.global_step)
            if done is not None and self.trainer is not None:
                self.trainer.log(done.figures())

        def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> Any:
            watch.ended()
            if stop.wanted:
                control.should_save = control.should_training_stop = True
            return control

    return _Callback()


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _line(step: int, total: int, row: dict[str, Any]) -> str:
    """An update in a line."""
    said = [f"update {step}/{total}"]
    for name, label in (("reward", "reward"), ("reward/outcome", "outcome"), ("reward/rationale", "rationale"), ("kl", "KL")):
        value = row.get(name)
        if value is not None:
            said.append(f"{label} {value:.3f}")
    seconds = row["seconds"]
    said.append(f"{seconds:.1f} s an update, about {(total - step) * seconds / 60:.0f} min left")
    return ", ".join(said)


def _short(done: HeldOut) -> str:
    said = []
    for name, label in (("outcome_accuracy", "OA"), ("rationale_consistency", "RC"), ("average_precision", "AP")):
        value = done.summary.means[name].value
        said.append(f"{label} {'-' if value is None else f'{value:.3f}'}")
    generic = done.generic.value
    said.append(f"generic {'-' if generic is None else f'{generic:.0%}'}")
    return f"{', '.join(said)} (n = {done.summary.n})"
