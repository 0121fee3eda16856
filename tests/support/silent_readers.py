"""Opens connections that ask for a path and read nothing: PORT COUNT PATH ADDRESS. Prints `open` when all have asked.
For each line on standard input it prints how many of them the server has cut by then, and at its end it closes them.
Their segments are small, as on the internet: over loopback the kernel would take a whole page off the server's hands."""

import select
import socket
import sys

port, count, path, address = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {address}\r\n\r\n".encode()
poller = select.poll()
connections = []
for _ in range(count):
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    connection.connect(("127.0.0.1", port))
    connection.sendall(request)
    connections.append(connection)
    poller.register(connection, select.POLLHUP | select.POLLERR | select.POLLRDHUP)
print("open", flush=True)
cut = 0
for _ in sys.stdin:
    for descriptor, _event in poller.poll(0):
        poller.unregister(descriptor)
        cut += 1
    print(cut, flush=True)
