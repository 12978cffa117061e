"""The trained networks as two ONNX files: 8-bit weights, computed as 32-bit numbers. Knows nothing of training.

A weight of 8 bits is a whole number times a scale a row, made wide again when the file is loaded: the sums are then those of
ordinary 32-bit arithmetic, the same on machines with and without 8-bit instructions.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from net import Compare, Lower, Upper
from onnx import helper, numpy_helper
from torch import Tensor, nn

__all__ = ["FILES", "export"]

FILES = ("encoder", "compare")
_SMALL = 2048  # weights of a tensor up to which it stays as it is
_OPSET = 18


class Encoder(nn.Module):
    """Tokens to vectors and weights."""

    def __init__(self, lower: Lower, upper: Upper) -> None:
        super().__init__()
        self.lower, self.upper = lower, upper

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """[text, token] twice."""
        vectors, weights = self.upper(self.lower(ids, mask), mask)
        return vectors, weights


def export(lower: Lower, upper: Upper, compare: Compare, folder: Path, whole: bool = False) -> None:
    """Writes encoder.onnx and compare.onnx; with all bits of each weight, if `whole`."""
    folder.mkdir(parents=True, exist_ok=True)
    t = torch.ones
    size = upper.project.out_features
    pair = (t(2, 7, size), t(2, 7), t(2, 7), t(2, 5, size), t(2, 5), t(2, 5))
    h, m = {0: "pair", 1: "h"}, {0: "pair", 1: "m"}
    text = {0: "text", 1: "token"}
    for name, module, inputs, names, outputs, axes in (
        ("encoder", Encoder(lower, upper), (t(2, 7, dtype=torch.long), t(2, 7)), ["ids", "mask"],
         ["vectors", "weights"], dict.fromkeys(("ids", "mask", "vectors", "weights"), text)),
        ("compare", compare, pair, ["h", "hw", "h_mask", "m", "mw", "m_mask"], ["logits"],
         {"h": h, "hw": h, "h_mask": h, "m": m, "mw": m, "m_mask": m, "logits": {0: "pair"}}),
    ):  # fmt: skip
        file = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it is the older exporter: it needs no more packages
            torch.onnx.export(
                module.eval(),
                inputs,
                file,
                input_names=names,
                output_names=outputs,
                dynamic_axes=axes,
                opset_version=_OPSET,
                dynamo=False,
            )
        made = onnx.load_from_string(file.getvalue())
        onnx.save(made if whole else narrow(made), folder / f"{name}.onnx")


def narrow(model: Any) -> Any:
    """The model with its large weights as 8-bit numbers and a scale each row or column."""
    graph = model.graph
    used_as_columns = {node.input[1] for node in graph.node if node.op_type == "MatMul"}
    tensors, nodes = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.ndim != 2 or values.size <= _SMALL:
            tensors.append(tensor)
            continue
        axis = 1 if tensor.name in used_as_columns else 0
        scale = np.maximum(np.abs(values).max(axis=1 - axis), 1e-12).astype(np.float32) / np.float32(127)
        whole = np.rint(values / np.expand_dims(scale, 1 - axis)).astype(np.int8)
        name = tensor.name
        tensors += [numpy_helper.from_array(whole, f"{name}.8"), numpy_helper.from_array(scale, f"{name}.scale")]
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}.8", f"{name}.scale"], [name], axis=axis))
    del graph.initializer[:]
    graph.initializer.extend(tensors)
    rest = list(graph.node)
    del graph.node[:]
    graph.node.extend([*nodes, *rest])
    return model
