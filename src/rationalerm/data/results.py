"""Results files of the released inference script: `prompt`, `samples`, `status`, `metadata` (= the input row).

The metadata holds every judge's list; which one was matched is seen from the `S1: ...` lines of the prompt. Knows nothing of
how the matcher's text is scored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rationalerm.data.released import judges_of

__all__ = ["find_field", "is_results_row", "matched_judges", "matcher_text", "shows_list"]

_S_LINE = re.compile(r"^S(\d+):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


def is_results_row(row: Mapping[str, Any]) -> bool:
    """Is this a row of the inference script rather than an input row?"""
    return "samples" in row and "metadata" in row


def matcher_text(row: Mapping[str, Any]) -> str | None:
    """The matcher's first sample, or None where the row has none."""
    samples = row.get("samples")
    first = samples[0] if isinstance(samples, list) and samples else None
    text = first.get("generated_text") if isinstance(first, dict) else None
    return text if isinstance(text, str) else None


def find_field(row: Mapping[str, Any], name: str) -> str | None:
    """The first key that is `name` in any case, as the released script looks it up."""
    if name in row:
        return name
    lower = name.lower()
    return next((key for key in row if key.lower() == lower), None)


def shows_list(row: Mapping[str, Any], judge: str) -> bool:
    """Is the judge's list, item by item, the one in the prompt's S-lines? Cheap; `matched_judges` asks about all judges."""
    metadata, prompt = row.get("metadata"), row.get("prompt")
    key = find_field(metadata, f"{judge}-checklist") if isinstance(metadata, dict) else None
    items = metadata[key] if isinstance(metadata, dict) and key is not None else None
    if not isinstance(items, list) or not isinstance(prompt, str) or f"S{len(items) + 1}: " in prompt:
        return False
    return all(f"S{k}: {str(item).strip()}" in prompt for k, item in enumerate(items, 1))


def matched_judges(row: Mapping[str, Any]) -> tuple[set[str], bool]:
    """Which judges of a results row its matcher can have seen.

    Returns:
        The judges whose list stands in the prompt's S-lines (all with a list, where there are no S-lines), and whether
        S-lines were there.
    """
    metadata = row.get("metadata")
    if not isinstance(metadata, dict):
        return set(), False
    lists = {}
    for judge in judges_of(metadata):
        key = find_field(metadata, f"{judge}-checklist")
        if key is not None and isinstance(metadata[key], list):
            lists[judge] = _folded(str(item) for item in metadata[key])
    prompt = row.get("prompt")
    shown = _folded(match[2] for match in _S_LINE.finditer(prompt)) if isinstance(prompt, str) else []
    if not shown:
        return set(lists), False
    # A reason with newlines shows only its first line after "S1:", so a shown line may be the start of the list's item.
    return {judge for judge, items in lists.items() if _same(items, shown)}, True


def _same(items: list[str], shown: list[str]) -> bool:
    return len(items) == len(shown) and all(item.startswith(line) for item, line in zip(items, shown, strict=True))


def _folded(items: Any) -> list[str]:
    return [" ".join(item.split()) for item in items]
