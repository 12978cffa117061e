"""How many tokens a prompt has: by a real tokenizer, or by an estimate that says it is one. Knows nothing of what prompts say.

The tokenizer is a `tokenizer.json` (read by `tokenizers`; a prompt's texts, and 8 tokens a turn for the template that the file
does not hold), or a model's name or folder (read by `transformers`, from this machine only; with the chat template and
the opening of the answer, as a trainer has it).

The estimate: a token each 3 ASCII characters and one each other character. Against a vocabulary of 32,000 (Llama 2's) it is 1.0
times the count on average and from 0.7 to 1.4 a prompt, on public pairs; larger vocabularies give fewer tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm.errors import UsageError
from rationalerm.types import Message

__all__ = ["ESTIMATE", "TokenCounter", "estimate", "make_counter"]

ESTIMATE = "estimate from characters"
_TURN = 8  # tokens that a template puts around a turn
_ASCII_A_TOKEN = 3


class TokenCounter(NamedTuple):
    """`sizes`: prompts -> their tokens; `name`: what it counts by, for the report."""

    name: str
    sizes: Callable[[Sequence[Sequence[Message]]], list[int]]


def estimate(prompt: Sequence[Message]) -> int:
    """The estimate for one prompt, in tokens.

    >>> estimate([Message("user", "a" * 36 + "素数")])
    22
    """
    total = 0.0
    for turn in prompt:
        ascii_only = len(turn.content.encode("ascii", "ignore"))
        total += ascii_only / _ASCII_A_TOKEN + len(turn.content) - ascii_only + _TURN
    return math.ceil(total)


def make_counter(tokenizer: str | None) -> TokenCounter:
    """What counts a prompt's tokens.

    Args:
        tokenizer: a `tokenizer.json`, a model's folder, or the name of a model whose files are here; None: the estimate.

    Raises:
        UsageError: it is not there, can't be read, or its library is missing.
    """
    if tokenizer is None:
        return TokenCounter(ESTIMATE, lambda prompts: [estimate(prompt) for prompt in prompts])
    if Path(tokenizer).is_file():
        return _from_file(tokenizer)
    return _from_model(tokenizer)


def _from_file(path: str) -> TokenCounter:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:  # the library raises bare Exceptions
        raise UsageError(f"--tokenizer {path}: is not a tokenizer.json ({error})") from None
    tokenizer.no_truncation()  # such files may say that texts are cut, which would make every prompt short enough
    tokenizer.no_padding()

    def count(prompts: Sequence[Sequence[Message]]) -> list[int]:
        texts = [turn.content for prompt in prompts for turn in prompt]
        sizes = iter([len(found.ids) for found in tokenizer.encode_batch(texts, add_special_tokens=False)])
        return [sum(next(sizes) + _TURN for _ in prompt) for prompt in prompts]

    return TokenCounter(f"{path} (without a chat template: {_TURN} tokens a turn)", count)


def _from_model(name: str) -> TokenCounter:
    try:
        from transformers import AutoTokenizer
    except ImportError:
        raise UsageError(
            'a model\'s tokenizer needs transformers: pip install "rationalerm[train]" (or give its tokenizer.json)'
        ) from None
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(name, local_files_only=True)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise UsageError(
            f"--tokenizer {name}: no tokenizer there or in the local cache ({str(error).splitlines()[0][:120]}); "
            f"download it first (hf download {name}), or give a folder or a tokenizer.json"
        ) from None
    if not getattr(tokenizer, "chat_template", None):
        raise UsageError(f"--tokenizer {name}: has no chat template; give the tokenizer of the model that will be trained")

    def count(prompts: Sequence[Sequence[Message]]) -> list[int]:
        return [
            len(ids) for ids in tokenizer([_rendered(tokenizer, name, p) for p in prompts], add_special_tokens=False).input_ids
        ]

    return TokenCounter(f"{name} (with its chat template)", count)


def _rendered(tokenizer: Any, name: str, prompt: Sequence[Message]) -> str:
    turns = [{"role": turn.role, "content": turn.content} for turn in prompt]
    try:
        return str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
    except Exception as error:  # the template's own words, in an exception of its engine
        raise UsageError(f"the chat template of {name} refuses the prompt ({error}); try --no-system-turn") from None
