"""How far a run over an endpoint is: a live block on a terminal, a plain line every ten seconds elsewhere, on stderr.

done/total, rows a second, requests in flight of those allowed now, retries, tokens, cost so far and expected, time left.
"""

from __future__ import annotations

import asyncio
import sys
import time

from rich.console import Console
from rich.live import Live as Block
from rich.text import Text

from rationalerm.llm.client import Chat

__all__ = ["Live"]

_TTY_S, _PLAIN_S = 0.5, 10.0


class Live:
    """Counts finished rows and shows them.

    Args:
        what: the word for rows.
        total: how many there will be.
        chat: whose counts are shown.
        show: False: count only.
    """

    def __init__(self, what: str, total: int, chat: Chat, *, show: bool = True) -> None:
        self.finished = self.failed = self.asked = 0
        self._what, self._total, self._chat, self._show = what, total, chat, show
        self._console = Console(file=sys.stderr, highlight=False, markup=False)
        self._block: Block | None = None
        self._task: asyncio.Task[None] | None = None
        self._start = time.monotonic()

    def done(self, *, failed: bool = False, asked: bool = True) -> None:
        """One row more. `asked`: the endpoint was asked for it; what was on disk already says nothing of cost and time."""
        self.finished += 1
        self.failed += failed
        self.asked += asked

    def start(self) -> None:
        """Begins to show."""
        if not self._show:
            return
        if self._console.is_terminal:
            self._block = Block(console=self._console, auto_refresh=False, transient=True)
            self._block.start()
        self._task = asyncio.ensure_future(self._keep_showing())

    def close(self) -> None:
        """Ends it, leaving the screen as it was."""
        if self._task:
            self._task.cancel()
        if self._block:
            self._block.stop()

    async def _keep_showing(self) -> None:
        while True:
            await asyncio.sleep(_TTY_S if self._block else _PLAIN_S)
            lines = self.lines()
            if self._block:
                self._block.update(Text("\n".join(lines)), refresh=True)
            else:
                print("; ".join(lines), file=self._console.file, flush=True)

    def lines(self) -> list[str]:
        """What is shown."""
        meter, sender = self._chat.meter, self._chat.sender
        seconds = max(1e-9, time.monotonic() - self._start)
        rate = self.asked / seconds
        left = f", {_clock((self._total - self.finished) / rate)} left" if rate else ""
        failed = f", {self.failed:,} failed" if self.failed else ""
        gate = sender.gate if sender else None
        flight = f"{gate.open} in flight of {gate.limit} allowed (at most {gate.most})" if gate else ""
        return [
            f"{self.finished:,}/{self._total:,} {self._what}{failed}, {rate:.1f}/s{left}",
            f"{flight}, {meter.retries:,} retries, {meter.cached:,} from the cache",
            f"{meter.tokens:,} tokens, {self._cost()}",
        ]

    def _cost(self) -> str:
        cost = self._chat.meter.cost
        if cost is None:
            return "cost unknown (no prices)"
        to_come = self._total - self.finished
        expected = f" of {cost * (1 + to_come / self.asked):.4g} expected" if self.asked else ""
        return f"cost {cost:.4g}{expected}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
