"""`train sft`: judged rows -> the best answers -> a policy that writes like them.

A run directory: run.json, demonstrations.jsonl (prompt, completion, who said it, its reward), steps.jsonl, checkpoints/, model/,
summary.json. Without a policy only the demonstrations are made. The same call again goes on.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm import __version__
from rationalerm.data.log import Log
from rationalerm.data.released import Columns
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, UsageError
from rationalerm.run.progress import say
from rationalerm.train.sft.config import SFTOptions, sft_arguments
from rationalerm.train.sft.demonstrations import DemonstrationOptions, demonstrations, validation_prints
from rationalerm.train.sft.judged_pairs import JudgedPairs
from rationalerm.train.trainer.checkpoints import last_whole
from rationalerm.train.trainer.loading import first_line
from rationalerm.train.trainer.lora import lora_config
from rationalerm.train.trainer.processes import rank
from rationalerm.train.trainer.quiet import quiet
from rationalerm.train.trainer.stop import Stop

__all__ = ["Judged", "train_sft"]

_FILE = "demonstrations.jsonl"


class Judged(NamedTuple):
    """What the demonstrations are taken from.

    `prompts`: a folder that `train prepare` wrote, whose held-out prompts stay out; None: a share of the rows does.
    """

    path: str | Path
    judges: Sequence[str] = ()
    prompts: str | Path | None = None
    skip_bad: bool = False
    limit: int | None = None


def train_sft(
    judged: Judged,
    out: str | Path,
    picking: DemonstrationOptions,
    options: SFTOptions,
    *,
    policy: str | None = None,
    show: bool = True,
) -> dict[str, Any]:
    """Makes the demonstrations, and trains on them where a policy is named.

    Args:
        judged: rows with judges' answers.
        out: the run directory.
        picking: which answers are good enough.
        options: the reward and the training.
        policy: a model's folder or its name on the hub; None: only the demonstrations are made.
        show: progress on stderr.

    Returns:
        summary.json: where rows, games and answers went; the losses.

    Raises:
        RationalermError: bad input or options, in one line.
        KeyboardInterrupt: asked to stop; a checkpoint was written.
    """
    with ExitStack() as stack:
        main = rank() == 0
        rundir = RunDir.opened(out)
        if main:
            rundir = stack.enter_context(RunDir(out, _manifest(judged, picking, options, policy), finished=_FILE))
            counts = _demonstrations(judged, rundir, picking, options)
            if show:
                say(f"{counts['demonstrations']} demonstrations from {counts['rows']['used']} of {counts['rows']['read']} rows")
        if policy is None:
            rundir.write("summary.json", counts)
            return counts
        learnt = _train(rundir, policy, options, show=show and main)
        if not main:
            return {}
        summary = {"policy": policy, **counts, **learnt}
        rundir.write("summary.json", summary)
        return summary


def _manifest(judged: Judged, picking: DemonstrationOptions, options: SFTOptions, policy: str | None) -> dict[str, Any]:
    free = ("log_every", "save_every", "keep", "report_to", "device_batch", "cpu", "checkpointing")
    named = {"input": str(Path(judged.path).resolve()), "judges": list(judged.judges), "policy": policy, "limit": judged.limit}
    prompts = str(Path(judged.prompts).resolve()) if judged.prompts is not None else None
    picked = {name: getattr(picking, name) for name in picking.__dataclass_fields__}
    return {
        "command": "train sft",
        "rationalerm": __version__,
        "python": platform.python_version(),
        "config": named
        | {"prompts": prompts, "picking": picked}
        | {name: value for name, value in options.to_json().items() if name not in free},
    }


def _demonstrations(judged: Judged, rundir: RunDir, picking: DemonstrationOptions, options: SFTOptions) -> dict[str, Any]:
    """The demonstrations on disk, whole or not at all; those that are there are kept."""
    there = rundir.path / _FILE
    counts_file = rundir.path / "demonstrations.json"
    if there.exists() and counts_file.exists():
        import orjson

        return dict(orjson.loads(counts_file.read_bytes()))
    pairs = JudgedPairs(judged.path, Columns(judges=tuple(judged.judges)), skip_bad=judged.skip_bad, limit=judged.limit)
    held_out = validation_prints(judged.prompts) if judged.prompts is not None else ()
    made = demonstrations(pairs, options.reward.reward(), picking, held_out=held_out, guard=options.reward.guard())
    counts = {
        "demonstrations": len(made.made),
        "mean_reward": _mean([one.reward for one in made.made if one.reward is not None]),
        "rows": made.rows | ({"bad": pairs.bad_rows} if pairs.bad_rows else {}),
        "games": made.games,
        "answers": made.answers,
    }
    if not made.made:
        raise UsageError(f"no answer is good enough for a demonstration ({_causes(made.answers)}); see --min-reward and --gold")
    rundir.write_lines(_FILE, (_row(one) for one in made.made))
    rundir.write(counts_file.name, counts)
    return counts


def _row(one: Any) -> dict[str, Any]:
    return {"id": one.id, "order": one.order, "judge": one.judge, "reward": one.reward, **one.row()}


def _causes(answers: dict[str, int]) -> str:
    return ", ".join(f"{count} {cause}" for cause, count in answers.items() if cause != "read") or "there is none"


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _train(rundir: RunDir, policy: str, options: SFTOptions, *, show: bool) -> dict[str, Any]:
    """Trains, or goes on; the losses."""
    try:
        from transformers import AutoTokenizer
        from trl import SFTConfig, SFTTrainer
    except ImportError:
        raise UsageError('training needs more packages; pip install "rationalerm[train]"') from None
    out = rundir.path / "checkpoints"
    with ExitStack() as stack:
        stop = stack.enter_context(Stop())
        stack.enter_context(quiet())
        log = rundir.log("steps.jsonl")
        stack.callback(log.close)
        try:
            tokenizer = AutoTokenizer.from_pretrained(policy)
            data, too_long = _dataset(rundir, tokenizer, options.max_length)
            trainer = SFTTrainer(
                model=policy,
                args=SFTConfig(**sft_arguments(options, out)),
                train_dataset=data,
                processing_class=tokenizer,
                peft_config=lora_config(options.lora, options.lora_alpha, options.lora_dropout),
                callbacks=[_callback(log, stop, show)],
            )
        except (OSError, ValueError, TypeError) as error:
            raise DataError(f"can't be trained: {first_line(error)}", source=policy) from None
        _without_printer(trainer)
        checkpoint = last_whole(out)
        if not checkpoint:
            log.close()
            rundir.write_lines("steps.jsonl", ())
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        if stop.wanted:
            raise KeyboardInterrupt
        trainer.save_model(str(rundir.path / "model"))
        tokenizer.save_pretrained(str(rundir.path / "model"))
        losses = [row["loss"] for row in {row["step"]: row for row in log.rows()}.values()]
        return {"updates": trainer.state.global_step, "too_long": too_long, "first_loss": losses[0], "last_loss": losses[-1]}


def _without_printer(trainer: Any) -> None:
    from transformers import PrinterCallback

    trainer.remove_callback(PrinterCallback)


def _dataset(rundir: RunDir, tokenizer: Any, most: int) -> tuple[Any, int]:
    """Prompts and completions that fit, and how many do not."""
    from datasets import Dataset

    rows = [{"prompt": row["prompt"], "completion": row["completion"]} for row in rundir.log(_FILE).rows()]
    fitting = [row for row in rows if _tokens(tokenizer, row) <= most]
    if not fitting:
        raise UsageError(f"all {len(rows)} demonstrations are longer than max_length = {most} tokens")
    return Dataset.from_list(fitting), len(rows) - len(fitting)


def _tokens(tokenizer: Any, row: dict[str, Any]) -> int:
    return len(tokenizer.apply_chat_template([*row["prompt"], *row["completion"]], tokenize=True, return_dict=False))


def _callback(log: Log, stop: Stop, show: bool) -> Any:
    from transformers import TrainerCallback

    class _Callback(TrainerCallback):  # type: ignore[misc]
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            if state.is_world_process_zero and "loss" in (logs or {}):
                log.add([{"step": state.global_step, **logs}])
                if show:
                    say(f"update {state.global_step}/{state.max_steps}, loss {logs['loss']:.3f}")

        def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> Any:
            if stop.wanted:
                control.should_save = control.should_training_stop = True
            return control

    return _Callback()
