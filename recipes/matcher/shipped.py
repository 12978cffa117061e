"""The weights of the shipped files, back in the networks: where `make.py --on` goes on from. 8 bits a weight, as they ship.

An export rearranges weights: it transposes, slices and renames. Two exports of the same networks, one that holds the number of a
parameter in place of each weight and one that holds the weight's place, say what went where.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from export import FILES, export
from net import Compare, Lower, Upper
from onnx import numpy_helper
from torch import Tensor

__all__ = ["weights"]

_FIRST = 5000  # the number of the first parameter: no constant of the networks


def weights(folder: Path) -> dict[str, Tensor]:
    """The parameters of the trained networks by name: "upper....", "compare....".

    Raises:
        SystemExit: the files are not of these networks.
    """
    parts: dict[str, Any] = {"lower": Lower(), "upper": Upper(), "compare": Compare()}
    named = [(f"{part}.{name}", p) for part, module in parts.items() for name, p in module.named_parameters()]
    for k, (_, parameter) in enumerate(named):  # never the same tensor twice: an export would keep one
        parameter.data = torch.linspace(_FIRST + k + 0.2, _FIRST + k + 0.8, parameter.numel()).reshape(parameter.shape)
    numbers = _exported(parts)
    for k, (_, parameter) in enumerate(named):
        parameter.data = (torch.arange(parameter.numel(), dtype=torch.float32) + k).reshape(parameter.shape)
    places = _exported(parts)
    found = [np.full(p.numel(), np.nan, dtype=np.float32) for _, p in named]
    for file in FILES:
        shipped = dict(_wide(onnx.load(folder / f"{file}.onnx")))
        for name, which in numbers[file].items():
            k = int(which.flat[0]) - _FIRST if which.size else -1
            if which.dtype == np.float32 and k in range(len(named)) and (which.astype(int) == k + _FIRST).all():
                if name not in shipped:
                    raise SystemExit(f"{folder / file}.onnx holds other networks than net.py: no {name}")
                found[k][places[file][name].astype(int) - k] = shipped[name]
    if any(np.isnan(values).any() for values in found):
        raise SystemExit(f"{folder} does not hold all weights of net.py")
    return {name: torch.tensor(v).reshape(p.shape) for (name, p), v in zip(named, found, strict=True) if name[:5] != "lower"}


def _exported(parts: dict[str, Any]) -> dict[str, dict[str, np.ndarray]]:
    """Of each file the tensors by name."""
    with tempfile.TemporaryDirectory() as folder:
        export(parts["lower"], parts["upper"], parts["compare"], Path(folder), whole=True)
        return {file: dict(_wide(onnx.load(Path(folder) / f"{file}.onnx"))) for file in FILES}


def _wide(model: Any) -> Iterator[tuple[str, np.ndarray]]:
    """The tensors of a file, 8-bit ones made wide again."""
    tensors = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in tensors:
            axis = next(a.i for a in node.attribute if a.name == "axis")
            scale = tensors.pop(node.input[1])
            yield node.output[0], tensors.pop(node.input[0]).astype(np.float32) * np.expand_dims(scale, 1 - axis)
    yield from tensors.items()
