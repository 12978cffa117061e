"""Files of the Hub on first use: what is fetched once, checked, kept, and what is said where that can't be."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import web

from hub import COMMIT, FakeHub, Stored, wait_until
from rationalerm.data.hub import FILES, HubFile, arena_hard_answers, hub_file
from rationalerm.errors import DataError, RationalermError, UsageError

ROWS = [{"pair_id": f"p{k}", "text": "x" * 50} for k in range(20)]
DATA = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
KEY = "o/set/data/rows.jsonl"
FILE = HubFile("o/set", "data/rows.jsonl", COMMIT, rows=20)
TOKEN = "hf_S3cretTokenOfThisTest"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache of this test's own, and nothing of the outer environment."""
    for name in list(os.environ):
        if name.startswith("HF_") or name.lower().endswith("_proxy") or name == "TRANSFORMERS_OFFLINE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("rationalerm.data.hub_http._BACKOFF_S", 0.01)


def at(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points HF_ENDPOINT at a stand-in."""
    monkeypatch.setenv("HF_ENDPOINT", f"{hub.url}/")


@pytest.mark.parametrize("large", [True, False], ids=["in the storage", "in git"])
def test_fetched_once_and_checked(large: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with FakeHub({KEY: Stored(DATA, large)}) as hub:
        at(hub, monkeypatch)
        told: list[str] = []
        first = hub_file(FILE, tell=told.append)
        again = hub_file(FILE, tell=told.append)
    assert first.path.read_bytes() == DATA
    assert first.path.is_relative_to(tmp_path / "cache" / "hub")
    assert first == again
    assert first.commit == COMMIT
    assert first.checked == ("the Hub's SHA-256 and 20 rows" if large else "the Hub's git hash and 20 rows")
    assert [asked.at for asked in hub.asked] == (["hub", "storage"] if large else ["hub"])
    assert len(told) == 1
    assert hub_file(FILE).path == first.path, "the Hub is gone, the file is here"
    left = sorted(path.name for path in first.path.parent.iterdir())
    assert left == ["rows.jsonl", "rows.jsonl.checked.json"]


def test_a_packed_file(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeHub({"o/set/v.jsonl.gz": Stored(gzip.compress(DATA))}) as hub:
        at(hub, monkeypatch)
        copy = hub_file(HubFile("o/set", "v.jsonl.gz", "main", rows=20))
    assert gzip.decompress(copy.path.read_bytes()) == DATA


def test_the_token_goes_to_the_hub_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", f"{TOKEN}\n")
    with FakeHub({KEY: Stored(DATA)}) as hub:
        at(hub, monkeypatch)
        hub_file(FILE)
    assert [asked.headers.get("Authorization") for asked in hub.asked] == [f"Bearer {TOKEN}", None]


def test_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache alone; what is not in it is a line, not a request."""
    with FakeHub({KEY: Stored(DATA)}) as hub:
        at(hub, monkeypatch)
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        with pytest.raises(UsageError, match=r"o/set/data/rows.jsonl.*HF_HUB_OFFLINE.*--data"):
            hub_file(FILE)
        assert hub.asked == []
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        hub_file(FILE)
        monkeypatch.setenv("HF_HUB_OFFLINE", "TRUE")
        asked = len(hub.asked)
        assert hub_file(FILE).path.read_bytes() == DATA
        assert len(hub.asked) == asked


@pytest.mark.parametrize(
    ("file", "stored", "says"),
    [
        (HubFile("o/set", "data/rows.jsonl", COMMIT, sha256="0" * 64), Stored(DATA), "pinned SHA-256"),
        (FILE, Stored(DATA, etag="a" * 64), "the Hub's SHA-256"),
        (FILE, Stored(DATA, large=False, etag="a" * 40), "git hash"),
        (HubFile("o/set", "data/rows.jsonl", COMMIT, rows=21), Stored(DATA), "has 20 rows, the benchmark has 21"),
        (FILE, Stored(DATA, commit="f" * 40), "came from commit ffff"),
        (FILE, Stored(b"<!DOCTYPE html><title>Please log in</title>"), "o/set/data/rows.jsonl, row 1: "),
        (FILE, Stored(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"), "Git LFS pointer"),
    ],
    ids=["pin", "sha", "git", "rows", "commit", "page", "pointer DF2"],
)
def test_other_bytes_are_refused_and_not_kept(file: HubFile, stored: Stored, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeHub({KEY: stored}) as hub:
        at(hub, monkeypatch)
        with pytest.raises(DataError) as caught:
            hub_file(file)
        assert says in str(caught.value)
        assert "\n" not in str(caught.value)
        hub.files[KEY] = Stored(DATA)
        if says not in ("pinned SHA-256", "has 20 rows, the benchmark has 21"):
            assert hub_file(file).path.read_bytes() == DATA, "the next try is a fresh one"


def test_a_known_checksum_counts_more_than_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mirror that states no checksum, or a wrong one, can't pass other bytes off; right bytes are taken."""
    pinned = HubFile("o/set", "data/rows.jsonl", COMMIT, sha256=hashlib.sha256(DATA).hexdigest())
    with FakeHub({KEY: Stored(DATA, etag="b" * 64)}) as hub:
        at(hub, monkeypatch)
        assert hub_file(pinned).checked == "the pinned SHA-256"


def test_a_cached_file_that_somebody_changed_is_fetched_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeHub({KEY: Stored(DATA)}) as hub:
        at(hub, monkeypatch)
        place = hub_file(FILE).path
        place.write_bytes(DATA[:-100])
        assert hub_file(FILE).path.read_bytes() == DATA
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        place.write_bytes(DATA[:-100])
        with pytest.raises(UsageError):
            hub_file(FILE)


@pytest.mark.parametrize(
    ("status", "headers", "says"),
    [
        (404, {"X-Error-Code": "EntryNotFound"}, "has no such file at this revision"),
        (404, {"X-Error-Code": "RepoNotFound"}, "has no such data set"),
        (404, {"X-Error-Code": "RevisionNotFound"}, "has no such revision"),
        (401, {"X-Error-Code": "GatedRepo"}, "HF_TOKEN is not accepted"),
        (403, {}, "HF_TOKEN is not accepted"),
        (418, {}, "HTTP 418"),
        (301, {"Location": "/datasets/o/set/resolve/main/data/rows.jsonl"}, "redirects in circles"),
    ],
)
def test_what_the_hub_refuses_is_one_line(
    status: int, headers: dict[str, str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with FakeHub({KEY: Stored(DATA)}, wrong=lambda asked, n: web.Response(status=status, headers=headers, text=TOKEN)) as hub:
        at(hub, monkeypatch)
        with pytest.raises(DataError) as caught:
            hub_file(FILE)
    line = str(caught.value)
    assert says in line
    assert line.startswith("o/set/data/rows.jsonl: ")
    assert hub.url in line
    assert TOKEN not in line
    assert "\n" not in line


def test_a_branch_stays_at_the_commit_that_was_had_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that has to be had again is had from there; where the Hub has it no more, that is said."""
    file = HubFile("o/set", "data/rows.jsonl", "main", rows=20)
    with FakeHub({KEY: Stored(DATA)}) as hub:
        at(hub, monkeypatch)
        first = hub_file(file)
        assert first.commit == COMMIT
        first.path.unlink()
        told: list[str] = []
        again = hub_file(file, tell=told.append)
        assert again == first
        assert [asked.path.split("/")[5] for asked in hub.asked if asked.at == "hub"] == ["main", COMMIT]
        assert len(told) == 1
        first.path.unlink()
        other = "f" * 40
        hub.revisions, hub.files[KEY] = ("main", other), Stored(DATA, commit=other)
        assert hub_file(file, tell=told.append).commit == other
    assert told[-1] == f"o/set/data/rows.jsonl was of commit {COMMIT}, which the Hub has no more; this is {other}"


@pytest.mark.parametrize("html", [True, False])
@pytest.mark.parametrize("file", [FILE, arena_hard_answers("m")], ids=["known rows", "nothing known"])
def test_a_page_that_repeats_the_token(html: bool, file: HubFile, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither quoted nor kept, whatever the server calls it."""
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    page = f"<p>{TOKEN}</p>"
    kind = "text/html" if html else "application/octet-stream"
    with FakeHub({KEY: Stored(DATA)}, wrong=lambda asked, n: web.Response(text=page, content_type=kind)) as hub:
        at(hub, monkeypatch)
        with pytest.raises(DataError) as caught:
            hub_file(file)
    assert ("a web page, not the file" if html else "sent HF_TOKEN back") in str(caught.value)
    assert TOKEN[:8] not in str(caught.value)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_refusal_is_a_whole_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with FakeHub({KEY: Stored(DATA)}, wrong=lambda asked, n: web.Response(status=401)) as hub:
        at(hub, monkeypatch)
        with pytest.raises(DataError) as caught:
            hub_file(FILE)
    said = f"HF_TOKEN is not accepted by {hub.url} (HTTP 401); set another one, or give the file with --data"
    assert str(caught.value) == f"o/set/data/rows.jsonl: {said}"


def test_a_refusal_without_a_token_says_which_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeHub({KEY: Stored(DATA)}, wrong=lambda asked, n: web.Response(status=401)) as hub:
        at(hub, monkeypatch)
        with pytest.raises(DataError, match="set HF_TOKEN"):
            hub_file(FILE)


def test_trouble_that_passes_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    trouble = {
        1: web.Response(status=503),
        2: web.Response(status=429, headers={"Retry-After": "0"}),
        4: web.Response(status=500),
    }
    with FakeHub({KEY: Stored(DATA)}, wrong=lambda asked, n: trouble.get(n)) as hub:
        at(hub, monkeypatch)
        assert hub_file(FILE).path.read_bytes() == DATA
    assert [asked.at for asked in hub.asked] == ["hub", "hub", "hub", "storage", "hub", "storage"]


def test_a_hub_that_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """No signed address of the storage, no password in the endpoint is shown."""
    with FakeHub({KEY: Stored(DATA)}, wrong=lambda asked, n: web.Response(status=500) if asked.at == "storage" else None) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url.replace("//", "//me:pa55word@"))
        with pytest.raises(DataError) as caught:
            hub_file(FILE)
        assert "HTTP 500" in str(caught.value)
        assert "5ecret" not in str(caught.value)
        assert "pa55word" not in str(caught.value)
        assert len([asked for asked in hub.asked if asked.at == "storage"]) == 4
    with pytest.raises(DataError, match=r"is not reachable \(can't connect: .*HF_ENDPOINT.*--data") as caught:
        hub_file(FILE)
    assert "pa55word" not in str(caught.value)


@pytest.mark.parametrize("name", ["HF_ENDPOINT", "HF_TOKEN"])
@pytest.mark.parametrize("value", ["secret value", "ftp://secret.example\x07"])
def test_what_can_not_be_an_endpoint_or_a_token(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=name) as caught:
        hub_file(FILE)
    assert "secret" not in str(caught.value)


def test_inside_a_running_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    async def notebook() -> Path:
        return hub_file(FILE).path

    with FakeHub({KEY: Stored(DATA)}) as hub:
        at(hub, monkeypatch)
        assert asyncio.run(notebook()).read_bytes() == DATA


def test_a_cache_folder_that_can_not_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "file"))
    with FakeHub({KEY: Stored(DATA)}) as hub:
        at(hub, monkeypatch)
        with pytest.raises(RationalermError) as caught:
            hub_file(FILE)
    assert "\n" not in str(caught.value)
    assert "RATIONALERM_CACHE_DIR" in str(caught.value)
    assert "--out" not in str(caught.value)


def test_a_kill_in_the_middle_leaves_no_half_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code = (
        f"from rationalerm.data.hub import HubFile, hub_file; hub_file(HubFile('o/set', 'data/rows.jsonl', {COMMIT!r}, rows=20))"
    )
    with FakeHub({KEY: Stored(DATA)}, slow=20) as hub:
        at(hub, monkeypatch)
        process = subprocess.Popen([sys.executable, "-c", code], env=dict(os.environ))
        wait_until(lambda: len(hub.asked) == 2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not list((tmp_path / "cache").rglob("rows.jsonl"))
        hub.slow = 0
        assert hub_file(FILE).path.read_bytes() == DATA


def test_the_pins() -> None:
    """Commits but for one, whose data set nobody pinned publicly; every benchmark's number of rows."""
    branches = [name for name, file in FILES.items() if len(file.revision) != 40]
    assert branches == ["rm-bench"]
    assert {name: file.rows for name, file in FILES.items()} == {
        "rm-bench": 129 + 529 + 228 + 441, "judgebench-gpt": 350, "judgebench-claude": 270, "arena-hard-v2": 750,
        "helpsteer3": 2017, "helpsteer3-feedback": None,
    }  # fmt: skip
    assert arena_hard_answers("o3-mini-2025-01-31").path.endswith("arena-hard-v2.0/model_answer/o3-mini-2025-01-31.jsonl")
