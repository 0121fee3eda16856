"""Calls of the API over HTTP, with their retries."""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generator, Literal, Optional, Union

from .api_errors import ERROR_CLASSES
from .connections import UNCONNECTED, Request, Response
from .errors import ApiError, NoResponseError, ResponseInfo, SwitchboardError
from .retry_delay import read_retry_after, retry_delay
from .version import __version__


@dataclass(frozen=True)
class AttemptInfo:
    """One attempt of a call, once it has ended. It holds no secret."""

    method: str
    url: str
    attempt: int
    """From 1."""
    duration_seconds: float
    response: Optional[ResponseInfo]
    error: Optional[SwitchboardError]
    retry_in_seconds: Optional[float]
    """How long the client waits before it repeats the call; `None` where it does not."""
    idempotency_key: Optional[str]


@dataclass(frozen=True)
class Settings:
    # Not shown where the settings are logged.
    api_key: str = field(repr=False)
    api_secret: str = field(repr=False)
    origin: str
    max_retries: int
    timeout_seconds: float
    deadline_seconds: float
    on_attempt: Optional[Callable[[AttemptInfo], None]] = None


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    """Below `/api/v1/public`."""
    body: Optional[Dict[str, Any]] = None
    idempotency_key: Optional[str] = None


@dataclass(frozen=True)
class Pause:
    seconds: float


# What a call does, one step after the other, so that one text serves both clients: each makes the
# requests and the pauses in its own way, and sends back the response or throws the failure.
Steps = Generator[Union[Request, Pause], Optional[Response], Any]


class _Result(Dict[str, Any]):
    response: Optional[ResponseInfo] = None


class _Results(list):  # type: ignore[type-arg]
    response: Optional[ResponseInfo] = None


def response_of(result: object) -> Optional[ResponseInfo]:
    """Returns the headers and the request id that came with a result of a client.

    With a list they are those of its last page.
    """
    response = getattr(result, "response", None)
    return response if isinstance(response, ResponseInfo) else None


def listed(templates: Any, page: Any) -> Any:
    results = _Results(templates)
    results.response = response_of(page)
    return results


@dataclass(frozen=True)
class _Outcome:
    data: Any = None
    response: Optional[ResponseInfo] = None
    error: Optional[Union[ApiError, NoResponseError]] = None
    may_retry: bool = False
    retry_after: float = 0.0


def call_steps(settings: Settings, call: Call) -> Steps:
    """Makes one call of the API and returns its `data`.

    Repeats it, unchanged and under its idempotency key, where no response arrived or the response
    says that it may be repeated. Raises `ApiError` or `NoResponseError`.
    """
    try:
        return (yield from _attempts(settings, call))
    except SwitchboardError:
        raise
    except BaseException as error:
        # KeyboardInterrupt, CancelledError, a task queue's time limit: the send may have been made.
        if call.idempotency_key is not None:
            error.idempotency_key = call.idempotency_key  # type: ignore[attr-defined]
        raise


def _attempts(settings: Settings, call: Call) -> Steps:
    ends_at = time.monotonic() + settings.deadline_seconds
    body = None if call.body is None else json.dumps(call.body).encode()
    attempt = 0
    was_connected = False
    while True:
        attempt += 1
        started_at = time.monotonic()
        timeout = min(settings.timeout_seconds, max(0.001, ends_at - started_at))
        request = _request(settings, call, body, timeout)
        try:
            response = yield request
        except (OSError, http.client.HTTPException) as cause:
            was_connected = was_connected or not isinstance(cause, UNCONNECTED)
            error = _no_response(request, call, cause, "unknown" if was_connected else "not_sent")
            outcome = _Outcome(error=error, may_retry=True)
        else:
            was_connected = True
            assert response is not None
            outcome = _read_response(response, request.url, call.idempotency_key)
        pause = retry_delay(attempt - 1, outcome.retry_after)
        # A wait that leaves no time for the call after it helps nobody.
        is_in_time = attempt <= settings.max_retries and time.monotonic() + pause < ends_at
        is_repeated = outcome.may_retry and is_in_time
        _report(
            settings,
            AttemptInfo(
                method=call.method,
                url=request.url,
                attempt=attempt,
                duration_seconds=time.monotonic() - started_at,
                response=outcome.response,
                error=outcome.error,
                retry_in_seconds=pause if is_repeated else None,
                idempotency_key=call.idempotency_key,
            ),
        )
        if outcome.error is None:
            return outcome.data
        if not is_repeated:
            raise outcome.error
        yield Pause(pause)


def _report(settings: Settings, attempt: AttemptInfo) -> None:
    if settings.on_attempt is None:
        return
    try:
        settings.on_attempt(attempt)
    except Exception:
        # A hook that fails must not make a sent message look like one that was not.
        pass


def _request(settings: Settings, call: Call, body: Optional[bytes], timeout: float) -> Request:
    headers = {
        "apiKey": settings.api_key,
        "apiSecret": settings.api_secret,
        "Accept": "application/json",
        "User-Agent": f"switchboard-client-python/{__version__}",
    }
    if body is not None:
        headers["Content-Type"] = "application/json"
    url = f"{settings.origin}/api/v1/public{call.path}"
    return Request(call.method, url, headers, body, timeout)


def _no_response(
    request: Request, call: Call, cause: Exception, outcome: Literal["not_sent", "unknown"]
) -> NoResponseError:
    reason = str(cause) or type(cause).__name__
    error = NoResponseError(
        f"No response to {request.method} {request.url}: {reason}.",
        outcome=outcome,
        idempotency_key=call.idempotency_key,
    )
    error.__cause__ = cause
    return error


def _read_response(response: Response, url: str, idempotency_key: Optional[str]) -> _Outcome:
    status, headers = response.status, http.client.HTTPMessage()
    for name, value in response.headers.items():
        headers[name] = value
    info = ResponseInfo(status, headers, headers.get("X-Request-Id"))
    answer = _read_json(response.body)
    if 200 <= status < 300 and isinstance(answer, dict) and answer.get("success") is True:
        data = _Result(answer.get("data") or {})
        data.response = info
        return _Outcome(data=data, response=info)
    retry_after = read_retry_after(headers.get("Retry-After"))
    if not _is_refusal(answer):
        error = NoResponseError(
            f"{url} returned {status}, but not from the API. "
            "Check the address and any proxy in front of it.",
            status=status,
            idempotency_key=idempotency_key,
            response=info,
        )
        # A proxy in front replied, or the response was cut off.
        may_retry = status >= 500 or status == 429 or 200 <= status < 300
        return _Outcome(None, info, error, may_retry, retry_after or 0.0)
    details = answer["details"]
    error_class = ERROR_CLASSES.get(answer["error"], ApiError)
    refusal = error_class(
        answer["message"],
        code=answer["error"],
        status=status,
        details=details,
        idempotency_key=idempotency_key,
        response=info,
    )
    asked = details.get("retryAfterSeconds", 0.0) if retry_after is None else retry_after
    return _Outcome(None, info, refusal, details.get("retryable") is True, float(asked))


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
