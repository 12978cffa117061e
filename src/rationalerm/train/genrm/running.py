"""`train genrm`: a generative reward model by GRPO with the hybrid reward, on TRL (method.md section 4).

A run directory: run.json, steps.jsonl (a line an update), evaluations.jsonl, checkpoints/, model/ (with its card), summary.json.
The same call again goes on from the last whole checkpoint.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rationalerm import __version__
from rationalerm.adapters.trl import TRLReward
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, UsageError
from rationalerm.match import EmbeddedMatcher
from rationalerm.run.progress import say
from rationalerm.train.genrm.alarm import Alarm
from rationalerm.train.genrm.card import model_card
from rationalerm.train.genrm.config import GenRMConfig
from rationalerm.train.genrm.prompts import Prompts, in_order, read_prompts
from rationalerm.train.genrm.recording import RecordingReward
from rationalerm.train.genrm.summary import summary_of
from rationalerm.train.genrm.trl import grpo_arguments
from rationalerm.train.genrm.watching import RECORDS, Watch, callback_of
from rationalerm.train.trainer.checkpoints import last_whole, step_of_checkpoint
from rationalerm.train.trainer.loading import first_line
from rationalerm.train.trainer.lora import lora_config
from rationalerm.train.trainer.processes import rank
from rationalerm.train.trainer.quiet import quiet
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
    with ExitStack() as stack:
        main = rank() == 0
        rundir = stack.enter_context(RunDir(out, _manifest(data, config), finished="steps.jsonl")) if main else None
        checkpoint = last_whole(Path(out) / "checkpoints")
        start = step_of_checkpoint(checkpoint) if checkpoint else 0
        recorder = RecordingReward(TRLReward(config.reward, max_completion_length=config.max_completion))
        watch = stack.enter_context(_watch(rundir, recorder, config, start, show))
        if show and main and checkpoint:
            say(f"going on from update {start}")
        stop = stack.enter_context(Stop())
        stack.enter_context(quiet())
        callback = callback_of(watch, stop)
        trainer = _trainer(data, Path(out) / "checkpoints", config, recorder, callback, fresh=start == 0)
        callback.trainer = trainer
        recorder.reward.ends = sorted(trainer.eos_token_ids)
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        if stop.wanted:
            raise KeyboardInterrupt
        if watch.evaluated_at != trainer.state.global_step:
            trainer.evaluate()
        trainer.save_model(str(Path(out) / "model"))
        if rundir is None:
            return {}
        trainer.processing_class.save_pretrained(str(Path(out) / "model"))
        summary = summary_of(rundir, config, watch.alarm, trainer.state.global_step)
        rundir.write("summary.json", summary)
        card = model_card(summary, config, data.digest)
        (Path(out) / "model" / "README.md").write_text(card, encoding="utf-8")
        return summary


def _manifest(data: Prompts, config: GenRMConfig) -> dict[str, Any]:
    fixed = {name: value for name, value in config.to_json().items() if name not in _FREE}
    return {
        "command": "train genrm",
        "rationalerm": __version__,
        "python": platform.python_version(),
        "packages": {name: version(name) for name in ("torch", "transformers", "trl", "datasets")},
        "config": {"prompts": data.digest, "train_prompts": len(data.train), **fixed},
        "free": {name: value for name, value in config.to_json().items() if name in _FREE},
    }


def _watch(rundir: RunDir | None, recorder: RecordingReward, config: GenRMConfig, start: int, show: bool) -> Watch:
    """The records of this process; what an earlier one wrote behind its last checkpoint is written anew."""
    from accelerate.utils import gather_object

    if rundir:
        for name in RECORDS:
            rundir.write_lines(name, [row for row in rundir.log(name).rows() if start and row["step"] <= start])
    gather: Callable[[list[Any]], list[Any]] = gather_object
    alarm = Alarm(config.alarm_window, config.alarm_drop)
    watch = Watch(rundir, recorder, EmbeddedMatcher(), alarm, gather, show=show)
    watch.replay(start)
    return watch


def _trainer(data: Prompts, out: Path, config: GenRMConfig, recorder: RecordingReward, callback: Any, *, fresh: bool) -> Any:
    """The trainer, with the model loaded."""
    from trl import GRPOConfig, GRPOTrainer

    try:
        arguments = GRPOConfig(**grpo_arguments(config, out, fresh=fresh))
    except (TypeError, ValueError) as error:
        raise UsageError(f"the trainer refuses the configuration: {first_line(error)}") from None
    try:
        made = GRPOTrainer(
            model=config.policy,
            reward_funcs=recorder,
            args=arguments,
            train_dataset=in_order(data.train, config.epochs, config.seed),
            eval_dataset=data.held_out,
            peft_config=lora_config(config.lora, config.lora_alpha, config.lora_dropout),
            callbacks=[callback],
        )
    except (OSError, ValueError) as error:  # a name that is no model, a folder without one, a tokenizer without a chat template
        raise DataError(f"can't be trained: {first_line(error)}", source=config.policy) from None
    from transformers import PrinterCallback

    made.remove_callback(PrinterCallback)  # our own line says more
    return made
