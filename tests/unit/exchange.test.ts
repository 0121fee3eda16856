import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Exchange, exchange, type HttpRequest } from "@/lib/whatsapp/client";
import { forSuite } from "../support/for-suite";
import { listenOnLoopback } from "../support/loopback";

const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

/** What a server does with a connection, by the first part of the path that it is asked for. */
const BEHAVIOURS = {
  well: (socket: Socket) => socket.write(ANSWER),
  closes: (socket: Socket) => socket.end(ANSWER.replace("OK", "OK\r\nconnection: close")),
  silent: () => undefined,
  resets: (socket: Socket) => socket.resetAndDestroy(),
  breaksOff: (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"),
  speaksNoHttp: (socket: Socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"),
  informs: (socket: Socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ANSWER}`),
  endless: (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${"a".repeat(1_100_000)}`),
} as const;
type Behaviour = keyof typeof BEHAVIOURS;

/** A platform that counts the requests that reached it, by the mark that each carries. */
const startPeer = async () => {
  const seen = new Map<string, number>();
  const server = createServer((socket) => {
    let text = "";
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const [, behaviour, mark] = /^POST \/(\w+)\/([\w-]+) [\s\S]*\r\n\r\n\{\}/.exec(text) ?? [];
      if (!mark || !behaviour) return;
      text = "";
      seen.set(mark, (seen.get(mark) ?? 0) + 1);
      BEHAVIOURS[behaviour as Behaviour](socket);
    });
  });
  const { port, close } = await listenOnLoopback(server);
  return { seen, port, stop: close };
};

/** Takes connections, and answers no TLS handshake. */
const startMute = async () => {
  const { port, close } = await listenOnLoopback(createServer((socket) => socket.on("error", () => undefined)));
  return { port, stop: close };
};

const peer = forSuite(startPeer);
const mute = forSuite(startMute);

let serial = 0;
const request = (url: string, more: Partial<HttpRequest> = {}) => {
  const mark = `m${++serial}`;
  const call: HttpRequest = { url: new URL(`${url}/${mark}`), method: "POST", headers: {}, body: "{}", ...more };
  return { mark, call };
};
const to = (behaviour: Behaviour) => `http://127.0.0.1:${peer.port}/${behaviour}`;

const make = async (url: string, timeoutMs: number, more: Partial<HttpRequest> = {}): Promise<[Exchange, number]> => {
  const { mark, call } = request(url, more);
  const result = await exchange(call, { timeoutMs });
  // What is on its way may still arrive.
  await sleep(30);
  return [result, peer.seen.get(mark) ?? 0];
};

describe("an answer", () => {
  test.each(["well", "closes", "informs"] as const)("%s: its last status and its text", async (behaviour) => {
    const [result, arrived] = await make(to(behaviour), 2_000);
    expect(result).toMatchObject({ kind: "answer", httpStatus: 200, text: "{}" });
    expect(arrived).toBe(1);
  });

  test("of more than 1 MB has no text", async () => {
    expect((await make(to("endless"), 2_000))[0]).toMatchObject({ kind: "answer", httpStatus: 200, text: undefined });
  });

  test("within a fraction of a millisecond more than needed", async () => {
    expect((await make(to("well"), 1_234.567))[0].kind).toBe("answer");
  });

  test("that arrived while the process stood still is read, though its time is over", async () => {
    // In a thread of its own, which goes on while this one stands still.
    const peer = new Worker(
      `const { parentPort } = require("node:worker_threads");
      const server = require("node:http").createServer((_, response) => {
        parentPort.postMessage("asked");
        setTimeout(() => response.end("{}"), 60);
      });
      server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`,
      { eval: true },
    );
    try {
      const [port] = await once(peer, "message");
      const url = `http://127.0.0.1:${port}`;
      const timeoutMs = 2_000;
      const answer = exchange(request(url).call, { timeoutMs });
      await once(peer, "message");
      for (const untilMs = Date.now() + timeoutMs + 300; Date.now() < untilMs; );
      expect(await answer).toMatchObject({ kind: "answer", text: "{}" });
    } finally {
      await peer.terminate();
    }
  });
});

describe("bytes that may have left: begun", () => {
  test.each(["silent", "resets", "breaksOff", "speaksNoHttp"] as const)("a server that %s", async (behaviour) => {
    const [result, arrived] = await make(to(behaviour), 1_000);
    expect(result).toMatchObject({ kind: "failed", hasBegun: true });
    expect(arrived).toBe(1);
  });

  test("a connection that the server closed in the meantime is not written to again", async () => {
    await Promise.all([1, 2, 3].map(() => make(to("closes"), 1_000)));
    await sleep(20);
    const [result, arrived] = await make(to("well"), 1_000);
    expect([result.kind, arrived]).toEqual(["answer", 1]);
  });
});

describe("nothing left: not begun", () => {
  const nothing: [title: string, url: () => string, timeoutMs: number, code: string, more?: Partial<HttpRequest>][] = [
    ["connection refused", () => "http://127.0.0.1:9", 1_000, "ECONNREFUSED"],
    ["a name that does not exist", () => "http://nowhere.invalid", 5_000, "ENOTFOUND"],
    [
      "no TLS handshake, cut off by the request's own time",
      () => `https://127.0.0.1:${mute.port}`,
      100,
      "TimeoutError",
    ],
    ["no TLS handshake within 3 s", () => `https://127.0.0.1:${mute.port}`, 9_000, "UND_ERR_CONNECT_TIMEOUT"],
    ["a header with a line break", () => to("well"), 1_000, "UND_ERR_INVALID_ARG", { headers: { a: "b\r\nc: d" } }],
    ["no time at all", () => to("well"), 0, "TimeoutError"],
    ["a deadline that has passed", () => to("well"), -5_000.5, "TimeoutError"],
  ];
  test.concurrent.each(nothing)("%s", async (_, url, timeoutMs, code, more) => {
    const [result, arrived] = await make(url(), timeoutMs, more);
    expect(result).toMatchObject({ kind: "failed", hasBegun: false });
    expect(result.kind === "failed" && result.code).toMatch(code === "ENOTFOUND" ? /ENOTFOUND|EAI_AGAIN/ : code);
    expect(arrived).toBe(0);
  });

  test("a request that waited for its connection until its time was over never leaves later", async () => {
    const server = createServer((socket) => socket.on("error", () => undefined).on("data", () => (arrivedBytes += 1)));
    let arrivedBytes = 0;
    const { port, close } = await listenOnLoopback(server);
    const { call } = request(`http://127.0.0.1:${port}`);
    const asked = exchange(call, { timeoutMs: 1 });
    for (const untilMs = Date.now() + 50; Date.now() < untilMs; );
    expect(await asked).toMatchObject({ kind: "failed", hasBegun: false });
    await sleep(200);
    expect(arrivedBytes).toBe(0);
    await close();
  });
});

test("a connection that took nearly all of the time is not written to", async () => {
  const { mark, call } = request(to("well"));
  const made = exchange(call, { timeoutMs: 500, minRemainingMs: 450 });
  for (const untilMs = Date.now() + 60; Date.now() < untilMs; );
  expect(await made).toMatchObject({ kind: "failed", hasBegun: false });
  await sleep(50);
  expect(peer.seen.get(mark)).toBeUndefined();
});

test("whatever happens, at whatever time: what arrived is begun, what is not begun never arrives, and none arrives twice", async () => {
  const urls = [
    ...(Object.keys(BEHAVIOURS) as Behaviour[]).map((behaviour) => () => to(behaviour)),
    () => "http://127.0.0.1:9",
    () => `https://127.0.0.1:${mute.port}`,
  ];
  const times = fc.oneof(fc.double({ min: -2, max: 4, noNaN: true }), fc.constant(60));
  const call = fc.record({ url: fc.constantFrom(...urls), timeoutMs: times, busyMs: fc.constantFrom(0, 0, 0, 3) });
  const property = fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
    const made = calls.map(({ url, timeoutMs, busyMs }) => {
      const one = make(url(), timeoutMs);
      for (const untilMs = Date.now() + busyMs; Date.now() < untilMs; );
      return one;
    });
    for (const [result, arrived] of await Promise.all(made)) {
      expect(arrived).toBeLessThanOrEqual(1);
      if (result.kind === "failed" && !result.hasBegun) expect(arrived).toBe(0);
      if (result.kind === "answer") expect(arrived).toBe(1);
    }
  });
  // Most of a run is waiting.
  const { seed = 0 } = fc.readConfigureGlobal();
  await Promise.all([0, 1, 2].map((lane) => fc.assert(property, { numRuns: 50, seed: seed + lane })));
});
