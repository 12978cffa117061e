"""A reward model from Hugging Face in this process: a sequence classifier's number for a response, by its own chat template.

Knows nothing of benchmarks. torch and transformers are imported when the model is loaded.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rationalerm.errors import UsageError, printable
from rationalerm.llm.question import Outcome
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
    """Call it with responses, get an `Outcome` each: a number with the tokens it took, or why there is none.

    Args:
        model: a folder, or a name on the Hub.
        device: as torch names it; None: cuda where there is one, else cpu.
        class_index: which output is the score, where the model has several.

    Raises:
        UsageError: not installed, can't be loaded, several outputs and none chosen, or no such device.
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
        self._device = _placed(self._model, device)
        self._model.eval()
        self._most = _reach(self._model)
        self._inputs = set(inspect.signature(self._model.forward).parameters)
        self._templated = bool(getattr(self._tokenizer, "chat_template", None))

    def __call__(self, wanted: Sequence[Wanted]) -> list[Outcome[float]]:
        """A number each; a failure for a response that is longer than the model can read: it is not cut.

        One by one: padding changes the numbers of some models, and a score must not depend on its neighbours.
        """
        return [self._one(_rendered(self._tokenizer, one.turns) if self._templated else text_of(one.turns)) for one in wanted]

    def _one(self, text: str) -> Outcome[float]:
        import torch

        encoded = self._tokenizer(text, return_tensors="pt", add_special_tokens=not self._templated)
        tokens = int(encoded["input_ids"].shape[1])
        if self._most is not None and tokens > self._most:
            why = f"{tokens} tokens with the prompt, the model reads {self._most}"
            return Outcome(None, "too long for judge", why, prompt_tokens=tokens)
        with torch.inference_mode():
            logits = self._model(
                **{name: value.to(self._device) for name, value in encoded.items() if name in self._inputs}
            ).logits
        return Outcome(float(logits[0, self._index]), calls=1, prompt_tokens=tokens)


def _rendered(tokenizer: Any, turns: Sequence[Message]) -> str:
    return str(tokenizer.apply_chat_template([{"role": t.role, "content": t.content} for t in turns], tokenize=False))


def _placed(model: Any, device: str | None) -> Any:
    """The device, with the model on it."""
    import torch

    try:
        place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        model.to(place)
    except Exception as error:  # torch's own differ: RuntimeError, AssertionError (built without CUDA), NotImplementedError
        raise UsageError(f"--device {device or 'cuda'} can't be used: {_said(error)}") from None
    return place


def _reach(model: Any) -> int | None:
    """Most tokens that the model has positions for; RoBERTa's kin count theirs from behind the padding's."""
    most: int | None = getattr(model.config, "max_position_embeddings", None)
    for name, module in model.named_modules():
        if most is not None and name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            return most - int(module.padding_idx) - 1
    return most


def _said(error: Exception) -> str:
    """What a library says, in one line: its first line, and what follows where that ends in a colon."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    line = " ".join(lines) if lines[0].endswith(":") else lines[0]
    return printable(line if len(line) <= 400 else line[:397] + "...")


def _loaded(kind: str, name: str) -> Any:
    try:
        import transformers
    except ImportError:
        raise UsageError(_INSTALL) from None
    if not sys.stderr.isatty():
        transformers.utils.logging.disable_progress_bar()
    try:
        return getattr(transformers, kind).from_pretrained(name)
    except Exception as error:  # each library has its own: safetensors', pickle's, OSError, ValueError, ...
        raise UsageError(f"{name} can't be loaded: {_said(error)}") from None
