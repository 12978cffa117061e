"""The trainer's libraries, quiet: their progress bars and their notes to each other's developers are not our user's."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["quiet"]


@contextmanager
def quiet() -> Iterator[None]:
    """No bars, no deprecation notes; their warnings about the run itself stay."""
    import datasets
    from transformers.utils import logging

    datasets.disable_progress_bars()
    bars: bool = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            for kind in (FutureWarning, DeprecationWarning, PendingDeprecationWarning):
                warnings.simplefilter("ignore", kind)
            yield
    finally:
        if bars:
            logging.enable_progress_bar()
            datasets.enable_progress_bars()
