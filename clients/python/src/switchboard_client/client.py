"""The messaging API with one key."""

from __future__ import annotations

import re
import time
import uuid
from typing import Any, Callable, Dict, List, Literal, Optional, cast
from urllib.parse import quote, urlencode, urlsplit

from .errors import ApiError, NoResponseError, SwitchboardError
from .http_calls import Call, Settings, call_api
from .requests import SendRequest, TemplateFilter
from .resources import Message, Template

DEFAULT_ORIGIN = "http://localhost:3000"

# When `wait_for` reads the status, in seconds after it began. Status calls count on the rate limits.
POLL_AT_SECONDS = (5, 15, 60, 300, 1800)

_ADVANCING = ("SENT", "DELIVERED", "READ")


class Switchboard:
    """The messaging API with one key. Keep the secret on your server.

    Every method may raise `ApiError` and `NoResponseError`. One client may serve several threads.
    """

    def __init__(
        self,
        api_key: str,
        api_secret: str,
        *,
        origin: str = DEFAULT_ORIGIN,
        max_retries: int = 3,
        timeout_seconds: float = 20.0,
        deadline_seconds: float = 60.0,
    ) -> None:
        """`origin` is the gateway's address, by default that of a demo on this machine.

        `max_retries` bounds how many times a call is repeated that may be, `timeout_seconds` how
        long the gateway may be silent in one attempt (it responds to a send within 15 seconds), and
        `deadline_seconds` how long a call takes with its retries and the waits between them.
        """
        self._settings = Settings(
            api_key=_check_credential("api_key", api_key),
            api_secret=_check_credential("api_secret", api_secret),
            origin=_read_origin(origin),
            max_retries=max_retries,
            timeout_seconds=timeout_seconds,
            deadline_seconds=deadline_seconds,
        )

    def __repr__(self) -> str:
        return f"Switchboard(origin={self._settings.origin!r})"

    def send(self, request: SendRequest, *, idempotency_key: Optional[str] = None) -> Message:
        """Sends one message and returns it.

        Every attempt has the same idempotency key, so it is sent at most once. Give a key of your
        own, such as the order's number, where your program may itself run twice.

        Where an earlier attempt reached the API, this is the message of that attempt with its
        present status, which may be `PENDING`, `FAILED` or `UNKNOWN`, too. A `ChatGraphError` whose
        details have the outcome `unknown` may have been sent: read its `messageId` until the status
        is known, and do not send it under another key.
        """
        key = idempotency_key or request.get("idempotencyKey") or str(uuid.uuid4())
        # In the body, because a header cannot hold every character that a key may have.
        body: Dict[str, Any] = {**request, "idempotencyKey": key}
        call = Call("POST", "/messages/send", body=body, idempotency_key=key)
        return cast(Message, call_api(self._settings, call))

    def get_message(self, message_id: str) -> Message:
        """Reads a message by the `id` of its send, not by `chatMessageId`.

        Raises `NotFoundError` where there is none.
        """
        path = f"/messages/{quote(message_id, safe='')}"
        return cast(Message, call_api(self._settings, Call("GET", path)))

    def list_templates(self, filters: Optional[TemplateFilter] = None) -> List[Template]:
        """Reads the approved templates, page after page."""
        templates: List[Template] = []
        query = {name: value for name, value in (filters or {}).items() if value is not None}
        query["limit"] = "100"
        while True:
            page = call_api(self._settings, Call("GET", f"/templates?{urlencode(query)}"))
            templates.extend(page["templates"])
            cursor = page.get("nextCursor")
            if cursor is None:
                return templates
            query["cursor"] = cursor

    def wait_for(
        self,
        message_id: str,
        *,
        until: Literal["SENT", "DELIVERED", "READ"] = "DELIVERED",
        timeout_seconds: float = 1800.0,
        on_message: Optional[Callable[[Message], None]] = None,
    ) -> Message:
        """Reads a message until it has reached `until` or has failed, and returns it.

        It is read at the times of `POLL_AT_SECONDS`, and returned as it is after
        `timeout_seconds`. READ may never come: many people have read receipts turned off.
        `on_message` is called with each status that was read.
        """
        started_at = time.monotonic()

        def read_at(second: float) -> Message:
            time.sleep(max(0.0, started_at + second - time.monotonic()))
            message = self.get_message(message_id)
            if on_message is not None:
                on_message(message)
            return message

        for second in POLL_AT_SECONDS:
            if second >= timeout_seconds:
                break
            try:
                message = read_at(second)
            except SwitchboardError as error:
                # A wait goes on where a read failed for a reason that passes by itself.
                if not _is_passing(error):
                    raise
            else:
                if _has_reached(message["status"], until):
                    return message
        return read_at(timeout_seconds)


def _has_reached(status: str, until: str) -> bool:
    """A status of a later version, which is not listed here, is not final."""
    if status == "FAILED":
        return True
    return status in _ADVANCING and _ADVANCING.index(status) >= _ADVANCING.index(until)


def _is_passing(error: SwitchboardError) -> bool:
    if isinstance(error, ApiError):
        return error.details.get("retryable") is True
    return isinstance(error, NoResponseError)


def _check_credential(name: str, value: str) -> str:
    if isinstance(value, str) and re.fullmatch(r"[\x21-\x7e]+", value):
        return value
    # The value is not quoted: it may be a secret.
    raise ValueError(
        f"{name} is required: letters, digits and _ only, as it was shown when the key was created."
    )


def _read_origin(origin: str) -> str:
    parts = urlsplit(origin)
    if parts.scheme in ("http", "https") and parts.netloc and not re.search(r"\s", parts.netloc):
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    raise ValueError(
        f"origin must be the gateway's address, such as https://messages.example.com, not {origin!r}."
    )
