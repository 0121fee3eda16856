"""Calls of the API over HTTP, with their retries."""

from __future__ import annotations

import http.client
import json
import time
import urllib.request
from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Union

from .api_errors import ERROR_CLASSES
from .errors import ApiError, NoResponseError
from .retry_delay import read_retry_after, retry_delay

READ_BYTES = 65_536


@dataclass(frozen=True)
class Settings:
    # Not shown where the settings are logged.
    api_key: str = field(repr=False)
    api_secret: str = field(repr=False)
    origin: str
    max_retries: int
    timeout_seconds: float
    deadline_seconds: float


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    """Below `/api/v1/public`."""
    body: Optional[Dict[str, Any]] = None
    idempotency_key: Optional[str] = None


@dataclass(frozen=True)
class _Failure:
    error: Union[ApiError, NoResponseError]
    may_retry: bool
    retry_after: float = 0.0


@dataclass(frozen=True)
class _Success:
    data: Any


class _AnyStatus(urllib.request.HTTPErrorProcessor):
    """Returns every response: a redirect would carry the secret to another address."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


_opener = urllib.request.build_opener(_AnyStatus)


def call_api(settings: Settings, call: Call) -> Any:
    """Makes one call of the API and returns its `data`.

    Repeats it, unchanged and under its idempotency key, where no response arrived or the response
    says that it may be repeated. Raises `ApiError` or `NoResponseError`.
    """
    ends_at = time.monotonic() + settings.deadline_seconds
    body = None if call.body is None else json.dumps(call.body).encode()
    retry = 0
    while True:
        remaining = max(0.001, ends_at - time.monotonic())
        attempt = _attempt(settings, call, body, min(settings.timeout_seconds, remaining))
        if isinstance(attempt, _Success):
            return attempt.data
        delay = retry_delay(retry, attempt.retry_after)
        # A wait that leaves no time for the call after it helps nobody.
        is_too_late = time.monotonic() + delay >= ends_at
        if not attempt.may_retry or retry >= settings.max_retries or is_too_late:
            raise attempt.error
        time.sleep(delay)
        retry += 1


def _attempt(
    settings: Settings, call: Call, body: Optional[bytes], timeout: float
) -> Union[_Success, _Failure]:
    url = f"{settings.origin}/api/v1/public{call.path}"
    headers = {
        "apiKey": settings.api_key,
        "apiSecret": settings.api_secret,
        "Accept": "application/json",
        # Some proxies refuse the default of urllib.
        "User-Agent": "switchboard-client-python",
    }
    if body is not None:
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(url, data=body, headers=headers, method=call.method)
    try:
        with _opener.open(request, timeout=timeout) as response:
            status: int = response.status
            retry_after = read_retry_after(response.headers.get("Retry-After"))
            text = _read(response, time.monotonic() + timeout)
    except (OSError, http.client.HTTPException) as cause:
        error = NoResponseError(
            f"No response to {call.method} {url}: {_reason(cause)}.",
            idempotency_key=call.idempotency_key,
        )
        error.__cause__ = cause
        return _Failure(error, may_retry=True)
    answer = _read_json(text)
    if 200 <= status < 300 and isinstance(answer, dict) and answer.get("success") is True:
        return _Success(answer.get("data"))
    return _failure(answer, status, retry_after, url, call.idempotency_key)


def _failure(
    answer: Any, status: int, retry_after: Optional[float], url: str, idempotency_key: Optional[str]
) -> _Failure:
    if not _is_refusal(answer):
        error = NoResponseError(
            f"{url} returned {status}, but not from the API. "
            "Check the address and any proxy in front of it.",
            status=status,
            idempotency_key=idempotency_key,
        )
        # A proxy in front replied, or the response was cut off.
        may_retry = status >= 500 or status == 429 or 200 <= status < 300
        return _Failure(error, may_retry, retry_after or 0.0)
    details = answer["details"]
    error_class = ERROR_CLASSES.get(answer["error"], ApiError)
    refusal = error_class(
        answer["message"],
        code=answer["error"],
        status=status,
        details=details,
        idempotency_key=idempotency_key,
    )
    asked = details.get("retryAfterSeconds", 0.0) if retry_after is None else retry_after
    return _Failure(refusal, details.get("retryable") is True, float(asked))


def _read(response: Any, ends_at: float) -> bytes:
    """Reads the body; a socket's own timeout does not end one that arrives byte by byte."""
    chunks = []
    while True:
        chunk = response.read1(READ_BYTES)
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        if time.monotonic() > ends_at:
            raise TimeoutError("the response did not end in time")


def _reason(cause: Exception) -> str:
    reason = getattr(cause, "reason", cause)
    return str(reason) or type(reason).__name__


def _is_refusal(answer: Any) -> bool:
    return (
        isinstance(answer, dict)
        and isinstance(answer.get("error"), str)
        and isinstance(answer.get("message"), str)
        and isinstance(answer.get("details"), dict)
    )


def _read_json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
