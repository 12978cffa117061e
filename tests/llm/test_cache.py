"""The cache on real files, with real processes: paid once, on disk before it counts, no claim lost or left, one line a fault."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from rationalerm.errors import DataError
from rationalerm.llm import cache_owners, cache_store
from rationalerm.llm.cache import Cache, cache_file
from rationalerm.llm.cache_admin import clear, stats
from rationalerm.llm.cache_owners import Owner, Watch, myself
from rationalerm.llm.cache_store import Store

Body = Callable[[Cache], Coroutine[Any, Any, Any]]


def key(n: int) -> str:
    return hashlib.sha256(str(n).encode()).hexdigest()


def answer(text: str = "yes", **more: Any) -> dict[str, Any]:
    return {
        "text": text,
        "model": "m",
        "endpoint": "http://h/v1",
        "prompt": "p 1",
        "prompt_tokens": 9,
        "completion_tokens": 2,
    } | more


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "chat.sqlite"


def with_cache(path: Path, body: Body) -> Any:
    """Runs `body(cache)` in a loop of its own; a hang is a failure."""

    async def main() -> Any:
        cache = Cache(path)
        try:
            return await asyncio.wait_for(body(cache), 10)
        finally:
            await cache.close()

    return asyncio.run(main())


def claims(path: Path) -> int:
    db = sqlite3.connect(path)
    try:
        return int(db.execute("SELECT count(*) FROM claims").fetchone()[0])
    finally:
        db.close()


def script(code: str, *argv: Any, prefix: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """A process with `cache`, `key`, `answer` and `say` at hand; `main(cache)` is its own."""
    head = """
        import asyncio, hashlib, os, random, resource, sys, time
        from pathlib import Path
        from rationalerm.errors import DataError
        from rationalerm.llm.cache import Cache
        key = lambda n: hashlib.sha256(str(n).encode()).hexdigest()
        answer = lambda text: {"text": text, "model": "m", "prompt_tokens": 9, "completion_tokens": 2}
        say = lambda *words: print(*words, flush=True)
    """
    tail = """
        async def run():
            cache = Cache(Path(sys.argv[1]))
            try:
                await main(cache)
            finally:
                await cache.close()
        try:
            asyncio.run(run())
        except DataError as error:
            say("DataError", error)
        except KeyboardInterrupt:
            say("stopped")
    """
    text = "\n".join(textwrap.dedent(part) for part in (head, code, tail))
    argv = (*prefix, sys.executable, "-c", text, *map(str, argv))
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


HOLD = """
async def main(cache):
    say(await cache.lookup(key(1)))
    try:
        await asyncio.sleep(60)
    except BaseException:
        await cache.release(key(1))
        raise
"""


@pytest.fixture
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """A live process that holds key 1."""
    process = script(HOLD, path)
    assert process.stdout is not None
    assert process.stdout.readline() == "None\n"
    yield process
    process.kill()
    process.communicate()


class TestOneProcess:
    def test_an_answer_comes_back_in_a_later_run(self, path: Path) -> None:
        given = answer("naïve \u2028\n\x00 \U0001f600", reasoning=None, raw='{"a": "\\n"}')

        async def ask(cache: Cache) -> None:
            assert await cache.lookup(key(1)) is None
            await cache.put(key(1), given)
            assert await cache.lookup(key(1)) == given

        async def again(cache: Cache) -> Any:
            return await cache.lookup(key(1))

        with_cache(path, ask)
        assert with_cache(path, again) == given
        assert claims(path) == 0

    def test_many_at_once(self, path: Path) -> None:
        async def one(cache: Cache, n: int) -> str:
            if (found := await cache.lookup(key(n))) is None:
                await asyncio.sleep(0)
                await cache.put(key(n), found := answer(f"{n}"))
            return str(found["text"])

        async def body(cache: Cache) -> list[str]:
            return await asyncio.gather(*[one(cache, n % 500) for n in range(1000)])

        for _ in range(2):
            assert with_cache(path, body) == [str(n % 500) for n in range(1000)]
        assert stats(path).paid == 500

    def test_the_same_question_of_many_tasks_is_asked_once(self, path: Path) -> None:
        async def body(cache: Cache) -> None:
            tasks = [asyncio.create_task(cache.lookup(key(1))) for _ in range(50)]
            done, waiting = await asyncio.wait(tasks, timeout=0.2)
            assert [task.result() for task in done] == [None]
            await cache.put(key(1), answer())
            assert await asyncio.gather(*waiting) == [answer()] * 49

        with_cache(path, body)

    def test_a_release_wakes_exactly_one(self, path: Path) -> None:
        async def body(cache: Cache) -> None:
            assert await cache.lookup(key(1)) is None
            tasks = {asyncio.create_task(cache.lookup(key(1))) for _ in range(5)}
            for left in range(5, 0, -1):
                await cache.release(key(1))
                done, tasks = await asyncio.wait(tasks, timeout=0.1)
                assert ([task.result() for task in done], len(tasks)) == ([None], left - 1)
            await cache.release(key(1))
            assert claims(path) == 0

        with_cache(path, body)

    def test_rejected_answers_stay_and_are_not_served(self, path: Path) -> None:
        async def body(cache: Cache) -> None:
            for n in range(3):
                await cache.lookup(key(n))
                await cache.put(key(n), answer())
            await cache.reject([key(0), key(1)])
            await cache.reject([])
            assert (cache.stats().answers, cache.stats().rejected) == (3, 2)
            assert await cache.lookup(key(0)) is None
            await cache.put(key(0), answer("better"))
            assert await cache.lookup(key(0)) == answer("better")

        with_cache(path, body)
        found = stats(path)
        assert (found.answers, found.rejected, found.paid) == (3, 1, 4)
        assert found.models["m"] == (3, 1, 4 * 9, 4 * 2)  # the replaced answer was paid for too

    def test_put_is_on_disk_when_it_returns(self, path: Path) -> None:
        process = script(
            """
            async def main(cache):
                for n in range(1000):
                    await cache.lookup(key(n))
                    await cache.put(key(n), answer("x" * 5000))
                    say(n)
            """,
            path,
        )
        assert process.stdout is not None
        while process.stdout.readline() != "40\n":
            pass
        process.kill()
        said = process.communicate()[0].splitlines()
        assert stats(path).answers >= 41 + len([line for line in said if line])

    def test_a_put_whose_task_was_cancelled_is_kept(self, path: Path) -> None:
        async def body(cache: Cache) -> None:
            await cache.lookup(key(1))
            other = asyncio.create_task(cache.lookup(key(1)))
            task = asyncio.create_task(cache.put(key(1), answer()))
            await asyncio.sleep(0)
            task.cancel()
            await cache.release(key(1))  # what its `except` clause does; the put ends the claim by itself
            assert await other == answer()

        with_cache(path, body)
        assert claims(path) == 0

    def test_a_holder_that_can_not_put_does_not_block_the_others(self, path: Path) -> None:
        async def body(cache: Cache) -> None:
            await cache.lookup(key(1))
            other = asyncio.create_task(cache.lookup(key(1)))
            await asyncio.sleep(0)
            with pytest.raises(TypeError):
                await cache.put(key(1), {"text": object()})
            assert await other is None

        with_cache(path, body)

    def test_closing(self, path: Path) -> None:
        async def main() -> None:
            cache = Cache(path)
            await cache.lookup(key(1))
            waits = asyncio.create_task(cache.lookup(key(1)))
            puts = asyncio.create_task(cache.put(key(2), answer()))
            await asyncio.sleep(0)
            await cache.close()
            await cache.close()
            await puts
            for late in (waits, cache.lookup(key(3)), cache.put(key(3), answer()), cache.reject([key(2)])):
                with pytest.raises(RuntimeError, match="closed"):
                    await late
            await cache.release(key(1))

        asyncio.run(main())
        assert claims(path) == 0
        assert stats(path).answers == 1

    def test_a_cache_that_nobody_closed_lets_go(self, path: Path) -> None:
        def forget() -> None:
            cache = Cache(path)
            asyncio.run(cache.lookup(key(1)))  # type: ignore[arg-type]

        forget()
        gc.collect()
        assert claims(path) == 0

    def test_an_interpreter_that_ends_without_closing(self, path: Path) -> None:
        done = script("async def main(cache): pass\nbad = Cache(Path(sys.argv[1]))\nasyncio.run(bad.lookup(key(1)))", path)
        assert done.communicate(timeout=10) == ("", "")
        assert claims(path) == 0

    def test_one_loop_one_process(self, path: Path) -> None:
        cache = Cache(path)
        asyncio.run(cache.close())
        cache = Cache(path)
        asyncio.run(cache.reject([key(1)]))
        with pytest.raises(RuntimeError, match="one event loop"):
            asyncio.run(cache.reject([key(1)]))

    def test_the_file_is_private_and_where_it_should_be(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        odd = tmp_path / "a b%20?#é\n'\u202e" / "deep"
        monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(odd))
        asyncio.run(Cache().close())
        assert [entry.name for entry in odd.iterdir()] == ["chat.sqlite"]
        assert (odd.stat().st_mode & 0o777, (odd / "chat.sqlite").stat().st_mode & 0o777) == (0o700, 0o600)
        monkeypatch.setenv("RATIONALERM_CACHE_DIR", "")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert cache_file() == tmp_path / "rationalerm" / "chat.sqlite"
        monkeypatch.setenv("XDG_CACHE_HOME", "relative")
        assert cache_file() == Path.home() / ".cache" / "rationalerm" / "chat.sqlite"


class TestCancellation:
    def test_a_claim_given_in_the_moment_of_cancelling_goes_on(self, path: Path) -> None:
        async def body(cache: Cache) -> None:
            await cache.lookup(key(1))
            first, second = (asyncio.create_task(cache.lookup(key(1))) for _ in range(2))
            await asyncio.sleep(0)
            await cache.release(key(1))  # gives it to `first`, which has not run since
            first.cancel()
            assert await second is None
            assert first.cancelled() or ((await asyncio.wait([first])) and first.cancelled())
            last = asyncio.create_task(cache.lookup(key(1)))
            await asyncio.sleep(0)
            await cache.release(key(1))
            last.cancel()
            await asyncio.wait([last])
            await cache.reject([key(2)])  # behind the release in the queue
            assert claims(path) == 0

        with_cache(path, body)

    def test_at_every_moment(self, path: Path) -> None:
        """Two caches on one file, tasks cancelled at random: never two holders, nobody stuck, no claim left."""
        rng = random.Random(3)
        holding: Counter[int] = Counter()

        async def work(cache: Cache, n: int) -> None:
            if await cache.lookup(key(n)) is not None:
                return
            holding[n] += 1
            assert holding[n] == 1
            try:
                await asyncio.sleep(rng.random() * 0.004)
            except BaseException:
                holding[n] -= 1
                await cache.release(key(n))
                raise
            holding[n] -= 1
            if rng.random() < 0.3:
                await cache.put(key(n), answer())
            else:
                await cache.release(key(n))

        async def main() -> None:
            caches = [Cache(path), Cache(path)]
            tasks = [asyncio.create_task(work(rng.choice(caches), n % 60)) for n in range(1200)]
            while any(not task.done() for task in tasks[: len(tasks) // 2]):
                await asyncio.sleep(rng.random() * 0.002)
                for task in rng.sample(tasks, 25):
                    task.cancel()
            await asyncio.wait_for(asyncio.wait(tasks), 15)
            failed = [task.exception() for task in tasks if not task.cancelled() and task.exception()]
            assert failed == []
            for n in range(60):
                if await asyncio.wait_for(caches[0].lookup(key(n)), 2) is None:
                    await caches[0].release(key(n))
            for cache in caches:
                await cache.reject([])
            assert claims(path) == 0
            for cache in caches:
                await cache.close()

        asyncio.run(main())

    def test_waiting_for_another_process_can_be_given_up(self, path: Path, holder: subprocess.Popen[str]) -> None:
        async def body(cache: Cache) -> None:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(cache.lookup(key(1)), 0.12)
            holder.send_signal(signal.SIGINT)
            assert holder.communicate(timeout=5)[0] == "stopped\n"
            await asyncio.sleep(0.12)
            assert claims(path) == 0  # nobody here wants it any more

        with_cache(path, body)


class TestProcesses:
    def test_each_key_is_paid_once(self, path: Path, tmp_path: Path) -> None:
        paid = tmp_path / "paid"
        code = """
        async def ask(cache, n):
            found = await cache.lookup(key(n))
            if found is None:
                os.write(paid, f"{n}\\n".encode())
                await asyncio.sleep(random.random() / 50)
                await cache.put(key(n), found := answer(f"{n} by {os.getpid()}"))
            return n, found["text"]
        async def main(cache):
            global paid
            paid = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            order = [n % 150 for n in range(300)]
            random.shuffle(order)
            say(sorted(set(await asyncio.gather(*[ask(cache, n) for n in order]))))
        """
        processes = [script(textwrap.dedent(code), path, paid) for _ in range(4)]
        said = [process.communicate(timeout=30) for process in processes]
        assert all(out == said[0][0] and not err for out, err in said), said
        assert said[0][0].count("by") == 150
        assert sorted(map(int, paid.read_text().split())) == list(range(150))
        assert (stats(path).paid, claims(path)) == (150, 0)

    def test_the_claim_of_a_killed_process_is_taken_over(self, path: Path, holder: subprocess.Popen[str]) -> None:
        async def body(cache: Cache) -> float:
            task = asyncio.create_task(cache.lookup(key(1)))
            await asyncio.sleep(0.15)
            assert not task.done()
            holder.kill()  # and not waited for: a zombie is dead too
            started = time.monotonic()
            assert await task is None
            return time.monotonic() - started

        assert with_cache(path, body) < 1

    def test_release_and_put_reach_other_processes(self, path: Path, holder: subprocess.Popen[str]) -> None:
        async def body(cache: Cache) -> None:
            task = asyncio.create_task(cache.lookup(key(1)))
            await asyncio.sleep(0.1)
            holder.send_signal(signal.SIGINT)
            assert await task is None
            other = script("async def main(cache): say(await cache.lookup(key(1)))", path)
            await asyncio.sleep(0.5)
            await cache.put(key(1), answer("from here"))
            assert "from here" in other.communicate(timeout=5)[0]

        with_cache(path, body)

    def test_a_stopped_process_blocks_nobody_for_ever(
        self, path: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cache_owners, "STUCK_S", 0.3)
        holder.send_signal(signal.SIGSTOP)

        async def body(cache: Cache) -> None:
            assert await cache.lookup(key(1)) is None
            holder.send_signal(signal.SIGCONT)
            holder.send_signal(signal.SIGINT)  # its release is not ours
            holder.wait(5)
            assert claims(path) == 1
            await cache.put(key(1), answer())

        with_cache(path, body)

    def test_who_is_alive(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cache_owners, "AWAY_S", 0.05)
        me, watch = myself(), Watch()
        assert watch.alive(me)
        if me.started:
            assert not watch.alive(me._replace(started="1"))  # another process had the number
        away = Owner("far", "elsewhere", 1, "1")
        for beat in range(4):
            assert watch.alive(away._replace(beat=beat))
            time.sleep(0.03)
        time.sleep(0.05)
        assert not watch.alive(away._replace(beat=3))

    def test_clearing_while_another_process_works(self, path: Path) -> None:
        process = script(
            """
            async def one(cache, n):
                if await cache.lookup(key(n)) is None:
                    await asyncio.sleep(0.02)
                    await cache.put(key(n), answer("x" * 5000))
            async def main(cache):
                for start in range(0, 2000, 50):
                    await asyncio.gather(*[one(cache, start + n) for n in range(50)])
                    say(start)
            """,
            path,
        )
        assert process.stdout is not None
        process.stdout.readline()
        removed = 0
        while process.poll() is None:
            removed += clear(path).removed
            time.sleep(0.05)
        out, err = process.communicate()
        assert (out.splitlines()[-1], err) == ("1950", "")
        assert removed > 50
        assert removed + stats(path).answers == 2000


class TestFaults:
    """Each is one line that names the file and says what to do; nothing hangs."""

    @staticmethod
    def says(path: Path, words: str, body: Body | None = None) -> None:
        async def look(cache: Cache) -> None:
            await cache.lookup(key(1))

        with pytest.raises(DataError) as caught:
            with_cache(path, body or look)
        line = str(caught.value)
        assert line.startswith(str(path)), line
        assert words in line, line
        assert "--no-cache" in line, line
        assert "\n" not in line

    @pytest.fixture
    def filled(self, path: Path) -> Path:
        async def fill(cache: Cache) -> None:
            await asyncio.gather(*[cache.put(key(n), answer("x" * 5000)) for n in range(100)])

        with_cache(path, fill)
        return path

    def test_not_a_database(self, path: Path) -> None:
        path.parent.mkdir()
        path.write_bytes(b"not a database at all" * 1000)
        self.says(path, "`rationalerm cache clear`")
        with pytest.raises(DataError, match="not a readable cache"):
            stats(path)
        with pytest.raises(DataError, match="not a readable cache"):
            clear(path, model="m")  # not what was asked for
        assert clear(path).whole
        assert not path.exists()
        with_cache(path, lambda cache: cache.put(key(1), answer()))

    def test_torn_pages(self, filled: Path) -> None:
        with filled.open("r+b") as file:
            for page in range(2, 60):
                file.seek(page * 4096)
                file.write(os.urandom(4096))

        async def read(cache: Cache) -> None:
            await asyncio.gather(*[cache.lookup(key(n)) for n in range(100)])

        self.says(filled, "not a readable cache", read)
        clear(filled)
        with_cache(filled, lambda cache: cache.put(key(1), answer()))
        assert stats(filled).answers == 1

    def test_cut_off(self, filled: Path) -> None:
        os.truncate(filled, 20_000)
        self.says(filled, "not a readable cache")
        assert clear(filled).whole

    def test_another_text_in_the_page(self, filled: Path) -> None:
        """SQLite itself would not see it."""
        data = filled.read_bytes()
        filled.write_bytes(data.replace(b"x" * 500, b"y" * 500))

        async def read(cache: Cache) -> None:
            await cache.lookup(key(7))

        self.says(filled, "checksum", read)

    def test_another_version_and_another_program(self, filled: Path, tmp_path: Path) -> None:
        db = sqlite3.connect(filled)
        db.execute("PRAGMA user_version = 7")
        db.close()
        self.says(filled, "another version of rationalerm")
        assert clear(filled).whole
        foreign = tmp_path / "foreign.sqlite"
        db = sqlite3.connect(foreign)
        db.execute("CREATE TABLE bookmarks (a)")
        db.close()
        before = foreign.read_bytes()
        self.says(foreign, "another program's")
        with pytest.raises(DataError, match="another program's"):
            clear(foreign)
        assert foreign.read_bytes() == before

    def test_an_empty_file_is_an_empty_cache(self, path: Path) -> None:
        path.parent.mkdir()
        path.touch()
        assert stats(path).answers == 0
        with_cache(path, lambda cache: cache.put(key(1), answer()))

    def test_a_file_where_the_folder_should_be(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        self.says(tmp_path / "file" / "chat.sqlite", "RATIONALERM_CACHE_DIR")
        (tmp_path / "dir" / "chat.sqlite").mkdir(parents=True)
        self.says(tmp_path / "dir" / "chat.sqlite", "RATIONALERM_CACHE_DIR")

    @pytest.mark.parametrize("there", [False, True])
    def test_unwritable(self, there: bool, path: Path) -> None:
        if there:
            with_cache(path, lambda cache: cache.put(key(1), answer()))
            path.chmod(0o400)
        else:
            path.parent.mkdir()
        path.parent.chmod(0o500)
        code = "import encodings.idna, concurrent.futures.thread\n"
        code += "if os.geteuid() == 0: os.seteuid(65534)\n"
        parents = [parent for parent in path.parents[1:] if parent.stat().st_uid == os.geteuid() and parent != Path("/")]
        for parent in parents[:3]:  # pytest's own folders are closed to others
            parent.chmod(0o755)
        out, err = script(code + "async def main(cache): say(await cache.lookup(key(1)))", path).communicate(timeout=10)
        path.parent.chmod(0o700)
        assert "Permission denied" in out, out + err
        assert "RATIONALERM_CACHE_DIR" in out
        assert (out.count("\n"), err) == (1, "")

    FILL = """
    async def put(cache, n):
        try:
            await cache.lookup(key(n))
            await cache.put(key(n), answer(os.urandom(2500).hex()))
            return n
        except DataError as error:
            return error
    async def main(cache):
        {limit}
        done = await asyncio.wait_for(asyncio.gather(*[put(cache, n) for n in range(300)]), 20)
        kept = [n for n in done if isinstance(n, int)]
        more = await asyncio.wait_for(put(cache, 1000), 1)
        assert str(more) == str(next(e for e in done if isinstance(e, DataError)))
        say(len(kept), more)
        raise more
    """

    def test_a_limit_on_file_size(self, path: Path) -> None:
        limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))"
        out, err = script(textwrap.dedent(self.FILL.format(limit=limit)), path).communicate(timeout=30)
        assert err == ""
        first, last = out.splitlines()
        assert "the cache can't be read or written" in first
        assert "--no-cache" in last
        assert stats(path).answers >= int(first.split()[0])

    def test_a_full_disk(self, tmp_path: Path) -> None:
        mount = tmp_path / "small"
        mount.mkdir()
        shell = shutil.which("unshare") and ["unshare", "-rm", "sh", "-c"]
        mounting = f"mount -t tmpfs -o size=600k none {mount}"
        if not shell or subprocess.run([*shell, mounting], capture_output=True).returncode:
            pytest.skip("no mount of our own here")
        admin = "import sys; from pathlib import Path; from rationalerm.llm.cache_admin import *; p = Path(sys.argv[1]);"
        then = f"{sys.executable} -c '{admin} print(stats(p).answers); print(clear(p)); print(stats(p).answers)' {mount}/c.sqlite"
        prefix = (*shell, f'{mounting} && "$@"; cat /dev/zero > {mount}/zeros 2>/dev/null; {then}', "sh")
        process = script(textwrap.dedent(self.FILL.format(limit="")), f"{mount}/c.sqlite", prefix=prefix)
        out, err = process.communicate(timeout=30)
        assert err == "", err
        said, raised, before, cleared, after = out.splitlines()
        assert "its disk is full; free some room" in said
        assert raised.startswith("DataError")
        assert int(before) >= int(said.split()[0])
        assert f"removed={before}, left=0" in cleared
        assert after == "0"

    def test_a_lock_that_stays(self, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cache_store, "PATIENCE_S", 0.3)
        lock = sqlite3.connect(filled, isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")

        async def body(cache: Cache) -> None:
            assert await cache.lookup(key(1)) == answer("x" * 5000)  # reading needs no lock
            await cache.lookup(key(1000))

        async def more(cache: Cache) -> None:
            tasks = [asyncio.create_task(cache.lookup(key(n))) for n in (1000, 1000, 1001)]
            await asyncio.wait(tasks)
            assert all("locked" in str(task.exception()) for task in tasks)
            started = time.monotonic()
            for call in (cache.lookup(key(1)), cache.put(key(1), answer()), cache.reject([key(1)])):
                with pytest.raises(DataError, match="locked"):
                    await call
            assert time.monotonic() - started < 0.25  # one wait for the lock takes 0.3
            await cache.release(key(1))

        self.says(filled, "keeps the cache locked", body)
        with_cache(filled, more)
        lock.execute("ROLLBACK")
        lock.close()

    def test_tasks_that_wait_for_a_holder_hear_of_a_fault(self, path: Path) -> None:
        """The holder's put fails: whoever waits for it must not wait for ever."""

        async def body(cache: Cache) -> None:
            await cache.lookup(key(1))
            waits = asyncio.create_task(cache.lookup(key(1)))
            await asyncio.sleep(0)
            cache._thread.error = DataError("gone", source=str(path))
            with pytest.raises(DataError, match="gone"):
                await cache.put(key(1), answer())
            with pytest.raises(DataError, match="gone"):
                await waits

        with_cache(path, body)


class TestStore:
    def test_a_file_system_without_a_log(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = sqlite3.connect

        def dotfile(name: Path, **options: Any) -> sqlite3.Connection:
            return real(f"file:{name}?vfs=unix-dotfile", uri=True, **options)

        monkeypatch.setattr(sqlite3, "connect", dotfile)
        store = Store(path)
        mode, sync = (store.db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous"))
        store.close()
        assert (mode in ("delete", "truncate"), sync) == (True, 2)

    def test_no_more_room_than_needed_after_clearing(self, path: Path) -> None:
        async def fill(cache: Cache) -> None:
            await asyncio.gather(*[cache.put(key(n), answer("x" * 5000, model="ab"[n % 2])) for n in range(600)])

        with_cache(path, fill)
        before = path.stat().st_size
        done = clear(path, model="a")
        assert (done.removed, done.left) == (300, 300)
        assert path.stat().st_size < 0.7 * before
        assert done.freed > 0.3 * before
        assert clear(path, older_than=1).removed == 0
        assert list(stats(path).models) == ["b"]
        assert clear(path, older_than=0).removed == 300
        assert path.stat().st_size < 60_000
