"""What the order does to a judge, counted by hand."""

from __future__ import annotations

from rationalerm.score.orders import order_effects
from rationalerm.score.outcome import in_row_order
from rationalerm.score.rows import GameResult
from rationalerm.types import Order, Verdict


def game(key: str, order: Order, said: str | None) -> GameResult:
    verdict = in_row_order(Verdict.from_label(said) if said else None, order)
    status = "given" if verdict is not None else "none"
    return GameResult(key, "j", order, key, None, None, verdict, status, "no human reasons", None, 0, 0)


def test_shares_over_pairs_with_both_verdicts() -> None:
    said = {
        "flips": ("A>B", "A>B"),
        "wins": ("A>B", "B>>A"),
        "ties": ("A=B", "A=B"),
        "half": ("A=B", "B>A"),
        "missing": ("A>B", None),
    }
    games = [game(key, order, one) for key, both in said.items() for order, one in zip(("AB", "BA"), both, strict=True)]  # type: ignore[arg-type]
    effects = order_effects(games, draws=50)
    assert {name: mean.value for name, mean in effects.items()} == {
        "flip_rate": 0.5,  # flips, half
        "consistent_wins": 0.25,
        "consistent_ties": 0.25,
        "first_position_rate": (1 + 0.5 + 0 + 1) / 4,  # a pair's games are its mean: flips, wins, half (B of BA), missing
    }
    assert effects["flip_rate"].n == 4


def test_one_game_a_pair() -> None:
    same = [game(str(k), "AB", "A>B") for k in range(4)]
    assert order_effects(same) == {}
    drawn = [game("1", "AB", "A>B"), game("2", "BA", "A>B"), game("3", "BA", "B>A")]
    effects = order_effects(drawn, draws=50)
    assert set(effects) == {"first_position_rate"}
    assert effects["first_position_rate"].value == 2 / 3
