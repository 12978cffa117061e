"""Trains a generative reward model (GenRM) with the hybrid reward (method.md section 4). Heavy imports are inside functions.

prepare/   rows -> prompts and truths     sft/       a warm start            genrm/   GRPO on TRL
trainer/   what the last two share        toy/       the effect on a laptop
"""
