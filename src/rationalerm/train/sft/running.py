"""`train sft`: judged rows -> the best answers -> a policy that writes like them.

A run directory: run.json, demonstrations.jsonl (prompt, completion, who said it, its reward), steps.jsonl, checkpoints/, model/,
summary.json. Without a policy only the demonstrations are made. The same call again goes on.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from rationalerm import __version__
from rationalerm.data.released import Columns
from rationalerm.data.rundir import RunDir
from rationalerm.errors import UsageError
from rationalerm.run.progress import say
from rationalerm.run.reporting import write_beside
from rationalerm.train.prepare.dataset import system_turn_of
from rationalerm.train.sft.config import SFTOptions
from rationalerm.train.sft.demonstrations import DemonstrationOptions, demonstrations, validation_prints
from rationalerm.train.sft.judged_pairs import JudgedPairs
from rationalerm.train.sft.training import DEMONSTRATIONS, learn
from rationalerm.train.trainer.processes import rank

__all__ = ["Judged", "train_sft"]


class Judged(NamedTuple):
    """What the demonstrations are taken from.

    `columns`: which judges, and under which field names. `prompts`: a folder that `train prepare` wrote, whose held-out prompts
    stay out, and whose form of prompt is taken; None: a share of the rows stays out.
    """

    path: str | Path
    columns: Columns = Columns()
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
    if judged.prompts is not None:
        picking = replace(picking, system_turn=system_turn_of(judged.prompts))
    with ExitStack() as stack:
        main = rank() == 0
        rundir = RunDir.opened(out)
        if main:
            rundir = stack.enter_context(RunDir(out, _manifest(judged, picking, options, policy), finished=DEMONSTRATIONS))
            counts = _demonstrations(judged, rundir, picking, options)
            if show:
                say(f"{counts['demonstrations']} demonstrations from {counts['rows']['used']} of {counts['rows']['read']} rows")
        if policy is None:
            rundir.write("summary.json", counts)
            return counts
        learnt = learn(rundir, policy, options, show=show and main)
        if not main:
            return {}
        summary = {"policy": policy, **counts, **learnt}
        rundir.write("summary.json", summary)
        write_beside(out)
        return summary


def _manifest(judged: Judged, picking: DemonstrationOptions, options: SFTOptions, policy: str | None) -> dict[str, Any]:
    free = ("log_every", "save_every", "keep", "report_to", "device_batch", "cpu", "checkpointing")
    named: dict[str, Any] = {"input": str(Path(judged.path).resolve()), "policy": policy, "limit": judged.limit}
    prompts = str(Path(judged.prompts).resolve()) if judged.prompts is not None else None
    named["columns"] = asdict(judged.columns) | {"judges": list(judged.columns.judges)}
    picked = {name: getattr(picking, name) for name in picking.__dataclass_fields__}
    return {
        "command": "train sft",
        "rationalerm": __version__,
        "python": platform.python_version(),
        "config": named
        | {"prompts": prompts, "picking": picked, "texts": _digest(judged)}
        | {name: value for name, value in options.to_json().items() if name not in free},
    }


def _digest(judged: Judged) -> dict[str, str]:
    """Of the files' bytes: a changed input makes other demonstrations."""
    path = Path(judged.path)
    read = [path / "pairs.jsonl", path / "judgments.jsonl"] if path.is_dir() else [path]
    if judged.prompts is not None:
        read.append(Path(judged.prompts) / "validation.parquet")
    digests = {}
    for file in read:
        if file.is_file():
            with file.open("rb") as handle:
                digests[file.name] = hashlib.file_digest(handle, "sha256").hexdigest()[:16]
    return digests


def _demonstrations(judged: Judged, rundir: RunDir, picking: DemonstrationOptions, options: SFTOptions) -> dict[str, Any]:
    """The demonstrations on disk, whole or not at all; those that are there are kept."""
    there = rundir.path / DEMONSTRATIONS
    counts_file = rundir.path / "demonstrations.json"
    if there.exists() and (before := _counts(counts_file)) is not None:
        return before
    pairs = JudgedPairs(judged.path, judged.columns, skip_bad=judged.skip_bad, limit=judged.limit)
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
    rundir.write_lines(DEMONSTRATIONS, (_row(one) for one in made.made))
    rundir.write(counts_file.name, counts)
    return counts


def _counts(file: Path) -> dict[str, Any] | None:
    """demonstrations.json, which is written after the demonstrations."""
    try:
        value = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return value if isinstance(value, dict) else None


def _row(one: Any) -> dict[str, Any]:
    return {"id": one.id, "order": one.order, "judge": one.judge, "reward": one.reward, **one.row()}


def _causes(answers: dict[str, int]) -> str:
    return ", ".join(f"{count} {cause}" for cause, count in answers.items() if cause != "read") or "there is none"


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
