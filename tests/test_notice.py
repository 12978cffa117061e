"""The terms of what the package stands on are where people look for them."""

from __future__ import annotations

from pathlib import Path

from rationalerm.match.learnt.networks import files

ROOT = Path(__file__).resolve().parent.parent


def test_the_vectors_terms_are_in_notice() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    for name in ("wordllama", "LLAMA 2 Community License", "MIT License", "weights.txt", "D3 7.9.2", "all-MiniLM-L6-v2"):
        assert name in notice


def test_no_copy_of_public_data_in_the_package() -> None:
    """The shipped tables hold words and numbers; the only texts are the project's own sample."""
    package = ROOT / "src" / "rationalerm"
    data = [p for p in package.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc", ".typed")]
    model = {f"match/learnt/model/{name}" for name in files()}
    own = ("prompts", "presets", "page/assets", "page/vendor")
    assert {p.relative_to(package).as_posix() for p in data if not p.parent.as_posix().endswith(own)} <= {
        "sample/pairs.jsonl", "match/weights.txt", "match/siblings.txt", "match/lexicon.txt", "match/calibration_fast.json",
        "match/calibration_lexical.json", "train/genrm/card.md", "bench/published.txt",
        "judge/tag_words.txt", "judge/tag_weights.txt", *model,
    }  # fmt: skip
    vendored = sum(p.stat().st_size for p in data if p.parent.name == "vendor")
    learnt = sum(map(len, files().values()))
    assert sum(p.stat().st_size for p in data) - vendored - learnt < 1_000_000
    assert learnt < 30_000_000
    assert vendored < 600_000
