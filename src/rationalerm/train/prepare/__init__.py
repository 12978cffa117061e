"""Rows with human reasons -> prompts and truths that TRL and verl read, both orders, split by prompt. No trainer, no torch.

options   what it is told                     running    the pass over the rows      prepared   what it came to
games     one pair in one order: its prompt   usable     which rows can be used      lengths    tokens of a prompt
likeness  what is the same, or nearly         splits     train or validation         held_out   what must not be in training
dataset   the folder and its card             parquet    its files
"""
