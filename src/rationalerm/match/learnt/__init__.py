"""What a learnt matcher reads (recipes/matcher trains one; none ships yet). Knows nothing of lists, rows or assignment."""
