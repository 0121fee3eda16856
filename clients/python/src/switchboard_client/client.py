"""The messaging API with one key."""

from __future__ import annotations

import re
import time
import uuid
import weakref
from typing import (
    Any,
    Callable,
    Dict,
    Generator,
    Iterator,
    List,
    Literal,
    Optional,
    Union,
    cast,
)
from urllib.parse import quote, urlencode, urlsplit

from .connections import Connections, Request, Response
from .errors import ApiError, NoResponseError, SwitchboardError
from .http_calls import AttemptInfo, Call, Pause, Settings, Steps, call_steps, listed
from .requests import SendRequest, TemplateFilter
from .resources import Message, Template

DEFAULT_ORIGIN = "http://localhost:3000"

# When `wait_for` reads the status, in seconds after it began. Status calls count on the rate limits.
POLL_AT_SECONDS = (1, 2, 3, 5, 15, 60, 300, 1800)

_ADVANCING = ("SENT", "DELIVERED", "READ")


class BaseClient:
    """What `Switchboard` and `AsyncSwitchboard` share."""

    def __init__(
        self,
        api_key: str,
        api_secret: str,
        *,
        origin: str = DEFAULT_ORIGIN,
        max_retries: int = 3,
        timeout_seconds: float = 20.0,
        deadline_seconds: float = 60.0,
        on_attempt: Optional[Callable[[AttemptInfo], None]] = None,
        transport: Optional[Callable[[Request], Any]] = None,
    ) -> None:
        """`origin` is the gateway's address, by default that of a demo on this machine.

        `max_retries` bounds how many times a call is repeated that may be, `timeout_seconds` how
        long the gateway may be silent in one attempt (it responds to a send within 15 seconds), and
        `deadline_seconds` how long a call takes with its retries and the waits between them.
        `on_attempt` is called after each attempt, for logs; what it raises is ignored.
        `transport` makes the requests in place of the client's own connections: it is given a
        `Request` and returns a `Response` (for `AsyncSwitchboard` it may be a coroutine function),
        or raises `OSError` where none arrived, which is when the client repeats the call.
        """
        self._settings = Settings(
            api_key=_check_credential("api_key", api_key),
            api_secret=_check_credential("api_secret", api_secret),
            origin=_read_origin(origin),
            max_retries=max_retries,
            timeout_seconds=timeout_seconds,
            deadline_seconds=deadline_seconds,
            on_attempt=on_attempt,
        )
        self._connections = Connections(self._settings.origin)
        self._transport = transport or self._connections.request
        weakref.finalize(self, self._connections.close)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(origin={self._settings.origin!r})"

    def _send(self, request: SendRequest, idempotency_key: Optional[str]) -> Steps:
        # An empty key is refused by the API. A random one in its place would send twice.
        given = request.get("idempotencyKey") if idempotency_key is None else idempotency_key
        key = str(uuid.uuid4()) if given is None else given
        # In the body, because a header cannot hold every character that a key may have.
        body: Dict[str, Any] = {**request, "idempotencyKey": key}
        call = Call("POST", "/messages/send", body=body, idempotency_key=key)
        return call_steps(self._settings, call)

    def _get_message(self, message_id: str) -> Steps:
        path = f"/messages/{quote(message_id, safe='')}"
        return call_steps(self._settings, Call("GET", path))

    def _get_page(self, filters: Optional[TemplateFilter], cursor: Optional[str]) -> Steps:
        query = {name: value for name, value in (filters or {}).items() if value is not None}
        query["limit"] = "100"
        if cursor is not None:
            query["cursor"] = cursor
        return call_steps(self._settings, Call("GET", f"/templates?{urlencode(query)}"))


class Switchboard(BaseClient):
    """The messaging API with one key. Keep the secret on your server.

    Every method may raise `ApiError` and `NoResponseError`; `response_of` returns the headers and
    the request id of a result. One client may serve several threads, and keeps its connections for
    the next call: use one for the whole program.
    """

    def __enter__(self) -> Switchboard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that are idle."""
        self._connections.close()

    def send(self, request: SendRequest, *, idempotency_key: Optional[str] = None) -> Message:
        """Sends one message and returns it.

        Every attempt has the same idempotency key, so it is sent at most once. Give a key of your
        own, such as the order's number, where your program may itself run twice.

        Where an earlier attempt reached the API, this is the message of that attempt with its
        present status, which may be `PENDING`, `FAILED` or `UNKNOWN`, too. A `ChatGraphError` whose
        details have the outcome `unknown` may have been sent: read its `messageId` until the status
        is known, and do not send it under another key.

        An exception that interrupts the send, such as `KeyboardInterrupt`, has `idempotency_key`.
        """
        return cast(Message, self._run(self._send(request, idempotency_key)))

    def get_message(self, message_id: str) -> Message:
        """Reads a message by the `id` of its send, not by `chatMessageId`.

        Raises `NotFoundError` where there is none.
        """
        return cast(Message, self._run(self._get_message(message_id)))

    def list_templates(self, filters: Optional[TemplateFilter] = None) -> List[Template]:
        """Reads the approved templates, page after page."""
        pages = list(self._pages(filters))
        templates = [template for page in pages for template in page["templates"]]
        return cast(List[Template], listed(templates, pages[-1]))

    def iter_templates(self, filters: Optional[TemplateFilter] = None) -> Iterator[Template]:
        """Iterates over the approved templates, and reads the next page once it is needed."""
        for page in self._pages(filters):
            yield from page["templates"]

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
        steps = wait_steps(until, timeout_seconds, on_message)
        try:
            seconds = next(steps)
            while True:
                time.sleep(seconds)
                try:
                    message = self.get_message(message_id)
                except SwitchboardError as error:
                    seconds = steps.throw(error)
                else:
                    seconds = steps.send(message)
        except StopIteration as end:
            return cast(Message, end.value)

    def _pages(self, filters: Optional[TemplateFilter]) -> Iterator[Any]:
        cursor = None
        while True:
            page = self._run(self._get_page(filters, cursor))
            yield page
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    def _run(self, steps: Steps) -> Any:
        try:
            step = next(steps)
            while True:
                try:
                    response = self._take_step(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(response)
        except StopIteration as end:
            return end.value

    def _take_step(self, step: Union[Request, Pause]) -> Optional[Response]:
        if isinstance(step, Request):
            return self._transport(step)
        time.sleep(step.seconds)
        return None


def wait_steps(
    until: str, timeout_seconds: float, on_message: Optional[Callable[[Message], None]]
) -> Generator[float, Message, Message]:
    """Yields how long to wait before each read of a message, and returns the last that was read."""
    started_at = time.monotonic()
    seconds = [second for second in POLL_AT_SECONDS if second < timeout_seconds]
    for second in [*seconds, timeout_seconds]:
        is_last = second >= timeout_seconds
        try:
            message = yield max(0.0, started_at + second - time.monotonic())
        except SwitchboardError as error:
            # A wait goes on where a read failed for a reason that passes by itself.
            if is_last or not _is_passing(error):
                raise
            continue
        if on_message is not None:
            on_message(message)
        if is_last or _has_reached(message["status"], until):
            break
    return message


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
