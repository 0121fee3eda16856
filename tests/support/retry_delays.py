"""Prints the delay of each retry on standard input, and the wait of each `Retry-After` header."""

import json
import sys

from switchboard_client.retry_delay import read_retry_after, retry_delay

given = json.load(sys.stdin)
json.dump(
    {
        "delays": [retry_delay(retry, asked, lambda: number) for retry, asked, number in given["delays"]],
        "headers": [read_retry_after(header, given["now"]) for header in given["headers"]],
    },
    sys.stdout,
)
