"""The messaging API for programs that run on asyncio."""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncIterator, Callable, List, Literal, Optional, Union, cast

from .client import BaseClient, wait_steps
from .connections import Request, Response
from .errors import SwitchboardError
from .http_calls import Pause, Steps, listed
from .requests import SendRequest, TemplateFilter
from .resources import Message, Template

# How many requests are under way at once; others wait for a thread.
MOST_AT_ONCE = 32


class AsyncSwitchboard(BaseClient):
    """`Switchboard` with awaitable methods.

    Each request runs in a thread of the client; nothing else blocks or takes one. A call that is
    cancelled is not repeated, but its request may be under way: the `CancelledError` of a send has
    `idempotency_key`.
    """

    _threads: Optional[ThreadPoolExecutor] = None

    async def __aenter__(self) -> AsyncSwitchboard:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections that are idle, and ends the threads."""
        if self._threads is not None:
            self._threads.shutdown(wait=False)
            self._threads = None
        self._connections.close()

    async def send(self, request: SendRequest, *, idempotency_key: Optional[str] = None) -> Message:
        """Sends one message and returns it, as `Switchboard.send` does."""
        return cast(Message, await self._run(self._send(request, idempotency_key)))

    async def get_message(self, message_id: str) -> Message:
        """Reads a message by the `id` of its send. Raises `NotFoundError` where there is none."""
        return cast(Message, await self._run(self._get_message(message_id)))

    async def list_templates(self, filters: Optional[TemplateFilter] = None) -> List[Template]:
        """Reads the approved templates, page after page."""
        pages = [page async for page in self._pages(filters)]
        templates = [template for page in pages for template in page["templates"]]
        return cast(List[Template], listed(templates, pages[-1]))

    async def iter_templates(
        self, filters: Optional[TemplateFilter] = None
    ) -> AsyncIterator[Template]:
        """Iterates over the approved templates, and reads the next page once it is needed."""
        async for page in self._pages(filters):
            for template in page["templates"]:
                yield template

    async def wait_for(
        self,
        message_id: str,
        *,
        until: Literal["SENT", "DELIVERED", "READ"] = "DELIVERED",
        timeout_seconds: float = 1800.0,
        on_message: Optional[Callable[[Message], None]] = None,
    ) -> Message:
        """Reads a message until it has reached `until` or has failed, and returns it.

        It is read at the times of `Switchboard.wait_for`.
        """
        steps = wait_steps(until, timeout_seconds, on_message)
        try:
            seconds = next(steps)
            while True:
                await asyncio.sleep(seconds)
                try:
                    message = await self.get_message(message_id)
                except SwitchboardError as error:
                    seconds = steps.throw(error)
                else:
                    seconds = steps.send(message)
        except StopIteration as end:
            return cast(Message, end.value)

    async def _pages(self, filters: Optional[TemplateFilter]) -> AsyncIterator[Any]:
        cursor = None
        while True:
            page = await self._run(self._get_page(filters, cursor))
            yield page
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    async def _run(self, steps: Steps) -> Any:
        try:
            step = next(steps)
            while True:
                try:
                    response = await self._take_step(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(response)
        except StopIteration as end:
            return end.value

    async def _take_step(self, step: Union[Request, Pause]) -> Optional[Response]:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        if self._threads is None:
            self._threads = ThreadPoolExecutor(MOST_AT_ONCE, "switchboard-client")
        loop = asyncio.get_running_loop()
        response: Any = await loop.run_in_executor(self._threads, self._transport, step)
        # A coroutine function returns at once from its thread, and runs here.
        return cast(Response, await response if inspect.isawaitable(response) else response)
