"""`train prepare`: rows with human reasons and a label -> prompts and truths, in two splits by prompt; where every row went.

The input is read once. What may be kept goes to a temporary file, and a fingerprint of it stays in memory; when all have been
seen, splits are drawn and the games written in an order drawn from the seed and the rows' ids, so that neither the order
of the input nor rows that stand side by side shape a batch (a pair's two games stand apart).

Knows nothing of trainers; of likeness, splits and Parquet only their words.
"""

from __future__ import annotations

import hashlib
from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import orjson

from rationalerm.data.orders import orders_of
from rationalerm.data.pairs import PairFile
from rationalerm.data.spool import spooled
from rationalerm.errors import DataError, UsageError
from rationalerm.prompts import load
from rationalerm.run.progress import Progress
from rationalerm.train.prepare.dataset import PreparedDir, card
from rationalerm.train.prepare.games import PROMPT, game_of
from rationalerm.train.prepare.held_out import held_out_prints
from rationalerm.train.prepare.lengths import make_counter
from rationalerm.train.prepare.likeness import Fingerprint, fingerprint
from rationalerm.train.prepare.options import PrepareOptions
from rationalerm.train.prepare.parquet import check_library
from rationalerm.train.prepare.prepared import Report, report_of
from rationalerm.train.prepare.splits import Likeness, Split, leaks, split_groups
from rationalerm.train.prepare.usable import stays_behind, unusable
from rationalerm.types import Message, Order, Pair

__all__ = ["PrepareOptions", "Report", "prepare"]

_ADVICE = {
    "no human reasons": "point --human-field at the human's reasons (human-checklist), or make them with `rationalerm decompose`",
    "unlabelled": "point --label-field at the human's side",
    "human tie": "--ties keep trains on ties",
}


class Entry(NamedTuple):
    """A row that may be kept: its name, its place in the temporary file, what is needed of it."""

    key: str
    source: str
    row: int
    place: tuple[int, int]
    domain: str | None
    orders: tuple[Order, ...]
    tokens: tuple[int, ...]  # a game
    label: int
    reasons: int
    behind: int  # reasons that name a response by a bare letter
    prose: bool
    texts: Fingerprint


def prepare(
    inputs: Sequence[str | Path],
    out: str | Path,
    options: PrepareOptions | None = None,
    *,
    held_out: Sequence[str | Path] = (),
    feedback: str | Path | None = None,
    progress: bool = False,
) -> Report:
    """Writes a folder that trainers read.

    Args:
        inputs: files of pairs with human reasons and a label.
        out: the folder; the same configuration writes it anew.
        options: what is kept, and how it is split.
        held_out: files with rows that must not be trained on.
        feedback: HelpSteer3's feedback config.
        progress: shown on stderr while it runs.

    Returns:
        The account of every row, as in prepare.json.

    Raises:
        RationalermError: bad input or options, in one line; nothing of an earlier run is touched then.
    """
    options = options or PrepareOptions()
    if not inputs:
        raise UsageError("give a file of pairs")
    if not str(out):
        raise UsageError("--out is empty; name a folder")
    folder = PreparedDir(out, _config(inputs, options, held_out, feedback))
    library = check_library()
    with TemporaryFile(prefix="rationalerm-") as spool:
        reading = _read(inputs, options, spool, feedback, progress)
        held = [_Held(path) for path in held_out]
        placed = _place(reading, held, options)
        return _write(folder, placed, reading, held, options, library)


def _read(
    inputs: Sequence[str | Path], options: PrepareOptions, spool: IO[bytes], feedback: str | Path | None, progress: bool
) -> _Reading:
    """The one pass over all inputs."""
    shown = Progress("rows read") if progress else None
    reading = _Reading(options, spool, shown)
    for name in _names(inputs):
        reading.file(*name, feedback)
    if shown is not None:
        shown.close()
    return reading


def _place(reading: _Reading, held: Sequence[_Held], options: PrepareOptions) -> _Placed:
    """Leaves out what is held out, and draws the splits by prompt."""
    chosen, likeness = reading.choose(held)
    groups = likeness.groups(chosen)
    splits = split_groups(groups, options.validation, options.seed)
    return _Placed([reading.entries[k] for k in chosen], groups, splits, likeness.near(chosen))


def _write(
    folder: PreparedDir, placed: _Placed, reading: _Reading, held: Sequence[_Held], options: PrepareOptions, library: str
) -> Report:
    """Writes the splits, then the account of them; the first that touches the folder."""
    entries, groups, splits, near = placed
    folder.begin()
    for split in _splits(splits):
        folder.write_split(split, _rows(zip(entries, groups, splits, strict=True), split, reading, options))
    report = report_of(
        options,
        entries,
        splits,
        inputs=reading.inputs,
        dropped=reading.dropped,
        held_out=[one.to_json() for one in held],
        bad=reading.bad,
        near=len(near),
        leaks=leaks([entry.texts for entry in entries], splits, near),
        counted_by=reading.counter.name,
        library=library,
    )
    folder.finish(report.to_json(), reading.left_out, card(report.to_json(), _splits(splits)))
    return report


class _Placed(NamedTuple):
    """The rows that stay, each with its group's key and its split; and the pairs of conversations that are nearly the same."""

    entries: list[Entry]
    groups: list[bytes]
    splits: list[Split]
    near: list[tuple[bytes, bytes]]


class _Held:
    """A held-out file and how many rows it cost."""

    def __init__(self, path: str | Path) -> None:
        self.path, self.dropped = path, 0
        self.rows = list(held_out_prints(path))

    def to_json(self) -> dict[str, Any]:
        rows = len({number for number, _ in self.rows})
        return {"file": str(self.path), "sha256": _sha256(Path(self.path)), "rows": rows, "dropped": self.dropped}


class _Reading:
    """The pass over the inputs."""

    def __init__(self, options: PrepareOptions, spool: IO[bytes], progress: Progress | None) -> None:
        self._options, self._spool, self._progress = options, spool, progress
        self.counter = make_counter(options.tokenizer)
        self.entries: list[Entry] = []
        self.inputs: list[dict[str, Any]] = []
        self.left_out: list[dict[str, Any]] = []
        self.dropped: Tally[str] = Tally()
        self.bad = 0
        self._keys: dict[str, tuple[str, int]] = {}
        self._end = 0

    def file(self, path: str | Path, prefix: str, feedback: str | Path | None) -> None:
        """Reads one file; ids get the prefix."""
        options = self._options
        with spooled(path) as copy:
            shown = "stdin" if str(path) == "-" else str(path)
            pairs = PairFile(
                copy,
                options.columns(),
                skip_bad=options.skip_bad,
                feedback=feedback,
                limit=options.limit,
                judged=False,
                shown=shown,
            )
            count = 0
            for pair in pairs:
                self._take(pair, prefix + pair.id, shown)
                count += 1
                if self._progress is not None:
                    self._progress.add(1)
            for bad in pairs.bad:
                self.left_out.append({"file": shown, "row": bad.number, "id": None, "why": f"bad row: {bad.error.message}"})
            self.bad += len(pairs.bad)
            self.inputs.append({"file": shown, "sha256": _sha256(copy), "rows": count + len(pairs.bad)})

    def choose(self, held: Sequence[_Held]) -> tuple[list[int], Likeness]:
        """The entries that stay, and their likeness; those in a held-out file are dropped and named."""
        prints = [entry.texts for entry in self.entries]
        owners = [(one, number) for one in held for number, _ in one.rows]
        likeness = Likeness([*prints, *(print_ for one in held for _, print_ in one.rows)], len(prints))
        found = likeness.held_out()
        for k, (other, why) in found.items():
            one, number = owners[other - len(prints)]
            one.dropped += 1
            entry = self.entries[k]
            self._drop(entry.source, entry.row, entry.key, "held out", f"held out: {why} as row {number} of {one.path}")
        chosen = [k for k in range(len(self.entries)) if k not in found]
        if not chosen:
            causes = [f"{count} {why}" for why, count in self.dropped.items()] + ([f"{self.bad} bad"] if self.bad else [])
            advice = "".join(f"; {_ADVICE[why]}" for why in _ADVICE if self.dropped[why])
            raise DataError(f"no row left to train on ({', '.join(causes)}){advice}")
        return chosen, likeness

    def pair(self, entry: Entry) -> Pair:
        """The pair of an entry, from the temporary file."""
        start, size = entry.place
        self._spool.seek(start)
        value = orjson.loads(self._spool.read(size))
        turns = tuple(Message(*turn) for turn in value["turns"])
        reasons = tuple(value["reasons"])
        return Pair(entry.key, turns, value["a"], value["b"], value["label"], human_reasons=reasons, domain=entry.domain)

    def _take(self, pair: Pair, key: str, shown: str) -> None:
        if key in self._keys:
            before = " row ".join(map(str, self._keys[key]))
            raise DataError(f"id {key!r} is in {before} too; ids must differ", source=shown, row=pair.row)
        self._keys[key] = shown, pair.row
        options = self._options
        if (why := unusable(pair, options.ties)) is not None:
            self._drop(shown, pair.row, key, why, why)
            return
        orders = orders_of(options.orders, options.seed, pair.id)
        tokens = self.counter.sizes([game_of(pair, order, system_turn=options.system_turn).prompt for order in orders])
        if options.max_prompt_tokens is not None and max(tokens) > options.max_prompt_tokens:
            self._drop(shown, pair.row, key, "too long", f"too long: {max(tokens)} tokens ({self.counter.name})")
            return
        reasons = pair.human_reasons or ()
        assert pair.label is not None
        self.entries.append(
            Entry(
                key, shown, pair.row, self._put(pair), pair.domain, orders, tuple(tokens), pair.label, len(reasons),
                sum(map(stays_behind, reasons)) if "BA" in orders else 0, pair.prose,
                fingerprint(pair.messages, (pair.response_a, pair.response_b)),
            )
        )  # fmt: skip

    def _drop(self, shown: str, row: int, key: str, cause: str, why: str) -> None:
        self.dropped[cause] += 1
        self.left_out.append({"file": shown, "row": row, "id": key, "why": why})

    def _put(self, pair: Pair) -> tuple[int, int]:
        turns = [(turn.role, turn.content) for turn in pair.messages]
        value = {"turns": turns, "a": pair.response_a, "b": pair.response_b, "label": pair.label, "reasons": pair.human_reasons}
        data = orjson.dumps(value)
        start, self._end = self._end, self._end + len(data)
        self._spool.write(data)
        return start, len(data)


def _rows(
    placed: Iterable[tuple[Entry, bytes, Split]], split: Split, reading: _Reading, options: PrepareOptions
) -> Iterator[dict[str, Any]]:
    """A split's rows in their drawn order, one at a time."""
    games = [(entry, order, group) for entry, group, of in placed if of == split for order in entry.orders]
    games.sort(key=lambda game: _drawn(options.seed, game[0].key, game[1]))
    for index, (entry, order, group) in enumerate(games):
        game = game_of(reading.pair(entry), order, system_turn=options.system_turn)
        yield {
            "data_source": f"rationalerm/{entry.domain}" if entry.domain else "rationalerm",
            "prompt": [{"role": turn.role, "content": turn.content} for turn in game.prompt],
            "ability": "judge",
            "reward_model": {"style": "rule", "ground_truth": game.truth.dump()},
            "extra_info": {
                "id": entry.key,
                "order": order,
                "domain": entry.domain,
                "split": split,
                "index": index,
                "cluster": group.hex()[:16],  # rows of one prompt: what intervals are clustered by
            },
        }


def _drawn(seed: int, key: str, order: str) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{key}\x1f{order}".encode("utf-8", "surrogatepass")).digest()


def _splits(splits: Sequence[Split]) -> list[Split]:
    """Those that have rows."""
    return [split for split in ("train", "validation") if split in splits]


def _names(inputs: Sequence[str | Path]) -> list[tuple[str | Path, str]]:
    """Each file with what its ids are told apart by: nothing for one alone, else its name without folder and endings."""
    if len(inputs) == 1:
        return [(inputs[0], "")]
    short = ["stdin" if str(path) == "-" else Path(path).name.split(".")[0] for path in inputs]
    return [(path, f"{name if short.count(name) == 1 else path}:") for path, name in zip(inputs, short, strict=True)]


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _config(
    inputs: Sequence[str | Path], options: PrepareOptions, held_out: Sequence[str | Path], feedback: str | Path | None
) -> dict[str, Any]:
    files = {"inputs": [_resolved(path) for path in inputs], "held_out": [_resolved(path) for path in held_out]}
    more: dict[str, Any] = {"feedback": _resolved(feedback) if feedback else None, "prompt": load(PROMPT).version}
    return files | more | options.to_json()


def _resolved(path: str | Path) -> str:
    name = "stdin" if str(path) == "-" else str(Path(path).resolve())
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # it need not be UTF-8
