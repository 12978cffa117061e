"""Does the ranking of judges depend on the matcher? One JSON object: python perf/evaluators.py [--matchers embedded lexical]

Each set goes through `evaluate` with each matcher, and each two matchers' runs through `agree`; the earlier one is A.

    sample                  the shipped sample: three judges against the human's reasons
    judgebench, llmbar      real judges' outputs of both games of a pair
    texts_pairs, texts_responses   judge_texts: judges of both responses, and of one response (two prompts of one model are two)

Nobody wrote human reasons for the last four, so each judge in turn is the reference: how far do the others say what it says? It
is not ranked itself. A row is a game in its own letters; the two games of a pair are one prompt to the bootstrap. Only rows where
all judges of the set gave reasons count, else the ranking would be of who keeps silent: the judges and rows that hold the most
answers, the rows in the order of their ids' digests. A reference's first 7 reasons count, the others' first 5.

    orders      over the set's references: pairs of judges; those that A and B put in the same order, by the means; and `agree`'s
                counts: told apart by A (by B) by more than noise, of A's those in the same order by B, told apart by both
    references  `agree`'s figures with each: means, over judges (from three judges on), over rows and human reasons, the ranking

With `--model M [--base-url URL]` an LLM is the first matcher, as `evaluate --matcher llm` has it: a call for each row and ranked
judge (about 2,300 with the default of 150 rows), less what the cache has.

The texts need ../shared (RATIONALERM_SHARED). Prints figures only, never a text; the same on every machine but for an LLM's.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from public_data import REPOSITORY, lines, shared
from rationalerm.errors import RationalermError
from rationalerm.judge.parse import parse_judgment
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.settings import ChatSettings
from rationalerm.match import LLMMatcher, Matcher, make_matcher
from rationalerm.run import evaluate
from rationalerm.run.agreement import agree

SAMPLE = REPOSITORY / "src" / "rationalerm" / "sample" / "pairs.jsonl"
OFFLINE = ("embedded", "fast", "lexical")
FEWEST_JUDGES = 3  # a reference, and two to rank
REFERENCE_REASONS, JUDGE_REASONS = 7, 5
COUNTS = ("told_by_a", "told_by_b", "alike", "told_by_both")

Lists = dict[str, dict[str, tuple[str, ...]]]  # judge -> row, PAIR#GAME -> reasons
Runs = dict[tuple[str, str, str], Path]  # matcher, set, reference -> run directory


class TextSet(NamedTuple):
    """Input files of `evaluate`, one a reference; `left_out`: other judges of the source, with too few rows of the others'."""

    files: dict[str, Path]
    rows: int
    judges: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What the figures are over."""
        return {"rows": self.rows, "judges": list(self.judges), "left_out": list(self.left_out)}


def judgebench(data: Path) -> Lists:
    """Every outputs file that holds texts."""
    found: Lists = {}
    for path in sorted((data / "judgebench").glob("outputs_*.jsonl")):
        games = {f"{row['pair_id']}#{k}": _game(game) for row in lines(path) for k, game in enumerate(row["judgments"])}
        if any(games.values()):
            found[path.stem.removeprefix("outputs_")] = games
    return found


def _game(game: Mapping[str, Any]) -> tuple[str, ...]:
    """A comparison's reasons; of a judge that grades each response alone, one about A, one about B, and so on."""
    if "raw_A" not in game:
        return parse_judgment(game.get("text")).reasons
    sides = [[f"Response {side}: {reason}" for reason in parse_judgment(game[f"raw_{side}"]).reasons] for side in "AB"]
    return tuple(reason for both in zip_longest(*sides) for reason in both if reason is not None)


def llmbar(data: Path) -> Lists:
    """Three evaluators, both orders."""
    found: Lists = defaultdict(dict)
    for row in lines(data / "llmbar" / "cot_outputs.jsonl"):
        found[row["evaluator"]][f"{row['id']}#{int(row['swap'])}"] = parse_judgment(row["text"]).reasons
    return found


def judge_texts(data: Path) -> tuple[Lists, Lists]:
    """Judges of both responses, and of one, where several read the same. What is in the other two sources is left out, and so are
    the two critics of single responses: with one as the reference there is one left to rank."""
    pairs: Lists = defaultdict(dict)
    responses: Lists = defaultdict(dict)
    for row in lines(data / "judge_texts" / "texts.jsonl"):
        source, *middle, pair, game = row["id"].split("/")
        if source in ("jb", "goz"):
            pairs[row["judge"]][f"{pair}#{game}"] = parse_judgment(row["text"]).reasons
        elif source == "stl":  # game: the response's too, as in 0A
            responses[f"{row['judge']}:{middle[0]}"][f"{pair}#{game}"] = parse_judgment(row["text"]).reasons
    return pairs, responses


def same_rows(lists: Lists) -> tuple[tuple[str, ...], list[str]]:
    """The judges (three or more) and rows, each with reasons of all of them, that hold the most answers."""
    gave: defaultdict[str, set[str]] = defaultdict(set)
    for judge, games in lists.items():
        for row, reasons in games.items():
            if reasons:
                gave[row].add(judge)
    together = Counter(frozenset(judges) for judges in gave.values() if len(judges) >= FEWEST_JUDGES)
    if not together:
        return (), []
    answers = {of: len(of) * sum(n for other, n in together.items() if of <= other) for of in together}
    chosen = max(answers, key=lambda of: (answers[of], sorted(of)))
    rows = [row for row, judges in gave.items() if chosen <= judges]
    return tuple(sorted(chosen)), sorted(rows, key=lambda row: hashlib.sha256(row.encode()).digest())


def sample_set(folder: Path, limit: int) -> TextSet:
    """The sample, whole or its first rows in the order of the ids' digests."""
    kept = sorted(lines(SAMPLE), key=lambda row: hashlib.sha256(row["id"].encode()).digest())[:limit]
    judges = [name.removesuffix("-generated_text") for name in kept[0] if name.endswith("-generated_text")]
    return TextSet({"human": _written(folder / "sample.jsonl", kept)}, len(kept), tuple(judges))


def text_set(name: str, lists: Lists, folder: Path, limit: int) -> TextSet | None:
    """A file for each reference; None where no three judges read the same."""
    judges, rows = same_rows(lists)
    rows = rows[:limit]
    files = {}
    for number, reference in enumerate(judges):
        made = (
            {"id": row, "context": row.rpartition("#")[0], "human-checklist": lists[reference][row][:REFERENCE_REASONS]}
            | {f"{judge}-checklist": lists[judge][row][:JUDGE_REASONS] for judge in judges if judge != reference}
            for row in rows
        )
        files[reference] = _written(folder / f"{name}-{number}.jsonl", made)
    return TextSet(files, len(rows), judges, tuple(sorted(set(lists) - set(judges)))) if judges else None


def _written(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def text_sets(folder: Path, limit: int, data: Path | None) -> dict[str, TextSet]:
    """All sets; the sample alone without the data."""
    sets: dict[str, TextSet | None] = {"sample": sample_set(folder, limit)}
    if data is not None:
        pairs, responses = judge_texts(data)
        found = {"judgebench": judgebench(data), "llmbar": llmbar(data), "texts_pairs": pairs, "texts_responses": responses}
        sets |= {name: text_set(name, lists, folder, limit) for name, lists in found.items()}
    return {name: of for name, of in sets.items() if of is not None}


def evaluated(sets: Mapping[str, TextSet], matchers: Mapping[str, Matcher], folder: Path) -> Runs:
    """Every run directory."""
    runs: Runs = {}
    for label, matcher in matchers.items():
        for name, of in sets.items():
            start = time.perf_counter()
            for number, (reference, file) in enumerate(of.files.items()):
                out = folder / f"{label}-{name}-{number}"
                evaluate(file, (), matcher, out, chance_rows=0, report=False)
                runs[label, name, reference] = out
            say(f"{label}: {name}, {of.rows} rows x {len(of.files)} references, {time.perf_counter() - start:.0f} s")
    return runs


def compared(sets: Mapping[str, TextSet], labels: Iterable[str], runs: Runs) -> list[dict[str, Any]]:
    """Each two matchers, by set and reference."""
    made = []
    for a, b in combinations(labels, 2):
        by_set, total = {}, Counter[str]()
        for name, of in sets.items():
            figures = {r: agree(runs[a, name, r], runs[b, name, r]).to_json() for r in of.files}
            counts = orders(figures.values())
            total.update(counts)
            by_set[name] = {"orders": counts, "references": {r: _kept(found) for r, found in figures.items()}}
        made.append({"a": a, "b": b, "orders": dict(total), "sets": by_set})
        say(f"{a} and {b}: compared")
    return made


def orders(figures: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Pairs of judges over all references, and how many of them both matchers put in the same order."""
    counts: Counter[str] = Counter()
    for of in figures:
        means = [(judge["a"]["value"], judge["b"]["value"]) for judge in of["judges"].values()]
        counts["pairs"] += of["ranking"]["pairs"]
        counts["same_order"] += sum((a1 - a2) * (b1 - b2) > 0 for (a1, b1), (a2, b2) in combinations(means, 2))
        counts.update({name: of["ranking"][name] for name in COUNTS})
    return {name: counts[name] for name in ("pairs", "same_order", *COUNTS)}


def _kept(figures: Mapping[str, Any]) -> dict[str, Any]:
    """What `agree` says, without the names of folders; four digits, so that it is the same on every machine."""
    judges = {name: {side: judge[side]["value"] for side in "ab"} for name, judge in figures["judges"].items()}
    over = {
        part: {name: {k: v for k, v in of.items() if v is not None} for name, of in figures[part].items()}
        for part in ("over_judges", "over_rows")
    }
    rest = {name: figures[name] for name in ("ranking", "rows", "silent_rows", "unscored")}
    made: dict[str, Any] = _rounded({"judges": judges, **over, **rest})
    return made


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4) + 0.0  # no -0.0
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return [_rounded(inner) for inner in value] if isinstance(value, list | tuple) else value


def say(text: str) -> None:
    """How far it is."""
    print(f"evaluators: {text}", file=sys.stderr, flush=True)


def measured(matchers: Mapping[str, Matcher], limit: int, data: Path | None) -> dict[str, Any]:
    """Everything that is printed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sets = text_sets(folder, limit, data)
        runs = evaluated(sets, matchers, folder)
        agreed = compared(sets, matchers, runs)
    versions = {label: matcher.version for label, matcher in matchers.items()}
    return {"matchers": versions, "sets": {name: of.to_json() for name, of in sets.items()}, "agreement": agreed}


def printed(found: Mapping[str, Any]) -> str:
    """JSON with a line for each list or object that holds no other object."""
    text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
    return re.sub(r"\{[^{}]*\}|\[[^\[\]{}]*\]", lambda leaf: re.sub(r"\n *", " ", leaf[0]), text)


def main(argv: Sequence[str] | None = None) -> int:
    """Prints all figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--matchers", nargs="+", choices=OFFLINE, default=OFFLINE, help="default: all; the earlier one is A")
    parser.add_argument("--rows", type=int, default=150, metavar="N", help="of each set (default: %(default)s)")
    parser.add_argument("--model", metavar="M", help="a model, as the server names it: the LLM matcher too, as the first")
    parser.add_argument("--base-url", metavar="URL", help="in place of OPENAI_BASE_URL")
    options = parser.parse_args(argv)
    if options.rows < 1:
        parser.error("--rows needs 1 or more")
    if options.base_url and not options.model:
        parser.error("--base-url needs --model")
    if len(set(options.matchers)) + bool(options.model) < 2:
        parser.error("one matcher alone; there is nothing to compare")
    folder = shared()
    if folder is None:
        say("the sample alone, since there is no shared/ folder of public data (set RATIONALERM_SHARED)")
    try:
        matchers: dict[str, Matcher] = {}
        if options.model:
            matchers["llm"] = LLMMatcher(ChatSettings(Endpoint.from_env(options.model, base_url=options.base_url)))
        matchers |= {name: make_matcher(name) for name in options.matchers}
        found = measured(matchers, options.rows, folder and folder / "data")
    except RationalermError as error:
        say(str(error))
        return error.exit_code
    print(printed(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
