"""What every command that asks a model takes: which model, how fast, for how much. A key has no option: it has a variable."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rationalerm.commands.common import number, print_json, share
from rationalerm.errors import UsageError

if TYPE_CHECKING:
    from rationalerm.llm.settings import ChatSettings
    from rationalerm.run.forecast import Forecast

__all__ = ["add_llm_options", "chat_settings", "failed_finding", "say_usage", "show_forecast"]


def add_llm_options(parser: argparse.ArgumentParser, *, needed: bool = True) -> None:
    """Declares them. `needed`: whether --model has to be there."""
    where = "any OpenAI-compatible server: OPENAI_BASE_URL says where, OPENAI_API_KEY holds the key"
    ask = parser.add_argument_group("the model", where)
    ask.add_argument("--model", required=needed, metavar="M", help="the model, as the server names it")
    ask.add_argument("--base-url", metavar="URL", help="in place of OPENAI_BASE_URL")
    ask.add_argument("--api-key-env", metavar="NAME", help="the variable that holds the key, in place of OPENAI_API_KEY")
    ask.add_argument("--temperature", type=_temperature, default=0.0, metavar="T", help="none: the server's own (default: 0)")
    ask.add_argument("--max-tokens", type=int, metavar="N", help="most tokens of an answer")
    ask.add_argument("--seed", type=int, metavar="S", help="sent along; it makes no server deterministic")
    ask.add_argument("--extra-body", type=_json_object, default={}, metavar="JSON", help="more fields of the request")
    ask.add_argument("--structured", action="store_true", help="ask for output by JSON schema, where the server has it")
    ask.add_argument("--reasoning-as-answer", action="store_true", help="read reasoning_content where the content is empty")
    pace = parser.add_argument_group("pace and cost")
    pace.add_argument("--concurrency", type=int, default=32, metavar="N", help="most requests in flight (default: 32)")
    pace.add_argument("--rpm", type=number, metavar="N", help="most requests a minute")
    pace.add_argument("--tpm", type=number, metavar="N", help="most tokens a minute")
    pace.add_argument("--timeout", type=number, default=600.0, metavar="S", help="seconds for one request (default: 600)")
    pace.add_argument("--max-retries", type=int, default=3, metavar="N", help="of a request that got no answer (default: 3)")
    pace.add_argument("--format-retries", type=int, default=2, metavar="N", help="of an answer that can't be read (default: 2)")
    pace.add_argument("--price-in", type=number, metavar="X", help="currency a million prompt tokens")
    pace.add_argument("--price-out", type=number, metavar="X", help="currency a million answer tokens")
    pace.add_argument("--budget", metavar="X", help="stop there, exit 3: currency (5), or tokens (200000tokens, 1.5Mtokens)")
    pace.add_argument("--max-failed", type=_percentage, metavar="P", help="exit 1 if more rows fail, e.g. 5%% (default: all)")
    pace.add_argument("--no-cache", action="store_true", help="neither use nor keep answers in the cache")
    pace.add_argument("--no-proxy", action="store_true", help="no proxy from the environment (never used for loopback)")
    pace.add_argument("--log-file", metavar="FILE", help="a JSON line for each attempt")
    pace.add_argument("--dry-run", action="store_true", help="print calls, tokens and cost, and send nothing")


def chat_settings(args: argparse.Namespace) -> ChatSettings:
    """The settings that the options say.

    Raises:
        UsageError: a value out of range, a price without the other, no model, a URL with a password in it.
    """
    from rationalerm.llm.endpoint import Endpoint
    from rationalerm.llm.limits import Limits
    from rationalerm.llm.meter import Prices, parse_budget
    from rationalerm.llm.settings import ChatSettings

    if not args.model:
        raise UsageError("no model; name it with --model")
    if (args.price_in is None) != (args.price_out is None):
        raise UsageError("--price-in and --price-out go together")
    prices = Prices(args.price_in, args.price_out) if args.price_in is not None else None
    names = ("temperature", "max_tokens", "seed", "extra_body", "timeout", "structured", "reasoning_as_answer")
    endpoint = Endpoint.from_env(
        args.model,
        base_url=_harmless(args.base_url),
        api_key_env=args.api_key_env,
        **{name: getattr(args, name) for name in names},
    )
    limits = Limits(args.concurrency, args.rpm, args.tpm, args.max_retries, args.format_retries, proxies=not args.no_proxy)
    budget = parse_budget(args.budget, prices) if args.budget is not None else None
    log = Path(args.log_file) if args.log_file else None
    return ChatSettings(endpoint, limits, prices, budget, cache=not args.no_cache, log_file=log)


def failed_finding(failed: int, asked: int, limit: float | None, what: str = "rows", file: str = "failures.jsonl") -> list[str]:
    """A finding where more rows failed than --max-failed allows (without it: where all did)."""
    if not asked or not failed:
        return []
    if limit is None:
        return [f"all {asked} {what} failed ({file} says why)"] if failed == asked else []
    share_failed = failed / asked
    return [f"{failed} of {asked} {what} failed, over --max-failed {limit:.2%}"] if share_failed > limit else []


def say_usage(usage: dict[str, Any]) -> str:
    """What a run used, in a line."""
    imported = f"; {usage['imported']:,} rows imported" if usage.get("imported") else ""
    return f"{usage['said']}; {usage['from_cache']:,} answers from the cache{imported}"


def show_forecast(made: Forecast, args: argparse.Namespace) -> None:
    """What --dry-run prints."""
    if args.json:
        print_json(made._asdict())
        return
    cost = f"{made.cost:.4g}" if made.cost is not None else "unknown (no --price-in, --price-out)"
    print(
        f"{made.rows:,} rows, {made.calls:,} calls to make, about {made.prompt_tokens:,} prompt tokens and "
        f"{made.completion_tokens:,} answer tokens, cost {cost}; answers in the cache cost nothing. Nothing was sent."
    )


def _harmless(url: str | None) -> str | None:
    """A process list shows the command line to everybody on the machine."""
    try:
        parts = urlsplit(url) if url is not None else None
        secret = parts is not None and (parts.username is not None or bool(parts.query))
    except ValueError:
        secret = True
    if secret:
        raise UsageError("--base-url holds a user, a password or a query; put such a URL into OPENAI_BASE_URL")
    return url


def _temperature(text: str) -> float | None:
    return None if text.lower() == "none" else number(text)


def _percentage(text: str) -> float:
    return share(str(float(text.removesuffix("%")) / 100)) if text.endswith("%") else share(text)


def _json_object(text: str) -> dict[str, Any]:
    import json

    try:
        value = json.loads(text)
    except ValueError:
        raise argparse.ArgumentTypeError("is not JSON") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("is not a JSON object")
    return value
