"""Connections to the gateway, which are kept and used again."""

from __future__ import annotations

import base64
import http.client
import os
import socket
import time
from collections import deque
from dataclasses import dataclass, field
from email.message import Message
from typing import Deque, Dict, List, Mapping, Optional, Tuple, Union
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

READ_BYTES = 65_536
MOST_IDLE = 32
# Networks forget idle connections without a word; a request on one would wait for its timeout.
IDLE_SECONDS = 30.0
# No connection was made, so nothing was sent.
UNCONNECTED = (ConnectionRefusedError, socket.gaierror)


@dataclass(frozen=True)
class Request:
    """An HTTP request, as a `transport` is given it."""

    method: str
    url: str
    headers: Dict[str, str] = field(repr=False)
    """They hold the secret."""
    body: Optional[bytes]
    timeout: float
    """In seconds: how long the gateway may be silent."""


@dataclass(frozen=True)
class Response:
    """The response to a `Request`, as a `transport` returns it."""

    status: int
    headers: Union[Mapping[str, str], Message]
    """Names in any case."""
    body: bytes
    """Decoded: no `Accept-Encoding` was sent."""


@dataclass(frozen=True)
class _Proxy:
    host: str
    port: int
    headers: Dict[str, str]


class Connections:
    """Makes requests of one origin, for any number of threads.

    Proxies of the environment are used as `urllib` uses them; redirects are not followed.
    """

    def __init__(self, origin: str) -> None:
        parts = urlsplit(origin)
        self._is_https = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if self._is_https else 80)
        self._idle: Deque[Tuple[float, http.client.HTTPConnection]] = deque()
        self._process = os.getpid()

    def request(self, request: Request) -> Response:
        """Makes a request. Raises `OSError` or `HTTPException` where no response arrived."""
        connection = self._take()
        if connection is None:
            return self._exchange(self._open(request.timeout), request)
        try:
            return self._exchange(connection, request)
        except socket.timeout:
            raise
        except (OSError, http.client.HTTPException) as lost:
            # The gateway may have closed it while it was idle. Every request is safe to repeat.
            try:
                return self._exchange(self._open(request.timeout), request)
            except UNCONNECTED:
                # It may have been sent over the one that was lost.
                raise lost

    def close(self) -> None:
        """Closes the connections that are idle."""
        while self._idle:
            self._idle.pop()[1].close()

    def _take(self) -> Optional[http.client.HTTPConnection]:
        if self._process != os.getpid():
            # A forked process must not share its parent's connections: it would read its responses.
            self.close()
            self._process = os.getpid()
        while True:
            try:
                idle_since, connection = self._idle.pop()
            except IndexError:
                return None
            if time.monotonic() - idle_since < IDLE_SECONDS:
                return connection
            connection.close()

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        proxy = self._proxy()
        host, port = (self._host, self._port) if proxy is None else (proxy.host, proxy.port)
        if not self._is_https:
            return http.client.HTTPConnection(host, port, timeout=timeout)
        connection = http.client.HTTPSConnection(host, port, timeout=timeout)
        if proxy is not None:
            connection.set_tunnel(self._host, self._port, proxy.headers)
        return connection

    def _proxy(self) -> Optional[_Proxy]:
        url = getproxies().get("https" if self._is_https else "http")
        if not url or proxy_bypass(self._host):
            return None
        parts = urlsplit(url if "//" in url else f"http://{url}")
        headers = {}
        if parts.username:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            token = base64.b64encode(pair.encode()).decode()
            headers["Proxy-Authorization"] = f"Basic {token}"
        return _Proxy(parts.hostname or "", parts.port or 80, headers)

    def _exchange(self, connection: http.client.HTTPConnection, request: Request) -> Response:
        ends_at = time.monotonic() + request.timeout
        is_kept = False
        try:
            target, headers = self._target(request)
            connection.timeout = request.timeout
            if connection.sock is not None:
                connection.sock.settimeout(request.timeout)
            connection.request(request.method, target, body=request.body, headers=headers)
            response = connection.getresponse()
            body = _read(response, ends_at)
            is_kept = connection.sock is not None and len(self._idle) < MOST_IDLE
            return Response(response.status, response.headers, body)
        finally:
            if is_kept:
                self._idle.append((time.monotonic(), connection))
            else:
                connection.close()

    def _target(self, request: Request) -> Tuple[str, Dict[str, str]]:
        parts = urlsplit(request.url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        proxy = None if self._is_https else self._proxy()
        if proxy is None:
            return path, request.headers
        return request.url, {**request.headers, **proxy.headers}


def _read(response: http.client.HTTPResponse, ends_at: float) -> bytes:
    """Reads the body; a socket's own timeout does not end one that arrives byte by byte."""
    chunks: List[bytes] = []
    # `read1` leaves the response open at its end, and its connection would take no other request.
    with response:
        while True:
            chunk = response.read1(READ_BYTES)
            if not chunk:
                break
            chunks.append(chunk)
            if time.monotonic() > ends_at:
                raise socket.timeout("the response did not end in time")
        if response.length:
            raise http.client.IncompleteRead(b"".join(chunks), response.length)
    return b"".join(chunks)
