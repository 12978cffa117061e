"""All pairs of two lists of read reasons: what is known at once, and one pair's features when asked. Knows no scores."""

from __future__ import annotations

from typing import Any

from rationalerm.match.align import align
from rationalerm.match.pairs import at_once, features
from rationalerm.match.reading import Reading
from rationalerm.match.vectors import IntVector

__all__ = ["Rows"]


class Rows:
    """Two lists against each other.

    Attributes:
        known: the features that are had at once (`pairs.AT_ONCE`), [feature, human, model].
    """

    def __init__(self, human: list[Reading], model: list[Reading], vectors: IntVector, stems: Any) -> None:
        self._human, self._model = human, model
        a = align(human, model, vectors, stems)
        self.known = at_once(
            human, model, (a.recall, a.precision, a.exact, a.exact_precision, a.cosine, a.residual * (1 - a.exact))
        )
        self._near, self._rows, self._columns = a.near, a.human_starts.tolist(), a.model_starts.tolist()

    def features(self, i: int, j: int) -> list[float]:
        """The numbers of human reason `i` and model reason `j`, in the order of `pairs.FEATURES`."""
        row, column = self._rows[i], self._columns[j]

        def near(x: int, y: int) -> int:
            return int(self._near[row + x, column + y])

        known = self.known.known[:, i, j].tolist()
        return features(self._human[i], self._model[j], known, bool(self.known.evident[i, j]), near)
