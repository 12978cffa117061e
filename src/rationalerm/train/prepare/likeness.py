"""Which rows are of one prompt: the same words, the same two responses, or nearly the same words. Exact where texts are short.

The same conversation: the same words in the same order, whatever the case, the spacing, the punctuation and the system turn.
The same responses: the same two, in either order, with at least 20 words together ("Yes" and "No" are many rows' responses).
Nearly the same: of all runs of 5 words in either conversation at least half are in both (Jaccard). Runs that stand in more than
32 different conversations are boilerplate and left out, so that what shares a form is not taken for a copy; unless, boilerplate
and all, four fifths are in both. From a long conversation the 256 runs with the smallest hashes stand for all (an estimate, good
to about 3 points); up to 256 it is exact.

Knows nothing of splits or files.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rationalerm.types import Message

__all__ = ["ALIKE", "RULES", "Fingerprint", "fingerprint", "near_pairs"]

ALIKE, COPIED = 0.5, 0.8  # Jaccard, without boilerplate and with it
_RUN, _KEPT, _COMMON, _CANDIDATE, _RESPONSE_WORDS = 5, 256, 32, 32, 20
RULES = {
    "words_a_run": _RUN,
    "jaccard": ALIKE,
    "jaccard_with_boilerplate": COPIED,
    "boilerplate_above": _COMMON,
    "runs_kept": _KEPT,
    "response_words": _RESPONSE_WORDS,
}

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # scripts without spaces: each sign is a word
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_Hashes = NDArray[np.uint64]
_LAST = np.uint64(2**64 - 1)
_ODD = np.uint64(0xD6E8FEB86659FD93)
_SALTS = [np.uint64(k * 0x9E3779B97F4A7C15 % 2**64) for k in range(1, 17)]


class Fingerprint(NamedTuple):
    """What is kept of a row's texts.

    `conversation` and `responses` are digests, None where there is none (to speak of), `row` one of all its texts; `runs` are the
    sorted hashes of runs of words, all of them where `whole`.
    """

    conversation: bytes | None
    responses: bytes | None
    row: bytes
    runs: _Hashes
    whole: bool


def fingerprint(messages: Sequence[Message], responses: Sequence[str]) -> Fingerprint:
    """The row's, from its conversation and its (two) responses.

    >>> one = fingerprint([Message("user", "Name a prime!")], ["7", "9"])
    >>> one.conversation == fingerprint([Message("system", "Be brief"), Message("user", "name  a Prime")], []).conversation
    True
    """
    turns = [turn for turn in messages if turn.role != "system"] or list(messages)
    words = [words_of(turn.content) for turn in turns]
    flat = [word for part in words for word in part]
    # Of signs only there are no words to compare.
    text = "\x1e".join(" ".join(part) for part in words) if flat else "\x1e".join(folded(turn.content) for turn in turns)
    runs = _runs(flat)
    known = any(turn.content.strip() for turn in turns)
    both = sorted(folded(response) for response in responses)
    return Fingerprint(
        conversation=_digest([text]) if known else None,
        responses=_digest(both) if len(both) > 1 and sum(len(words_of(one)) for one in both) >= _RESPONSE_WORDS else None,
        row=_digest([text, *both]),
        runs=runs[:_KEPT].copy(),
        whole=len(runs) <= _KEPT,
    )


def words_of(text: str) -> list[str]:
    """The words, in small letters and compatible forms.

    >>> words_of("It's  ２ x 素数。")
    ['it', 's', '2', 'x', '素', '数']
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def folded(text: str) -> str:
    """The text without differences of case, width and spacing."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def near_pairs(prints: Sequence[Fingerprint], lead: Sequence[int] = ()) -> list[tuple[int, int, float]]:
    """Pairs of different conversations that are nearly the same, with their likeness; about linear in the number of runs.

    Args:
        prints: one a conversation.
        lead: which of them the members of a large family are compared with, if one is in it. Of a family held together by
            boilerplate not all pairs are given, but each member with one that leads, or with one other.
    """
    full = [one.runs for one in prints]
    kept = _without_common(full)
    ends = [_LAST if one.whole or not len(one.runs) else one.runs[-1] for one in prints]
    found = []
    for i, j in sorted({*_candidates(kept), *_families(prints, lead)}):
        if prints[i].conversation == prints[j].conversation:
            continue
        end = min(ends[i], ends[j])
        likeness = _jaccard(kept[i], kept[j], end)
        if likeness < ALIKE:
            likeness = _jaccard(full[i], full[j], end)
            if likeness < COPIED:
                continue
        found.append((i, j, likeness))
    return found


def _jaccard(one: _Hashes, other: _Hashes, end: np.uint64) -> float:
    """The likeness of two sets of sorted hashes, up to the end of the shorter sample; 0 for empty ones."""
    a, b = (runs[: np.searchsorted(runs, end, side="right")] for runs in (one, other))
    both = len(np.intersect1d(a, b, assume_unique=True))
    union = len(a) + len(b) - both
    return both / union if union else 0.0


def _digest(texts: Iterable[str]) -> bytes:
    hashed = hashlib.blake2b(digest_size=16)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        hashed.update(b"%d:" % len(data) + data)
    return hashed.digest()


def _runs(words: Sequence[str]) -> _Hashes:
    """The hashes of all runs of words, each once, sorted; of fewer words than a run has, that of all."""
    if not words:
        return np.empty(0, np.uint64)
    codes = np.fromiter((zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in words), np.uint64, len(words))
    size = min(_RUN, len(codes))
    mixed = np.full(len(codes) - size + 1, size, np.uint64)
    for k in range(size):  # a polynomial in the words' codes, modulo 2**64
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + codes[k : len(codes) - size + 1 + k]
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(29)
    return np.unique(mixed)


def _without_common(runs: Sequence[_Hashes]) -> list[_Hashes]:
    """The runs that are not boilerplate."""
    values, counts = np.unique(_joined(runs), return_counts=True)
    common = values[counts > _COMMON]
    if not len(common):
        return list(runs)
    return [one[common[np.minimum(np.searchsorted(common, one), len(common) - 1)] != one] for one in runs]


def _candidates(kept: Sequence[_Hashes]) -> list[tuple[int, int]]:
    """Pairs with one of their smallest hashes in common: all that are alike, but for one in 2**32 at likeness 0.5."""
    small = [one[:_CANDIDATE] for one in kept]
    hashes = _joined(small)
    owners = np.repeat(np.arange(len(small)), [len(one) for one in small])
    order = np.argsort(hashes, kind="stable")
    hashes, owners = hashes[order], owners[order]
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]])) if len(hashes) else np.empty(0, np.int64)
    sizes = np.diff(np.append(starts, len(hashes)))
    codes: list[NDArray[Any]] = []
    for size in np.unique(sizes[sizes > 1]):
        members = owners[starts[sizes == size][:, None] + np.arange(size)]
        first, second = np.triu_indices(size, 1)
        codes.append(np.unique(members[:, first] * len(kept) + members[:, second]))
    if not codes:
        return []
    return [(int(code // len(kept)), int(code % len(kept))) for code in np.unique(np.concatenate(codes))]


def _families(prints: Sequence[Fingerprint], lead: Sequence[int]) -> set[tuple[int, int]]:
    """Each conversation with the first of those whose smallest hash, under one of 16 orders, is its own.

    Of two that are alike in 0.8 of their runs, all but one in 10**11 pairs meet in one of them.
    """
    rows = [k for k, one in enumerate(prints) if len(one.runs)]
    leading, pairs = set(lead), set()
    rank = sorted(range(len(rows)), key=lambda n: (rows[n] not in leading, prints[rows[n]].conversation or prints[rows[n]].row))
    places = np.empty(len(rows), np.int64)
    places[rank] = np.arange(len(rows))
    for salt in _SALTS:
        smallest = np.array([((prints[k].runs ^ salt) * _ODD).min() for k in rows], np.uint64)
        order = np.lexsort((places, smallest))
        ordered = smallest[order]
        opens = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(rows) else np.empty(0, bool)
        first = order[np.maximum.accumulate(np.where(opens, np.arange(len(rows)), 0))] if len(rows) else order
        for one, other in zip(first[~opens], order[~opens], strict=True):
            i, j = sorted((rows[one], rows[other]))
            pairs.add((i, j))
    return pairs


def _joined(parts: Sequence[_Hashes]) -> _Hashes:
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)
