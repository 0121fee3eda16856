import type { Socket } from "node:net";
import { log } from "@/lib/core/log";
import type { Exchange, Exchanges } from "./exchanges";
import { addressOf } from "./requests";

const LOOK_EVERY_MS = 250;
/** 1 KB a second is slow but steady. The system's own buffers let a reader of 50 KB/s seem to stand still for 30 s. */
const LEAST_BYTES = 64 * 1_024;
const LEAST_WITHIN_MS = 60_000;
/** What all answers together may hold in this process while their clients do not read. */
const MOST_UNREAD_BYTES = 64 * 1_024 * 1_024;

type Progress = { takenBytes: number; sinceMs: number };
type Reader = { exchange: Exchange; bytes: number; stoodMs: number };

/**
 * Cuts the connection of a client that does not read its answer. Where unread answers hold too much memory, the address
 * with most bytes times seconds loses its largest: neither a page just written nor a reader that keeps up.
 */
export function watchReaders(exchanges: Exchanges): void {
  const progress = new WeakMap<Exchange, Progress>();
  const look = () => {
    const nowMs = performance.now();
    const readers: Reader[] = [];
    for (const exchange of exchanges) {
      const bytes = exchange.response.writableLength;
      const takenBytes = takenFrom(exchange.request.socket);
      const last = progress.get(exchange);
      const isWaiting = last && bytes > 0 && takenBytes - last.takenBytes < LEAST_BYTES;
      if (!isWaiting) progress.set(exchange, { takenBytes, sinceMs: nowMs });
      if (bytes > 0) readers.push({ exchange, bytes, stoodMs: isWaiting ? nowMs - last.sinceMs : 0 });
    }
    const isTooSlow = ({ stoodMs }: Reader) => stoodMs > LEAST_WITHIN_MS;
    const cut = [...readers.filter(isTooSlow), ...beyondMemory(readers.filter((reader) => !isTooSlow(reader)))];
    // A reset, as the system would keep what it has taken for as long as the client does not read it.
    for (const { exchange } of cut) exchange.request.socket.resetAndDestroy();
    if (cut.length > 0) log("warn", "slow-readers.cut", { count: cut.length });
  };
  setInterval(look, LOOK_EVERY_MS).unref();
}

/** Those without which the others hold `MOST_UNREAD_BYTES` at most. */
function beyondMemory(readers: Reader[]): Reader[] {
  let unread = readers.reduce((sum, { bytes }) => sum + bytes, 0);
  if (unread <= MOST_UNREAD_BYTES) return [];
  const addresses = new Map<string, { weight: number; readers: Reader[] }>();
  for (const reader of readers.toSorted((a, b) => weightOf(a) - weightOf(b))) {
    const address = addressOf(reader.exchange.request);
    const own = addresses.get(address) ?? { weight: 0, readers: [] };
    addresses.set(address, { weight: own.weight + weightOf(reader), readers: [...own.readers, reader] });
  }
  const cut: Reader[] = [];
  while (unread > MOST_UNREAD_BYTES) {
    const heaviest = [...addresses.values()].reduce((most, one) => (one.weight > most.weight ? one : most));
    const reader = heaviest.readers.pop();
    if (!reader) break;
    heaviest.weight -= weightOf(reader);
    unread -= reader.bytes;
    cut.push(reader);
  }
  return cut;
}

const weightOf = ({ bytes, stoodMs }: Reader): number => bytes * (stoodMs + LOOK_EVERY_MS);

/** What has left this process. Node's own time-outs read the same field of the handle: it counts within a large write, too. */
const takenFrom = (socket: Socket): number => {
  const handle: { bytesWritten?: number; writeQueueSize?: number } | null = Reflect.get(socket, "_handle");
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0);
};
