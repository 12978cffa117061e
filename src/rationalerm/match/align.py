"""A row's human reasons against its model reasons, word by word. Knows nothing of calibration.

    f(c)      = clip((c - LOW) / (1 - LOW), 0, 1), in thousandths; 1 for words of one stem
    recall    = sum_t w_t * max_u f(cos(t, u)) / sum_t w_t          t over the human reason's words, u over the model's
    precision = the same with the two changed over
    exact     = recall with f = 1 for words of one stem, else 0
    residual  = cosine of what is left of both reasons when the words that both have are taken away: near 0 where two
                reasons share their topic and not their issue, higher where one issue is said in two ways

after BERTScore's greedy matching (Zhang et al. 2020, arXiv 1904.09675), over static vectors with fixed weights. Every sum
is one of whole numbers, so results don't depend on order, batch or machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rationalerm.match.reading import Reading
from rationalerm.match.vectors import SCALE

__all__ = ["FULL", "Alignment", "align"]

FULL = 1000
LOW = 0.1
_ONE_THREAD = 8 * 65536 - 1  # OpenBLAS: up to here a product stays on one thread
_REASONS = 6  # whose sums are taken in one product: more would be mostly products with zero, fewer are slower each
_AT_A_TIME = 16  # columns that its kernels take
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Arrays [human, model], and what they come from: f of each pair of words and where each reason's words begin."""

    recall: Floats
    precision: Floats
    exact: Floats
    exact_precision: Floats
    cosine: Floats
    residual: Floats
    near: npt.NDArray[np.int32]  # [word, word], 0..FULL
    human_starts: Ints
    model_starts: Ints


def _stack(readings: list[Reading]) -> tuple[npt.NDArray[np.int32], Ints, Ints]:
    ids = np.concatenate([r.ids for r in readings])
    weights = np.concatenate([r.weights for r in readings])
    return ids, weights, np.cumsum([0] + [len(r.ids) for r in readings])[:-1]


def align(
    human: list[Reading], model: list[Reading], vectors: npt.NDArray[np.float32], stems: npt.NDArray[np.int32]
) -> Alignment:
    """The alignment of each human reason with each model reason."""
    h_ids, h_weights, h_starts = _stack(human)
    m_ids, m_weights, m_starts = _stack(model)
    h_vectors, m_vectors = vectors[h_ids], vectors[m_ids]
    near = _near(_product(h_vectors, m_vectors.T))
    near[(stems[h_ids][:, None] == stems[m_ids][None, :]) & (h_ids > 0)[:, None]] = FULL

    best = np.maximum.reduceat(near, m_starts, axis=1).astype(np.int64)  # [word, model]
    best_model = np.maximum.reduceat(near, h_starts, axis=0).astype(np.int64)  # [human, word]
    h_total = np.maximum(1, np.add.reduceat(h_weights, h_starts))[:, None] * FULL
    m_total = np.maximum(1, np.add.reduceat(m_weights, m_starts))[None, :] * FULL
    h_column, m_row = h_weights[:, None], m_weights[None, :]
    recall = np.add.reduceat(best * h_column, h_starts, axis=0) / h_total
    precision = np.add.reduceat(best_model * m_row, m_starts, axis=1) / m_total
    exact = np.add.reduceat((best == FULL) * h_column, h_starts, axis=0) * FULL / h_total
    exact_precision = np.add.reduceat((best_model == FULL) * m_row, m_starts, axis=1) * FULL / m_total

    whole, left = _sums(h_vectors, h_weights, h_starts, best < FULL)
    whole_model, left_model = _sums(m_vectors, m_weights, m_starts, (best_model < FULL).T)
    cosine = _product(whole, whole_model.T).astype(np.float64) / (SCALE * SCALE)
    residual = np.einsum("ijk,jik->ij", left, left_model).astype(np.float64) / (SCALE * SCALE)
    return Alignment(recall, precision, exact, exact_precision, cosine, residual, near, h_starts, m_starts)


def _near(dots: npt.NDArray[np.float32]) -> npt.NDArray[np.int32]:
    """f of the cosines, from dot products, which it overwrites: whole numbers below 2^24, exact."""
    low = LOW * SCALE * SCALE
    dots -= np.float32(low)
    dots *= np.float32(FULL / (SCALE * SCALE - low))
    return np.rint(np.clip(dots, 0, FULL, out=dots), out=dots).astype(np.int32)


def _sums(
    vectors: npt.NDArray[np.float32], weights: Ints, starts: Ints, free: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Unit vectors of the weighted sums over all words of each reason, [reason, size], and over its words that each reason of
    the other list lacks (`free`: [word, other]), [reason, other, size]. Each product is of a few reasons, mostly zeros."""
    n, m = len(starts), free.shape[1]
    exact = np.add.reduceat(weights, starts).max() * SCALE < 2**24  # then float32 is as exact as float64, and faster
    vectors = vectors if exact else vectors.astype(np.float64)
    chosen = np.empty((m + 1, len(weights)), dtype=vectors.dtype)  # the weights of each sum's words
    np.multiply(free.T, weights, out=chosen[:m], casting="unsafe")
    chosen[m] = weights
    bounds = [*starts.tolist(), len(weights)]
    sums = np.empty((n, m + 1, vectors.shape[1]), dtype=vectors.dtype)
    for first in range(0, n, _REASONS):
        last = min(n, first + _REASONS)
        begin, end = bounds[first], bounds[last]
        picks = np.zeros((last - first, m + 1, end - begin), dtype=vectors.dtype)
        for k in range(first, last):
            picks[k - first, :, bounds[k] - begin : bounds[k + 1] - begin] = chosen[:, bounds[k] : bounds[k + 1]]
        product = _product(picks.reshape(-1, end - begin), vectors[begin:end])
        sums[first:last] = product.reshape(last - first, m + 1, -1)
    unit = _unit(sums.reshape(n * (m + 1), -1)).reshape(n, m + 1, -1)
    return unit[:, m], unit[:, :m]


def _product(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """a @ b in tiles that are too small for BLAS to share among threads: on products of this size threads cost more than they
    bring, and a lot more on a busy machine. Exact either way."""
    (n, size), m = a.shape, b.shape[1]
    area = max(1, _ONE_THREAD // size)
    rows = -(-n // -(-n // math.isqrt(area)))  # tiles about square, of one height
    columns = area // rows // _AT_A_TIME * _AT_A_TIME or area // rows
    result: npt.NDArray[Any] = np.empty((n, m), dtype=np.result_type(a, b))
    for i in range(0, n, rows):
        for j in range(0, m, columns):
            np.matmul(a[i : i + rows], b[:, j : j + columns], out=result[i : i + rows, j : j + columns])
    return result


def _unit(sums: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Scaled to length SCALE and rounded to whole numbers, so that products of them are exact."""
    wide = sums.astype(np.float64)
    squares = np.einsum("ij,ij->i", wide, wide)  # whole numbers below 2^53: exact
    unit: npt.NDArray[np.float32] = np.rint(wide * (SCALE / np.sqrt(np.maximum(squares, 1)))[:, None]).astype(np.float32)
    return unit
