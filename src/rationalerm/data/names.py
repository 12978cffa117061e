"""A file name for any id: valid on Linux and on Windows, one of its own for every id, and never a path.

Model ids hold slashes, colons, capitals and any script. The id itself is not to be had back from the name: whoever writes the
file puts it inside. Knows nothing of what the file holds.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

__all__ = ["file_name"]

_LONGEST_PLAIN = 80
_LONGEST_READABLE = 60  # with the digest far under 255 bytes, whatever ending is added
_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9_-])?")
_DIGEST = re.compile(r"-[0-9a-f]{16}(?:$|\.)")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:$|\.)")  # Windows' devices, with any ending


def file_name(id: str) -> str:
    """The name, without an ending (`.jsonl` or another may be added).

    An id of small ASCII letters, digits, `.`, `_` and `-` is its own name. Any other keeps what of it is plain, for people, and
    gets 16 hex digits of its SHA-256, so that ids which differ in case, in a slash, or in how an accent is written stay apart
    on file systems that take them for the same.

    >>> file_name("gpt-4o"), file_name("Qwen/Qwen3-30B-A3B"), file_name("con")
    ('gpt-4o', 'qwen_qwen3-30b-a3b-2aa9d92df274068c', '_con-1143da2bc54c495c')
    """
    if len(id) <= _LONGEST_PLAIN and _PLAIN.fullmatch(id) and not _RESERVED.match(id) and not _DIGEST.search(id):
        return id
    digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    folded = unicodedata.normalize("NFKD", id[: 4 * _LONGEST_READABLE]).lower().encode("ascii", "ignore").decode()
    readable = re.sub(r"[^a-z0-9.-]+", "_", folded)[:_LONGEST_READABLE].strip("._-") or "id"
    return f"{'_' if _RESERVED.match(readable) else ''}{readable}-{digest}"
