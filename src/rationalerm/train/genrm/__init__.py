"""A generative reward model by GRPO with the hybrid reward, on TRL (method.md section 4). Heavy imports are inside functions.

config, presets/, yaml   what a training is told           running          the run, from its data to its card
trl                      the same in the trainer's words   recording, watching, alarm, measuring, checkpoints: what it writes down
prompts, fits            what `train prepare` wrote        summary, card    what it came to
"""

from __future__ import annotations

__all__ = ["PRESETS"]

PRESETS = ("paper-14b", "paper-30b-a3b", "recommended", "small")
