"""A batch over an endpoint: asked about while it is still read, each pair of lists once, and stopped as one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from endpoint import Answered, FakeEndpoint, best_answer
from rationalerm import ChatSettings, Endpoint, HybridReward, Limits, LLMMatcher, Matching
from rationalerm.errors import StoppedError
from rationalerm.reward.asking import Asking
from rationalerm.reward.formula import Found, Lists

HUMAN = ["Response 1 omits the unit.", "Response 2 cites the year 1912."]
MANY = 100  # more than are read at a time


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path))


def matcher(server: FakeEndpoint, **limits: object) -> LLMMatcher:
    return LLMMatcher(ChatSettings(Endpoint(server.url, "m"), Limits(**limits)))  # type: ignore[arg-type]


def answer(k: int) -> str:
    return f"1. A omits item {k}.\n2. B reads well.\n\\boxed{{B>A}}"


class Watching(Sequence[str]):
    """A sample's responses, which are looked at when its text is read: waits till the endpoint has been asked something."""

    def __init__(self, server: FakeEndpoint) -> None:
        self.server, self.asked = server, 0

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Iterator[str]:
        self.server.wait_for(lambda server: server.count > 0)
        self.asked = self.server.count
        return iter(("one", "other"))

    def __getitem__(self, k: object) -> str:  # type: ignore[override]
        return "one"


def test_asking_starts_before_the_last_text_is_read() -> None:
    with FakeEndpoint() as server:
        last = Watching(server)
        responses = [*[("one", "other")] * (MANY - 1), last]
        reward = HybridReward(matcher(server))
        scored = reward.ascore([answer(k) for k in range(MANY)], [HUMAN] * MANY, [1] * MANY, responses=responses)
        rewards = asyncio.run(scored)
        assert 0 < last.asked < MANY
        assert server.count == MANY
        assert all(one.status == "scored" for one in rewards)
        reward.matcher.close()  # type: ignore[attr-defined]


def test_lists_of_different_portions_are_asked_about_once_and_order_is_kept() -> None:
    texts = [answer(k % 3) for k in range(MANY)]
    labels = [(-1) ** (k % 2) for k in range(MANY)]
    with FakeEndpoint() as server:
        reward = HybridReward(matcher(server))
        rewards = reward(texts, [HUMAN] * MANY, labels)
        assert server.count == 3
        assert [one.outcome for one in rewards] == [float(label == 1) for label in labels]
        assert rewards == asyncio.run(reward.ascore(texts, [HUMAN] * MANY, labels))
        assert rewards[:3] == [reward([text], [HUMAN], [label])[0] for text, label in zip(texts[:3], labels[:3], strict=True)]
        assert server.count == 3
        reward.matcher.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("way", ["call", "ascore"])
def test_a_stop_ends_all_portions(way: str) -> None:
    """What was in flight is paid for and comes to its end; nothing else is asked."""

    def reply(body: dict[str, object], n: int) -> Answered | str:
        return best_answer(body) if n <= 5 else Answered("no", status=401)

    columns = [answer(k) for k in range(MANY)], [HUMAN] * MANY, [1] * MANY
    with FakeEndpoint(reply, latency=0.01) as server:
        reward = HybridReward(matcher(server, concurrency=4))
        with pytest.raises(StoppedError):
            reward(*columns) if way == "call" else asyncio.run(reward.ascore(*columns))
        assert server.count <= 5 + 4
        server.wait_for(lambda server: server.open == 0)
        assert all(one.done is not None for one in server.requests)
        reward.matcher.close()  # type: ignore[attr-defined]


class Broken:
    """Its first portion is an error of its own, the others never come to an end."""

    name, version = "broken", "1"

    def __init__(self) -> None:
        self.portions = self.cancelled = 0

    async def amatch_each(self, rows: Sequence[Lists]) -> list[Found]:
        self.portions += 1
        if self.portions == 1:
            raise TypeError("a bug")
        try:
            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


def test_an_error_of_the_matcher_is_raised_and_the_rest_cancelled() -> None:
    broken = Broken()
    with pytest.raises(TypeError, match="a bug"):
        asyncio.run(
            HybridReward(broken).ascore([answer(k) for k in range(MANY)], [HUMAN] * MANY, [1] * MANY)  # type: ignore[arg-type]
        )
    assert broken.cancelled == broken.portions - 1


def test_a_large_batch_waits_its_turn() -> None:
    """Only some thousand pairs of lists are under way at a time."""

    async def main() -> None:
        open_ = asyncio.Event()

        async def each(rows: Sequence[Lists]) -> list[Found]:
            await open_.wait()
            return [Matching(1, 1, {})] * len(rows)

        def portion(k: int) -> list[Lists]:
            return [(("h",), (f"{k}-{i}",)) for i in range(3000)]

        async with Asking(each) as asking:
            assert await asking.ask(portion(0))
            second = asyncio.ensure_future(asking.ask(portion(1)))
            for _ in range(20):
                await asyncio.sleep(0)
            assert not second.done()
            open_.set()
            assert await second
            assert len(await asking.found()) == 6000

    asyncio.run(main())
