"""`score` on 20,000 rows (230 MB) of a results file, on one core, against a plain reader as a peer.

The peer is the same job as the released analysis script does it: `json.loads` on every line into one list, a regular expression
on each answer, means with numpy. (The script itself is not ours to ship; `--peer-script FILE` runs a mended copy instead.)
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from measure import BIN, machine, results_rows, timed, write_rows

PEER = """
import json, re, sys
import numpy as np
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
recalls = []
for row in rows:
    text, meta = row["samples"][0]["generated_text"], row["metadata"]
    block = re.search(r"<RESULT_START>(.*?)<RESULT_END>", text, re.DOTALL)
    lines = re.findall(r"- R(\\d+)@S(\\d+): (\\d+(?:\\.\\d+)?)", block[1])
    n = min(len(meta["judge-0-checklist"]), 5)
    kept = {}
    for r, s, v in lines:
        if 0 < int(s) <= n:
            kept[r] = max(float(v), kept.get(r, 0.0))
    recalls.append(sum(kept.values()) / len(meta["human-checklist"]))
print(json.dumps({"recall": float(np.mean(recalls)), "n": len(recalls)}))
"""


def main() -> None:
    """Prints seconds, peak memory and the ratio to the peer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--peer-script", help="a mended copy of the released analysis script")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = write_rows(Path(folder) / "results.jsonl", results_rows(args.rows, 11_500))
        peer = [sys.executable, "-c", PEER, path]
        if args.peer_script:
            peer = [sys.executable, args.peer_script, "--input-file", path, "--model-be-evaluated", "judge-0"]
        print(f"score: {args.rows} rows, {path.stat().st_size / 1e6:.0f} MB; {machine()}, one core")
        theirs = timed(peer)
        for scoring in ("paper", "released"):
            ours = timed([BIN, "score", path, "--scoring", scoring, "--json"])
            ratio = ours.seconds / theirs.seconds
            print(f"  {scoring:9} {ours.seconds:.2f} s, peak {ours.peak_mb:.0f} MB ({ratio:.2f} of the peer's time)")
        print(f"  peer      {theirs.seconds:.2f} s, peak {theirs.peak_mb:.0f} MB")
        if not args.peer_script:
            found = json.loads(ours.out)["judges"]["judge-0"]
            assert abs(found["recall"] - json.loads(theirs.out)["recall"]) < 1e-9, "the two disagree"


if __name__ == "__main__":
    main()
