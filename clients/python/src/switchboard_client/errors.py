"""What this client raises."""

from __future__ import annotations

from dataclasses import dataclass
from http.client import HTTPMessage
from typing import Any, Dict, Literal, Optional, Tuple, Type

from .resources import ErrorDetails

WebhookFault = Literal["header", "timestamp", "signature", "body", "secret"]


@dataclass(frozen=True)
class ResponseInfo:
    """What arrived with a result or a refusal. `request_id` identifies the call in the dashboard."""

    status: int
    headers: HTTPMessage
    request_id: Optional[str]


class SwitchboardError(Exception):
    """What this client raises.

    `idempotency_key` is that of a failed send: repeat the send with it, and it is never sent twice.
    `response` is the last response, if there was one.
    """

    def __init__(
        self,
        message: str,
        *,
        idempotency_key: Optional[str] = None,
        response: Optional[ResponseInfo] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.idempotency_key = idempotency_key
        self.response = response

    def __reduce__(self) -> Any:
        # Task queues pickle errors, and would otherwise call the class with the message alone.
        return _restore, (type(self), self.args, self.__dict__)


def _restore(
    error_class: Type[SwitchboardError], args: Tuple[Any, ...], state: Dict[str, Any]
) -> SwitchboardError:
    error = error_class.__new__(error_class)
    error.args = args
    error.__dict__.update(state)
    return error


class ApiError(SwitchboardError):
    """A refusal by the API.

    Each code has a class of its own, such as `ValidationError`; a code that this version does not
    know is an `ApiError`. `status` is the HTTP status, and `details["docsUrl"]` a page that says
    what to do.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        details: ErrorDetails,
        idempotency_key: Optional[str] = None,
        response: Optional[ResponseInfo] = None,
    ) -> None:
        super().__init__(message, idempotency_key=idempotency_key, response=response)
        self.code = code
        self.status = status
        self.details = details


class NoResponseError(SwitchboardError):
    """No response of the API arrived, even after the retries.

    It was unreachable or too slow, or something else replied. A send may or may not have reached
    it (`outcome` is `unknown`), so repeat it with `idempotency_key`; where no attempt found a
    connection it is `not_sent`. `status` is the HTTP status, if there was one.
    """

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int] = None,
        outcome: Literal["not_sent", "unknown"] = "unknown",
        idempotency_key: Optional[str] = None,
        response: Optional[ResponseInfo] = None,
    ) -> None:
        super().__init__(message, idempotency_key=idempotency_key, response=response)
        self.status = status
        self.outcome = outcome


class WebhookVerificationError(SwitchboardError):
    """A webhook that must not be trusted; `fault` says which part of it is wrong.

    Respond to it with 401; the fault `secret` is your own configuration's.
    """

    def __init__(self, fault: WebhookFault, message: str) -> None:
        super().__init__(message)
        self.fault: WebhookFault = fault
