"""A tokenizer of single characters, as a framework loads one from a folder. Needs transformers."""

from __future__ import annotations

from pathlib import Path

from adapter_rows import RIGHT, SILENT, WRONG


def tokenizer(folder: Path) -> Path:
    """Saves it and gives its folder; it knows the characters of the answers and no other."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    characters = sorted({*RIGHT, *WRONG, *SILENT, *"<>|/ "})
    vocabulary = {"<pad>": 0, "<end>": 1, **{character: k for k, character in enumerate(characters, 2)}}
    tokens = Tokenizer(models.WordLevel(vocabulary, unk_token="<pad>"))
    tokens.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokens.decoder = decoders.Fuse()
    made = PreTrainedTokenizerFast(tokenizer_object=tokens, pad_token="<pad>", eos_token="<end>")
    made.chat_template = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
    made.save_pretrained(folder / "tokenizer")
    return folder / "tokenizer"
