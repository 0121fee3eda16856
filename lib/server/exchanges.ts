import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export type Exchange = { request: IncomingMessage; response: ServerResponse };

/** The requests that a server is answering: how many, and what their connections owe them. */
export class Exchanges {
  readonly #bySocket = new WeakMap<Duplex, Set<Exchange>>();
  readonly #open = new Set<Exchange>();
  #onNone = () => {};

  constructor(server: Server) {
    server.on("connection", (socket) => {
      const own = new Set<Exchange>();
      this.#bySocket.set(socket, own);
      // Before Node's own listener, which ends the request with an error.
      socket.prependListener("close", () => {
        for (const exchange of own) endWithItsClient(exchange);
      });
    });
  }

  get open(): number {
    return this.#open.size;
  }

  [Symbol.iterator](): Iterator<Exchange> {
    return this.#open.values();
  }

  /** Calls `act` as often as the last answer has ended. */
  onNone(act: () => void): void {
    this.#onNone = act;
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
      if (this.#open.size === 0) this.#onNone();
    });
  }

  /** The newest on a connection. */
  newestOn(socket: Duplex): Exchange | undefined {
    return [...(this.#bySocket.get(socket) ?? [])].at(-1);
  }
}

/**
 * Node destroys the request of a connection that has ended, and says it only to the answer that is being written. Next
 * replaces the listeners of a request whose body it reads: the error has none, and a copy of the body never ends.
 * Shown by tests/api/server/hang-ups.test.ts.
 */
const endWithItsClient = ({ request, response }: Exchange): void => {
  request.on("error", () => {});
  // What has arrived whole can be read to its end; the answer finds out that the client has left.
  if (request.complete) request.destroy = () => request;
  if (response.socket) return;
  response.destroyed = true;
  response.emit("close");
};
