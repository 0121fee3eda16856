import net from "node:net";
import type { Answer } from "./workspace";

/** An answer as it came over the wire; `ms` since the connection was opened. */
export type RawAnswer = Answer & { ms: number };

export type RawConnection = {
  /** `latin1`, so that a test can write any byte. */
  write: (bytes: string | Buffer) => void;
  /** The next answer, or undefined where the server closed the connection before a whole one. */
  answer: (isToHead?: boolean) => Promise<RawAnswer | undefined>;
  /** Milliseconds from the opening to the server's end of the connection. */
  closed: Promise<number>;
  end: () => void;
  reset: () => void;
};

/** A connection of its own to the server at `baseUrl`, for what no HTTP client would send. */
export const openRaw = async (baseUrl: string): Promise<RawConnection> => {
  const { port } = new URL(baseUrl);
  const socket = net.connect({ host: "127.0.0.1", port: Number(port) });
  const startedAtMs = performance.now();
  let received = Buffer.alloc(0);
  let wake = () => {};
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  // A reset after an answer is one way of closing; the test sees what arrived before it.
  socket.on("error", () => {});
  let isClosed = false;
  const closed = new Promise<number>((resolve) => {
    socket.on("close", () => {
      isClosed = true;
      wake();
      resolve(performance.now() - startedAtMs);
    });
  });
  await new Promise<void>((resolve, reject) => socket.once("connect", () => resolve()).once("error", reject));
  return {
    write: (bytes) => void socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes),
    answer: async (isToHead = false) => {
      for (;;) {
        const read = readAnswer(received, isToHead);
        if (read) {
          received = received.subarray(read.length);
          return { ...read.answer, ms: performance.now() - startedAtMs };
        }
        if (isClosed) return undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    closed,
    end: () => socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
  };
};

/** Sends bytes on a connection of their own and gives the first answer to them. */
export const rawRequest = async (baseUrl: string, bytes: string | Buffer): Promise<RawAnswer | undefined> => {
  const connection = await openRaw(baseUrl);
  connection.write(bytes);
  const answer = await connection.answer(typeof bytes === "string" && bytes.startsWith("HEAD "));
  connection.end();
  return answer;
};

/** A request's head: the request line, Host, what is given, and the empty line. */
export const head = (requestLine: string, headers: Record<string, string> = {}): string =>
  [
    `${requestLine} HTTP/1.1`,
    ...("Host" in headers ? [] : ["Host: localhost"]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join("\r\n");

const readAnswer = (bytes: Buffer, isToHead: boolean): { answer: Answer; length: number } | undefined => {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(":")).trim(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const hasNoBody = isToHead || status < 200 || status === 204 || status === 304;
  const body = hasNoBody ? { text: "", length: 0 } : readBody(bytes.subarray(headEnd + 4), headers);
  if (!body) return undefined;
  const { text } = body;
  return {
    answer: { status, headers, text, body: text.startsWith("{") ? JSON.parse(text) : {} },
    length: headEnd + 4 + body.length,
  };
};

const readBody = (bytes: Buffer, headers: Headers): { text: string; length: number } | undefined => {
  if (headers.get("transfer-encoding") !== "chunked") {
    const length = Number(headers.get("content-length") ?? 0);
    return bytes.length < length ? undefined : { text: bytes.subarray(0, length).toString("utf8"), length };
  }
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
    if (size === 0) return { text: Buffer.concat(chunks).toString("utf8"), length: at };
  }
};
