"""A batch as verl hands it to its reward managers, made by verl's own data set. Needs verl."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adapter_rows import RIGHT, SILENT, WRONG, parquet, row


def proto(folder: Path) -> tuple[Any, int]:
    """A batch of verl's, its rows from Parquet by way of verl's own data set, its answers as tokens."""
    import numpy as np
    import torch
    from omegaconf import OmegaConf
    from transformers import AutoTokenizer
    from verl import DataProto
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    tokens = AutoTokenizer.from_pretrained(folder / "tokenizer")
    broken = row(3)
    broken["reward_model"]["ground_truth"] = "{"
    rows = parquet(folder / "train.parquet", [row(0), row(1), row(2), broken])
    options = OmegaConf.create({"max_prompt_length": 512, "prompt_key": "prompt", "filter_overlong_prompts": False})
    read = RLHFDataset(data_files=str(rows), tokenizer=tokens, config=options)
    collated = collate_fn([read[k] for k in range(len(read))])
    answers = [tokens(text, add_special_tokens=False)["input_ids"] + [1] for text in (RIGHT, WRONG, SILENT, RIGHT)]
    width = max(map(len, answers))
    responses = torch.tensor([ids + [0] * (width - len(ids)) for ids in answers])
    prompts = torch.full((len(answers), 4), 5)
    mask = torch.cat([torch.ones_like(prompts), torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids in answers])], 1)
    others = {name: values for name, values in collated.items() if isinstance(values, np.ndarray)}
    tensors = {"prompts": prompts, "responses": responses, "attention_mask": mask}
    return DataProto.from_dict(tensors=tensors, non_tensors=others), len(answers)
