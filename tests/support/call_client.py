"""Calls the Python client as the JSON on standard input says, and prints what it returns or raises."""

import json
import sys

import switchboard_client

given = json.load(sys.stdin)
client = switchboard_client.Switchboard(**given["client"])
seen = []
options = given.get("options", {})
if given["method"] == "wait_for":
    options["on_message"] = lambda message: seen.append(message["status"])
try:
    answer = {"data": getattr(client, given["method"])(*given["args"], **options), "seen": seen}
except switchboard_client.SwitchboardError as error:
    answer = {"error": {"name": type(error).__name__, "message": str(error), **vars(error)}}
json.dump(answer, sys.stdout)
