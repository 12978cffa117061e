"""Files of Hugging Face Hub data sets, on first use: a pinned revision, checked, cached; no SDK.

A file lies under the cache folder with a note of what it was checked against; from then on it is used without the network, as
long as its bytes are still those. Where nobody published a file's SHA-256, its pin is the commit, and its bytes are checked
against the checksum that the Hub itself states (SHA-256 of large files, git's of small ones) and the known number of rows. Of a
branch, the commit that it was first had from is the pin from then on: a file that has to be had again is had from there; where
the Hub has that no more, it is said.
Knows nothing of what the rows mean. The HTTP is `hub_http`'s.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from rationalerm.data.caching import cache_folder
from rationalerm.data.jsonl import read_rows
from rationalerm.data.log import replace_file
from rationalerm.errors import DataError, UsageError

if TYPE_CHECKING:
    from rationalerm.data.hub_http import Fetched, HubEndpoint

__all__ = ["FILES", "HubCopy", "HubFile", "arena_hard_answers", "hub_file"]

_COMMIT = re.compile("[0-9a-f]{40}")
_TRUE = {"1", "on", "yes", "true"}


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a data set.

    `revision` is a commit, or a branch where no commit could be pinned. `sha256` is of the whole file, where it is known
    beforehand; `rows` how many it has to hold.
    """

    repo: str
    path: str
    revision: str
    sha256: str | None = None
    rows: int | None = None

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self.repo}/{self.path}"


class HubCopy(NamedTuple):
    """A file that is here and checked. `commit`: which one the Hub served it from; `checked`: against what."""

    path: Path
    commit: str | None
    checked: str


_ARENA_HARD = ("lmarena-ai/arena-hard-auto", "15f3746e21432264ce9b453999bde4f3c946d2e6")
_JUDGEBENCH = ("ScalerLab/JudgeBench", "57dd5e0b9817d07f05ec8f45a91b2ce1e310e308")
_HELPSTEER3 = ("nvidia/HelpSteer3", "f6d145777bcbde96137596340fab89793acd1031")

FILES = {
    "rm-bench": HubFile("THU-KEG/RM-Bench", "total_dataset.json", "main", rows=1327),
    "judgebench-gpt": HubFile(_JUDGEBENCH[0], "data/gpt-00000-of-00001.jsonl", _JUDGEBENCH[1], rows=350),
    "judgebench-claude": HubFile(_JUDGEBENCH[0], "data/claude-00000-of-00001.jsonl", _JUDGEBENCH[1], rows=270),
    "arena-hard-v2": HubFile(
        _ARENA_HARD[0],
        "data/arena-hard-v2.0/question.jsonl",
        _ARENA_HARD[1],
        sha256="6cfe75abb0e09cd39e7f9b0b18ea96d41be2d4d9ddf76dc1d07d78b6accb2039",
        rows=750,
    ),
    "helpsteer3": HubFile(_HELPSTEER3[0], "preference/validation.jsonl.gz", _HELPSTEER3[1], rows=2017),
    "helpsteer3-feedback": HubFile(
        _HELPSTEER3[0],
        "feedback/validation.jsonl.gz",
        _HELPSTEER3[1],
        sha256="b86f71581a83f610ec5416029422f84ff1fc005e77b56c7634486ef9f6f12ceb",
    ),
}


def arena_hard_answers(model: str) -> HubFile:
    """A model's answers to Arena-Hard v2, one of the baselines' say."""
    return HubFile(_ARENA_HARD[0], f"data/arena-hard-v2.0/model_answer/{model}.jsonl", _ARENA_HARD[1])


def hub_file(file: HubFile, *, tell: Callable[[str], object] | None = None) -> HubCopy:
    """The file, from the cache or else from the Hub.

    Where to: HF_ENDPOINT (a mirror), HF_TOKEN (never shown, sent to that host alone), HF_HUB_OFFLINE (the cache alone),
    RATIONALERM_CACHE_DIR.

    Args:
        file: which.
        tell: gets a line before a download, and one where a branch has moved on from the commit that was used here before.

    Raises:
        UsageError: offline and not in the cache, a token or endpoint that can't be.
        DataError: the Hub is not reachable, has no such file, or its bytes are not the pinned ones.
    """
    place = cache_folder("give the files with --data") / "hub" / file.repo.replace("/", "--") / file.revision / file.path
    kept = _kept(file, place)
    if kept is not None:
        return kept
    if _offline():
        raise UsageError(
            f"{file.name} is not in the cache and HF_HUB_OFFLINE is set; unset it once, or give the file with --data"
        )
    from rationalerm.data.hub_http import endpoint_of

    endpoint = endpoint_of(os.environ.get("HF_ENDPOINT", ""), os.environ.get("HF_TOKEN", ""))
    if tell is not None:
        tell(f"fetching {file.name} from {endpoint.shown} into {place.parent}")
    with _OneLine(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_name(f".{place.name}.{os.getpid()}.part")
        try:
            got = _fetched(file, endpoint, part, _noted_commit(file, place), tell)
            _refuse_echo(part, endpoint.token, file.name)
            checked = _check(file, part, got)
            note = {"commit": got.commit, "sha256": _sha256(part), "checked": checked}
            part.replace(place)
            replace_file(_note(place), [orjson.dumps(note) + b"\n"])  # last: without it the file is fetched anew
        finally:
            part.unlink(missing_ok=True)
    return HubCopy(place, got.commit, checked)


def _fetched(
    file: HubFile, endpoint: HubEndpoint, part: Path, commit: str | None, tell: Callable[[str], object] | None
) -> Fetched:
    """The file at its revision; at `commit`, where an earlier one is known of a branch and the Hub still has it."""
    from rationalerm.data.hub_http import MissingError, fetch

    if commit is not None:
        try:
            got = fetch(endpoint, file.repo, commit, file.path, part)
        except MissingError:
            pass
        else:
            return got._replace(commit=got.commit or commit)
    got = fetch(endpoint, file.repo, file.revision, file.path, part)
    if commit is not None and got.commit != commit and tell is not None:
        now = got.commit or "of a commit that it does not name"
        tell(f"{file.name} was of commit {commit}, which the Hub has no more; this is {now}")
    return got


def _noted_commit(file: HubFile, place: Path) -> str | None:
    """The commit that a branch's file was of when it was had before."""
    if _COMMIT.fullmatch(file.revision):
        return None
    try:
        note: Any = orjson.loads(_note(place).read_bytes())
    except (OSError, ValueError):
        return None
    commit = note.get("commit") if isinstance(note, dict) else None
    return commit if isinstance(commit, str) and _COMMIT.fullmatch(commit) else None


class _OneLine:
    """Turns an OS error into one line that says how to have the cache elsewhere."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, OSError):
            return
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        said = "the disk is full; free some room, " if full else f"the cache can't be written here: {error.strerror}; "
        other = "set RATIONALERM_CACHE_DIR to another folder, or give the file with --data"
        raise DataError(f"{said}{other}", source=str(self._place.parent)) from None


def _refuse_echo(part: Path, token: str, name: str) -> None:
    """A page that repeats the token is no data, and is neither kept nor quoted. Raises DataError."""
    if len(token) >= 8 and token.encode() in part.read_bytes():
        raise DataError("the server sent HF_TOKEN back in place of the file; unset it, or set HF_ENDPOINT anew", source=name)


def _kept(file: HubFile, place: Path) -> HubCopy | None:
    """The cached file, if its bytes are still those that were checked."""
    try:
        note: Any = orjson.loads(_note(place).read_bytes())
        digest = _sha256(place)
    except (OSError, ValueError):
        return None
    if not isinstance(note, dict) or digest != note.get("sha256") or file.sha256 not in (None, digest):
        return None
    return HubCopy(place, note.get("commit"), str(note.get("checked")))


def _check(file: HubFile, part: Path, got: Fetched) -> str:
    """Against what the bytes were checked. Raises DataError where they are others."""
    made, etag = [], got.etag
    if _COMMIT.fullmatch(file.revision) and got.commit not in (None, file.revision):
        raise DataError(f"came from commit {got.commit}, not from {file.revision}; set HF_ENDPOINT anew", source=file.name)
    if file.sha256 is not None or len(etag) == 64:
        expected, by = (file.sha256, "the pinned SHA-256") if file.sha256 else (etag, "the Hub's SHA-256")
        if _sha256(part) != expected:
            raise DataError(f"its bytes are not those of {by}; try again, or give a file with --data", source=file.name)
        made.append(by)
    elif len(etag) == 40:
        if _git_sha1(part) != etag:
            raise DataError("its bytes are not those of the Hub's git hash; try again, or use --data", source=file.name)
        made.append("the Hub's git hash")
    if file.rows is not None:
        try:
            found = sum(1 for _ in read_rows(part))
        except DataError as error:
            raise DataError(error.message, source=file.name, row=error.row) from None
        if found != file.rows:
            raise DataError(f"has {found} rows, the benchmark has {file.rows}; give the right file with --data", source=file.name)
        made.append(f"{found} rows")
    return " and ".join(made) or "nothing: the server states no checksum"


def _offline() -> bool:
    return any(os.environ.get(name, "").strip().lower() in _TRUE for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))


def _note(place: Path) -> Path:
    return place.with_name(f"{place.name}.checked.json")


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _git_sha1(path: Path) -> str:
    """What git names a file by."""
    hashed = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as handle:
        while block := handle.read(1 << 20):
            hashed.update(block)
    return hashed.hexdigest()
