"""Which texts of other groups are nearest to each reason, by untrained MiniLM: the strangers that a network should see."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from net import Upper, pretrained
from sources import Group
from states import States
from torch.nn import functional as F  # noqa: N812

__all__ = ["near"]

_KEYS = "rsoj"  # of other groups
_NEAREST = 24
_AT_ONCE = 64


@torch.inference_mode()
def near(groups: Sequence[Group], others: Sequence[str], states: States) -> list[list[str]]:
    """Of each group's reason the `_NEAREST` texts of other groups and of judges, both read in the frame of side -1."""
    upper = Upper().eval()
    upper.load(pretrained())
    pool = [(text, k) for k, group in enumerate(groups) for key in _KEYS for text in group.texts[key]]
    pool += [(text, -1) for text in others]
    owners = torch.tensor([k for _, k in pool])
    there = _vectors([text for text, _ in pool], states, upper)
    ours = _vectors([group.texts["h"][0] for group in groups], states, upper)
    result = []
    for k in range(len(groups)):
        cosines = there @ ours[k]
        cosines[owners == k] = -1.0
        result.append([pool[place][0] for place in cosines.topk(min(_NEAREST, len(pool))).indices.tolist()])
    return result


def _vectors(texts: Sequence[str], states: States, upper: Upper) -> torch.Tensor:
    """[text, WIDTH]: mean of the last states, of unit length."""
    numbers = [states.numbers[text, -1] for text in texts]
    order = sorted(range(len(texts)), key=lambda k: states.length(numbers[k]))
    result = torch.empty(len(texts), 384)
    for start in range(0, len(order), _AT_ONCE):
        part = order[start : start + _AT_ONCE]
        x, mask = states.batch([numbers[k] for k in part])
        with torch.autocast("cpu", torch.bfloat16):
            for layer in upper.layers:
                x = layer(x, (1.0 - mask)[:, None, None, :] * -1e4)
        mean = (x.float() * mask[..., None]).sum(1)
        result[torch.tensor(part)] = F.normalize(mean, dim=-1)
    return result
