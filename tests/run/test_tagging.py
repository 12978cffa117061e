"""Tagging a run's games: the rules, and a model over a real HTTP server with repair, failures, budget, kill -9 and resume."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from answers import listed
from endpoint import FakeEndpoint
from rationalerm import LexicalMatcher, errors
from rationalerm.data.rundir import RunDir
from rationalerm.judge.tag_asking import LLMTagger
from rationalerm.judge.tagging import RuleTagger, Tags
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.limits import Limits
from rationalerm.llm.meter import Budget
from rationalerm.llm.settings import ChatSettings
from rationalerm.reward import Truth
from rationalerm.run.tagging import tag_rows
from rationalerm.run.tags import FAILURES, TAGS, ToTag, game_lists, judged_lists, read_tags, tagged_lists
from rationalerm.score.rows import GameResult
from rationalerm.score.taxonomy import taxonomy
from rationalerm.train.genrm.measuring import Answered, measure
from rationalerm.types import Verdict

Run = Callable[..., Any]
Body = dict[str, Any]


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of three judges."""
    out = tmp_path_factory.mktemp("demo") / "run"
    subprocess.run([sys.executable, "-m", "rationalerm", "demo", "--out", str(out)], check=True, capture_output=True)
    return out


@pytest.fixture
def finished(demo: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    out = tmp_path / "run"
    out.mkdir()
    for name in ("run.json", "judgments.jsonl", "rows.jsonl"):
        (out / name).write_bytes((demo / name).read_bytes())
    return out


def lists_of(n: int) -> list[ToTag]:
    """List k has k % 4 + 1 reasons, each of which names it."""
    return [
        ToTag(f"r{k}", "j", "AB", [f"Response A gets step {i} of task {k} wrong." for i in range(k % 4 + 1)], Verdict.B_BETTER)
        for k in range(n)
    ]


def answer(body: Body, n: int = 0) -> str:
    """EG and CG by turns; each second one has F4."""
    lines = [f"- S{k}: {'EG' if k % 2 else 'CG F4'}" for k in range(1, len(listed(body, "S")) + 1)]
    return "\n".join(["<RESULT_START>", *lines, "<RESULT_END>"])


def tagger(server: FakeEndpoint, *, cache: bool = True, budget: Budget | None = None, at_once: int = 8) -> LLMTagger:
    return LLMTagger(ChatSettings(Endpoint(server.url, "m"), Limits(concurrency=at_once), budget=budget, cache=cache))


def rows(folder: Path, name: str = TAGS) -> list[Body]:
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()] if (folder / name).exists() else []


def made(path: Path) -> Path:
    """An empty run directory."""
    RunDir(path, {"config": {"x": 1}}).close()
    return path


def test_the_rules_on_a_run(finished: Path) -> None:
    done = tag_rows(finished, RuleTagger())
    judged = {one.key: one for one in judged_lists(finished)}
    assert set(done.tags) == set(judged)
    assert done.failures == {}
    assert done.meter is None
    written = rows(finished)
    assert [(row["id"], row["judge"], row["order"]) for row in written] == list(judged)
    for row in written:
        one = judged[row["id"], row["judge"], row["order"]]
        tags = RuleTagger().tag(one.reasons, one.verdict)
        assert row["kinds"] == [tag.kind for tag in tags]
        assert row["flaws"] == [list(tag.flaws) for tag in tags]
        assert row["tagger"] == RuleTagger().version
    before = (finished / TAGS).read_bytes()
    again = tag_rows(finished, RuleTagger())
    assert again.kept == len(judged)
    assert again.tags == done.tags
    assert (finished / TAGS).read_bytes() == before
    assert not (finished / FAILURES).exists()


def test_the_shares_of_a_run(finished: Path) -> None:
    """The judge that checks is grounded in evidence more often, and speaks of style less, than the one that looks at looks."""
    done = tag_rows(finished, RuleTagger())
    games = [GameResult.from_json(row) for row in rows(finished, "rows.jsonl")]
    shares = taxonomy(tagged_lists(done.tags, games), draws=400)
    assert set(shares) == {"checks", "surface", "noisy"}
    value = {name: {of: share.value or 0 for of, share in found.shares.items()} for name, found in shares.items()}
    assert value["checks"]["EG"] > value["surface"]["EG"] + 0.05
    assert value["checks"]["F1"] < value["surface"]["F1"] - 0.1
    assert set(shares["checks"].domains) == {"code", "stem", "general", "multilingual"}
    assert {key: of.tags for key, of in read_tags(finished).items()} == done.tags


def test_lists_in_memory_write_nothing(tmp_path: Path) -> None:
    done = tag_rows(lists_of(5), RuleTagger())
    assert [len(of or ()) for of in done.tags.values()] == [1, 2, 3, 4, 1]
    assert list(tmp_path.iterdir()) == []
    assert list(game_lists([])) == []


def test_a_folder_that_holds_no_run(tmp_path: Path) -> None:
    with pytest.raises(errors.UsageError, match="holds no run"):
        tag_rows(tmp_path, RuleTagger())
    with pytest.raises(errors.UsageError, match="holds no run"):
        tag_rows(lists_of(1), RuleTagger(), tmp_path)


def test_an_answer_that_failed_has_no_list(finished: Path) -> None:
    failed = [row for row in rows(finished, "judgments.jsonl") if row["status"] == "failed"]
    assert failed
    keys = {one.key for one in judged_lists(finished)}
    assert not {(row["id"], row["judge"], row["order"]) for row in failed} & keys


def test_a_model(tmp_path: Path) -> None:
    out = made(tmp_path / "run")
    with FakeEndpoint(answer) as server:
        done = tag_rows([*lists_of(10), ToTag("e", "j", "BA", (), None)], tagger(server), out)
        assert server.count == 10, "an empty list is not asked about"
    assert done.tags["r1", "j", "AB"] == [Tags("EG"), Tags("CG", ("F4",))]
    assert done.tags["e", "j", "BA"] == []
    assert done.meter is not None
    written = rows(out)
    assert [row["id"] for row in written] == [*(f"r{k}" for k in range(10)), "e"]
    assert written[0]["calls"] == 1
    assert written[0]["tagger"].startswith("llm m ")
    assert rows(out, FAILURES) == []


def test_the_verdict_and_the_list_are_in_the_question(tmp_path: Path) -> None:
    with FakeEndpoint(answer) as server:
        tag_rows(lists_of(2), tagger(server))
    assert all("The verdict: B>A." in request.prompt for request in server.requests)
    assert sorted(len(listed(request.body, "S")) for request in server.requests) == [1, 2]


def test_one_repair_question_then_a_failure_of_its_own(tmp_path: Path) -> None:
    def shaky(body: Body, n: int) -> str:
        text = listed(body, "S")[0]
        if "task 1 " in text:
            return "I'd rather not."
        if "task 2 " in text and len(body["messages"]) == 2:
            return answer(body).replace("- S1: EG\n", "")
        return answer(body)

    out = made(tmp_path / "run")
    with FakeEndpoint(shaky) as server:
        done = tag_rows(lists_of(4), tagger(server), out)
        assert done.failures == {"unparsed": 1}
        asked = sorted(len(request.body["messages"]) for request in server.requests if "task 2 " in request.prompt)
        assert asked == [2, 4]
    assert done.tags["r1", "j", "AB"] is None
    assert [row["id"] for row in rows(out)] == ["r0", "r2", "r3"], "a failure is never a kind"
    (failure,) = rows(out, FAILURES)
    assert (failure["id"], failure["what"], failure["category"]) == ("r1", "tagger failed", "unparsed")
    shares = taxonomy(tagged_lists(done.tags, [result(f"r{k}") for k in range(4)]))["j"]
    assert (shares.failed, shares.lists) == (1, 3)
    with FakeEndpoint(answer, port=server.port) as server:
        mended = tag_rows(lists_of(4), tagger(server), out)
        assert server.count == 1
    assert mended.kept == 3
    assert mended.failures == {}
    assert rows(out, FAILURES) == []
    assert [row["id"] for row in rows(out)] == ["r0", "r1", "r2", "r3"]


def result(name: str) -> GameResult:
    return GameResult(name, "j", "AB", name, None, 1, Verdict.B_BETTER, "given", "no human reasons", None, 0, 1)


def test_a_list_that_changed_is_tagged_anew(tmp_path: Path) -> None:
    out, lists = made(tmp_path / "run"), lists_of(4)
    with FakeEndpoint(answer) as server:
        tag_rows(lists, tagger(server), out)
        lists[2] = lists[2]._replace(reasons=["Response B is fine."])
        lists[3] = lists[3]._replace(verdict=Verdict.TIE)
        before = server.count
        done = tag_rows(lists, tagger(server), out)
        assert server.count - before == 2
    assert done.kept == 2
    assert len(rows(out)) == 4
    assert rows(out)[2]["kinds"] == ["EG"]


def test_another_tagger_tags_anew(tmp_path: Path) -> None:
    out, lists = made(tmp_path / "run"), lists_of(3)
    tag_rows(lists, RuleTagger(), out)
    with FakeEndpoint(answer) as server:
        done = tag_rows(lists, tagger(server), out)
        assert server.count == 3
    assert done.kept == 0
    assert {row["tagger"] for row in rows(out)} == {done.tagger}


def test_a_budget_ends_it_and_the_same_call_goes_on(tmp_path: Path) -> None:
    whole, out = made(tmp_path / "whole"), made(tmp_path / "run")
    with FakeEndpoint(answer) as server:
        tag_rows(lists_of(20), tagger(server, cache=False), whole)
        assert server.count == 20
        with pytest.raises(errors.StoppedError):
            tag_rows(lists_of(20), tagger(server, cache=False, at_once=1, budget=Budget(6000, tokens=True)), out)
        stopped = len(rows(out))
        assert 0 < stopped < 20
        tag_rows(lists_of(20), tagger(server, cache=False), out)
        assert server.count == 40
    assert (out / TAGS).read_bytes() == (whole / TAGS).read_bytes()


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    out = made(tmp_path / "run")
    manifest = RunDir.manifest(out)
    assert manifest is not None
    with RunDir(out, manifest), pytest.raises(errors.ResumeError, match="being written by another run"):
        tag_rows(lists_of(1), RuleTagger(), out)


SCRIPT = """
import sys
sys.path[:0] = [{tests!r}, {here!r}]
from pathlib import Path
import test_tagging as t
from rationalerm.judge.tag_asking import LLMTagger
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.limits import Limits
from rationalerm.llm.settings import ChatSettings
tagger = LLMTagger(ChatSettings(Endpoint({url!r}, "m"), Limits(concurrency=4), cache=False))
t.tag_rows(t.lists_of(60), tagger, {out!r})
"""


def test_kill_9_and_resume(tmp_path: Path) -> None:
    whole, out = made(tmp_path / "whole"), made(tmp_path / "run")
    here = Path(__file__).parent
    with FakeEndpoint(answer) as server:
        tag_rows(lists_of(60), tagger(server, cache=False), whole)
    with FakeEndpoint(answer, latency=lambda n: 0.02, port=server.port) as server:
        code = SCRIPT.format(tests=str(here.parent), here=str(here), url=server.url, out=str(out))
        for stop in (7, 25):
            process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
            server.wait_for(lambda s, stop=stop, process=process: s.count >= stop or process.poll() is not None)
            process.kill()
            process.communicate()
            server.settle()
        with (out / TAGS).open("ab") as torn:
            torn.write(b'{"id": "r9", "judge"')
        on_disk = len((out / TAGS).read_bytes().splitlines()) - 1
        assert 0 < on_disk < 60
        before = server.count
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert server.count - before == 60 - on_disk
        assert server.count <= 60 + 2 * 4
    assert (out / TAGS).read_bytes() == (whole / TAGS).read_bytes()


def test_a_trainings_evaluation_has_the_share_of_evidence() -> None:
    """Over the answers that give reasons, each answer's share; by the rules, whatever the matcher."""
    truth = Truth.load({"human_reasons": ["x"], "label": 1, "responses": ["a", "b"]})
    lists = ["1. Response A gives 12 in place of 15.\n2. Response B is more helpful.\n\\boxed{B>A}", "\\boxed{A>B}"]
    answers = [Answered(str(k), "AB", str(k), text, truth) for k, text in enumerate(lists)]
    found = measure(1, answers, LexicalMatcher()).to_json()
    assert (found["eg_share"], found["eg_share_n"]) == (0.5, 1)
    assert measure(1, answers, LexicalMatcher()).figures()["held_out/eg_share"] == 0.5
    assert "held_out/eg_share" not in measure(1, answers[1:], LexicalMatcher()).figures()
