"""The hybrid reward in the frameworks that people train in: one file a framework, each imported only by its user.

trl, verl, openrlhf              are only called by theirs, and import nothing of it
verifiers, ms_swift, inspect     are plugins of theirs, and need it
batch, columns, queries, prepared, watch, flat      what they share: rows in, rewards out, shares and warnings, numbers alone
"""
