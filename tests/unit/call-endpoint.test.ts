import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { callEndpoint, type EndpointResponse } from "@/lib/outgoing/call-endpoint";
import { forSuite } from "../support/for-suite";
import { listenOnLoopback } from "../support/loopback";

const OK = "HTTP/1.1 200 OK\r\nretry-after: 7\r\ncontent-length: 2\r\n\r\nok";
const LONG = (status: string, sent: string) => `HTTP/1.1 ${status}\r\ncontent-length: 9000\r\n\r\n${sent}`;

const SWITCHES = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";

/** What a partner's server does with a request, which is the `number`th of its connection. */
const BEHAVIOURS = {
  well: (socket: Socket) => socket.write(OK),
  late: (socket: Socket) => setTimeout(() => socket.write(OK), 4_500),
  "answers one request of each connection, and resets at the next": (socket: Socket, number: number) =>
    number === 1 ? socket.write(OK) : socket.resetAndDestroy(),
  "answers one request of each connection, and closes at the next": (socket: Socket, number: number) =>
    number === 1 ? socket.write(OK) : socket.end(),
  "begins to answer the second request of a connection": (socket: Socket, number: number) =>
    number === 1 ? socket.write(OK) : socket.end("HTTP/1.1 20"),
  "resets every connection": (socket: Socket) => socket.resetAndDestroy(),
  "100 Continue": (socket: Socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}`),
  "103 Early Hints": (socket: Socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`),
  "102, 100 and 103": (socket: Socket) => {
    for (const code of [102, 100, 103]) socket.write(`HTTP/1.1 ${code} Wait\r\n\r\n`);
    setTimeout(() => socket.write(OK), 20);
  },
  "101 with its headers": (socket: Socket) => socket.write(SWITCHES),
  "101 with its headers, and closes": (socket: Socket) => socket.end(SWITCHES),
  "101 with its headers, and goes on in another protocol": (socket: Socket) => socket.write(`${SWITCHES}\x81\x05hello`),
  "101 without its headers": (socket: Socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
  "103 without end": (socket: Socket) => {
    const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 100);
    socket.on("close", () => clearInterval(timer));
  },
  "half of its headers": (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-le"),
  "half of its headers, and half-closes": (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le"),
  nothing: () => undefined,
  "nothing, and half-closes": (socket: Socket) => socket.end(),
  drips: (socket: Socket) => {
    socket.write(LONG("200 OK", "begun"));
    const timer = setInterval(() => socket.write("."), 100);
    socket.on("close", () => clearInterval(timer));
  },
  "is cut": (socket: Socket) => socket.end(LONG("202 Accepted", "begun")),
  "is reset": (socket: Socket) => socket.write(LONG("200 OK", "begun"), () => socket.resetAndDestroy()),
  "has no end": (socket: Socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const timer = setInterval(() => socket.write("x".repeat(1_000)), 1);
    socket.on("close", () => clearInterval(timer));
  },
  "has a character where it is cut": (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\nab${"🌺".repeat(2_000)}`),
  "is cut after a refusal": (socket: Socket) => socket.end(LONG("500 Fault", "begun")),
} as const;
type Behaviour = keyof typeof BEHAVIOURS;

const BODY = "{}";

/** Counts the requests that reached it. */
const startPartner = async () => {
  const seen = new Map<string, number>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let number = 0;
    let text = "";
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const [, path] = /^POST \/(\S+) [\s\S]*\r\n\r\n\{\}$/.exec(text) ?? [];
      if (path === undefined) return;
      text = "";
      seen.set(path, (seen.get(path) ?? 0) + 1);
      BEHAVIOURS[decodeURIComponent(path) as Behaviour](socket, ++number);
    });
  });
  const { port, close } = await listenOnLoopback(server);
  return { port, seen, stop: close };
};

const partner = forSuite(startPartner);

const call = (behaviour: Behaviour): Promise<EndpointResponse> => {
  const url = new URL(`http://127.0.0.1:${partner.port}/${encodeURIComponent(behaviour)}`);
  return callEndpoint({ url, key: behaviour, isChecked: false, headers: {}, body: BODY });
};
const arrived = (behaviour: Behaviour): number => partner.seen.get(encodeURIComponent(behaviour)) ?? 0;

describe("a connection that is kept", () => {
  test("serves the next call, too", async () => {
    for (let i = 0; i < 3; i++) {
      expect(await call("well")).toEqual({ statusCode: 200, retryAfter: "7", response: "ok" });
    }
    expect(arrived("well")).toBe(3);
  });

  test.each([
    "answers one request of each connection, and resets at the next",
    "answers one request of each connection, and closes at the next",
  ] as const)("of a server that %s costs no call", async (behaviour) => {
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await call(behaviour)).statusCode);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
  });

  test("is no reason to repeat a call whose response has begun", async () => {
    const behaviour = "begins to answer the second request of a connection";
    expect((await call(behaviour)).statusCode).toBe(200);
    await expect(call(behaviour)).rejects.toThrow();
    expect(arrived(behaviour)).toBe(2);
  });

  test("is not what failed where the connection was new: no repeat", async () => {
    await expect(call("resets every connection")).rejects.toThrow();
    expect(arrived("resets every connection")).toBe(1);
  });
});

describe("an interim response that was not asked for", () => {
  test.each(["100 Continue", "103 Early Hints", "102, 100 and 103"] as const)(
    "%s is passed over",
    async (behaviour) => {
      for (let i = 0; i < 2; i++) expect(await call(behaviour)).toMatchObject({ statusCode: 200, response: "ok" });
      expect(arrived(behaviour)).toBe(2);
    },
  );
});

// At once, because several wait for the whole deadline.
describe.concurrent("every call comes to an end", { timeout: 30_000 }, () => {
  test.each([
    "101 with its headers",
    "101 with its headers, and closes",
    "101 with its headers, and goes on in another protocol",
    "101 without its headers",
  ] as const)("with the status, where the endpoint answers %s", async (behaviour) => {
    expect(await call(behaviour)).toEqual({ statusCode: 101, retryAfter: undefined, response: "" });
    expect(arrived(behaviour)).toBe(1);
  });

  test.each([
    ["103 without end", "NO_RESPONSE"],
    ["half of its headers", "NO_RESPONSE"],
    ["half of its headers, and half-closes", "ECONNRESET"],
    ["nothing", "NO_RESPONSE"],
    ["nothing, and half-closes", "ECONNRESET"],
  ] as const)("with an error, where the endpoint answers %s", async (behaviour, code) => {
    await expect(call(behaviour)).rejects.toMatchObject({ code });
    expect(arrived(behaviour)).toBe(1);
  });

  test.each(["https", "http"])("with an error, where a proxy never opens its tunnel for %s", async (scheme) => {
    const proxy = createServer((socket) => socket.on("error", () => undefined).resume()).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    vi.stubEnv(`${scheme}_proxy`, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const url = new URL(`${scheme}://partner.example.com/webhooks`);
    const answer = callEndpoint({ url, key: scheme, isChecked: false, headers: {}, body: BODY });
    vi.unstubAllEnvs();
    await expect(answer).rejects.toMatchObject({ code: "NO_RESPONSE" });
    proxy.close();
  });
});

describe("the status decides, and what has arrived of the body is returned", () => {
  test.each([
    ["drips", 200, /^begun\.+$/],
    ["is cut", 202, /^begun$/],
    ["is reset", 200, /^(begun)?$/],
    ["has no end", 200, /^x{4096}$/],
    ["has a character where it is cut", 200, /^ab🌺{1023}$/u],
    ["is cut after a refusal", 500, /^begun$/],
  ] as const)("of a body that %s", async (behaviour, statusCode, response) => {
    expect(await call(behaviour)).toMatchObject({ statusCode, response: expect.stringMatching(response) });
    expect(arrived(behaviour)).toBe(1);
  });

  test("also where it takes longer than an idle connection is kept", async () => {
    expect((await call("late")).statusCode).toBe(200);
  });
});
