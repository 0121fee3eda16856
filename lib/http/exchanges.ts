import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { log } from "@/lib/core/log";
import { addressOf } from "./requests";

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
function closeWithClient({ request, response }: Exchange): void {
  request.on("error", () => {});
  // A request that arrived whole can still be read; the response notices that the client has left.
  if (request.complete) request.destroy = () => request;
  if (response.socket) return;
  response.destroyed = true;
  response.emit("close");
}

const LOOK_EVERY_MS = 250;
/** 1 KB/s is slow but steady. The system's buffers can make a reader of 50 KB/s look stalled for 30 s. */
const MIN_BYTES = 64 * 1_024;
const MIN_WITHIN_MS = 60_000;
/** Memory for all responses that their clients have not read yet. */
const MAX_UNREAD_BYTES = 64 * 1_024 * 1_024;

type Progress = { takenBytes: number; sinceMs: number };
type Reader = { exchange: Exchange; bytes: number; stalledMs: number };

/**
 * Closes the connection of a client that does not read its response. If unread responses use too much memory, the IP
 * address with the most bytes times seconds loses its largest, which spares new pages and clients that keep up.
 */
export function watchReaders(exchanges: Exchanges): void {
  const progress = new WeakMap<Exchange, Progress>();
  const look = () => {
    const nowMs = performance.now();
    const readers: Reader[] = [];
    for (const exchange of exchanges) {
      const bytes = exchange.response.writableLength;
      const takenBytes = flushedBytes(exchange.request.socket);
      const last = progress.get(exchange);
      const isWaiting = last && bytes > 0 && takenBytes - last.takenBytes < MIN_BYTES;
      if (!isWaiting) progress.set(exchange, { takenBytes, sinceMs: nowMs });
      if (bytes > 0) readers.push({ exchange, bytes, stalledMs: isWaiting ? nowMs - last.sinceMs : 0 });
    }
    const isTooSlow = ({ stalledMs }: Reader) => stalledMs > MIN_WITHIN_MS;
    const cut = [...readers.filter(isTooSlow), ...readersToCut(readers.filter((reader) => !isTooSlow(reader)))];
    // A reset, because the system would keep its buffer until the client reads it.
    for (const { exchange } of cut) exchange.request.socket.resetAndDestroy();
    if (cut.length > 0) log("warn", "slow-readers.cut", { count: cut.length });
  };
  setInterval(look, LOOK_EVERY_MS).unref();
}

/** Returns the readers to cut so that the others hold at most `MAX_UNREAD_BYTES`. */
function readersToCut(readers: Reader[]): Reader[] {
  let unread = readers.reduce((sum, { bytes }) => sum + bytes, 0);
  if (unread <= MAX_UNREAD_BYTES) return [];
  const addresses = new Map<string, { weight: number; readers: Reader[] }>();
  for (const reader of readers.toSorted((a, b) => weightOf(a) - weightOf(b))) {
    const address = addressOf(reader.exchange.request);
    const own = addresses.get(address) ?? { weight: 0, readers: [] };
    addresses.set(address, { weight: own.weight + weightOf(reader), readers: [...own.readers, reader] });
  }
  const cut: Reader[] = [];
  while (unread > MAX_UNREAD_BYTES) {
    const heaviest = [...addresses.values()].reduce((most, one) => (one.weight > most.weight ? one : most));
    const reader = heaviest.readers.pop();
    if (!reader) break;
    heaviest.weight -= weightOf(reader);
    unread -= reader.bytes;
    cut.push(reader);
  }
  return cut;
}

const weightOf = ({ bytes, stalledMs }: Reader): number => bytes * (stalledMs + LOOK_EVERY_MS);

/** Returns the bytes handed to the system. Reads the handle, as Node's time-outs do, to count within a write. */
function flushedBytes(socket: Socket): number {
  const handle: { bytesWritten?: number; writeQueueSize?: number } | null = Reflect.get(socket, "_handle");
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0);
}
