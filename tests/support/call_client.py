"""Calls a Python client as the JSON on standard input says, and prints what it returns or raises."""

import asyncio
import json
import sys

import switchboard_client

given = json.load(sys.stdin)
seen = []
options = given.get("options", {})
if given["method"] == "wait_for":
    options["on_message"] = lambda message: seen.append(message["status"])


def call():
    with switchboard_client.Switchboard(**given["client"]) as client:
        return getattr(client, given["method"])(*given["args"], **options)


async def call_async():
    async with switchboard_client.AsyncSwitchboard(**given["client"]) as client:
        return await getattr(client, given["method"])(*given["args"], **options)


try:
    data = asyncio.run(call_async()) if given["isAsync"] else call()
    answer = {"data": data, "seen": seen}
except switchboard_client.SwitchboardError as error:
    kept = {name: value for name, value in vars(error).items() if name != "response"}
    answer = {"error": {"name": type(error).__name__, "message": str(error), **kept}}
json.dump(answer, sys.stdout)
