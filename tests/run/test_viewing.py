"""The page over loopback: up to date while a run goes on, and for this machine alone."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import ROOT
from pagefile import read_page_bytes
from rationalerm import evaluate
from rationalerm.errors import RationalermError, UsageError
from rationalerm.run.reporting.viewing import Server, Viewer

SAMPLE = ROOT / "src" / "rationalerm" / "sample" / "pairs.jsonl"


@contextmanager
def served(*paths: Path) -> Iterator[Server]:
    with Server(Viewer(paths)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(10)


def get(server: Server, path: str = "/", host: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    try:
        connection.request("GET", path, headers={"Host": host} if host else {})
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def until(server: Server, old: str) -> str:
    """The stamp, once it is another one."""
    end = time.monotonic() + 20
    while (stamp := json.loads(get(server, "/state")[1])["stamp"]) == old:
        assert time.monotonic() < end
        time.sleep(0.05)
    return str(stamp)


def test_it_follows_a_run(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with served(out) as server:
        status, said = get(server)
        assert status == 200
        assert b"Nothing to show yet" in said
        assert b"no run.json there" in said
        stamp = json.loads(get(server, "/state")[1])["stamp"]
        rows = tmp_path / "rows.jsonl"
        whole = SAMPLE.read_text("utf-8").splitlines(keepends=True)
        rows.write_text("".join(whole[:20]), "utf-8")
        evaluate(rows, ["checks"], out=out)
        stamp = until(server, stamp)
        page = read_page_bytes(get(server)[1])
        assert page.head["live"] is True
        assert page.head["rows"]["n"] == 20
        rows.write_text("".join(whole[:30]), "utf-8")
        evaluate(rows, ["checks"], out=out)
        until(server, stamp)
        assert read_page_bytes(get(server)[1]).head["rows"]["n"] == 30


def test_a_run_that_is_written_meanwhile(tmp_path: Path) -> None:
    """Files that grow and are put in order while they are read: each page is whole, and each row on it has its own texts."""
    out = tmp_path / "out"
    rows = tmp_path / "rows.jsonl"
    given = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    copies = [row | {"id": f"{row['id']} {k}"} for k in range(8) for row in given]
    rows.write_text("".join(json.dumps(row) + "\n" for row in copies), "utf-8")
    command = [sys.executable, "-m", "rationalerm", "evaluate", str(rows), "--out", str(out), "--json"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    seen: list[int] = []
    ended = False
    while not ended:
        ended = running.poll() is not None
        try:
            page = read_page_bytes(b"".join(Viewer([out]).page().pieces()))
        except RationalermError:  # nothing yet, or in this moment between two files
            continue
        seen.append(page.head["rows"]["n"])
        for number, game in page.games.items():
            assert len(game["reasons"]) == page.index["n_model"][number]
            assert page.pairs[page.index["pair"][number]]["id"] == page.index["id"][number]
    assert running.returncode == 0
    assert seen == sorted(seen)
    assert seen[-1] == 3 * len(copies)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_another_name_for_this_machine_is_refused(tmp_path: Path, host: str) -> None:
    """A site whose name points here can't read the page in a visitor's browser."""
    with served(tmp_path) as server:
        assert get(server, host=host or "x")[0] == 403
        assert get(server, "/state", host=host or "x")[0] == 403
        assert get(server, host=f"localhost:{server.server_port}")[0] == 200


def test_there_is_nothing_else_to_get(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    with served(tmp_path) as server:
        for path in ("/secret.txt", "/../secret.txt", "/%2e%2e/secret.txt", "/state/../secret.txt", "/run.json"):
            status, said = get(server, path)
            assert status == 404
            assert b"secret" not in said


def test_a_port_that_is_taken_is_said() -> None:
    with served(Path("x")) as server, pytest.raises(UsageError, match=f"--port {server.server_port}: "):
        Server(Viewer([Path("x")]), server.server_port)
    with pytest.raises(UsageError, match="--port 70000"):
        Server(Viewer([Path("x")]), 70000)


def test_a_file_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"pairs\.jsonl: is a file"):
        Viewer([SAMPLE])


def test_head_is_get_without_the_body(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
        connection.request("HEAD", "/state")
        reply = connection.getresponse()
        assert (reply.status, reply.read()) == (200, b"")
        connection.close()


def test_a_run_that_has_ended_is_looked_at_at_once(tmp_path: Path) -> None:
    """Its last page needs no rest, however long the one before took; one that grows gets twice the time it takes."""
    out = tmp_path / "out"
    evaluate(SAMPLE, ["checks"], out=out, report=False)
    summary = (out / "summary.json").read_bytes()
    (out / "summary.json").unlink()
    viewer = Viewer([out])
    before = viewer.page().stamp
    viewer._seconds = 1000.0
    time.sleep(0.6)
    (out / "failures.jsonl").write_bytes(b"\n")
    assert viewer.stamp() == before
    (out / "summary.json").write_bytes(summary)
    assert viewer.stamp() != before
    viewer._seconds = 0.3  # and while it grows: twice as long as it took
    (out / "summary.json").unlink()
    viewer._looked = time.monotonic() + 1000.0
    after = viewer.stamp()
    viewer._looked = time.monotonic() - 0.65
    assert viewer.stamp() != after
