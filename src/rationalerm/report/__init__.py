"""What a person reads: the terminal table and the sentences under it. Knows summaries, not how they came about.

terminal   the table
sentences  what the table means, in words
"""
