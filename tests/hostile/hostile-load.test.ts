import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { startInstance } from "../support/environment";
import { forSuite } from "../support/for-suite";
import { freshAddress } from "../support/limits";
import { residentMebibytes } from "../support/process-memory";
import { PYTHON, pythonTitle } from "../support/python";
import { head, openRaw } from "../support/raw-http";
import { openSilentReaders } from "../support/silent-readers";
import { provisionWorkspace, request, type TestWorkspace } from "../support/workspace";

const SEND = "/api/v1/public/messages/send";
const GIBIBYTE = 1_024 ** 3;
const CHUNK = Buffer.from(`10000\r\n${"x".repeat(65_536)}\r\n`);
const MAX_GROWTH_MEBIBYTES = 128;
const MAX_NEIGHBOUR_MS = 1_500;

const instance = forSuite(() =>
  startInstance({ PUBLIC_API_IP_RATE_LIMIT: "100000", PUBLIC_API_KEY_RATE_LIMIT: "100000" }),
);
let workspace: TestWorkspace;

beforeAll(async () => {
  workspace = await provisionWorkspace();
  for (let i = 0; i < 20; i++) await neighbour();
});

const pair = () => ({
  apiKey: workspace.apiKey,
  apiSecret: workspace.apiSecret,
  "x-forwarded-for": workspace.clientAddress,
});

const neighbour = async (): Promise<number> => {
  const startedAtMs = performance.now();
  const answer = await request("GET", `${instance.baseUrl}/api/v1/public/templates`, { headers: pair() });
  expect(answer.status, answer.text).toBe(200);
  return performance.now() - startedAtMs;
};

/** What an attack costs the others, and the process: their median latency before and during it, and memory gained. */
const costOf = async (title: string, attack: () => Promise<void>) => {
  const calm = await medianOf(15);
  const before = residentMebibytes(instance.pid) ?? 0;
  let isOver = false;
  let highest = before;
  const running = attack().finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver || times.length < 10) {
    times.push(await neighbour());
    highest = Math.max(highest, residentMebibytes(instance.pid) ?? 0);
    await sleep(20);
  }
  await running;
  const during = median(times);
  const grown = highest - before;
  console.log(
    `${title}: a neighbour's median ${calm.toFixed(0)} → ${during.toFixed(0)} ms, memory +${grown.toFixed(0)} MiB`,
  );
  expect(grown).toBeLessThan(MAX_GROWTH_MEBIBYTES);
  expect(during).toBeLessThan(MAX_NEIGHBOUR_MS);
};

/** A page that another visitor asks for while the attack runs. */
const expectPage = async (address: string) => {
  const answer = await request("GET", `${instance.baseUrl}/docs`, { headers: { "x-forwarded-for": address } });
  expect(answer.status, answer.text).toBe(200);
};

const medianOf = async (count: number) => {
  const times: number[] = [];
  for (let i = 0; i < count; i++) times.push(await neighbour());
  return median(times);
};

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** Writes a body in chunks until 1 GiB is out or the server has cut the connection; says how much left. */
const pour = async (path: string, headers: Record<string, string>): Promise<{ bytes: number; answer: string }> => {
  const socket = net.connect({ host: "127.0.0.1", port: Number(new URL(instance.baseUrl).port) });
  const isCut = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let answer = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    answer += chunk.toString("latin1");
  });
  await once(socket, "connect");
  socket.write(head(`POST ${path}`, { ...pair(), ...headers, "Transfer-Encoding": "chunked" }));
  let bytes = 0;
  while (bytes < GIBIBYTE && !socket.destroyed) {
    bytes += CHUNK.length;
    if (!socket.write(CHUNK)) await Promise.race([once(socket, "drain").catch(() => {}), isCut]);
    else await new Promise(setImmediate);
  }
  socket.destroy();
  await isCut;
  return { bytes, answer };
};

describe("bounded time and memory, and others unaffected", () => {
  test.each<[string, string, Record<string, string>?]>([
    [SEND, "413"],
    // Refused before a byte of the body, or once it is too long to be what was signed.
    ["/api/webhooks/whatsapp", "401"],
    ["/api/webhooks/whatsapp", "413", { "X-Hub-Signature-256": `sha256=${"0".repeat(64)}` }],
    ["/api/auth/callback/credentials", "403|413"],
    ["/api/health", "200|405"],
    ["/dashboard", "405|413"],
  ])(
    "eight bodies of 1 GiB in chunks to %s: %s",
    async (path, statuses, headers = {}) => {
      await costOf(`8 × 1 GiB to ${path}`, async () => {
        const poured = await Promise.all(Array.from({ length: 8 }, () => pour(path, headers)));
        for (const { bytes, answer } of poured) {
          expect(bytes).toBeLessThan(GIBIBYTE);
          // A reset may overtake an answer that is already on its way; no other answer may come.
          if (answer !== "") expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 (${statuses}) `));
        }
      });
    },
    60_000,
  );

  test.each([
    ["bodies that drip a byte a second", () => `${head(`POST ${SEND}`, { ...pair(), "Content-Length": "100" })}{`, " "],
    ["heads that never end", () => "GET /api/health HTTP/1.1\r\nHost: a\r\n", "X-A: b\r\n"],
  ])(
    "200 %s are all given up within 13 s",
    async (what, begin, drop) => {
      await costOf(`200 ${what}`, async () => {
        const slow = await Promise.all(Array.from({ length: 200 }, () => openRaw(instance.baseUrl)));
        for (const connection of slow) connection.write(begin());
        const drip = setInterval(() => {
          for (const connection of slow) connection.write(drop);
        }, 1_000);
        const ends = await Promise.all(slow.map(({ closed }) => closed));
        clearInterval(drip);
        expect(Math.max(...ends)).toBeLessThan(15_000);
      });
    },
    60_000,
  );

  test.skipIf(!PYTHON)(
    pythonTitle("600 clients that read nothing keep no page away, and are all cut within 80 s"),
    async () => {
      const address = freshAddress();
      await costOf("600 silent readers", async () => {
        const asked = { count: 600, path: "/openapi.json", address };
        const readers = await openSilentReaders(instance.baseUrl, asked);
        const untilMs = performance.now() + 80_000;
        let cut = 0;
        while (cut < asked.count && performance.now() < untilMs) {
          await expectPage(address);
          await sleep(1_000);
          cut = await readers.cut();
        }
        readers.leave();
        expect(cut).toBe(asked.count);
      });
    },
    120_000,
  );

  test.each(["one address", "100 addresses"])(
    "1,500 requests for a page from %s, each reset after 3 ms",
    async (from) => {
      const address = freshAddress();
      await costOf(`1,500 early leavers at ${from}`, async () => {
        const addresses = Array.from({ length: 100 }, freshAddress);
        const leavers = Array.from({ length: 1_500 }, async (_, i) => {
          const connection = await openRaw(instance.baseUrl);
          const own = from === "one address" ? address : (addresses[i % 100] ?? "");
          connection.write(head("GET /no-such-page", { "X-Forwarded-For": own }));
          await sleep(3);
          connection.reset();
          if (i % 100 === 0) await expectPage(freshAddress());
        });
        await Promise.all(leavers);
        await expectPage(address);
        await expectPage(freshAddress());
      });
    },
    60_000,
  );

  test("500 headers are read like five, 400 times over", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`X-${i}`, "some value"]));
    await costOf("400 requests with 500 headers", async () => {
      for (let round = 0; round < 20; round++) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () =>
            request("GET", `${instance.baseUrl}/api/v1/public/templates`, { headers: { ...pair(), ...many } }),
          ),
        );
        expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      }
    });
  }, 60_000);
});
