"""Word vectors as whole numbers. Knows nothing of reasons or scores.

A word's vector is the mean of its pieces' vectors, scaled to length `SCALE` and rounded. A dot product of two such vectors is a
sum of integers of at most SCALE^2 < 2^24 in size, so float32 arithmetic is exact in any order: the same on every machine, BLAS and
batch shape.
"""

from __future__ import annotations

import importlib.util
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rationalerm.errors import MatcherError

__all__ = ["SCALE", "hashed_vectors", "wordllama_vectors"]

SCALE = 2000
IntVector = npt.NDArray[np.float32]  # whole numbers, kept as float32 for the matrix product


def _scaled(vector: npt.NDArray[np.float64]) -> IntVector:
    squares = int((np.rint(vector * 4096).astype(np.int64) ** 2).sum())  # an exact sum, so that the length is too
    if not squares:
        return np.zeros(len(vector), dtype=np.float32)
    scaled: IntVector = np.rint(np.rint(vector * 4096) * (SCALE / squares**0.5)).astype(np.float32)
    return scaled


def wordllama_vectors() -> Callable[[str], IntVector]:
    """word -> vector, from the token vectors that the wordllama package ships (256 numbers a token, 32,000 tokens).

    Reads its two files directly: wordllama's own loader looks in another folder, tries the network and sets up logging.

    Raises:
        MatcherError: the package or its files are missing.
    """
    root = _package()
    weights, vocabulary = root / "weights" / "l2_supercat_256.safetensors", root / "tokenizers" / "l2_supercat_tokenizer_config.json"
    for file in (weights, vocabulary):
        if not file.is_file():
            raise MatcherError(f"no file {file}; reinstall it (pip install --force-reinstall wordllama) or use --matcher lexical")
    from safetensors.numpy import load_file  # noqa: PLC0415  (0.1 s that --help does not need)
    from tokenizers import Tokenizer  # noqa: PLC0415

    table: npt.NDArray[Any] = load_file(str(weights))["embedding.weight"]
    tokenizer = Tokenizer.from_file(str(vocabulary))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def vector(word: str) -> IntVector:
        ids = tokenizer.encode(word, add_special_tokens=False).ids
        pieces = np.rint(table[ids].astype(np.float64) * 4096)  # whole numbers: the mean does not depend on the order of adding
        return _scaled(pieces.sum(axis=0) / (4096 * max(1, len(ids))))

    return vector


def _package() -> Path:
    spec = importlib.util.find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise MatcherError("the embedded matcher needs the wordllama package; pip install wordllama, or use --matcher lexical")
    return Path(next(iter(spec.submodule_search_locations)))


_HASHED_SIZE = 512


def hashed_vectors() -> Callable[[str], IntVector]:
    """word -> vector by its spelling alone: signed counts of its 3- and 4-letter pieces, hashed (CRC-32) to 512 places."""

    def vector(word: str) -> IntVector:
        padded = f"<{word}>"
        result = np.zeros(_HASHED_SIZE)
        for size in (3, 4):
            for k in range(max(1, len(padded) - size + 1)):
                code = zlib.crc32(padded[k : k + size].encode())
                result[code % _HASHED_SIZE] += 1 if code & 0x10000 else -1
        return _scaled(result)

    return vector
