"""Asking from sync code: results, errors, other loops and threads, Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from rationalerm.llm.loop import run_in_loop, the_loop


async def later(value: int) -> int:
    await asyncio.sleep(0.01)
    return value


async def broken() -> None:
    await asyncio.sleep(0)
    raise ValueError("broken")


def test_results_and_errors() -> None:
    assert run_in_loop(later(3)) == 3
    with pytest.raises(ValueError, match="broken"):
        run_in_loop(broken())


def test_inside_a_running_loop() -> None:
    async def outer() -> int:
        return run_in_loop(later(4))

    assert asyncio.run(outer()) == 4


def test_from_many_threads() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda k: run_in_loop(later(k)), range(50))) == list(range(50))
    assert the_loop() is the_loop()


def test_its_own_loop_can_not_wait_for_itself() -> None:
    async def outer() -> None:
        run_in_loop(later(1))

    with pytest.raises(RuntimeError, match="await"):
        run_in_loop(outer())


def test_an_interrupted_run_has_come_to_its_end() -> None:
    """What is open is closed before KeyboardInterrupt goes on."""
    closed: list[float] = []
    started = threading.Event()

    async def slow() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.2)
            closed.append(time.monotonic())

    def interrupt() -> None:
        started.wait(10)
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run_in_loop(slow())
    assert len(closed) == 1
    thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_gets_a_loop_of_its_own() -> None:
    assert run_in_loop(later(1)) == 1
    with warnings.catch_warnings(action="ignore"):  # newer Pythons warn of threads here
        child = os.fork()
    if child == 0:
        signal.alarm(30)  # never a hanging suite
        try:
            os._exit(run_in_loop(later(7)))
        finally:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
