"""The toy's policy: a small decoder-only transformer, its sampler and its log-probabilities; its weights are a plain dict.

Learned positions, pre-norm, GELU, tied embeddings; about 105,000 parameters. Prompts have one length, so that nothing is padded
on the left, and a prompt's keys and values are computed once for all its answers, in training too. Knows nothing of the toy's
words or rewards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["ModelConfig", "Policy", "Sampled", "copied", "log_probs", "new_policy", "sample"]

_SPREAD = {
    "embedding": 0.3,
    "linear": 0.05,
}  # of the first weights; with embeddings this wide, comparing two words is learned soon


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Sizes: `length` is the longest prompt and answer together."""

    vocabulary: int
    length: int
    width: int = 64
    layers: int = 2
    heads: int = 4


class Policy(NamedTuple):
    """A model: its sizes and its weights by name."""

    config: ModelConfig
    weights: dict[str, Tensor]


class Sampled(NamedTuple):
    """Answers of one length: `tokens` (n, steps), `log_probs` of each as drawn, `mask` 1 up to and with the end token."""

    tokens: Tensor
    log_probs: Tensor
    mask: Tensor


if TYPE_CHECKING:
    Past = list[tuple[Tensor, Tensor]]  # keys and values of each layer: (batch, heads, length, width of a head)


def new_policy(config: ModelConfig, seed: int) -> Policy:
    """An untrained policy."""
    import torch

    generator, wide = torch.Generator().manual_seed(seed), config.width
    shapes = {"words": (config.vocabulary, wide), "places": (config.length, wide), "norm.scale": (wide,), "norm.shift": (wide,)}
    for k in range(config.layers):
        linear = {"qkv": (3 * wide, wide), "out": (wide, wide), "up": (4 * wide, wide), "down": (wide, 4 * wide)}
        shapes |= {f"{k}.{name}": shape for name, shape in linear.items()}
        shapes |= {f"{k}.{name}.shift": (rows,) for name, (rows, _) in linear.items()}
        shapes |= {f"{k}.{norm}.{part}": (wide,) for norm in ("first", "second") for part in ("scale", "shift")}
    weights = {}
    for name, shape in shapes.items():
        spread = _SPREAD["embedding" if name in ("words", "places") else "linear"]
        drawn = torch.randn(shape, generator=generator) * spread if len(shape) == 2 else torch.zeros(shape)
        weights[name] = (drawn + 1.0 if name.endswith("scale") else drawn).requires_grad_()
    return Policy(config, weights)


def copied(policy: Policy) -> Policy:
    """A copy that can be trained on its own."""
    return Policy(policy.config, {name: weight.detach().clone().requires_grad_() for name, weight in policy.weights.items()})


def sample(policy: Policy, prompts: Tensor, each: int, steps: int, end: int, generator: torch.Generator) -> Sampled:
    """`each` answers a prompt at temperature 1, a prompt's together; an answer without the end token was cut off.

    Args:
        policy: who answers.
        prompts: (n, prompt length).
        each: answers a prompt.
        steps: most tokens of an answer.
        end: the token that ends one.
        generator: of the draws.
    """
    import torch

    with torch.no_grad():
        logits, past = _forward(policy, prompts)
        logits, past = logits[:, -1].repeat_interleave(each, 0), _shared(past, each)
        n = len(logits)
        tokens, drawn, mask = torch.full((n, steps), end), torch.zeros(n, steps), torch.zeros(n, steps)
        running = torch.ones(n, dtype=torch.bool)
        for step in range(steps):
            scores = logits.log_softmax(1)
            choice = torch.multinomial(scores.exp(), 1, generator=generator)
            mask[:, step] = running
            drawn[:, step] = scores.gather(1, choice)[:, 0] * running
            tokens[:, step] = torch.where(running, choice[:, 0], end)
            running = running & (tokens[:, step] != end)
            if step + 1 == steps or not running.any():
                break
            logits, past = _forward(policy, tokens[:, step : step + 1], past)
            logits = logits[:, -1]
    return Sampled(tokens, drawn, mask)


def log_probs(policy: Policy, prompts: Tensor, answers: Tensor, each: int) -> Tensor:
    """The log-probability of each answer token, (n * each, steps), with gradients.

    Args:
        policy: whose.
        prompts: (n, prompt length).
        answers: (n * each, steps), a prompt's together.
        each: answers a prompt.
    """
    import torch

    logits, past = _forward(policy, prompts)
    first = logits[:, -1:].repeat_interleave(each, 0)
    later = _forward(policy, answers[:, :-1], _shared(past, each))[0]
    scores = torch.cat((first, later), dim=1).log_softmax(2)
    return scores.gather(2, answers.unsqueeze(2)).squeeze(2)


def _forward(policy: Policy, tokens: Tensor, past: Past | None = None) -> tuple[Tensor, Past]:
    """Logits of the next token at each place, and keys and values so far; `past` is of the tokens before."""
    from torch.nn import functional

    w, wide = policy.weights, policy.config.width
    start = past[0][0].shape[2] if past else 0
    x = w["words"][tokens] + w["places"][start : start + tokens.shape[1]]
    now: Past = []
    for k in range(policy.config.layers):
        normed = functional.layer_norm(x, (wide,), w[f"{k}.first.scale"], w[f"{k}.first.shift"])
        mixed, kept = _attend(policy, k, normed, past[k] if past else None)
        x = x + mixed
        normed = functional.layer_norm(x, (wide,), w[f"{k}.second.scale"], w[f"{k}.second.shift"])
        x = x + _linear(policy, f"{k}.down", functional.gelu(_linear(policy, f"{k}.up", normed)))
        now.append(kept)
    return functional.linear(functional.layer_norm(x, (wide,), w["norm.scale"], w["norm.shift"]), w["words"]), now


def _attend(policy: Policy, layer: int, x: Tensor, past: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    import torch
    from torch.nn import functional

    n, length, wide = x.shape
    parts = _linear(policy, f"{layer}.qkv", x).split(wide, dim=2)
    query, key, value = (part.view(n, length, policy.config.heads, -1).transpose(1, 2) for part in parts)
    if past is not None:
        key, value = torch.cat((past[0], key), dim=2), torch.cat((past[1], value), dim=2)
    seen = None if length == 1 else torch.ones(length, key.shape[2], dtype=torch.bool).tril(key.shape[2] - length)
    mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
    return _linear(policy, f"{layer}.out", mixed.transpose(1, 2).reshape(n, length, wide)), (key, value)


def _linear(policy: Policy, name: str, x: Tensor) -> Tensor:
    from torch.nn import functional

    return functional.linear(x, policy.weights[name], policy.weights[f"{name}.shift"])


def _shared(past: Past, times: int) -> Past:
    return [(key.repeat_interleave(times, 0), value.repeat_interleave(times, 0)) for key, value in past]
