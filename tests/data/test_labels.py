"""Sides and labels given as values."""

from __future__ import annotations

import pytest

from rationalerm.data.labels import LabelReader, parse_label_map
from rationalerm.errors import UsageError
from rationalerm.types import Verdict

SIDES = [
    ("A", "B"), ("a", "b"), ("A>B", "B>A"), ("A>>B", "B>>A"), ("A > B", "B > A"), ("a>b", "b>a"), ("B<A", "A<B"),
    ("B<<A", "A<<B"), ("response_1", "response_2"), ("response1", "response2"), ("Response 1", "Response 2"),
    ("Response A", "Response B"), ("@Response 1", "@Response 2"), ("model_a", "model_b"), ("Assistant A", "Assistant B"),
    ("[[A]]", "[[B]]"), ("[[A>B]]", "[[B>A]]"), (" A ", " B "), ("Output (a)", "Output (b)"), ("first", "second"),
    ("option A", "option B"), (-1, 1), (-3, 3), (-0.5, 0.5), ("-2", "2"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SIDES)
def test_one_meaning_is_read_and_swaps_with_the_letters(first: object, second: object) -> None:
    reader = LabelReader(signed=True)
    assert [reader.read(value).side for value in (first, second)] == [-1, 1]  # type: ignore[union-attr]


@pytest.mark.parametrize("value", ["tie", "Tie", "A=B", "A = B", "a == b", "[[A=B]]", "equal", "B=A", 0, 0.0, "0"])
def test_ties(value: object) -> None:
    assert LabelReader().read(value) == Verdict.TIE


@pytest.mark.parametrize("value", [None, "", "  "])
def test_nothing_is_no_label(value: object) -> None:
    assert LabelReader().read(value) is None


@pytest.mark.parametrize(
    "value",
    [
        "good",
        "A<",
        ">B",
        "AB",
        "A/B",
        "A>A",
        "yes",
        "response 3",
        "C",
        True,
        False,
        [1],
        {},
        float("nan"),
        float("inf"),
        7,
        -4,
        "12",
    ],
)
def test_no_single_meaning_is_an_error(value: object) -> None:
    with pytest.raises(ValueError):
        LabelReader().read(value)


@pytest.mark.parametrize("codes", [[0, 1, 0], [1, 2, 2], [1, 1], ["1", "2"], [0.0, 1.0]])
def test_codes_without_a_sign_need_a_map(codes: list[object]) -> None:
    reader = LabelReader()
    for code in codes:
        reader.read(code)
    assert "--label-map" in (reader.ambiguous or "")


@pytest.mark.parametrize("codes", [[-1, 1], [0, 0], [-2, 0, 3], ["A>B", "B>A"], []])
def test_a_seen_sign_settles_it(codes: list[object]) -> None:
    reader = LabelReader()
    for code in codes:
        reader.read(code)
    assert reader.ambiguous is None


def test_a_column_whose_sign_is_known_needs_no_map() -> None:
    reader = LabelReader(signed=True)
    assert reader.read(2) == Verdict.B_BETTER
    assert reader.ambiguous is None


def test_label_map() -> None:
    reader = LabelReader(parse_label_map("0=A, 1=B,2=tie"))
    assert [reader.read(v) for v in (0, 1, 2, "1", 1.0)] == [-1, 1, 0, 1, 1]
    assert reader.ambiguous is None
    with pytest.raises(ValueError, match="not in --label-map"):
        reader.read(5)
    assert LabelReader(parse_label_map("true=A,false=B")).read(True) == -1
    for bad in ("0", "0=C", "=A", "", "0=A,"):
        with pytest.raises(UsageError, match="--label-map"):
            parse_label_map(bad)
