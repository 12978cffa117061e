"""`train demo`: the start, the arms, their evaluation, and the run directory; a finished arm is not trained again.

Knows nothing of what an arm is, nor of how its figures are shown.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from rationalerm import __version__
from rationalerm.data.rundir import RunDir
from rationalerm.errors import UsageError
from rationalerm.run.progress import Progress
from rationalerm.run.reporting import write_beside
from rationalerm.train.toy.arms import ARMS
from rationalerm.train.toy.evaluate import answered, evaluated, examples
from rationalerm.train.toy.grpo import Grpo, train_arm
from rationalerm.train.toy.model import Policy
from rationalerm.train.toy.start import Start, start_file, started

__all__ = ["ToyConfig", "ToySummary", "run_toy"]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToyConfig:
    """What changes the figures.

    Args:
        seed: of everything.
        steps: of GRPO, an arm.
        start: the supervised start; its world is that of all arms but for the cue rate.
        held_out: pairs of the evaluation, and as many whose cues always mislead.
        shown: how many of them become examples.

    Raises:
        UsageError: a number that is too small.
    """

    seed: int = 0
    steps: int = 150
    start: Start = field(default_factory=Start)
    held_out: int = 512
    shown: int = 12

    def __post_init__(self) -> None:
        for name, least in (("seed", 0), ("steps", 1), ("held_out", 1), ("shown", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"--{name.replace('_', '-')} is {getattr(self, name)}; give {least} or more")


@dataclass(frozen=True, slots=True)
class ToySummary:
    """Each arm's figures, and the curve of each trained arm: a row a step."""

    config: ToyConfig
    arms: dict[str, Row]
    curves: dict[str, list[Row]]

    @property
    def seconds(self) -> float:
        """What the arms and the start took, when they were made."""
        return float(sum(arm["seconds"] for arm in self.arms.values()))

    def to_json(self) -> Row:
        """For summary.json and `--json`."""
        world = self.config.start.world
        head = {
            "seed": self.config.seed,
            "steps": self.config.steps,
            "held_out": self.config.held_out,
            "cue_rate": world.cue_rate,
        }
        return {"arms": self.arms, **head, "seconds": round(self.seconds, 1)}


def run_toy(config: ToyConfig, arms: Sequence[str], out: str | Path | None = None, *, progress: bool = False) -> ToySummary:
    """Trains and evaluates arms, or takes them from a directory where they are finished.

    Args:
        config: what changes the figures.
        arms: names in ARMS; the figures of all that the directory holds are written, those of these returned.
        out: the run directory; None keeps nothing but the start, in the cache folder.
        progress: whether steps are shown on stderr.

    Raises:
        UsageError: an unknown arm, or a package that is missing.
        ResumeError: the directory holds another configuration's arms.
    """
    if unknown := [name for name in arms if name not in ARMS]:
        raise UsageError(f"no arm {', '.join(unknown)}; of {', '.join(ARMS)}")
    _require("torch", "matplotlib" if out is not None else "torch")
    with ExitStack() as stack:
        stack.enter_context(_one_thread())
        store = _Store(stack.enter_context(RunDir(out, _manifest(config), finished="arms.jsonl")) if out is not None else None)
        stack.callback(store.close)
        start = _Lazy(config, progress)
        for name in arms:
            if name not in store.arms:
                store.add(name, *_arm(name, config, start, progress))
        store.finish(config)
        if out is not None:
            write_beside(out)
        return ToySummary(
            config, {name: store.arms[name] for name in arms}, {k: store.curves[k] for k in arms if k in store.curves}
        )


class _Lazy:
    """The start, made (or read) when an arm first needs it; and how long that took."""

    def __init__(self, config: ToyConfig, progress: bool) -> None:
        self._config, self._progress = config, progress
        self._policy: Policy | None = None

    def __call__(self) -> Policy:
        if self._policy is None:
            start = self._config.start
            steps = 0 if start_file(start, self._config.seed).exists() else start.reading + start.imitating
            with _steps("steps of the start", steps, self._progress) as step:
                self._policy = started(start, self._config.seed, step)
        return self._policy


def _arm(name: str, config: ToyConfig, start: Callable[[], Policy], progress: bool) -> tuple[Row, list[Row], list[Row]]:
    """One arm: its figures, its curve, its examples."""
    began = time.monotonic()
    arm, world, seed = ARMS[name], config.start.world, config.seed
    policy, curve = start(), list[Row]()
    if arm.combine is not None:
        pairs = arm.world(world).pairs(f"training {seed}")
        with _steps(f"steps of {name}", config.steps, progress) as step:
            policy, curve = train_arm(policy, pairs, arm.reward(), Grpo(steps=config.steps), seed, step)
    held_out = list(islice(world.pairs(f"held out {seed}"), config.held_out))
    answers = answered(policy, held_out, seed)
    misled = list(islice(replace(world, cue_rate=0.0).pairs(f"misled {seed}"), config.held_out))
    figures = evaluated(held_out, answers) | {"misled": evaluated(misled, answered(policy, misled, seed))}
    return figures | {"seconds": round(time.monotonic() - began, 2)}, curve, examples(held_out, answers, name, config.shown)


class _Store:
    """What is finished: in memory, and in the run directory where there is one."""

    def __init__(self, rundir: RunDir | None) -> None:
        self._rundir = rundir
        self.arms: dict[str, Row] = {}
        self.curves: dict[str, list[Row]] = {}
        self._examples: list[Row] = []
        self._logs = {name: rundir.log(name) for name in ("curves.jsonl", "examples.jsonl", "arms.jsonl")} if rundir else {}
        if rundir is not None:
            self._read(rundir)

    def _read(self, rundir: RunDir) -> None:
        """Finished arms; lines of an arm that a stop cut short are dropped, here and in the files."""
        self.arms = {row.pop("arm"): row for row in self._logs["arms.jsonl"].rows() if row.get("arm") in ARMS}
        kept = {name: [row for row in self._logs[name].rows() if row.get("arm") in self.arms] for name in list(self._logs)[:2]}
        for name, rows in kept.items():
            if rows or (rundir.path / name).exists():
                rundir.write_lines(name, rows)
        for row in kept["curves.jsonl"]:
            self.curves.setdefault(row["arm"], []).append({k: v for k, v in row.items() if k != "arm"})
        self._examples = kept["examples.jsonl"]

    def add(self, name: str, figures: Row, curve: list[Row], shown: list[Row]) -> None:
        """An arm is finished; the line in arms.jsonl, which says so, is written last."""
        self.arms[name] = figures
        if curve:
            self.curves[name] = curve
        self._examples += shown
        if self._logs:
            self._logs["curves.jsonl"].add({"arm": name, **row} for row in curve)
            self._logs["examples.jsonl"].add(shown)
            self._logs["arms.jsonl"].add([{"arm": name, **figures}])

    def finish(self, config: ToyConfig) -> None:
        """Writes what is made of all finished arms: summary, plot, and the examples pair by pair."""
        if self._rundir is None:
            return
        from rationalerm.train.toy.plot import draw

        names = [name for name in ARMS if name in self.arms]
        self._rundir.write_lines("examples.jsonl", sorted(self._examples, key=lambda row: (row["id"], names.index(row["arm"]))))
        summary = ToySummary(config, {name: self.arms[name] for name in names}, self.curves)
        self._rundir.write("summary.json", summary.to_json())
        draw(summary, self._rundir.path / "curves.png")

    def close(self) -> None:
        for log in self._logs.values():
            log.close()


def _manifest(config: ToyConfig) -> Row:
    import torch

    versions = {"rationalerm": __version__, "python": platform.python_version(), "torch": str(torch.__version__)}
    return {"command": "train demo", **versions, "config": asdict(config) | {"grpo": asdict(Grpo(steps=config.steps))}}


def _require(*names: str) -> None:
    if missing := [name for name in dict.fromkeys(names) if find_spec(name) is None]:
        raise UsageError(f'train demo needs {" and ".join(missing)}: pip install "rationalerm[train]"')


@contextmanager
def _one_thread() -> Iterator[None]:
    """These products are too small for two threads, which are many times slower."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _steps(what: str, total: int, show: bool) -> Iterator[Callable[[], None]]:
    """Counts steps on stderr; the clock starts with the first of them, when everything is loaded."""
    shown: list[Progress] = []

    def step() -> None:
        if show:
            shown[:] = shown or [Progress(what, total)]
            shown[0].add(1)

    try:
        yield step
    finally:
        for one in shown:
            one.close()
