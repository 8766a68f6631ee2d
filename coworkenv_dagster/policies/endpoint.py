"""A policy behind an OpenAI-compatible chat endpoint (vLLM, llama.cpp server, a hosted model)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_random_exponential,
)

from coworkenv_dagster.policies.base import Message, Reply, ToolCall, Turn

MAX_ANSWER_BYTES = 4_000_000
"""A larger answer is refused: no chat completion needs it."""

_LONGEST_WAIT_S = 30.0


class _Transient(Exception):
    """Worth another try: a time-out, a dropped connection, 429, 5xx."""

    def __init__(self, text: str, retry_after_s: float | None = None) -> None:
        super().__init__(text)
        self.retry_after_s = retry_after_s


class EndpointPolicy:
    """Asks a chat-completions endpoint for each reply; what fails for good is an error reply.

    Args:
        base_url: Root of the API, for example `http://localhost:8000/v1`.
        model: Model name sent with each request.
        api_key: Bearer token; empty for none.
        temperature: Sampling temperature.
        max_tokens: Most tokens of one reply.
        timeout_s: Seconds to wait for one answer.
        attempts: Tries for one reply, the first included.
        concurrency: Requests in flight at a time.
        transport: For tests: how httpx reaches the server.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str = "",
        temperature: float = 0.0,
        max_tokens: int = 1024,
        timeout_s: float = 120.0,
        attempts: int = 4,
        concurrency: int = 16,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.name = model
        self._model = model
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._attempts = attempts
        self._concurrency = concurrency
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=timeout_s,
            limits=httpx.Limits(max_connections=concurrency),
            transport=transport,
        )

    def act(self, turns: Sequence[Turn]) -> list[Reply]:
        """Gives one reply for each turn, asked for concurrently."""
        if len(turns) == 1:
            return [self._reply(turns[0])]
        with ThreadPoolExecutor(max_workers=self._concurrency) as pool:
            return list(pool.map(self._reply, turns))

    def release(self, episode: str) -> None:
        """Has nothing to forget: the server keeps the cache."""

    def _reply(self, turn: Turn) -> Reply:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": wire_messages(turn.messages),
            "temperature": self._temperature,
            "max_tokens": self._max_tokens,
            "seed": turn.seed % 2**31,
        }
        if turn.tools:
            body["tools"] = list(turn.tools)
        retrying = Retrying(
            retry=retry_if_exception_type(_Transient),
            stop=stop_after_attempt(self._attempts),
            wait=_wait,
            reraise=True,
        )
        try:
            return read_completion(retrying(self._post, body))
        except (_Transient, httpx.HTTPError, ValueError) as error:
            return Reply(error=f"{self._client.base_url}: {error}")

    def _post(self, body: dict[str, Any]) -> Any:
        try:
            with self._client.stream("POST", "chat/completions", json=body) as response:
                chunks, size = [], 0
                for chunk in response.iter_bytes():
                    size += len(chunk)
                    if size > MAX_ANSWER_BYTES:
                        raise ValueError(f"the answer is larger than {MAX_ANSWER_BYTES} bytes")
                    chunks.append(chunk)
        except (httpx.TimeoutException, httpx.TransportError) as error:
            raise _Transient(f"{type(error).__name__}: {error}") from error
        text = b"".join(chunks).decode("utf-8", "replace")
        if response.status_code == 429 or response.status_code >= 500:
            raise _Transient(
                f"HTTP {response.status_code}", _seconds(response.headers.get("Retry-After"))
            )
        if response.status_code >= 400:
            raise ValueError(f"HTTP {response.status_code}: {text[:300]}")
        try:
            return json.loads(text)
        except ValueError:
            raise _Transient(f"the answer is not JSON: {text[:120]!r}") from None


def wire_messages(messages: Sequence[Message]) -> list[Message]:
    """Gives messages as the API wants them: arguments as text, no result without its call."""
    wire: list[Message] = []
    asked: set[str] = set()
    for message in messages:
        if message["role"] == "assistant" and message.get("tool_calls"):
            asked |= {call["id"] for call in message["tool_calls"]}
            calls = [
                {
                    **call,
                    "function": {
                        "name": call["function"]["name"],
                        "arguments": json.dumps(call["function"]["arguments"], ensure_ascii=False),
                    },
                }
                for call in message["tool_calls"]
            ]
            wire.append({"role": "assistant", "content": message["content"], "tool_calls": calls})
        elif message["role"] == "tool" and message["tool_call_id"] not in asked:
            # The call could not be read, so it stands in no assistant message.
            wire.append({"role": "user", "content": message["content"]})
        else:
            wire.append(dict(message))
    return wire


def read_completion(answer: Any) -> Reply:
    """Reads a chat completion.

    Raises:
        ValueError: It isn't one; the message says what is missing.
    """
    try:
        message = answer["choices"][0]["message"]
        content = message.get("content") or ""
        raw_calls = message.get("tool_calls") or []
        calls = [(call["function"]["name"], call["function"]["arguments"]) for call in raw_calls]
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ValueError(f"not a chat completion: {str(answer)[:200]}") from None
    usage = answer.get("usage") or {}
    meta = {"completion_tokens": usage["completion_tokens"]} if "completion_tokens" in usage else {}
    prompt_tokens = int(usage.get("prompt_tokens") or 0)
    read: list[ToolCall] = []
    for name, arguments in calls:
        try:
            parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict) or not isinstance(name, str):
            return Reply(
                content=str(content),
                malformed=f"{name}({arguments})",
                prompt_tokens=prompt_tokens,
                meta=meta,
            )
        read.append(ToolCall(name, parsed))
    return Reply(
        content=str(content), tool_calls=tuple(read), prompt_tokens=prompt_tokens, meta=meta
    )


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, _Transient) and error.retry_after_s is not None:
        return min(error.retry_after_s, _LONGEST_WAIT_S)
    return float(wait_random_exponential(multiplier=0.5, max=_LONGEST_WAIT_S)(state))


def _seconds(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None
