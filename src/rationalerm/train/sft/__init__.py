"""A warm start for `train genrm`: judges' best answers, by the hybrid reward, and a policy that learns to write like them.

demonstrations   which answers are good enough   judged_pairs   rows with every sample of a judge
canonical        the form that is learnt         config         what the training is told           running   the run
"""
