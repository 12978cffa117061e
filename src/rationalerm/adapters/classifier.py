"""A reward model from Hugging Face in this process: a sequence classifier's number for a response, by its own chat template.

Knows nothing of benchmarks. torch and transformers are imported when the model is loaded.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rationalerm.errors import UsageError
from rationalerm.llm.scoring_dialects import text_of

if TYPE_CHECKING:
    from rationalerm.llm.scoring_dialects import Render, Wanted
    from rationalerm.types import Message

__all__ = ["LocalClassifier", "template_of"]

_INSTALL = 'a local model needs transformers and torch: pip install "rationalerm[train]"'


def template_of(tokenizer: str) -> Render:
    """The chat template of a tokenizer (a folder, or a name on the Hub).

    Raises:
        UsageError: it can't be loaded, or has none.
    """
    loaded = _loaded("AutoTokenizer", tokenizer)
    if not getattr(loaded, "chat_template", None):
        raise UsageError(f"the tokenizer {tokenizer} has no chat template")
    return lambda turns: _rendered(loaded, turns)


class LocalClassifier:
    """Call it with responses, get a number each.

    Args:
        model: a folder, or a name on the Hub.
        device: as torch names it; None: cuda where there is one, else cpu.
        class_index: which output is the score, where the model has several.

    Raises:
        UsageError: not installed, can't be loaded, or several outputs and none chosen.
    """

    def __init__(self, model: str, *, device: str | None = None, class_index: int | None = None) -> None:
        self._tokenizer = _loaded("AutoTokenizer", model)
        self._model = _loaded("AutoModelForSequenceClassification", model)
        outputs = int(self._model.config.num_labels)
        if class_index is None and outputs > 1:
            raise UsageError(f"{model} has {outputs} outputs a response; say which is the score with --class-index")
        if not 0 <= (class_index or 0) < outputs:
            raise UsageError(f"{model} has {outputs} outputs a response, and --class-index is {class_index}")
        self._index = class_index or 0
        import torch

        self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._model.to(self._device).eval()
        self._most: int | None = getattr(self._model.config, "max_position_embeddings", None)
        self._inputs = set(inspect.signature(self._model.forward).parameters)
        self._templated = bool(getattr(self._tokenizer, "chat_template", None))

    def __call__(self, wanted: Sequence[Wanted]) -> list[float | None]:
        """A number each; None for a response that is longer than the model can read: it is not cut."""
        texts = [_rendered(self._tokenizer, one.turns) if self._templated else text_of(one.turns) for one in wanted]
        found: list[float | None] = []
        for (
            text
        ) in texts:  # one by one: padding changes the numbers of some models, and a score must not depend on its neighbours
            found.append(self._one(text))
        return found

    def _one(self, text: str) -> float | None:
        import torch

        encoded = self._tokenizer(text, return_tensors="pt", add_special_tokens=not self._templated)
        if self._most is not None and encoded["input_ids"].shape[1] > self._most:
            return None
        with torch.inference_mode():
            logits = self._model(
                **{name: value.to(self._device) for name, value in encoded.items() if name in self._inputs}
            ).logits
        return float(logits[0, self._index])


def _rendered(tokenizer: Any, turns: Sequence[Message]) -> str:
    return str(tokenizer.apply_chat_template([{"role": t.role, "content": t.content} for t in turns], tokenize=False))


def _loaded(kind: str, name: str) -> Any:
    try:
        import transformers
    except ImportError:
        raise UsageError(_INSTALL) from None
    try:
        return getattr(transformers, kind).from_pretrained(name)
    except (OSError, ValueError, ImportError) as error:
        said = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise UsageError(f"{name} can't be loaded: {said}") from None
