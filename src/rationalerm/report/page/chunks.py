"""Data blocks of the page: JSON, gzip, base64, in a `<script>` that no browser runs.

Base64 has no `<`: judged text can't end the script it stands in. Knows nothing of what the blocks mean.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
from typing import Any

from rationalerm.data.jsonl import dumps

__all__ = ["LEVEL", "block"]

LEVEL = 4  # of gzip: a third of the time of the default level for files that are 3% larger


def block(name: str, value: Any) -> bytes:
    """One data block, as bytes of the page.

    >>> block("head", {"n": 1}).startswith(b'<script type="application/octet-stream" id="head">H4sI')
    True
    """
    packed = base64.b64encode(gzip.compress(_json(value), LEVEL, mtime=0))
    return b'<script type="application/octet-stream" id="%s">%s</script>\n' % (name.encode("ascii"), packed)


def _json(value: Any) -> bytes:
    """JSON whatever the texts hold: half a surrogate pair (a text cut in the middle of a sign) is written as an escape."""
    try:
        return dumps(value)
    except TypeError:
        return json.dumps(_finite(value), ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, (list, tuple)) else value
