"""The one-to-one optimum of a score matrix, exactly (method.md section 2, points 4 and "Ties").

    S_total = max over one-to-one pairings of the sum of s_ij

Among the pairings that reach S_total: the one whose model reasons rank earliest (at the first rank in which two of them differ,
the one that has that rank matched), then the lowest human index, going by rank. All of it is one integer weight an edge,

    W(i, j) = ((s_ij in steps of 1e-6) * 2^m + 2^(m-1-j)) * n^m + (n-1-i) * n^(m-1-j)        n humans, m models, 0-based

whose three digits can't carry into each other, because a model rank is used at most once. Python's integers keep it exact. A
matrix falls into connected parts that don't affect each other; a part with one human or one model needs no search, so that
the usual "best" matrix (one model reason a human reason) takes linear time. Knows nothing of texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rationalerm.types import Matching

__all__ = ["assign"]

_STEPS = 1_000_000
_Edge = tuple[int, int, int]  # human, model, score in steps


def assign(matching: Matching) -> list[tuple[int, int, float]]:
    """The one-to-one optimum.

    Args:
        matching: scores of a row; pairs that are absent or 0 are never matched.

    Returns:
        (human, model, score) of each matched pair, 0-based, by model index.
    """
    edges = [(i, j, max(1, round(s * _STEPS))) for (i, j), s in matching.scores.items() if s > 0]
    pairs = [pair for part in _parts(edges) for pair in _solve(part)]
    return [(i, j, matching.scores[i, j]) for i, j in sorted(pairs, key=lambda p: p[1])]


def _parts(edges: list[_Edge]) -> Iterable[list[_Edge]]:
    """The connected parts of the bipartite graph."""
    parent: dict[int, int] = {}

    def root(node: int) -> int:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for i, j, _ in edges:
        parent[root(i)] = root(-1 - j)  # models are the negative nodes
    parts: defaultdict[int, list[_Edge]] = defaultdict(list)
    for edge in edges:
        parts[root(edge[0])].append(edge)
    return parts.values()


def _solve(edges: list[_Edge]) -> list[tuple[int, int]]:
    """The optimum of one connected part."""
    humans = sorted({i for i, _, _ in edges})
    models = sorted({j for _, j, _ in edges})
    if len(humans) == 1 or len(models) == 1:
        i, j, _ = max(edges, key=lambda e: (e[2], -e[1], -e[0]))
        return [(i, j)]
    n, m = len(humans), len(models)
    row = {i: k for k, i in enumerate(humans)}
    column = {j: k for k, j in enumerate(models)}
    weights = [[0] * m for _ in range(n)]
    for i, j, steps in edges:
        a, b = row[i], column[j]
        weights[a][b] = ((steps << m) + (1 << (m - 1 - b))) * n**m + (n - 1 - a) * n ** (m - 1 - b)
    if n > m:
        chosen = [(a, b) for b, a in enumerate(_hungarian([list(c) for c in zip(*weights, strict=True)]))]
    else:
        chosen = list(enumerate(_hungarian(weights)))
    return [(humans[a], models[b]) for a, b in chosen if weights[a][b] > 0]


def _hungarian(weights: list[list[int]]) -> list[int]:
    """The column of each row in an assignment of all rows with the largest sum; rows <= columns; shortest augmenting paths,
    O(rows^2 * columns). A weight of 0 stands for "not matched"."""
    n, m = len(weights), len(weights[0])
    u, v = [0] * (n + 1), [0] * (m + 1)  # potentials; column 0 is the start of every path
    owner, before = [0] * (m + 1), [0] * (m + 1)  # owner[c]: the row (1-based) that holds column c
    for r in range(1, n + 1):
        owner[0], c = r, 0
        slack: list[int | None] = [None] * (m + 1)
        free = list(range(1, m + 1))
        tree = [0]
        while owner[c]:
            here = owner[c]
            line, base = weights[here - 1], u[here]
            best: int | None = None
            best_column = 0
            for k in free:
                reduced = -line[k - 1] - base - v[k]
                old = slack[k]
                if old is None or reduced < old:
                    slack[k], before[k], old = reduced, c, reduced
                if best is None or old < best:
                    best, best_column = old, k
            assert best is not None  # a free column is left, because rows <= columns
            for k in tree:
                u[owner[k]] += best
                v[k] -= best
            for k in free:
                slack[k] = slack[k] - best  # type: ignore[operator]
            c = best_column
            free.remove(c)
            tree.append(c)
        while c:
            owner[c] = owner[before[c]]
            c = before[c]
    result = [0] * n
    for k in range(1, m + 1):
        if owner[k]:
            result[owner[k] - 1] = k - 1
    return result
