"""Webhooks that the gateway sends to your server (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Iterable, Iterator, Optional, Protocol, Sequence, Tuple, Union, cast

from .errors import WebhookVerificationError
from .resources import WebhookEvent

DEFAULT_TOLERANCE_SECONDS = 300.0


class WebhookHeaders(Protocol):
    """The headers of a request as any framework has them; a value may be a list."""

    def items(self) -> Iterable[Tuple[str, Union[str, Sequence[str]]]]: ...


def verify_webhook(
    body: Union[str, bytes],
    headers: WebhookHeaders,
    secret: Optional[str],
    *,
    tolerance_seconds: float = DEFAULT_TOLERANCE_SECONDS,
) -> WebhookEvent:
    """Returns the event of a webhook after checking its signature and age.

    `body` is the request's body as it arrived, before any JSON parser, and `secret` is the
    endpoint's, `whsec_…`. The time of the attempt may be `tolerance_seconds` from now, in both
    directions. Store `webhook-id`: a delivery may be repeated. A later version may have other types
    of events: ignore those. Raises `WebhookVerificationError`, with the fault `secret` where
    `secret` is missing.
    """
    delivery_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    _check_timestamp(timestamp, tolerance_seconds)
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{delivery_id}.{timestamp}.".encode() + content
    expected = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    # Every signature is compared, in constant time.
    if not any([hmac.compare_digest(expected, given) for given in _signatures(signatures)]):
        raise WebhookVerificationError(
            "signature", "No signature of the webhook matches its body and your secret."
        )
    return _event(content)


def _header(headers: WebhookHeaders, name: str) -> str:
    for given, value in headers.items():
        if given.lower() == name and value:
            return value if isinstance(value, str) else value[0]
    raise WebhookVerificationError("header", f"The header {name} is missing.")


def _check_timestamp(timestamp: str, tolerance_seconds: float) -> None:
    is_number = re.fullmatch(r"[0-9]{1,12}", timestamp) is not None
    # In whole seconds, as the time of the attempt is.
    if is_number and abs(int(time.time()) - int(timestamp)) <= tolerance_seconds:
        return
    raise WebhookVerificationError(
        "timestamp",
        f"The header webhook-timestamp must be within {tolerance_seconds:g} s of now, "
        f'in Unix seconds; it is "{timestamp[:20]}".',
    )


def _key(secret: Optional[str]) -> bytes:
    if not secret:
        raise WebhookVerificationError(
            "secret", "The secret is missing: pass that of the endpoint, whsec_…."
        )
    key = _base64(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
    if key:
        return key
    raise WebhookVerificationError(
        "secret", "The secret must be that of the endpoint: whsec_ and base64."
    )


def _signatures(header: str) -> Iterator[bytes]:
    """The signatures of version 1; several during a rotation of the secret."""
    for entry in header.split(" "):
        signature = _base64(entry[len("v1,") :]) if entry.startswith("v1,") else None
        if signature:
            yield signature


def _event(content: bytes) -> WebhookEvent:
    try:
        event = json.loads(content)
    except ValueError:
        event = None
    if isinstance(event, dict) and "type" in event and "data" in event:
        return cast(WebhookEvent, event)
    raise WebhookVerificationError("body", "The body of the webhook is not an event in JSON.")


def _base64(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
