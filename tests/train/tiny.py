"""A policy of a few thousand weights for the training tests: its tokens are whole lines of an answer, so that chance alone writes
readable ones. Prompts for it, in the shape that `train prepare` writes; and what a run wrote, read. Knows nothing of trainers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REASONS = [
    "1. Response A gives 1912, which is the wrong year.",
    "2. Response B gives 1914, the right year of the treaty.",
    "3. Response A never names the two parties of the treaty.",
    "4. Response B is more detailed and reads well.",
]
LINES = ["<RESULT_START>", *REASONS, "\\boxed{A>B}", "\\boxed{B>A}", "<RESULT_END>"]
TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}\n{{ m['content'] }}\n{% endfor %}{% if add_generation_prompt %}assistant\n{% endif %}"
)
HUMAN = ["Response B gives 1914, the right year of the treaty.", "Response A never names the two parties of the treaty."]


def make_policy(folder: Path) -> Path:
    """A Llama of one layer, with its tokenizer, saved as a model folder."""
    import torch
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    vocabulary = {word: k for k, word in enumerate(["<pad>", "<eos>", "<unk>", *[f"{line}\n" for line in LINES]])}
    raw = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Split(Regex("[^\n]*\n"), "isolated")
    raw.decoder = None
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left", chat_template=TEMPLATE
    )
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=8192, pad_token_id=0, eos_token_id=1, bos_token_id=None,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_prompts(folder: Path, train: int = 12, held_out: int = 4) -> Path:
    """Both splits; even rows are won by B, odd ones by A with the letters the other way round."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    for name, split, rows in (("train", "train", range(train)), ("validation", "validation", range(100, 100 + held_out))):
        pq.write_table(pa.Table.from_pylist([_row(k, split) for k in rows]), folder / f"{name}.parquet")
    return folder


def _row(k: int, split: str) -> dict[str, Any]:
    human = HUMAN if k % 2 == 0 else [line.translate(str.maketrans("AB", "BA")) for line in HUMAN]
    truth = {"human_reasons": human, "label": "B>A" if k % 2 == 0 else "A>B", "responses": ["first", "second"]}
    return {
        "data_source": "rationalerm/general",
        "prompt": [{"role": "user", "content": f"Which response is better? {k}"}],
        "ability": "judge",
        "reward_model": {"style": "rule", "ground_truth": json.dumps(truth)},
        "extra_info": {
            "id": f"row-{k // 2}",
            "order": "AB" if k % 2 == 0 else "BA",
            "domain": "general",
            "split": split,
            "index": k,
        },
    }


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
