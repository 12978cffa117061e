"""Every training text once through the fixed lower layers: its states, in bfloat16. Knows nothing of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from net import WIDTH, Lower, minilm
from tokenizers import Tokenizer
from torch import Tensor

from rationalerm.match.learnt.framed import framed, marked

__all__ = ["LONGEST", "States", "tokenizer"]

LONGEST = 128  # tokens that are read
_AT_ONCE = 64


def tokenizer() -> Tokenizer:
    """MiniLM's, cut at `LONGEST`, without padding."""
    found = Tokenizer.from_file(str(minilm() / "tokenizer.json"))
    found.no_padding()
    found.enable_truncation(LONGEST)
    return found


class States:
    """Texts by number. Response A is called by the first name in all of them (framed.py)."""

    def __init__(self, lower: Lower) -> None:
        self._lower = lower.eval()
        self._tokenizer = tokenizer()
        self._places: dict[str, int] = {}
        self._states: list[Tensor] = []
        self._waiting: list[tuple[int, list[int]]] = []
        self.numbers: dict[str, int] = {}

    def add(self, texts: Iterable[str]) -> None:
        """Reads texts that are new."""
        for text in texts:
            if text not in self.numbers:
                self.numbers[text] = self._number(framed(marked(text)[0], -1))
        self._read()

    def _number(self, text: str) -> int:
        found = self._places.get(text)
        if found is None:
            found = self._places[text] = len(self._states)
            self._states.append(torch.empty(0))
            self._waiting.append((found, self._tokenizer.encode(text).ids))
        return found

    @torch.inference_mode()
    def _read(self) -> None:
        self._waiting.sort(key=lambda item: len(item[1]))
        for start in range(0, len(self._waiting), _AT_ONCE):
            part = self._waiting[start : start + _AT_ONCE]
            longest = len(part[-1][1])
            ids = torch.tensor([[*tokens, *[0] * (longest - len(tokens))] for _, tokens in part])
            mask = torch.tensor([[1.0] * len(tokens) + [0.0] * (longest - len(tokens)) for _, tokens in part])
            with torch.autocast("cpu", torch.bfloat16):
                states = self._lower(ids, mask).bfloat16()
            for (number, tokens), one in zip(part, states, strict=True):
                self._states[number] = one[: len(tokens)].clone()
        self._waiting = []

    def length(self, number: int) -> int:
        """Tokens of a text."""
        return len(self._states[number])

    def batch(self, numbers: Sequence[int]) -> tuple[Tensor, Tensor]:
        """[text, token, WIDTH] and the mask."""
        longest = max(self.length(n) for n in numbers)
        states = torch.zeros(len(numbers), longest, WIDTH)
        mask = torch.zeros(len(numbers), longest)
        for k, n in enumerate(numbers):
            size = self.length(n)
            states[k, :size] = self._states[n].float()
            mask[k, :size] = 1.0
        return states, mask
