"""What servers send when something goes wrong, in their own wordings, each as a named answer of the fake endpoint.

The wordings are facts about servers (OpenAI, vLLM, SGLang, llama.cpp, TGI, Mistral), as users quote them in bug reports.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from answers import Answered

__all__ = [
    "TOO_LONG",
    "TOO_MUCH_ASKED",
    "UNSUPPORTED",
    "cut_mid_body",
    "dropped",
    "empty_choices",
    "error",
    "filtered",
    "hang",
    "html",
    "no_model",
    "null_content",
    "quota",
    "rate_limited",
    "reset_mid_body",
    "server_error",
    "slow_drip",
    "too_long",
    "too_much_asked",
    "truncated",
    "unauthorised",
    "unsupported",
    "white_space",
    "wrong_type",
]


def error(
    status: int, words: str, kind: str = "invalid_request_error", *, param: str | None = None, code: Any = None
) -> Answered:
    """Any error in OpenAI's form; vLLM since 0.10 has it too, with the status as code."""
    return _json(status, {"error": {"message": words, "type": kind, "param": param, "code": code}})


def _flat(status: int, words: Any, kind: str = "BadRequestError", *, code: Any = None) -> Answered:
    """In the form of SGLang and the older vLLM: nothing around it."""
    return _json(status, {"object": "error", "message": words, "type": kind, "param": None, "code": code or status})


def _json(status: int, value: Any) -> Answered:
    return Answered(status=status, raw=json.dumps(value))


_WINDOW = "This model's maximum context length is 8192 tokens"

# The prompt alone (9,000 tokens) is larger than the window.
TOO_LONG: dict[str, Answered] = {
    "openai": error(
        400,
        f"{_WINDOW}. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
        param="messages",
        code="context_length_exceeded",
    ),
    "openai 2025": error(
        400,
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        param="input",
        code="context_length_exceeded",
    ),
    "openai characters": error(
        400,
        "Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576, but got a string with "
        "length 1200000 instead.",
        param="messages[0].content",
        code="string_above_max_length",
    ),
    "vllm 0.6": _flat(
        400,
        f"{_WINDOW}. However, you requested 10024 tokens (9000 in the messages, 1024 in the completion). Please reduce the "
        "length of the messages or completion.",
    ),
    "vllm 0.9": _flat(
        400,
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no "
        "smaller than the number of text tokens.",
    ),
    "vllm 0.11": error(
        400,
        f"{_WINDOW}. However, your request has 9000 input tokens. Please reduce the length of the input messages. None",
        "BadRequestError",
        code=400,
    ),
    "vllm 0.15": error(
        400,
        f"{_WINDOW}. However, your request has 9000 input tokens. Please reduce the length of the input messages. "
        "(parameter=input_tokens, value=9000)",
        "BadRequestError",
        param="input_tokens",
        code=400,
    ),
    "sglang": _flat(400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."),
    "llama.cpp": _json(
        400,
        {
            "error": {
                "code": 400,
                "message": "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 9000,
                "n_ctx": 8192,
            }
        },
    ),
    "llama.cpp 2025": _json(
        500,
        {
            "error": {
                "code": 500,
                "message": "the request exceeds the available context size. try increasing the context size or enable "
                "context shift",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 9000,
                "n_ctx": 8192,
            }
        },
    ),
    "tgi": _json(
        422,
        {"error": "Input validation error: `inputs` must have less than 8192 tokens. Given: 9000", "error_type": "validation"},
    ),
    "mistral": _flat(
        400,
        "Prompt contains 9000 tokens, too large for model with 8192 maximum context length",
        "invalid_request_prompt",
        code="3051",
    ),
}

# The prompt (7,000 tokens) fits the window of 8,192; prompt and max_tokens (4,096) together do not.
TOO_MUCH_ASKED: dict[str, Answered] = {
    "openai": error(
        400,
        f"{_WINDOW}. However, you requested 11096 tokens (7000 in the messages, 4096 in the completion). Please reduce the "
        "length of the messages or completion.",
        param="messages",
        code="context_length_exceeded",
    ),
    "vllm 0.10": error(
        400,
        f"'max_tokens' or 'max_completion_tokens' is too large: 4096. {_WINDOW} and your request has 7000 input tokens "
        "(4096 > 8192 - 7000). None",
        "BadRequestError",
        code=400,
    ),
    "vllm 0.15": error(
        400,
        f"{_WINDOW}. However, you requested 4096 output tokens and your prompt contains at least 7000 input tokens. Please "
        "reduce the length of the input prompt or the number of requested output tokens.",
        "BadRequestError",
        code=400,
    ),
    "sglang": _flat(
        400,
        "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 11096 tokens: "
        "7000 tokens from the input messages and 4096 tokens for the completion. Please reduce the number of tokens in the input "
        "messages or the completion to fit within the limit.",
    ),
    "tgi": _json(
        422,
        {
            "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 7000 `inputs` tokens "
            "and 4096 `max_new_tokens`",
            "error_type": "validation",
        },
    ),
}

# A field that the model or the server does not take.
UNSUPPORTED: dict[str, Answered] = {
    "max_tokens": error(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        param="max_tokens",
        code="unsupported_parameter",
    ),
    "temperature": error(
        400,
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        param="temperature",
        code="unsupported_value",
    ),
    "temperature at all": error(
        400,
        "Unsupported parameter: 'temperature' is not supported with this model.",
        param="temperature",
        code="unsupported_parameter",
    ),
    "response_format": error(
        400,
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about supported "
        "models at the Structured Outputs guide: https://platform.openai.com/docs/guides/structured-outputs",
    ),
    "response_format type": error(
        400,
        "The parameter `response_format.type` specified in the request are not valid: invalid value: `json_schema`, supported "
        "values are: `json_object` and `text`.",
        "BadRequest",
        param="response_format.type",
        code="InvalidParameter",
    ),
    "seed": _flat(
        422,
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": 7}]},
        "invalid_request_error",
    ),
}


def quota() -> Answered:
    """The account is empty: 429, like a rate limit, and no waiting helps."""
    return error(
        429,
        "You exceeded your current quota, please check your plan and billing details. For more information on this error, read "
        "the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
        "insufficient_quota",
        code="insufficient_quota",
    )


def rate_limited(retry_after: float | str | None = None) -> Answered:
    """Slow down. `retry_after`: seconds or an HTTP date."""
    words = "Rate limit reached for m in organization org-x on requests per min (RPM): Limit 500, Used 500, Requested 1."
    said = error(429, f"{words} Please try again in 120ms.", "requests", code="rate_limit_exceeded")
    return said if retry_after is None else replace(said, headers={"Retry-After": str(retry_after)})


def server_error(status: int = 500) -> Answered:
    """The server's own fault: 500, or 502, 503, 504, 529."""
    return error(status, "The server had an error while processing your request. Sorry about that!", "server_error")


def reset_mid_body(content: str = "half of it") -> Answered:
    """A connection reset (RST) in the middle of the body."""
    return Answered(content, ends="reset")


def cut_mid_body(content: str = "half of it") -> Answered:
    """A connection closed in the middle of the body."""
    return Answered(content, ends="cut")


def dropped() -> Answered:
    """A connection closed in place of an answer, as a server does with a keep-alive connection that has grown old."""
    return Answered(ends="dropped")


def slow_drip(content: str = "slow", seconds: float = 0.2) -> Answered:
    """One byte every so many seconds: bytes keep coming, the answer does not."""
    return Answered(content, drip=seconds)


def hang() -> Answered:
    """Never an answer."""
    return Answered(never=True)


def html(status: int = 200) -> Answered:
    """A gateway's page in place of an answer."""
    page = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>"
    return Answered(status=status, raw=page, content_type="text/html")


def wrong_type(content: str) -> Answered:
    """A good completion under another content type."""
    return Answered(content, content_type="text/plain")


def null_content(reasoning: str | None = "R1 fits S2 <RESULT_START>\n- R1@S2: 0.75", finish_reason: str = "length") -> Answered:
    """A reasoning model that never got to its answer."""
    return Answered(None, reasoning=reasoning, finish_reason=finish_reason)


def truncated(content: str = "First, let me look at R1. It says") -> Answered:
    """Ended by the token limit."""
    return Answered(content, finish_reason="length")


def white_space(content: str = '{\n"matches":' + " " * 400) -> Answered:
    """A grammar-bound model that fills its limit with white space."""
    return Answered(content, finish_reason="length")


def filtered(content: str | None = None) -> Answered:
    """Ended by the content filter."""
    return Answered(content, finish_reason="content_filter")


def empty_choices() -> Answered:
    """200 and no choice."""
    return Answered(choices=0)


def too_long(kind: str = "openai") -> Answered:
    """The prompt is larger than the window, as `kind` says it (a key of TOO_LONG)."""
    return TOO_LONG[kind]


def too_much_asked(kind: str = "openai") -> Answered:
    """Prompt and answer's limit together are larger than the window, as `kind` says it (a key of TOO_MUCH_ASKED)."""
    return TOO_MUCH_ASKED[kind]


def no_model(kind: str = "openai", model: str = "m") -> Answered:
    """No such model, as openai, vllm, ollama say it."""
    if kind == "vllm":
        return _flat(404, f"The model `{model}` does not exist.", "NotFoundError")
    if kind == "ollama":
        return error(404, f'model "{model}" not found, try pulling it first', "api_error")
    return error(404, f"The model `{model}` does not exist or you do not have access to it.", code="model_not_found")


def unauthorised(status: int = 401, repeating: str = "sk-***") -> Answered:
    """The key is refused. `repeating`: what the server repeats of it."""
    words = f"Incorrect API key provided: {repeating}. You can find your API key at https://platform.openai.com/account/api-keys."
    return error(status, words, code="invalid_api_key")


def unsupported(name: str) -> Answered:
    """A field that this model does not take (a key of UNSUPPORTED)."""
    return UNSUPPORTED[name]
