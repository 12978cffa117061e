"""A warm start: the right answers become demonstrations, and a policy of a few thousand weights learns to write like them."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from tiny import HUMAN, make_policy, rows

from pagefile import read_page
from rationalerm.data.released import Columns
from rationalerm.errors import DataError, ResumeError, UsageError
from rationalerm.train.sft.config import SFTOptions, sft_arguments
from rationalerm.train.sft.demonstrations import DemonstrationOptions
from rationalerm.train.sft.running import Judged, train_sft

pytestmark = pytest.mark.usefixtures("one_thread")

Run = Callable[..., Any]
BOTH = Columns(judges=("good", "half"))
RIGHT = f"1. {HUMAN[0]}\n2. {HUMAN[1]}\n\n\\boxed{{B>A}}"
HALF = f"1. {HUMAN[0]}\n2. Response B is more detailed and reads well.\n\n\\boxed{{B>A}}"
WRONG = "1. Response A gives 1914, the right year of the treaty.\n\n\\boxed{A>B}"
WORDS = "amber birch cedar delta ember fjord grove heron ivory jade kelp lotus".split()  # noqa: SIM905
SMALL = {
    "cpu": True,
    "precision": "fp32",
    "checkpointing": False,
    "batch": 4,
    "device_batch": 4,
    "learning_rate": 0.02,
    "epochs": 6,
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sft")
    make_policy(folder / "policy")
    rows = [
        {
            "id": f"r{k}",
            "context": [
                {"role": "user", "content": f"Tell me when the {word} treaty of {word}{k} was signed, {word} by {word}."}
            ],
            "response1": f"It was signed in 1912, as far as the {word} archive says.",
            "response2": f"It was signed in 1914 by {word} and its neighbour.",
            "human-checklist": HUMAN,
            "overall_preference": 2,
            "good-generated_text": RIGHT if k % 3 else WRONG,
            "half-generated_text": HALF,
        }
        for k, word in enumerate(WORDS)
    ]
    (folder / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture(scope="module")
def done(place: Path) -> tuple[Path, dict[str, Any]]:
    out = place / "run"
    options = SFTOptions.of(SMALL)
    picking = DemonstrationOptions(validation=0.0)
    return out, train_sft(
        Judged(
            place / "judged.jsonl",
            BOTH,
        ),
        out,
        picking,
        options,
        policy=str(place / "policy"),
        show=False,
    )


def test_the_best_right_answer_of_each_game(done: tuple[Path, dict[str, Any]]) -> None:
    out, summary = done
    made = rows(out / "demonstrations.jsonl")
    assert [row["judge"] for row in made] == ["half" if k % 3 == 0 else "good" for k in range(12)]
    assert summary["demonstrations"] == 12
    assert summary["answers"]["wrong verdict"] == 4
    assert all(row["completion"][0]["content"].startswith("<RESULT_START>") for row in made)


def test_the_policy_learns_from_them(done: tuple[Path, dict[str, Any]], place: Path) -> None:
    from transformers import AutoModelForCausalLM

    out, summary = done
    losses = [row["loss"] for row in rows(out / "steps.jsonl")]
    (curve,) = read_page(out / "report.html").head["curves"]
    assert [value for _, value in curve["metrics"]["loss"]["train"]] == losses
    assert len(losses) == summary["updates"] == 18
    assert all(map(math.isfinite, losses))
    assert summary["last_loss"] < summary["first_loss"] / 2
    before, after = (AutoModelForCausalLM.from_pretrained(folder) for folder in (place / "policy", out / "model"))
    assert not (before.lm_head.weight == after.lm_head.weight).all()


def test_the_same_call_pays_for_nothing_twice(done: tuple[Path, dict[str, Any]], place: Path) -> None:
    out, summary = done
    stamp = (out / "demonstrations.jsonl").stat().st_mtime_ns
    options = SFTOptions.of(SMALL)
    again = train_sft(
        Judged(
            place / "judged.jsonl",
            BOTH,
        ),
        out,
        DemonstrationOptions(validation=0.0),
        options,
        policy=str(place / "policy"),
        show=False,
    )
    assert again == summary
    assert (out / "demonstrations.jsonl").stat().st_mtime_ns == stamp
    with pytest.raises(ResumeError, match="picking"):
        train_sft(
            Judged(
                place / "judged.jsonl",
                BOTH,
            ),
            out,
            DemonstrationOptions(0.5, validation=0.0),
            options,
            policy=None,
            show=False,
        )


def test_the_command_without_a_policy(run: Run, place: Path, tmp_path: Path) -> None:
    judged, data = place / "judged.jsonl", tmp_path / "data"
    assert run("train", "prepare", judged, "--out", data, "--validation", "0.25").code == 0
    ran = run("train", "sft", judged, "--judge", "half", "--prompts", data, "--out", tmp_path / "x", "--json")
    assert ran.code == 0, ran.err
    held_out = json.loads((data / "prepare.json").read_text("utf-8"))["pairs"]["validation"]
    assert held_out > 0
    assert ran.json["rows"] == {"read": 12, "used": 12 - held_out, "held out": held_out}
    assert ran.json["demonstrations"] == 12 - held_out
    assert not (tmp_path / "x" / "model").exists()
    ran = run("train", "sft", judged, "--judge", "good", "--out", tmp_path / "y", "--min-reward", "1", "--gold")
    assert ran.code == 0, ran.err
    assert "demonstrations, mean reward 1.00" in ran.out


def test_what_can_not_be_is_one_line(run: Run, place: Path, tmp_path: Path) -> None:
    judged = place / "judged.jsonl"
    for words, message in (
        ((judged, "--judge", "half", "--min-reward", "1"), "no answer is good enough"),
        ((tmp_path / "none.jsonl",), "none.jsonl"),
        ((judged, "--set", "batch=5"), "no multiple of it"),
        ((judged, "--set", "bacth=4"), "did you mean batch?"),
        ((judged, "--prompts", tmp_path), "parquet"),
    ):
        ran = run("train", "sft", *words, "--out", tmp_path / "out")
        assert ran.code == 2, words
        assert message in ran.err
        assert len([line for line in ran.err.splitlines() if line]) == 1, ran.err


def test_the_form_of_the_prepared_prompts_is_kept(run: Run, place: Path, tmp_path: Path) -> None:
    judged, data = place / "judged.jsonl", tmp_path / "data"
    assert run("train", "prepare", judged, "--out", data, "--no-system-turn").code == 0
    assert run("train", "sft", judged, "--judge", "half", "--prompts", data, "--out", tmp_path / "x").code == 0
    assert {tuple(turn["role"] for turn in row["prompt"]) for row in rows(tmp_path / "x" / "demonstrations.jsonl")} == {("user",)}


def test_what_was_kept_out_of_the_prompts_is_no_demonstration(run: Run, place: Path, tmp_path: Path) -> None:
    """A benchmark's rows, which `train prepare` dropped, do not come back by the warm start."""
    judged, data, bench = place / "judged.jsonl", tmp_path / "data", tmp_path / "bench.jsonl"
    bench.write_bytes(b"".join(judged.read_bytes().splitlines(keepends=True)[:4]))
    assert run("train", "prepare", judged, "--out", data, "--validation", "0", "--held-out", bench).code == 0
    ran = run("train", "sft", judged, "--judge", "half", "--prompts", data, "--out", tmp_path / "x", "--json")
    assert ran.json["rows"] == {"read": 12, "used": 8, "held out": 4}
    bench.write_bytes(b"{}\n")
    ran = run("train", "sft", judged, "--judge", "half", "--prompts", data, "--out", tmp_path / "y")
    assert ran.code == 2
    assert "bench.jsonl: is not there as" in ran.err


def test_other_field_names(run: Run, place: Path, tmp_path: Path) -> None:
    renamed = tmp_path / "renamed.jsonl"
    text = (place / "judged.jsonl").read_text("utf-8").replace("half-generated_text", "said").replace("human-checklist", "why")
    renamed.write_text(text, "utf-8")
    words = ["--judge", "half", "--text-field", "said", "--human-field", "why", "--out", tmp_path / "x", "--json"]
    ran = run("train", "sft", renamed, *words)
    assert ran.code == 0, ran.err
    assert ran.json["demonstrations"] > 0


def test_what_is_too_long_is_left_out_and_counted(place: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="all 12 demonstrations are longer than 5 tokens \\(max_length"):
        train_sft(
            Judged(place / "judged.jsonl", Columns(judges=("half",))), tmp_path / "a", DemonstrationOptions(validation=0.0),
            SFTOptions.of(SMALL | {"max_length": 5}), policy=str(place / "policy"), show=False,
        )  # fmt: skip
    with pytest.raises(DataError, match="can't be trained"):
        train_sft(
            Judged(
                place / "judged.jsonl",
                BOTH,
            ),
            tmp_path / "b",
            DemonstrationOptions(validation=0.0),
            SFTOptions.of(SMALL),
            policy="/no/model",
            show=False,
        )


def test_a_changed_input_is_another_run(place: Path, tmp_path: Path) -> None:
    judged = tmp_path / "judged.jsonl"
    judged.write_bytes((place / "judged.jsonl").read_bytes())
    picking, options = DemonstrationOptions(validation=0.0), SFTOptions.of(SMALL)
    first = train_sft(Judged(judged, Columns(judges=("half",))), tmp_path / "run", picking, options, show=False)
    assert train_sft(Judged(judged, Columns(judges=("half",))), tmp_path / "run", picking, options, show=False) == first
    judged.write_bytes(b"".join(judged.read_bytes().splitlines(keepends=True)[:5]))
    with pytest.raises(ResumeError, match="texts"):
        train_sft(Judged(judged, Columns(judges=("half",))), tmp_path / "run", picking, options, show=False)


def test_a_training_that_logs_nothing_or_diverges(run: Run, place: Path, tmp_path: Path) -> None:
    words = [word for name, value in SMALL.items() for word in ("--set", f"{name}={str(value).lower()}")]
    start = ["train", "sft", place / "judged.jsonl", "--judge", "half", "--policy", place / "policy", *words]
    ran = run(*start, "--out", tmp_path / "a", "--set", "log_every=1000")
    assert ran.code == 0, ran.err
    assert "loss - -> - in " in ran.out
    ran = run(*start, "--out", tmp_path / "b", "--set", "learning_rate=1e30")
    assert ran.code == 3
    assert "is no number: the training diverged" in ran.err.splitlines()[-1]
    assert "loss 0.000" not in ran.err


def test_no_demonstration_is_longer_than_the_policy_can_read(place: Path, tmp_path: Path) -> None:
    short = tmp_path / "short"
    shutil.copytree(place / "policy", short)
    told = json.loads((short / "config.json").read_text("utf-8"))
    (short / "config.json").write_text(json.dumps(told | {"max_position_embeddings": 8}))
    with pytest.raises(UsageError, match="all 12 demonstrations are longer than 8 tokens"):
        train_sft(
            Judged(place / "judged.jsonl", Columns(judges=("half",))), tmp_path / "run", DemonstrationOptions(validation=0.0),
            SFTOptions.of(SMALL), policy=str(short), show=False,
        )  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        {"lora": -1},
        {"lora_alpha": 0},
        {"lora_dropout": 2.0},
        {"warmup_updates": -1},
        {"seed": -1},
        {"trainer": {"output_dir": "x"}},
    ],
)
def test_options_out_of_range(said: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(said))):
        SFTOptions.of(said)


def test_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sft_arguments(SFTOptions(), Path("x"))["gradient_accumulation_steps"] == 8
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(UsageError, match="no multiple of device_batch x processes = 12"):
        sft_arguments(SFTOptions(), Path("x"))
