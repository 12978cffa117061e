"""The field's benchmarks, a protocol a file, over judge and score. Knows no files, no endpoints, no terminal.

base         the seam: contests to play, candidates to score, what came of them, a result
rm_bench, judgebench, arena_hard, helpsteer3       a benchmark each
"""
