"""`bench --judge scalar` with a reward model of Hugging Face: run here (--local), or its chat template alone (--tokenizer)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scalar_endpoint import FakeScorer

torch = pytest.importorskip("torch", reason="torch is not installed (make test installs it)")
transformers = pytest.importorskip("transformers", reason="transformers is not installed (make test installs it)")

Run = Callable[..., Any]
Jsonl = Callable[..., Path]
WORDS = ("one", "two", "three", "four", "five", "six")
TEMPLATE = "{% for m in messages %}<{{ m['role'] }}> {{ m['content'] }}\n{% endfor %}"
PAIRS = [
    {"pair_id": f"p{k}", "source": "livebench-math", "question": f"count {WORDS[k]}", "label": ("A>B", "B>A")[k % 2]}
    | {"response_A": f"{WORDS[k]} one", "response_B": f"two {WORDS[k]} {WORDS[k - 1]}"}
    for k in range(6)
]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-TEST-222-not-real")


@pytest.fixture
def data(jsonl: Jsonl) -> Path:
    return jsonl(*PAIRS, name="data.jsonl")


def classifier(folder: Path, *, outputs: int = 1, template: str | None = TEMPLATE) -> Path:
    """A BERT of one layer with numbers of its own for each text, and a tokenizer of words."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    words = ["<pad>", "<unk>", "<", ">", "user", "assistant", "count", *WORDS]
    raw = Tokenizer(models.WordLevel({word: k for k, word in enumerate(words)}, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    made = PreTrainedTokenizerFast(tokenizer_object=raw, pad_token="<pad>", unk_token="<unk>")
    made.chat_template = template
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(words), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=64, num_labels=outputs, initializer_range=0.5,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def by_hand(folder: Path, index: int = 0) -> dict[str, float]:
    """Each response's number, straight from the model."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    found = {}
    for pair in PAIRS:
        for side in "AB":
            text = f"<user> {pair['question']}\n<assistant> {pair[f'response_{side}']}\n"
            with torch.inference_mode():
                logits = model(**tokenizer(text, return_tensors="pt", add_special_tokens=False)).logits
            found[f"{pair['pair_id']}:{side}"] = float(logits[0, index])
    return found


def kept(out: Path) -> dict[str, float]:
    return {row["id"]: row["score"] for row in map(json.loads, (out / "rows.jsonl").read_text("utf-8").splitlines())}


def local(run: Run, folder: Path, data: Path, out: Path, *more: str) -> Any:
    words = ("bench", "judgebench", "--judge", "scalar", "--local", "--device", "cpu", "--model", folder, "--data", data)
    return run(*words, "--out", out, "--json", *more)


@pytest.mark.parametrize("outputs", [1, 3])
def test_a_model_run_here(run: Run, data: Path, tmp_path: Path, outputs: int) -> None:
    """Its numbers are the model's own, the table is of them, and the same command asks it no more."""
    folder = classifier(tmp_path / "rm", outputs=outputs)
    more = ("--class-index", "2") if outputs > 1 else ()
    ran = local(run, folder, data, tmp_path / "out", *more)
    assert ran.code == 0, ran.err
    expected = by_hand(folder, 2 if outputs > 1 else 0)
    assert len(set(expected.values())) == 12
    assert kept(tmp_path / "out") == expected
    right = sum((expected[f"p{k}:A"] > expected[f"p{k}:B"]) == (PAIRS[k]["label"] == "A>B") for k in range(6))
    assert ran.json["overall"]["score"] == pytest.approx(100 * right / 6)
    assert (ran.json["counts"]["given"], ran.json["judge_kind"], ran.json["failed_calls"]) == (6, "scalar", 0)
    again = local(run, folder, data, tmp_path / "out", *more)
    assert again.json["overall"] == ran.json["overall"]
    assert again.json["usage"]["said"].startswith("0 responses")


def test_a_response_beyond_the_models_reach_is_a_failure(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    """Not cut, not scored; exit 1 with --max-failed."""
    data = jsonl(*PAIRS[:2], PAIRS[2] | {"response_B": "two " * 90}, name="data.jsonl")
    ran = local(run, classifier(tmp_path / "rm"), data, tmp_path / "out", "--max-failed", "0")
    assert ran.code == 1
    assert (ran.json["counts"]["failed"], ran.json["failed_calls"]) == (1, 1)
    assert ran.json["failures"] == {"too long for judge": 1}
    assert kept(tmp_path / "out")["p2:B"] is None
    (failure,) = map(json.loads, (tmp_path / "out" / "failures.jsonl").read_text("utf-8").splitlines())
    tokens = sum(len(text.split()) for text in ("< user > count three", "< assistant >", "two " * 90))
    assert failure["why"] == f"{tokens} tokens with the prompt, the model reads 64"
    scored = [
        row["prompt_tokens"] for row in map(json.loads, (tmp_path / "out" / "scores.jsonl").read_text("utf-8").splitlines())
    ]
    assert len(scored) == 5
    assert min(scored) >= 8
    assert ran.json["prompt_tokens"] == tokens + sum(scored)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--dry-run",), "costs nothing"),
        (("--reasons",), "a scalar judge gives none"),
        (("--class-index", "4"), "--class-index is 4"),
    ],
)
def test_wrong_use_of_a_local_model_is_one_line(run: Run, data: Path, tmp_path: Path, more: tuple[str, ...], said: str) -> None:
    ran = local(run, classifier(tmp_path / "rm"), data, tmp_path / "out", *more)
    assert ran.code == 2
    assert said in ran.err.splitlines()[-1]
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("device", ["foo", "cuda:9", "meta:x"])
def test_a_device_that_is_not_there_is_one_line(run: Run, data: Path, tmp_path: Path, device: str) -> None:
    ran = local(run, classifier(tmp_path / "rm"), data, tmp_path / "out", "--device", device)
    assert ran.code == 2
    assert f"--device {device} can't be used: " in ran.err.splitlines()[-1]
    assert "Traceback" not in ran.err


def test_weights_cut_off_are_one_line(run: Run, data: Path, tmp_path: Path) -> None:
    """And a message that goes on behind a colon is not cut there."""
    folder = classifier(tmp_path / "rm")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-50])
    ran = local(run, folder, data, tmp_path / "out")
    assert (ran.code, "Traceback" in ran.err) == (2, False)
    assert f"{folder} can't be loaded: " in ran.err.splitlines()[-1]
    (tmp_path / "none").mkdir()
    ran = local(run, tmp_path / "none", data, tmp_path / "out")
    assert ran.code == 2
    assert "can't be loaded: " in ran.err
    assert not ran.err.rstrip().endswith(":")


def test_positions_behind_the_paddings(tmp_path: Path) -> None:
    """RoBERTa counts its positions from behind the padding's: two fewer than its configuration says."""
    from rationalerm.adapters.classifier import LocalClassifier
    from rationalerm.llm.scoring_dialects import Wanted
    from rationalerm.types import Message

    folder = classifier(tmp_path / "rm")
    config = transformers.RobertaConfig(
        vocab_size=20, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=34, num_labels=1, pad_token_id=1,
    )  # fmt: skip
    transformers.RobertaForSequenceClassification(config).save_pretrained(folder)
    judge = LocalClassifier(str(folder), device="cpu")
    head = 7  # < user > count < assistant >
    fits, long = judge([Wanted((Message("user", "count"),), "two " * (n - head)) for n in (32, 33)])
    assert (fits.failure, fits.prompt_tokens) == (None, 32)
    assert (long.failure, long.prompt_tokens) == ("too long for judge", 33)


def test_local_needs_a_model_that_is_there_and_a_scalar_judge(run: Run, data: Path, tmp_path: Path) -> None:
    words = ("bench", "judgebench", "--data", data, "--out", tmp_path / "out", "--local")
    for more, said in (
        (("--judge", "scalar"), "name the classifier with --model"),
        (("--judge", "scalar", "--model", tmp_path / "no model"), "can't be loaded"),
        (("--judge", "llm", "--model", "m"), "--local is for --judge scalar"),
    ):
        ran = run(*words, *more)
        assert ran.code == 2
        assert said in ran.err
        assert ran.err.count("\n") == 1


def test_the_chat_template_of_a_tokenizer_is_what_the_server_is_sent(run: Run, data: Path, tmp_path: Path) -> None:
    """--tokenizer: texts with the template on them, to a server that puts none around them; without it plain text."""
    folder = classifier(tmp_path / "rm")
    words = (
        "bench",
        "judgebench",
        "--judge",
        "scalar",
        "--model",
        "rm",
        "--data",
        data,
        "--dialect",
        "sglang-classify",
        "--json",
    )
    with FakeScorer("sglang") as server:
        ran = run(*words, "--base-url", server.url, "--out", tmp_path / "out", "--tokenizer", folder)
        assert ran.code == 0, ran.err
        sent = {text for _, body, _ in server.requests for text in body["text"]}
        wanted = {f"<user> {pair['question']}\n<assistant> {pair[f'response_{side}']}\n" for pair in PAIRS for side in "AB"}
        assert wanted < sent
        (probe,) = sent - wanted  # what the server was asked to see which dialect it speaks
        assert probe.startswith("<user> ")
        plain = run(*words, "--base-url", server.url, "--out", tmp_path / "plain", "--no-cache")
        assert plain.code == 0, plain.err
        assert kept(tmp_path / "plain") != kept(tmp_path / "out")
        other = run(*words, "--base-url", server.url, "--out", tmp_path / "out")  # the same folder without the template
        assert other.code == 2
        assert "another" in other.err


def test_a_tokenizer_without_a_template_is_one_line(run: Run, data: Path, tmp_path: Path) -> None:
    folder = classifier(tmp_path / "rm", template=None)
    words = ("bench", "judgebench", "--judge", "scalar", "--model", "rm", "--base-url", "http://127.0.0.1:9/v1", "--data", data)
    ran = run(*words, "--out", tmp_path / "out", "--tokenizer", folder)
    assert ran.code == 2
    assert "has no chat template" in ran.err.splitlines()[-1]
    assert "Traceback" not in ran.err
