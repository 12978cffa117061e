"""`train genrm`: a generative reward model by GRPO with the hybrid reward, on TRL (method.md section 4).

A run directory: run.json, steps.jsonl (a line an update), evaluations.jsonl, checkpoints/, model/ (with its card), summary.json.
The same call again goes on from the last whole checkpoint.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import fields
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from rationalerm import __version__
from rationalerm.adapters.trl import TRLReward
from rationalerm.data.rundir import RunDir
from rationalerm.errors import StoppedError, UsageError
from rationalerm.match import EmbeddedMatcher, Matcher
from rationalerm.reward import HybridReward
from rationalerm.reward.config import FREE_REWARD
from rationalerm.run.progress import say
from rationalerm.run.reporting import write_beside
from rationalerm.train.genrm.alarm import Alarm
from rationalerm.train.genrm.card import model_card
from rationalerm.train.genrm.config import GenRMConfig
from rationalerm.train.genrm.fits import check_fits
from rationalerm.train.genrm.prompts import Prompts, in_order, length_of, read_prompts
from rationalerm.train.genrm.recording import RecordingReward
from rationalerm.train.genrm.summary import summary_of
from rationalerm.train.genrm.trl import check_vllm, grpo_arguments
from rationalerm.train.genrm.watching import RECORDS, Watch, callback_of
from rationalerm.train.trainer.checkpoints import AlreadyTrainedError, drop_torn, last_whole, step_of_checkpoint
from rationalerm.train.trainer.device import check_device
from rationalerm.train.trainer.loading import first_line, loading, training
from rationalerm.train.trainer.lora import lora_config
from rationalerm.train.trainer.processes import rank, world_size
from rationalerm.train.trainer.quiet import quiet
from rationalerm.train.trainer.saving import save_model
from rationalerm.train.trainer.stop import Stop

__all__ = ["train_genrm"]

# What may differ in a run that goes on: how fast, how often something is written, how far.
_FREE = frozenset({
    "max_updates", "log_every", "eval_every", "save_every", "keep", "report_to", "device_batch", "eval_batch", "checkpointing",
    "cpu", "vllm", "vllm_url", "vllm_memory", "alarm_window", "alarm_drop",
})  # fmt: skip


def train_genrm(prompts: str | Path, out: str | Path, config: GenRMConfig, *, show: bool = True) -> dict[str, Any]:
    """Trains, or goes on.

    Args:
        prompts: a folder that `train prepare` wrote.
        out: the run directory.
        config: everything else.
        show: progress on stderr.

    Returns:
        summary.json: the held-out figures before and after, the parts of the first and last updates, the alarm, the time.

    Raises:
        RationalermError: bad input or options, in one line.
        StoppedError: too many rewards failed, or the matcher's budget is used up; the last checkpoint is kept.
        KeyboardInterrupt: asked to stop; a checkpoint was written.
    """
    if not config.policy:
        raise UsageError("no policy; name a model with --policy, or take a --preset")
    data = read_prompts(prompts, config.eval_prompts)
    total = _updates(data, config)
    check_device(config.cpu, config.precision)
    check_vllm(config)
    with ExitStack() as stack:
        main = rank() == 0
        rundir = stack.enter_context(RunDir(out, _manifest(data, config), finished="steps.jsonl")) if main else None
        if main:
            drop_torn(Path(out) / "checkpoints")
        checkpoint = last_whole(Path(out) / "checkpoints")
        start = step_of_checkpoint(checkpoint) if checkpoint else 0
        if start >= total and (before := _summary(out)) is not None and before.get("updates") == start:
            if show and main:
                say(f"was finished before, after {start} updates; nothing is left to do")
            return before if main else {}
        matcher = EmbeddedMatcher(fast=True)
        recorder = _recorder(config, matcher)
        watch = stack.enter_context(_watch(rundir, recorder, matcher, config, start, show))
        if show and main and checkpoint:
            say(f"going on from update {start}")
        stop = stack.enter_context(Stop())
        stack.enter_context(quiet())
        stack.enter_context(training(str(out)))
        callback = callback_of(watch, stop)
        trainer = _trainer(data, Path(out) / "checkpoints", config, recorder, callback, fresh=start == 0, total=total)
        callback.trainer = trainer
        recorder.reward.ends = recorder.offline.ends = sorted(trainer.eos_token_ids)
        _train(trainer, checkpoint, stop)
        if watch.evaluated_at != trainer.state.global_step:
            trainer.evaluate()
        save_model(trainer, Path(out), lora=config.lora > 0)
        if rundir is None:
            return {}
        summary = summary_of(rundir, config, watch.alarm, trainer.state.global_step)
        card = model_card(summary, config, data.digest)
        (Path(out) / "model" / "README.md").write_text(card, encoding="utf-8")
        rundir.write("summary.json", summary)  # where it is, the run is whole
        write_beside(out)
        return summary


def _train(trainer: Any, checkpoint: Path | None, stop: Stop) -> None:
    """The updates that are left.

    Raises:
        KeyboardInterrupt: asked to stop; a checkpoint was written.
        StoppedError: the matcher or its budget is gone; what was learnt so far is in a checkpoint.
    """
    if stop.wanted:
        raise KeyboardInterrupt
    try:
        with suppress(AlreadyTrainedError):
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    except StoppedError:
        done = trainer.state.global_step
        # A reward is asked for between two updates, so the weights are those of a whole one. Several processes would wait for
        # each other here, and only one of them knows.
        if world_size() == 1 and done > (step_of_checkpoint(checkpoint) if checkpoint else 0):
            trainer._save_checkpoint(trainer.model, trial=None)
        raise
    if stop.wanted:
        raise KeyboardInterrupt


def _recorder(config: GenRMConfig, matcher: Matcher) -> RecordingReward:
    """The reward of the training; held-out answers go to the measuring matcher, which costs nothing."""
    asked = TRLReward(config.reward, max_completion_length=config.max_completion)
    options = {each.name: getattr(config.reward.options, each.name) for each in fields(config.reward.options)}
    return RecordingReward(asked, TRLReward(HybridReward(matcher, **options), max_completion_length=config.max_completion))


def _updates(data: Prompts, config: GenRMConfig) -> int:
    """How many the run has; only whole batches are trained on.

    Raises:
        UsageError: not even one, or no number.
    """
    prompts: int = length_of(data.train, config.epochs)
    if prompts < config.batch:
        raise UsageError(
            f"batch is {config.batch}, and the {len(data.train)} prompts make {prompts} in {config.epochs:g} epochs; lower batch"
        )
    again = config.trainer.get("num_iterations", 1)  # how often each batch is learnt from
    if not isinstance(again, int) or again < 1:
        raise UsageError(f"trainer.num_iterations is {again!r}; give 1 or more")
    whole: int = prompts // config.batch * (config.batch // config.mini_batch) * again
    return min(whole, config.max_updates or whole)


def _summary(out: str | Path) -> dict[str, Any] | None:
    """summary.json of a run that is whole."""
    try:
        value = orjson.loads((Path(out) / "summary.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return value if isinstance(value, dict) and (Path(out) / "model").is_dir() else None


def _manifest(data: Prompts, config: GenRMConfig) -> dict[str, Any]:
    said = config.to_json()
    reward = said.pop("reward")
    free = {name: value for name, value in said.items() if name in _FREE}
    free["reward"] = {name: value for name, value in reward.items() if name in FREE_REWARD}
    fixed = {name: value for name, value in said.items() if name not in _FREE}
    fixed["reward"] = {name: value for name, value in reward.items() if name not in FREE_REWARD}
    return {
        "command": "train genrm",
        "rationalerm": __version__,
        "python": platform.python_version(),
        "packages": {name: version(name) for name in ("torch", "transformers", "trl", "datasets")},
        "config": {"prompts": data.digest, "train_prompts": len(data.train), **fixed},
        "free": free,
    }


def _watch(
    rundir: RunDir | None, recorder: RecordingReward, matcher: Matcher, config: GenRMConfig, start: int, show: bool
) -> Watch:
    """The records of this process; what an earlier one wrote behind its last checkpoint is written anew."""
    from accelerate.utils import gather_object

    if rundir:
        for name in RECORDS:
            rundir.write_lines(name, [row for row in rundir.log(name).rows() if start and row["step"] <= start])
    gather: Callable[[list[Any]], list[Any]] = gather_object
    alarm = Alarm(max(2, round(config.alarm_window / config.log_every)), config.alarm_drop)  # it is fed a line at a time
    watch = Watch(rundir, recorder, matcher, alarm, gather, show=show)
    watch.replay(start)
    return watch


def _trainer(
    data: Prompts, out: Path, config: GenRMConfig, recorder: RecordingReward, callback: Any, *, fresh: bool, total: int
) -> Any:
    """The trainer, with the model loaded, for `total` updates."""
    from trl import GRPOConfig, GRPOTrainer

    try:
        arguments = GRPOConfig(**grpo_arguments(config, out, fresh=fresh) | {"max_steps": total})
    except (TypeError, ValueError) as error:
        raise UsageError(f"the trainer refuses the configuration: {first_line(error)}") from None
    with loading(config.policy):
        made = GRPOTrainer(
            model=config.policy,
            reward_funcs=recorder,
            args=arguments,
            train_dataset=in_order(data.train, config.epochs, config.seed),
            eval_dataset=data.held_out,
            peft_config=lora_config(config.lora, config.lora_alpha, config.lora_dropout),
            callbacks=[callback],
        )
        check_fits(made, chain(data.train["prompt"], data.held_out["prompt"]), config)
    from transformers import PrinterCallback

    made.remove_callback(PrinterCallback)  # our own line says more
    return made
