"""The folder that `train prepare` writes: whose it is, its files, its card. Knows nothing of how rows are chosen.

prepare.json         options, counts, versions: written first (with `finished: false`), and again at the end
train.parquet        validation.parquet (not with --validation 0)
dropped.jsonl        each row that is in neither, and why
README.md            a dataset card, so that `datasets.load_dataset(DIR)` finds both splits
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from rationalerm.data.log import OneLine, replace_file, write_lines
from rationalerm.errors import DataError, ResumeError
from rationalerm.train.prepare.parquet import write_table

__all__ = ["PreparedDir", "card", "system_turn_of"]

REPORT, CARD, DROPPED = "prepare.json", "README.md", "dropped.jsonl"
_OWN = {REPORT, CARD, DROPPED, "train.parquet", "validation.parquet"}


class PreparedDir:
    """A folder for one configuration; the same configuration writes it anew.

    Args:
        path: made if missing.
        config: what decides what is written.

    Raises:
        ResumeError: it holds another configuration's data, or files that are not its own.
        DataError: it can't be written.
    """

    def __init__(self, path: str | Path, config: dict[str, Any]) -> None:
        self.path = Path(path)
        self._config: dict[str, Any] = orjson.loads(orjson.dumps(config))
        self._check()

    def begin(self) -> None:
        """Makes the folder, marks it as this configuration's and takes out what an earlier run left."""
        with OneLine(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            for old in [*self.path.glob(".*.new"), *(self.path / name for name in _OWN - {REPORT})]:
                old.unlink(missing_ok=True)
        self._json({"config": self._config, "finished": False})

    def write_split(self, split: str, rows: Iterable[dict[str, Any]]) -> int:
        """Writes a split's Parquet file; how many rows."""
        return write_table(self.path / f"{split}.parquet", rows)

    def finish(self, report: dict[str, Any], dropped: Iterable[dict[str, Any]], card: str) -> None:
        """Writes what is said of the data."""
        write_lines(self.path / DROPPED, dropped)
        replace_file(self.path / CARD, [card.encode()])
        self._json({"config": self._config, "finished": True, **report})

    def _json(self, value: dict[str, Any]) -> None:
        replace_file(self.path / REPORT, [orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS) + b"\n"])

    def _check(self) -> None:
        """Refuses what is not this configuration's."""
        with OneLine(self.path):
            try:
                names = {file.name for file in self.path.iterdir()}
            except FileNotFoundError:
                return
        if REPORT not in names:
            if names:
                raise ResumeError(f"{self.path}: holds other files ({min(names)}, ...); give --out another folder")
            return
        try:
            old = orjson.loads((self.path / REPORT).read_bytes())
        except (orjson.JSONDecodeError, OSError) as error:
            raise DataError(f"can't be read: {error}; give --out another folder", source=str(self.path / REPORT)) from None
        before = old.get("config") if isinstance(old, dict) else None
        before = before if isinstance(before, dict) else {}
        for key in sorted({*before, *self._config}):
            if before.get(key) != self._config.get(key):
                raise ResumeError(
                    f"{self.path}: holds data prepared with {key} = {before.get(key)!r}, now {self._config.get(key)!r}; "
                    "give --out another folder"
                )


def card(report: dict[str, Any], splits: Iterable[str]) -> str:
    """The dataset card: the splits for `datasets`, and in short what the data is."""
    names = list(splits)
    head = ["---", "configs:", "- config_name: default", "  data_files:"]
    for name in names:
        head += [f"  - split: {name}", f"    path: {name}.parquet"]
    games, rows = report["games"], report["rows"]
    body = [
        "---",
        "",
        "# Prompts for a generative reward model",
        "",
        f"Made by `rationalerm train prepare` ({report['versions']['rationalerm']}): "
        f"{rows['kept']} of {rows['read']} pairs with a human's side and reasons, "
        + ", ".join(f"{games[name]} games in {name}" for name in names)
        + ".",
        "",
        f"`prompt` is the prompt `{report['prompt']}`; `reward_model.ground_truth` is JSON with `human_reasons`, `label`,",
        "`responses` and `task` (the conversation), in the letters of the game that `prompt` shows. Splits are by prompt: no",
        "conversation, no pair of responses and no near-duplicate stands in both. Counts, seeds and inputs: `prepare.json`;",
        "what was left out and why: `dropped.jsonl`. The licence of the data is that of its sources.",
        "",
    ]
    return "\n".join([*head, *body])


def system_turn_of(folder: str | Path) -> bool:
    """Do a prepared folder's prompts have a system turn? Yes, where nothing says otherwise."""
    try:
        return orjson.loads((Path(folder) / REPORT).read_bytes())["config"]["system_turn"] is not False
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        return True
