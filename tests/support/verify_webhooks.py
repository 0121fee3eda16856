"""Verifies each delivery on standard input, and prints the event or the fault that was found."""

import json
import sys
import time

from switchboard_client import WebhookVerificationError, verify_webhook


def verify(vector):
    if "now" in vector:
        time.time = lambda: vector["now"]
    body = vector["body"].encode() if vector.get("isBytes") else vector["body"]
    try:
        return {"event": verify_webhook(body, vector["headers"], vector["secret"])}
    except WebhookVerificationError as error:
        return {"fault": error.fault, "message": str(error)}


json.dump([verify(vector) for vector in json.load(sys.stdin)], sys.stdout)
