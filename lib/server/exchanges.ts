import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export type Exchange = { request: IncomingMessage; response: ServerResponse };

/** Tracks the requests in progress of a server, by connection. */
export class Exchanges {
  readonly #bySocket = new WeakMap<Duplex, Set<Exchange>>();
  readonly #open = new Set<Exchange>();
  #onIdle = () => {};

  constructor(server: Server) {
    server.on("connection", (socket) => {
      const own = new Set<Exchange>();
      this.#bySocket.set(socket, own);
      // Before Node's own listener, which ends the request with an error.
      socket.prependListener("close", () => {
        for (const exchange of own) closeWithClient(exchange);
      });
    });
  }

  get open(): number {
    return this.#open.size;
  }

  [Symbol.iterator](): Iterator<Exchange> {
    return this.#open.values();
  }

  /** Calls `act` each time the last open response ends. */
  onIdle(act: () => void): void {
    this.#onIdle = act;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const own = this.#bySocket.get(request.socket);
    const exchange = { request, response };
    this.#open.add(exchange);
    own?.add(exchange);
    response.on("error", () => {});
    response.once("close", () => {
      this.#open.delete(exchange);
      own?.delete(exchange);
      if (this.#open.size === 0) this.#onIdle();
    });
  }

  /** The newest on a connection. */
  newestOn(socket: Duplex): Exchange | undefined {
    return [...(this.#bySocket.get(socket) ?? [])].at(-1);
  }
}

/**
 * When a connection ends, Node destroys its requests, but emits "close" only on the current response. Next
 * replaces the listeners of a request whose body it reads: its error has no listener then, and body copies never end.
 * Shown by tests/long/hang-ups.test.ts.
 */
const closeWithClient = ({ request, response }: Exchange): void => {
  request.on("error", () => {});
  // A request that arrived whole can still be read; the response notices that the client has left.
  if (request.complete) request.destroy = () => request;
  if (response.socket) return;
  response.destroyed = true;
  response.emit("close");
};
