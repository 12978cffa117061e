"""The terms of what the package stands on are where people look for them."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_vectors_terms_are_in_notice() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    for name in ("wordllama", "LLAMA 2 Community License", "MIT License", "weights.txt"):
        assert name in notice


def test_no_copy_of_public_data_in_the_package() -> None:
    """The shipped tables hold words and numbers; the only texts are the project's own sample."""
    package = ROOT / "src" / "rationalerm"
    data = [p for p in package.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc", ".typed")]
    assert {p.relative_to(package).as_posix() for p in data if p.parent.name not in ("prompts", "presets")} <= {
        "sample/pairs.jsonl", "match/weights.txt", "match/siblings.txt", "match/lexicon.txt", "match/calibration_embedded.json",
        "match/calibration_lexical.json", "train/genrm/card.md", "bench/published.txt",
    }  # fmt: skip
    assert sum(p.stat().st_size for p in data) < 1_000_000
