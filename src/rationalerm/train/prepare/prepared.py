"""The account of `train prepare`: where every row went, what the splits hold, what a reader of it should know. Reads no file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import TYPE_CHECKING, Any

from rationalerm import __version__
from rationalerm.prompts import load
from rationalerm.train.prepare.games import PROMPT
from rationalerm.train.prepare.lengths import ESTIMATE
from rationalerm.train.prepare.likeness import RULES
from rationalerm.train.prepare.splits import Leaks, Split
from rationalerm.types import Verdict

if TYPE_CHECKING:
    from rationalerm.train.prepare.options import PrepareOptions
    from rationalerm.train.prepare.running import Entry

__all__ = ["Report", "report_of"]

_FEW = 20  # rows of a domain, under which nothing is said of its share
_LEANING = 0.65


@dataclass(frozen=True, slots=True)
class Report:
    """prepare.json.

    Attributes:
        rows: `read` = `bad` + `dropped` + `kept`.
        dropped: rows a cause: no human reasons, unlabelled, human tie, too long, held out.
        pairs, games: a split; both orders of a pair are two games.
        domains: pairs a domain and split.
        labels: games a label.
        groups: how many conversations there are, the rows of the largest, pairs of conversations that are nearly the same, rows
            whose conversation and responses another row has too.
        leakage: what stands in both splits; all zeros.
        prompt_tokens: median, 95th percentile and maximum over games, and what they were counted by.
        reasons: human reasons a pair, on average; how many are bare-letter ones, which the swapped game leaves as they are.
        prose_rows: rows whose reasons were split from prose.
        inputs, held_out: files with their SHA-256 and rows.
        prompt: the prompt's version. seed: of the splits.
        warnings: sentences.
    """

    rows: dict[str, int]
    dropped: dict[str, int]
    pairs: dict[str, int]
    games: dict[str, int]
    domains: dict[str, dict[str, int]]
    labels: dict[str, int]
    groups: dict[str, int]
    leakage: dict[str, int]
    likeness: dict[str, float]
    prompt_tokens: dict[str, Any]
    reasons: dict[str, float]
    prose_rows: int
    inputs: list[dict[str, Any]]
    held_out: list[dict[str, Any]]
    prompt: str
    seed: int
    versions: dict[str, str]
    warnings: list[str]

    def to_json(self) -> dict[str, Any]:
        """As prepare.json has it."""
        return asdict(self)


def report_of(
    options: PrepareOptions,
    entries: Sequence[Entry],
    splits: Sequence[Split],
    *,
    inputs: list[dict[str, Any]],
    dropped: Mapping[str, int],
    held_out: list[dict[str, Any]],
    bad: int,
    near: int,
    leaks: Leaks,
    counted_by: str,
    library: str,
) -> Report:
    """The account, from the rows that stayed and the counts of those that did not."""
    both = list(zip(entries, splits, strict=True))
    pairs = Counter[str](splits)
    games = {split: sum(len(entry.orders) for entry, of in both if of == split) for split in ("train", "validation")}
    domains: dict[str, dict[str, int]] = {}
    for entry, split in both:
        domains.setdefault(entry.domain or "(none)", {"train": 0, "validation": 0})[split] += 1
    report = Report(
        rows={
            "read": sum(dropped.values()) + bad + len(entries),
            "bad": bad,
            "dropped": sum(dropped.values()),
            "kept": len(entries),
        },
        dropped=dict(sorted(dropped.items())),
        pairs={"train": pairs["train"], "validation": pairs["validation"]},
        games=games,
        domains=dict(sorted(domains.items())),
        labels=_labels(entries),
        groups=_groups(entries, near),
        leakage=leaks._asdict(),
        likeness=dict(RULES),
        prompt_tokens={"counted_by": counted_by, **_spread([size for entry in entries for size in entry.tokens])},
        reasons={"mean": sum(e.reasons for e in entries) / len(entries), "bare_letter": sum(e.behind for e in entries)},
        prose_rows=sum(entry.prose for entry in entries),
        inputs=inputs,
        held_out=held_out,
        prompt=load(PROMPT).version,
        seed=options.seed,
        versions={"rationalerm": __version__, "pyarrow": library},
        warnings=[],
    )
    bare = sum(entry.texts.conversation is None for entry in entries)
    report.warnings.extend(_warnings(report, options, bare))
    return report


def _labels(entries: Sequence[Entry]) -> dict[str, int]:
    found = Counter(-entry.label if order == "BA" else entry.label for entry in entries for order in entry.orders)
    return {Verdict(side).label: found[side] for side in (-1, 0, 1)}


def _groups(entries: Sequence[Entry], near: int) -> dict[str, int]:
    conversations = Counter(entry.texts.conversation or entry.texts.row for entry in entries)
    repeated = sum(count - 1 for count in Counter(entry.texts.row for entry in entries).values())
    return {
        "conversations": len(conversations),
        "largest": max(conversations.values()),
        "near_duplicates": near,
        "repeated_rows": repeated,
    }


def _spread(sizes: Sequence[int]) -> dict[str, int]:
    cuts = quantiles(sizes, n=20, method="inclusive") if len(sizes) > 1 else [sizes[0]] * 19
    return {"median": round(cuts[9]), "p95": round(cuts[18]), "max": max(sizes)}


def _warnings(report: Report, options: PrepareOptions, without_talk: int) -> list[str]:
    """What the user should know before training on it."""
    said = []
    if without_talk:
        said.append(
            f"{without_talk} rows have no conversation (field context, messages, prompt or question): their prompts say so, and "
            "only their responses tell whether they are of one prompt"
        )
    if report.prose_rows:
        said.append(
            f"{report.prose_rows} rows: the human reasons were split from prose offline: rough atoms, a rough reward. "
            "`rationalerm decompose` makes better ones"
        )
    if report.reasons["bare_letter"]:
        said.append(
            f"{report.reasons['bare_letter']:.0f} human reasons name a response by a bare letter or ordinal: they stay as they "
            "are in the swapped game. Write Response A or Response 1"
        )
    if options.max_prompt_tokens is not None and report.prompt_tokens["counted_by"] == ESTIMATE:
        said.append("prompt lengths are an estimate; --tokenizer counts them as the model will")
    if options.validation and not report.pairs["validation"]:
        said.append("there is no validation split: all rows are of one prompt")
    elif options.validation:
        bare = [d for d, n in report.domains.items() if not n["validation"] and n["train"] >= _FEW]
        said += [f"domain {domain} has no row in validation; a larger --validation gives it some" for domain in bare]
    sided = report.labels["A>B"] + report.labels["B>A"]
    if sided >= _FEW and not (1 - _LEANING) <= report.labels["A>B"] / sided <= _LEANING:
        said.append(
            f"the human's side is A in {report.labels['A>B'] / sided:.0%} of the games: a policy can learn the place; "
            "--orders both shows each row both ways"
        )
    return said
