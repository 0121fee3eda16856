import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** How a client leaves: FIN, RST, FIN while it still listens and RST then, or closed without reading. */
export const ENDINGS = ["fin", "rst", "half-open", "close"] as const;
export type Ending = (typeof ENDINGS)[number];

export type HangUp = {
  /** Latin-1, what is sent before the end. */
  bytes: string;
  /** Milliseconds between the bytes and the end, or the first byte of the answer (or a second without one). */
  after: number | "answer";
  ending: Ending;
};

const ANSWER_WITHIN_MS = 1_000;
const HALF_OPEN_MS = 15;
const CLOSED_WITHIN_MS = 30_000;

/** Connects to a port of this machine, sends bytes and hangs up; resolves when the client's side is closed, or rejects. */
export const hangUp = (port: number, { bytes, after, ending }: HangUp): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const tooLate = setTimeout(() => {
      const state = `${socket.readyState}, ${socket.bytesWritten} bytes written`;
      reject(new Error(`${ending} after ${after}: the socket is ${state}: ${bytes.slice(0, 60)}`));
    }, CLOSED_WITHIN_MS);
    const leave = async () => {
      if (ending === "rst") return void socket.resetAndDestroy();
      if (ending === "close") return void socket.destroy();
      socket.end();
      await sleep(HALF_OPEN_MS);
      if (ending === "half-open") socket.resetAndDestroy();
      else socket.destroy();
    };
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(tooLate);
      resolve();
    });
    socket.on("connect", async () => {
      const answered = new Promise<void>((heard) => socket.once("data", () => heard()).resume());
      if (bytes !== "") socket.write(Buffer.from(bytes, "latin1"));
      if (after === "answer") await Promise.race([answered, sleep(ANSWER_WITHIN_MS)]);
      else await sleep(after);
      void leave();
    });
  });

/** Where in a request's bytes a client may leave: before, in the head, after it, in the body, after all. */
export const stagesOf = (bytes: string): Pick<HangUp, "bytes" | "after">[] => {
  const headEnd = bytes.indexOf("\r\n\r\n") + 4;
  const cuts = [0, bytes.indexOf("\r\n") / 2, headEnd / 2, headEnd, (headEnd + bytes.length) / 2].map(Math.floor);
  return [
    ...[...new Set(cuts)].map((cut) => ({ bytes: bytes.slice(0, cut), after: 10 })),
    ...[0, 5, 15, 40, "answer" as const].map((after) => ({ bytes, after })),
  ];
};
