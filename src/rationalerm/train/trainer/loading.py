"""What the libraries say when they can't load, train or save something, in our one line. Knows nothing of trainers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rationalerm.errors import DataError, RationalermError, StoppedError

__all__ = ["first_line", "loading", "training"]

_UNWRITTEN = ("inline_container", "PytorchStreamWriter", "No space left", "File too large", "Disk quota")
_DIVERGED = "probability tensor contains"


def first_line(error: BaseException) -> str:
    """The first line that says anything; the error's kind where none does."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


@contextmanager
def loading(policy: str) -> Iterator[None]:
    """Whatever the libraries raise on a folder that is no model, or a broken one, as one line.

    Raises:
        DataError: anything but our own errors.
    """
    try:
        yield
    except RationalermError:
        raise
    except Exception as error:  # each library has its own: safetensors', jinja's, pickle's, RuntimeError, AttributeError, ...
        raise DataError(f"can't be trained: {first_line(error)}", source=policy) from error


@contextmanager
def training(out: str) -> Iterator[None]:
    """What ends a training from outside, as one line: a full disk, too little memory, weights that are no numbers any more.

    Args:
        out: the run directory.

    Raises:
        DataError: something could not be written.
        StoppedError: too little memory, or the training diverged.
    """
    try:
        yield
    except (OSError, RationalermError):
        raise
    except Exception as error:
        said = str(error)
        if any(words in said for words in _UNWRITTEN):
            advice = "can't be written (is the disk full?); free some room and run the same command again"
            raise DataError(f"{advice}, it goes on from the last whole checkpoint", source=out) from error
        if type(error).__name__ == "OutOfMemoryError" or "can't allocate memory" in said:
            raise StoppedError("not enough memory; lower device_batch or the lengths, then run the same command again") from error
        if _DIVERGED in said:
            raise StoppedError("the policy's probabilities are no numbers any more: it diverged; lower learning_rate") from error
        raise
