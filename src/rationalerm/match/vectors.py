"""Word vectors as whole numbers. Knows nothing of reasons or scores.

A word's vector is the sum of its pieces' vectors, scaled to length `SCALE` and rounded. A dot product of two such
vectors is a sum of integers of at most SCALE^2 < 2^24 in size, so float32 arithmetic is exact in any order: the same on
every machine, BLAS and batch shape.
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

__all__ = ["SCALE", "hashed_vectors", "wordllama_print", "wordllama_vectors"]

SCALE = 2000
IntVector = npt.NDArray[np.float32]  # whole numbers, kept as float32 for the matrix product


def _scaled(whole: npt.NDArray[np.float64]) -> IntVector:
    """A vector of whole numbers at length SCALE, rounded. Its squares sum exactly, so that its length is the same everywhere."""
    squares = float(whole @ whole)
    scaled: IntVector = np.rint(whole * (SCALE / squares**0.5 if squares else 0.0)).astype(np.float32)
    return scaled


def wordllama_vectors() -> Callable[[str], IntVector]:
    """word -> vector, from the token vectors that the wordllama package ships (256 numbers a token, 32,000 tokens).

    Reads its two files directly: wordllama's own loader looks in another folder, tries the network and sets up logging.

    Raises:
        MatcherError: the package or its files are missing.
    """
    weights, vocabulary = _files()
    from safetensors.numpy import load_file  # 0.1 s that --help does not need
    from tokenizers import Tokenizer

    table: npt.NDArray[Any] = load_file(str(weights))["embedding.weight"]
    tokenizer = Tokenizer.from_file(str(vocabulary))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def vector(word: str) -> IntVector:
        ids = tokenizer.encode(word, add_special_tokens=False).ids
        return _scaled(np.rint(table[ids].astype(np.float64) * 4096).sum(axis=0))  # whole numbers: their sum has no order

    return vector


def wordllama_print() -> str:
    """A checksum of the files that the vectors come from, for a matcher's version."""
    return f"{zlib.crc32(b''.join(file.read_bytes() for file in _files())):08x}"


def _files() -> tuple[Path, Path]:
    root = _package()
    weights = root / "weights" / "l2_supercat_256.safetensors"
    vocabulary = root / "tokenizers" / "l2_supercat_tokenizer_config.json"
    for file in (weights, vocabulary):
        if not file.is_file():
            raise MatcherError(f"no file {file}; reinstall it (pip install --force-reinstall wordllama) or use --matcher lexical")
    return weights, vocabulary


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
