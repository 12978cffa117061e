"""The texts and the human labels of ../shared/data that the shipped table and calibration are made from."""

from __future__ import annotations

import csv
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Example", "argkp", "metacritique", "realsumm", "sentences", "shared", "summhay"]


def shared() -> Path:
    """The folder with the data: RATIONALERM_SHARED, or a `shared/` beside the repository or above it."""
    if os.environ.get("RATIONALERM_SHARED"):
        return Path(os.environ["RATIONALERM_SHARED"])
    for parent in Path(__file__).resolve().parents:
        if (parent / "shared" / "data").is_dir():
            return parent / "shared"
    raise SystemExit("no shared/ folder above this file; set RATIONALERM_SHARED")


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a JSONL file under shared/data."""
    with (shared() / "data" / name).open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


@dataclass(frozen=True)
class Example:
    """One human judgment: how far the best of `model` says what `human` says. `group`: what it must not be split from."""

    human: str
    model: tuple[str, ...]
    score: float
    group: str


def summhay() -> list[list[Example]]:
    """A list a row: each insight against all bullets, citations and bullet signs as they are."""
    result = []
    for row in rows("summhay_eval/eval.jsonl"):
        bullets = tuple(row["bullets"])
        text = {x["id"]: x["text"] for x in row["insights"]}
        result.append([Example(text[h["insight_id"]], bullets, h["score"], row["topic"]) for h in row["human"]])
    return result


def metacritique() -> list[Example]:
    """Each reference claim against all claims of a critique."""
    result = []
    for row in rows("metacritique/annotation.jsonl"):
        for critique in row["critiques"]:
            for claim, label in zip(row["reference_aius"], critique["recall_labels"], strict=True):
                result.append(Example(claim, tuple(critique["aius"]), float(label), row["id"]))
    return result


def argkp() -> list[Example]:
    """Each key point against one argument."""
    base = shared() / "data" / "argkp"

    def table(name: str) -> list[dict[str, str]]:
        with (base / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    points = {r["key_point_id"]: r for r in table("key_points.csv")}
    arguments = {r["arg_id"]: r for r in table("arguments.csv")}
    return [
        Example(
            points[r["key_point_id"]]["key_point"],
            (arguments[r["arg_id"]]["argument"],),
            float(r["label"]),
            points[r["key_point_id"]]["topic"],
        )
        for r in table("labels.csv")
        if r["key_point_id"] in points and r["arg_id"] in arguments
    ]


def realsumm() -> list[Example]:
    """Each content unit against the sentences of a summary; the score is the share of the three votes."""
    return [
        Example(unit, tuple(sentences(row["summary"])), sum(votes) / len(votes), row["doc"])
        for row in rows("realsumm/scu_votes.jsonl")
        for unit, votes in zip(row["scus"], row["votes"], strict=True)
    ]


def sentences(text: str) -> list[str]:
    """Rough sentences and lines."""
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+|\n+", text) if s.strip()]


def judge_sentences() -> Iterator[list[str]]:
    """Real judges' prose, a list of sentences a text."""
    for row in rows("judge_texts/texts.jsonl"):
        yield sentences(row["text"])
    for row in rows("llmbar/cot_outputs.jsonl"):
        yield sentences(row["text"])


def plain_sentences() -> Iterator[list[str]]:
    """Other English: what words weigh outside judging."""
    for row in rows("summhay_eval/eval.jsonl"):
        yield [*row["bullets"], *(x["text"] for x in row["insights"])]
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for example in argkp():
        grouped[example.group].extend([example.human, *example.model])
    for texts in grouped.values():
        yield sorted(set(texts))
    for row in rows("realsumm/scu_votes.jsonl"):
        yield [*sentences(row["summary"]), *row["scus"]]
    for row in rows("metacritique/annotation.jsonl"):
        yield sentences(row["question"]) + sentences(row["response"]) + row["reference_aius"]
    for row in rows("judgebench/pairs_gpt.jsonl"):
        yield sentences(row["question"])[:20] + sentences(row["response_A"])[:40]
