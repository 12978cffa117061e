"""Run directories -> report.html. Rows stream: in memory are numbers, and one chunk of texts at a time."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import IO, Any

from rationalerm.data.log import OneLine
from rationalerm.data.rundir import RunDir
from rationalerm.errors import RationalermError, UsageError
from rationalerm.report.page.chunks import block
from rationalerm.report.page.html import write_page
from rationalerm.run.progress import Progress, say
from rationalerm.run.reporting.evaluated import load_evaluation
from rationalerm.run.reporting.head import Head
from rationalerm.run.reporting.joined import Index, JudgeOfRun, PairKey, Row, judges_of, rows_of
from rationalerm.run.reporting.judged import load_bench, load_judging
from rationalerm.run.reporting.kinds import Kinds
from rationalerm.run.reporting.loaded import Detail, Loaded
from rationalerm.run.reporting.steadiness import Steadiness
from rationalerm.run.reporting.texts import game_texts, pair_texts, title_of
from rationalerm.run.reporting.trained import load_demo, load_training, load_warm_start
from rationalerm.types import Pair

__all__ = ["load", "report", "write_beside", "write_report"]

CHUNK = 128  # pairs
_DOCTYPE = b"<!doctype html>"
_LOADERS = {
    "evaluate": load_evaluation,
    "match": load_evaluation,
    "judge": load_judging,
    "train genrm": load_training,
    "train sft": load_warm_start,
    "train demo": load_demo,
}


def load(path: str | Path, stack: ExitStack) -> Loaded:
    """A run directory of any command that has something to report. What it goes on reading from is closed with `stack`.

    Raises:
        UsageError: no run directory, or one of a command that has not.
        DataError: damaged, or nothing finished yet.
    """
    folder = Path(path)
    manifest = RunDir.manifest(folder) if folder.is_dir() else None
    if manifest is None:
        raise UsageError(f"{path}: no run.json there; name the --out folder of evaluate, match, judge, bench or train")
    command = str(manifest.get("command"))
    loader = load_bench if command.startswith("bench ") and command != "bench answers" else _LOADERS.get(command)
    if loader is None:
        raise UsageError(f"{path}: a run of {command!r} has nothing to report; evaluate, match, judge, bench and train have")
    return loader(folder, str(path), manifest, stack)


def write_report(paths: Sequence[str | Path], out: str | Path, *, plots: str | Path | None = None, tag_all: bool = True) -> None:
    """Writes the page of one or several run directories.

    Args:
        paths: the directories; several are compared.
        out: the file, written at once or not at all.
        plots: a folder for each plot as PNG and SVG.
        tag_all: say of every reason which kind it is and which flaws it has; else of those of a sample of pairs.

    Raises:
        UsageError: `out` is there and is no such page: it is left alone.
        RationalermError: nothing to report, or the file can't be written, in one line.
    """
    target = _page_at(out)
    with ExitStack() as stack:
        head, index, chunks = report(paths, stack, tag_all=tag_all)
        write_page(target, head, index, chunks)
    if plots is not None:  # behind the page, which needs no extra
        from rationalerm.report.plots import write_plots

        write_plots(plots, head)


def _page_at(out: str | Path) -> Path:
    """Where the page goes, links followed. A run's own files, an input, a device are never replaced."""
    path = Path(os.path.realpath(out))
    if path.exists():
        if not path.is_file():
            raise UsageError(f"{out}: is no file; name one for the page, e.g. report.html")
        with OneLine(path), path.open("rb") as there:
            if there.read(len(_DOCTYPE)).lower() not in (_DOCTYPE, b""):
                raise UsageError(f"{out}: is there and is no page; name another file")
    return path


def write_beside(*runs: str | Path, out: str | Path | None = None) -> None:
    """Writes a finished run's report.html into its directory; of several runs into `out`.

    The runs are on disk by then: what stops the page is said, no more.
    """
    try:
        write_report(runs, Path(out if out is not None else runs[0]) / "report.html", tag_all=False)
    except RationalermError as error:
        say(f"no report.html: {error}")


def report(
    paths: Sequence[str | Path], stack: ExitStack, *, live: str | None = None, tag_all: bool = False
) -> tuple[dict[str, Any], dict[str, list[Any]], Iterator[bytes]]:
    """The page's head, index and chunks, for a file or a reply; what they are read from is closed with `stack`.

    `live`: the stamp of the files, of a page that is served and asks for the next one. `tag_all`: as for `write_report`.
    """
    if twice := [path for path, count in Counter(os.path.realpath(path) for path in paths).items() if count > 1]:
        raise UsageError(f"{twice[0]}: is named twice")
    runs = [load(path, stack) for path in paths]
    for run in runs:
        for remark in run.remarks:
            say(remark)
    judges = judges_of(runs)
    head = Head(runs, judges)
    index = Index(runs, head.domains)
    spool = stack.enter_context(tempfile.TemporaryFile(prefix="rationalerm-"))  # noqa: SIM115
    chunks = _Chunks(spool)
    rows = rows_of(judges)
    steadiness = Steadiness(runs, judges, rows)
    kinds = Kinds(runs, judges, rows, every=tag_all)
    adding = _Adding(runs, judges, index, chunks, steadiness, kinds)
    shown = Progress("pairs into the page", len(rows)) if live is None else None
    for pair in chain(_pairs(runs, rows), _without_input(rows)):
        adding.add(pair, rows.pop((pair.id, pair.cluster)))
        if shown:
            shown.add(1)
    if shown:
        shown.close()
    chunks.flush()
    counted: dict[str, Any] = {"n": index.rows, "pairs": index.pairs, "chunk": CHUNK, "chunks": chunks.number}
    missing = [run.without_texts for run in runs if run.without_texts]
    counted |= {"texts": any(run.source for run in runs), "why_no_texts": missing[0] if missing else None}
    return (
        head.to_json(live=live, rows=counted, steadiness=steadiness.to_json(), kinds=kinds.to_json()),
        index.columns,
        chunks.blocks(),
    )


class _Chunks:
    """The rows' texts, packed, in a file that nobody sees: the head that comes before them is known when they are all made."""

    def __init__(self, spool: IO[bytes]) -> None:
        self._spool = spool
        self._lengths: list[int] = []
        self._pairs: dict[int, Any] = {}
        self._games: dict[int, Any] = {}

    @property
    def number(self) -> int:
        """Of the chunk that is being filled."""
        return len(self._lengths)

    def add(self, number: int, pair: dict[str, Any], games: dict[int, Any]) -> None:
        """A pair with its games."""
        self._pairs[number] = pair
        self._games |= games
        if len(self._pairs) >= CHUNK:
            self.flush()

    def flush(self) -> None:
        """Ends the chunk."""
        if not self._pairs:
            return
        keyed = [{str(key): value for key, value in part.items()} for part in (self._pairs, self._games)]
        packed = block(f"chunk-{self.number}", {"pairs": keyed[0], "games": keyed[1]})
        with OneLine(Path(tempfile.gettempdir())):
            self._spool.write(packed)
        self._lengths.append(len(packed))
        self._pairs, self._games = {}, {}

    def blocks(self) -> Iterator[bytes]:
        """All of them, in order."""
        self._spool.seek(0)
        for length in self._lengths:
            yield self._spool.read(length)


def _pairs(runs: Sequence[Loaded], rows: dict[PairKey, list[Row]]) -> Iterator[Pair]:
    """The pairs that have a game, with their texts; each once, and each input read once."""
    read = set()
    for run in runs:
        if run.source is None or run.source.key in read:
            continue
        read.add(run.source.key)
        for pair in run.source.pairs():
            if (pair.id, pair.cluster) in rows:
                yield pair


def _without_input(rows: Mapping[PairKey, object]) -> Iterator[Pair]:
    """Those that are left when all inputs have been read: no texts of theirs are at hand."""
    for id, cluster in list(rows):
        yield Pair(id, cluster=cluster)


class _Adding:
    """Pairs into the index, the chunks, and what is gathered as they pass by."""

    def __init__(
        self,
        runs: Sequence[Loaded],
        judges: Sequence[JudgeOfRun],
        index: Index,
        chunks: _Chunks,
        steadiness: Steadiness,
        kinds: Kinds,
    ) -> None:
        self._runs, self._judges, self._index, self._chunks = runs, judges, index, chunks
        self._steadiness, self._kinds = steadiness, kinds

    def add(self, pair: Pair, rows: Sequence[Row]) -> None:
        """One pair with its games."""
        number, games, human = self._index.pairs, {}, pair.human_reasons
        for place, row in self._index.add(title_of(pair), self._chunks.number, rows):
            run, game = self._runs[row.run], row.game
            detail = run.detail((game.id, self._judges[row.judge].judge, game.order)) or Detail(None, ())
            self._steadiness.add((pair.id, pair.cluster), row, detail)
            if game.order == "AB" and human is None:
                human = detail.human
            if game.order == "AB" and detail.human == human:
                detail = detail._replace(human=None)
            games[place] = game_texts(game, detail, run.top_k) | self._kinds.add(row, detail)
        self._chunks.add(number, pair_texts(pair) | {"human": human}, games)
