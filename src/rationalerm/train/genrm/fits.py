"""What would end a training, or spoil it in silence, only later: a chat template that refuses the prompts, a tokenizer without an
end token, prompts that leave no room for an answer. Knows nothing of rewards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from typing import Any

from rationalerm.errors import DataError, UsageError
from rationalerm.train.genrm.config import GenRMConfig

__all__ = ["check_fits"]

Prompt = str | Sequence[Mapping[str, str]]
_LONGEST = 16  # prompts with the most characters, whose tokens are counted


def check_fits(trainer: Any, prompts: Iterable[Prompt], config: GenRMConfig) -> None:
    """Looks before the first update.

    Args:
        trainer: with its model and tokenizer.
        prompts: all of them.
        config: has the room for an answer.

    Raises:
        DataError: a tokenizer without an end token.
        UsageError: a prompt that leaves no room for an answer.
    """
    if None in trainer.eos_token_ids or not trainer.eos_token_ids:
        raise DataError("its tokenizer names no end token (eos_token)", source=config.policy)
    longest = nlargest(_LONGEST, prompts, key=_size)
    asked = [prompt if isinstance(prompt, str) else _rendered(trainer, prompt) for prompt in longest]
    tokenizer = getattr(trainer.processing_class, "tokenizer", trainer.processing_class)  # a model that sees has a processor
    most = max(len(ids) for ids in tokenizer(asked, add_special_tokens=False, verbose=False)["input_ids"])
    room = getattr(trainer.model.config, "max_position_embeddings", None)
    if room is not None and most + config.max_completion > room:
        raise UsageError(
            f"a prompt of {most} tokens and max_completion = {config.max_completion} do not go into the policy's {room} "
            "positions; lower max_completion, or leave long prompts out (train prepare --max-prompt-tokens)"
        )


def _rendered(trainer: Any, prompt: Sequence[Mapping[str, str]]) -> str:
    options = trainer.args.chat_template_kwargs or {}
    return str(trainer.processing_class.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True, **options))


def _size(prompt: Prompt) -> int:
    return len(prompt) if isinstance(prompt, str) else sum(len(turn["content"]) for turn in prompt)
