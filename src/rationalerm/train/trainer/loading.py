"""What the libraries say when they can't load something, in our one line."""

from __future__ import annotations

__all__ = ["first_line"]


def first_line(error: Exception) -> str:
    """The first line that says anything; the error's kind where none does."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
