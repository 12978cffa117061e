"""The shipped ONNX files: one reads a reason, one compares two that were read. Knows nothing of rules.

A result depends on the texts alone. Every call is padded to a length that a text's own size decides, and takes one core: so
neither batch, thread nor fork changes a bit of it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rationalerm.errors import MatcherError

__all__ = ["REPAIR", "Networks", "Read", "files"]

REPAIR = "reinstall rationalerm, or use --matcher fast"
LONGEST = 128  # tokens of a reason that are read
_STEP = 4  # a text is padded to a multiple of this
_READ_AT_ONCE, _COMPARED_AT_ONCE = 16, 64
_REMEMBERED = 200_000  # tokens whose vectors are kept: 80 MB
Floats = npt.NDArray[np.float32]


class Read(NamedTuple):
    """A reason read once, padded: [token], [token, SIZE], [token]."""

    mask: Floats
    vectors: Floats
    weights: Floats


def files(folder: Traversable | None = None) -> dict[str, bytes]:
    """A model by file name: the one that ships, or the one in a folder.

    Raises:
        MatcherError: a file is missing.
    """
    folder = folder or resources.files("rationalerm.match.learnt").joinpath("model")
    found = {}
    for name in ("encoder.onnx", "compare.onnx", "tokenizer.json", "scale.json"):
        file = folder.joinpath(name)
        if not file.is_file():
            raise MatcherError(f"no file {file}; {REPAIR}")
        found[name] = file.read_bytes()
    return found


class Networks:
    """Runs the files. Safe in threads; made anew in a process that unpickles what holds it."""

    def __init__(self, model: dict[str, bytes]) -> None:
        try:
            import onnxruntime
        except ImportError as e:  # pragma: no cover - a dependency of the package
            raise MatcherError("the embedded matcher needs onnxruntime; pip install onnxruntime, or use --matcher fast") from e
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # weights are made wide once; else kernels of 8 bits may step in, whose sums differ from machine to machine by 1e-2
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        self._encoder, self._compare = (
            onnxruntime.InferenceSession(model[f"{name}.onnx"], options, providers=["CPUExecutionProvider"])
            for name in ("encoder", "compare")
        )
        self._tokenizer = Tokenizer.from_str(model["tokenizer.json"].decode())
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LONGEST)
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Read] = OrderedDict()
        self._tokens = 0

    def read(self, texts: Sequence[str]) -> dict[str, Read]:
        """Each text read; the last ones are remembered."""
        found: dict[str, Read] = {}
        new: defaultdict[int, list[tuple[str, list[int]]]] = defaultdict(list)
        with self._lock:
            for text in dict.fromkeys(texts):
                if text in self._known:
                    self._known.move_to_end(text)
                    found[text] = self._known[text]
                else:
                    ids = self._tokenizer.encode(text).ids
                    new[_padded(len(ids))].append((text, ids))
        for size, todo in new.items():
            for part in _parts(todo, _READ_AT_ONCE):
                found.update(self._read(part, size))
        with self._lock:
            for todo in new.values():
                for text, _ in todo:
                    self._remember(text, found[text])
        return found

    def _remember(self, text: str, read: Read) -> None:
        if text in self._known:
            return
        self._known[text] = read
        self._tokens += len(read.mask)
        while self._tokens > _REMEMBERED and len(self._known) > 1:
            _, old = self._known.popitem(last=False)
            self._tokens -= len(old.mask)

    def _read(self, part: Sequence[tuple[str, list[int]]], size: int) -> Iterator[tuple[str, Read]]:
        ids = np.zeros((len(part), size), dtype=np.int64)
        mask = np.zeros((len(part), size), dtype=np.float32)
        for k, (_, tokens) in enumerate(part):
            ids[k, : len(tokens)] = tokens
            mask[k, : len(tokens)] = 1
        vectors, weights = self._encoder.run(None, {"ids": ids, "mask": mask})
        for k, (text, _) in enumerate(part):
            yield text, Read(mask[k], vectors[k], weights[k])

    def compare(self, pairs: Sequence[tuple[Read, Read]]) -> Floats:
        """A logit a pair, by what is remembered of each reason: [pair]."""
        result = np.zeros(len(pairs), dtype=np.float32)
        groups: defaultdict[Hashable, list[int]] = defaultdict(list)
        for k, (h, m) in enumerate(pairs):
            groups[len(h.mask), len(m.mask)].append(k)
        for places in groups.values():
            for part in _parts(places, _COMPARED_AT_ONCE):
                whole = part * 2 if len(part) == 1 else part  # one row alone would be summed in another order
                ours, theirs = [pairs[k][0] for k in whole], [pairs[k][1] for k in whole]
                feed = {
                    "h": _stack(ours, "vectors"), "hw": _stack(ours, "weights"), "h_mask": _stack(ours, "mask"),
                    "m": _stack(theirs, "vectors"), "mw": _stack(theirs, "weights"), "m_mask": _stack(theirs, "mask"),
                }  # fmt: skip
                result[part] = self._compare.run(None, feed)[0][: len(part)]
        return result


def _padded(tokens: int) -> int:
    return -(-tokens // _STEP) * _STEP


def _parts(todo: Sequence[Any], most: int) -> Iterator[list[Any]]:
    for k in range(0, len(todo), most):
        yield list(todo[k : k + most])


def _stack(reads: Sequence[Read], field: str) -> Floats:
    return np.stack([getattr(read, field) for read in reads])
