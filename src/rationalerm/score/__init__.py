"""Numbers from matchings and verdicts: one family of metrics a file, pure functions. Knows nothing of files or models.

consistency  a row's recall (RC), precision, F1, AP; one-to-one, as in the paper
released     the released analysis script's arithmetic, exactly
outcome      right or wrong by design.md's tie rule, games of both orders
intervals    clustered bootstrap, paired permutation, Holm
summary      rows -> a judge's summary, comparisons between judges, the sentence
"""
