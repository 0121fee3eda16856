"""How long to wait before a retry."""

from __future__ import annotations

import random
import re
import time
from email.utils import parsedate_to_datetime
from typing import Callable, Optional

FIRST_BACKOFF_SECONDS = 0.5
MAX_BACKOFF_SECONDS = 8.0
# 0.5 s doubled so often is far beyond the maximum.
MAX_DOUBLINGS = 10


def retry_delay(
    retry: int,
    retry_after: float = 0.0,
    random_number: Callable[[], float] = random.random,
) -> float:
    """Returns how long to wait before a retry, in seconds.

    That is at least `retry_after`, at least a backoff that doubles from 0.5 s to 8 s, and up to
    half of that backoff more, so that callers refused together do not return together.
    """
    backoff = min(MAX_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2.0 ** min(retry, MAX_DOUBLINGS))
    return max(retry_after, backoff) + random_number() * backoff / 2


def read_retry_after(header: Optional[str], now: Optional[float] = None) -> Optional[float]:
    """Returns the wait that a `Retry-After` header asks for, in seconds.

    It holds seconds or an HTTP date; anything else is `None`. `now` is in Unix seconds.
    """
    if header is None:
        return None
    if re.fullmatch(r"\s*[0-9]+(\.[0-9]+)?\s*", header):
        return float(header)
    try:
        at = parsedate_to_datetime(header).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, at - (time.time() if now is None else now))
