"""The hybrid reward of one training step: 256 prompts x 8 samples, 4.4 human reasons, 6 model reasons.

Offline: one core, the fast matcher, every reason new; the median of three. Over an endpoint (loopback, lognormal latency,
median 200 ms, sigma 0.5), 256 in flight: one run, as a ratio to samples x mean latency / in flight.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time

from llm import MEAN, endpoint
from measure import machine, sample

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from rationalerm import ChatSettings, EmbeddedMatcher, Endpoint, HybridReward, Limits, LLMMatcher

PROMPTS, SAMPLES = 256, 8
Step = tuple[list[str], list[list[str]], list[int]]


def step(seed: int) -> Step:
    """Texts, human reasons and labels of one step, all of it new: every reason gets a number of its own."""
    rng = random.Random(seed)
    pool = [reason for row in sample() for reason in row["human-checklist"]]  # type: ignore[attr-defined]
    texts, humans, labels = [], [], []
    for prompt in range(PROMPTS):
        human = [f"{rng.choice(pool)} (case {seed}-{prompt}-{k})" for k in range(4 if rng.random() < 0.6 else 5)]
        for number in range(SAMPLES):
            own = [f"{rng.choice(pool)} (point {seed}-{prompt}-{number}-{k})" for k in range(6)]
            listed = "\n".join(f"{k}. {reason}" for k, reason in enumerate(own, 1))
            texts.append(f"<RESULT_START>\n{listed}\n\n\\boxed{{{rng.choice(('A>B', 'B>A'))}}}\n<RESULT_END>")
            humans.append(human)
            labels.append(rng.choice((-1, 1)))
    return texts, humans, labels


def main() -> None:
    """Prints both."""
    print(f"hybrid reward of a step of {PROMPTS * SAMPLES} samples; {machine()}")
    score = HybridReward(EmbeddedMatcher(fast=True))
    score(*[column[:8] for column in step(99)])  # the model file is read
    seconds = []
    for seed in range(3):
        made = step(seed)
        start = time.perf_counter()
        score(*made)
        seconds.append(time.perf_counter() - start)
    print(f"  fast matcher, one core: {statistics.median(seconds):.2f} s (asked: 3)")
    with endpoint(0.2) as url, tempfile.TemporaryDirectory() as cache:
        os.environ["RATIONALERM_CACHE_DIR"] = cache
        matcher = LLMMatcher(ChatSettings(Endpoint(url, "m"), Limits(concurrency=256)))
        made = step(7)
        start = time.perf_counter()
        rewards = HybridReward(matcher)(*made)
        used = time.perf_counter() - start
        matcher.close()
    least = PROMPTS * SAMPLES * MEAN / 256
    assert all(reward.total is not None for reward in rewards), "the endpoint failed"
    print(
        f"  over an endpoint, 256 in flight: {used:.2f} s, {used / least:.2f} of samples x mean latency / in flight (asked: 2.5)"
    )


if __name__ == "__main__":
    sys.exit(main())
